"""What harnesses have in common, and what can be tested without any of them."""

import importlib
import math
import sys

import pytest

import fas
from fas.integrations.rows import answer_row, explain_unscored, explanation, rationale, read_values

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


def test_an_answer_without_claims_has_no_values_and_a_reason(scores):
    values = read_values(scores[2])
    assert all(math.isnan(value) for value in values.values())
    assert explain_unscored(scores[2]) == explanation(scores[2]) == "the answer makes no claim"
    assert explain_unscored(scores[0]) is None


def test_a_rationale_names_the_passage_the_sentence_and_the_probabilities(scores):
    supported, contradicted = (score.verdicts[0] for score in scores[:2])
    assert rationale(supported).endswith("[7]: Metformin lowered fasting glucose in adults.")
    assert contradicted.label == "contradicted"
    assert rationale(contradicted).startswith(f"P(support) {contradicted.p_support:.2f}")
    assert "weight did not increase" in rationale(contradicted)
