"""The scorers inside Inspect AI, on its own offline model; `make test-integrations` runs this where it is installed."""

import math

import pytest

pytest.importorskip("inspect_ai", reason="Inspect AI is not installed: make test-integrations")
pytestmark = pytest.mark.filterwarnings("default")

from harness_page import blocks, run_commands, write_questions  # noqa: E402
from inspect_ai import Task, score  # noqa: E402
from inspect_ai import eval as evaluate  # noqa: E402
from inspect_ai.dataset import Sample  # noqa: E402
from inspect_ai.log import read_eval_log  # noqa: E402
from inspect_ai.model import ModelOutput, ModelUsage, get_model  # noqa: E402
from inspect_ai.solver import generate  # noqa: E402

import fas  # noqa: E402
from fas.integrations.inspect_ai import fas_scorer, fas_scores  # noqa: E402

PASSAGES = ["Metformin lowered fasting glucose in adults. Body weight did not increase."]
ANSWERS = [
    "Metformin lowers glucose. It does not increase body weight.",
    "Metformin increases body weight.",
    "I'm not sure.",
]
ROWS = [
    {
        "question": "What does metformin do?",
        "prediction": answer,
        "references": ["Metformin lowers glucose."],
        "passages": PASSAGES,
    }
    for answer in ANSWERS
]


def outputs():
    for answer in ANSWERS:
        made = ModelOutput.from_content("mockllm/model", answer)
        made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        yield made


@pytest.fixture(scope="module")
def expected():
    return fas.score_answers(ROWS)


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    samples = [
        Sample(input=row["question"], target=row["references"], metadata={"passages": row["passages"]}) for row in ROWS
    ]
    task = Task(dataset=samples, solver=generate(), scorer=[fas_scorer("fas"), fas_scores()])
    (found,) = evaluate(
        task,
        model=get_model("mockllm/model", custom_outputs=outputs()),
        log_dir=str(tmp_path_factory.mktemp("logs")),
        display="none",
        max_samples=1,
    )
    assert found.status == "success", found.error
    return found


def test_each_answer_has_the_value_that_score_answers_gives_it(log, expected):
    for sample, one in zip(log.samples, expected.answers, strict=True):
        assert sample.scores["fas_scorer"].value == pytest.approx(one.fas, nan_ok=True)
        values = sample.scores["fas_scores"].value
        for name in ("fas", "fas_evidence", "support", "contra", "unsupported"):
            assert values[name] == pytest.approx(getattr(one, name), nan_ok=True)


def test_what_has_no_claim_is_unscored_and_in_no_mean(log, expected):
    single = next(one for one in log.results.scores if one.name == "fas_scorer")
    assert (single.scored_samples, single.unscored_samples) == (2, 1)
    assert single.metrics["mean"].value == pytest.approx(expected.metrics["fas"].mean)
    assert math.isnan(log.samples[2].scores["fas_scorer"].value)
    assert log.samples[2].scores["fas_scorer"].reason == "the answer makes no claim"


def test_the_commands_of_the_page_run_and_score_a_log_again(tmp_path):
    write_questions(tmp_path)
    (task,) = blocks("Inspect AI", "python")
    (tmp_path / "medical.py").write_text(task, encoding="utf-8")
    run_commands("Inspect AI", tmp_path)
    (path,) = (tmp_path / "logs").glob("*.eval")
    found = read_eval_log(str(path))
    assert found.status == "success"
    assert {"support", "contra"} < {one.name for one in found.results.scores}
    assert "fas_scorer" in {one.name.rpartition("/")[2] for one in found.results.scores}
    assert all("fas_scorer" in "".join(sample.scores) for sample in found.samples)


def test_a_log_is_scored_again_with_the_values_of_score_answers(log, expected):
    again = score(log, fas_scorer("support"), action="append", display="none")
    (added,) = {one.name for one in again.results.scores} - {one.name for one in log.results.scores}
    for sample, one in zip(again.samples, expected.answers, strict=True):
        assert sample.scores[added].value == pytest.approx(one.support, nan_ok=True)
