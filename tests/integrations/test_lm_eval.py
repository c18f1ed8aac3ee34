"""The tasks inside lm-evaluation-harness, with a model of its own kind; run by `make test-integrations`."""

import json
import math

import pytest

pytest.importorskip("lm_eval", reason="lm-evaluation-harness is not installed: make test-integrations")
pytestmark = pytest.mark.filterwarnings("default")

from harness_page import run_commands  # noqa: E402
from lm_eval import simple_evaluate  # noqa: E402
from lm_eval.api.model import LM  # noqa: E402
from lm_eval.tasks import TaskManager  # noqa: E402

import fas  # noqa: E402
from fas.bench import benchmark  # noqa: E402
from fas.integrations.lm_eval import TASKS, documents  # noqa: E402

QUESTIONS = [
    {
        "id": f"q{number}",
        "type": "summary",
        "body": "What does metformin do?",
        "ideal_answer": ["Metformin lowers glucose."],
        "snippets": [{"text": text, "document": f"http://www.ncbi.nlm.nih.gov/pubmed/{number}"}],
        "documents": [],
    }
    for number, text in enumerate(("Metformin lowered glucose.", "Weight did not increase on metformin."), 1)
]
ANSWERS = {"1": "Metformin lowers glucose.", "2": "I'm not sure."}


class Said(LM):
    """Answers from a list, in the order of the questions."""

    def __init__(self, answers):
        super().__init__()
        self.answers = answers
        self.asked = []

    def generate_until(self, requests, **_):
        self.asked = [request.args[0] for request in requests]
        return self.answers[: len(requests)]

    def loglikelihood(self, requests, **_):
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "bioasq"
    folder.mkdir()
    (folder / "10B1_golden.json").write_text(json.dumps({"questions": QUESTIONS}), encoding="utf-8")
    return tmp_path


def test_a_task_scores_as_score_answers_does_and_leaves_out_what_has_no_value(data):
    metadata = {"data": str(data)}
    model = Said(list(ANSWERS.values()))
    found = simple_evaluate(
        model=model,
        tasks=["fas_bioasq"],
        task_manager=TaskManager(include_path=str(TASKS), metadata=metadata),
        log_samples=True,
        bootstrap_iters=0,
    )
    items = list(benchmark("bioasq").items(data))
    rows = [
        {
            "question": item.question,
            "references": list(item.references),
            "passages": [{"id": p.id, "text": p.text} for p in item.passages],
            "prediction": answer,
        }
        for item, answer in zip(items, ANSWERS.values(), strict=True)
    ]
    report = fas.score_answers(rows)
    values = found["results"]["fas_bioasq"]
    assert values["fas,none"] == pytest.approx(report.metrics["fas"].mean)
    assert values["support,none"] == pytest.approx(report.metrics["support@5"].mean)
    assert values["unscored,none"] == pytest.approx(report.n_unscored / report.n) == 0.5
    assert "What does metformin do?" in model.asked[0]
    each = [sample["fas"] for sample in found["samples"]["fas_bioasq"]]
    assert each[0] == pytest.approx(report.answers[0].fas)
    assert math.isnan(each[1])


def test_the_commands_of_the_page_run_and_store_the_scores(data, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    (printed,) = run_commands("lm-evaluation-harness", folder, data=data)
    assert "unscored" in printed
    (stored,) = folder.glob("out/**/results_*.json")
    assert set(json.loads(stored.read_text(encoding="utf-8"))["results"]) == {"fas_bioasq"}


@pytest.mark.parametrize("name", ["bioasq", "pubmedqa", "medlfqa"])
def test_the_real_files_become_questions_with_prompt_and_evidence(name, shared_data):
    passages = "references" if name == "medlfqa" else "own"
    split = documents(name, data=str(shared_data), passages=passages)["test"]
    assert len(split) >= 200
    first = split[0]
    assert first["question"] in first["prompt"]
    assert first["references"]
    assert first["passages"]
