"""The scorer inside `mlflow.genai.evaluate`, on a store of its own; run by `make test-integrations`."""

import os
import subprocess
import sys

import pytest

mlflow = pytest.importorskip("mlflow", reason="MLflow is not installed: make test-integrations")
pytestmark = pytest.mark.filterwarnings("default")

from harness_page import blocks, write_questions  # noqa: E402

import fas  # noqa: E402
from fas.integrations.mlflow import fas_scorer  # noqa: E402

PASSAGES = ["Metformin lowered fasting glucose in adults. Body weight did not increase."]
ANSWERS = [
    "Metformin lowers glucose. It does not increase body weight.",
    "Metformin increases body weight.",
    "I'm not sure.",
]
QUESTION = "What does metformin do?"


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mlflow")
    mlflow.set_tracking_uri(f"sqlite:///{folder}/mlflow.db")
    mlflow.set_experiment("fas")
    data = [
        {
            "inputs": {"question": QUESTION},
            "outputs": answer,
            "expectations": {"references": ["Metformin lowers glucose."], "passages": PASSAGES},
        }
        for answer in ANSWERS
    ]
    return mlflow.genai.evaluate(data=data, scorers=[fas_scorer()])


@pytest.fixture(scope="module")
def expected():
    row = {"question": QUESTION, "references": ["Metformin lowers glucose."], "passages": PASSAGES}
    return fas.score_answers([{**row, "prediction": answer} for answer in ANSWERS])


def test_means_are_those_of_score_answers_and_leave_out_what_has_no_value(result, expected):
    assert result.metrics["fas/fas/mean"] == pytest.approx(expected.metrics["fas"].mean)
    assert result.metrics["fas/support/mean"] == pytest.approx(expected.metrics["support@5"].mean)


def test_each_claim_is_feedback_with_its_label_and_what_it_rests_on(result):
    table = result.result_df.set_index("response") if "response" in result.result_df else result.result_df
    found = {}
    for assessments in table["assessments"]:
        values = {one["assessment_name"]: one for one in assessments}
        found[values.get("fas/claim/1", {}).get("rationale", "none")[:20]] = values
    good = next(values for key, values in found.items() if key.startswith("Metformin lowers"))
    assert good["fas/claim/1"]["feedback"]["value"] == "supported"
    assert "P(support)" in good["fas/claim/1"]["rationale"]
    assert "fas/claim/2" in good
    assert found["none"]["fas/unscored"]["rationale"] == "the answer makes no claim"
    assert "fas/fas" not in found["none"]


def test_a_row_without_an_answer_is_an_error_of_that_row(tmp_path):
    scorer = fas_scorer()
    with pytest.raises(ValueError, match="outputs has no answer"):
        scorer(inputs={"question": QUESTION}, outputs={"x": 1}, expectations={"passages": PASSAGES})


def test_the_example_of_the_page_runs_and_gives_means(tmp_path):
    write_questions(tmp_path)
    (code,) = blocks("MLflow", "python")
    (tmp_path / "example.py").write_text(code, encoding="utf-8")
    # MLflow names the experiment of the tests above, in another store, in the environment.
    own = {name: value for name, value in os.environ.items() if not name.startswith("MLFLOW_")}
    done = subprocess.run(
        [sys.executable, "example.py"], cwd=tmp_path, env=own, capture_output=True, text=True, check=False, timeout=200
    )
    assert done.returncode == 0, done.stderr
    assert "'fas/support/mean': 1.0" in done.stdout.replace("np.float64(1.0)", "1.0")
