"""What harnesses have in common, and what can be tested without any of them."""

import importlib
import json
import math
import sys

import pytest

import fas
from fas.bench import benchmark
from fas.integrations.lm_eval import documents, process_results
from fas.integrations.rows import answer_row, explanation, rationale, values_of, why_unscored

QUESTION = "What does metformin do?"
PASSAGES = [{"id": "7", "text": "Metformin lowered fasting glucose in adults. Body weight did not increase."}]


@pytest.fixture(scope="module")
def scores():
    answers = ("Metformin lowers glucose.", "Metformin increases body weight.", "I'm not sure.")
    return fas.score_answers([answer_row(text, question=QUESTION, passages=PASSAGES) for text in answers]).answers


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [("inspect_ai", "inspect_ai.scorer", "inspect"), ("mlflow", "mlflow.entities", "mlflow")],
)
def test_without_its_harness_a_module_says_what_to_install(module, package, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"fas.integrations.{module}", raising=False)
    with pytest.raises(ImportError, match=rf"pip install 'fact-aligned-score\[{extra}\]'"):
        importlib.import_module(f"fas.integrations.{module}")


def test_a_row_keeps_what_is_there_and_an_empty_list_of_passages():
    assert answer_row("a", question=None, references=["", "b"], passages=[]) == {
        "prediction": "a",
        "references": ["b"],
        "passages": [],
    }
    assert answer_row("a", question="q", references="b") == {"prediction": "a", "question": "q", "references": ["b"]}


def test_an_answer_without_claims_has_no_values_and_a_reason(scores):
    values = values_of(scores[2])
    assert all(math.isnan(value) for value in values.values())
    assert why_unscored(scores[2]) == explanation(scores[2]) == "the answer makes no claim"
    assert why_unscored(scores[0]) is None


def test_a_rationale_names_the_passage_the_sentence_and_the_probabilities(scores):
    supported, contradicted = (score.verdicts[0] for score in scores[:2])
    assert rationale(supported).endswith("[7]: Metformin lowered fasting glucose in adults.")
    assert contradicted.label == "contradicted"
    assert rationale(contradicted).startswith(f"P(support) {contradicted.p_support:.2f}")
    assert "weight did not increase" in rationale(contradicted)


def test_a_task_of_lm_eval_scores_each_answer_as_score_answers_does(tmp_path):
    question = {
        "id": "q1",
        "type": "summary",
        "body": QUESTION,
        "ideal_answer": ["Metformin lowers glucose."],
        "snippets": [{"text": "Metformin lowered glucose.", "document": "http://www.ncbi.nlm.nih.gov/pubmed/1"}],
        "documents": [],
    }
    (tmp_path / "bioasq").mkdir()
    (tmp_path / "bioasq" / "10B1_golden.json").write_text(json.dumps({"questions": [question]}), encoding="utf-8")
    (document,) = documents("bioasq", data=str(tmp_path))["test"]
    found = process_results(document, ["Metformin lowers glucose."])
    (item,) = benchmark("bioasq").items(tmp_path)
    row = answer_row(
        "Metformin lowers glucose.",
        question=item.question,
        references=item.references,
        passages=[{"id": one.id, "text": one.text} for one in item.passages],
    )
    (score,) = fas.score_answers([row]).answers
    assert found == {**values_of(score), "unscored": 0.0}
    assert process_results(document, ["I'm not sure."])["unscored"] == 1.0
