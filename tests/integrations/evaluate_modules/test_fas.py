"""`evaluate.load("fas")` and everything evaluate does with a module, offline."""

from __future__ import annotations

import json
import threading

import pytest

import fas
from fas.api import score_answers
from fas.core.parts import extractors
from fas.core.profile import PartSpec
from fas.core.records import Claim

evaluate = pytest.importorskip("evaluate")

NOTE = "Ibuprofen reduces fever in children. Honey is not safe for infants."


class Sentences:
    """One claim a full stop."""

    signature = "sentences[1]"

    def extract(self, answers):
        return [[Claim(part.strip() + ".") for part in a.prediction.split(".") if part.strip()] for a in answers]


if "test-evaluate" not in extractors.names():
    extractors.add("test-evaluate", Sentences)

QUICK = {
    "claims": PartSpec("test-evaluate"),
    "verify": PartSpec("lexical"),
    "safety": False,
    "precision": "fp32",
    "n_resamples": 20,
}
PREDICTIONS = ["Ibuprofen reduces fever.", "Honey is safe. Ibuprofen reduces fever.", ""]
PASSAGES = [[NOTE], [{"text": NOTE, "id": 12, "title": "A trial", "year": 2020}], None]


@pytest.fixture
def metric():
    return evaluate.load(fas.module_path("fas"), keep_in_memory=True)


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(result):
    assert result["support@5"] == pytest.approx((1 + 0.5) / 2)
    assert result["contra@5"] == pytest.approx(0.25)
    assert (result["n"], result["n_unscored"], result["n_failed"]) == (3, 1, 0)


def test_the_module_loads_by_name_at_the_root_of_the_checkout(root, monkeypatch):
    monkeypatch.chdir(root)
    metric = evaluate.load("fas", keep_in_memory=True)
    check(metric.compute(predictions=PREDICTIONS, passages=PASSAGES, **QUICK))


def test_the_result_is_the_report_by_the_same_names(metric):
    references = ["Ibuprofen reduces fever.", None, ["a", "b"]]
    questions = ["Does it?", None, None]
    result = metric.compute(
        predictions=PREDICTIONS, references=references, questions=questions, passages=PASSAGES, seed=3, **QUICK
    )
    records = [
        {"prediction": p, "references": r, "question": q, "passages": e}
        for p, r, q, e in zip(PREDICTIONS, references, questions, PASSAGES, strict=True)
    ]
    report = score_answers(records, seed=3, **QUICK).as_dict()
    for name, summary in report["metrics"].items():
        assert result[name] == summary["mean"]
        assert result["ci"][name] == [summary["low"], summary["high"]]
    assert result["signature"] == report["signature"]
    assert result["notes"] == report["notes"]
    assert result["flags"] == {}
    assert [answer["question"] for answer in result["per_answer"]] == questions
    json.dumps(result, allow_nan=False)


@pytest.mark.parametrize("column", ["references", "questions", "passages"])
def test_a_column_that_comes_without_its_predictions_is_refused_and_what_was_added_is_kept(metric, column):
    metric.add_batch(predictions=PREDICTIONS, passages=PASSAGES)
    with pytest.raises(ValueError, match=f"`{column}` were given without `predictions`; give them together, or add"):
        metric.compute(**{column: [None] * 3}, **QUICK)
    check(metric.compute(**QUICK))


def test_no_predictions_and_wrong_columns_are_refused_and_the_module_stays_usable(metric):
    with pytest.raises(ValueError, match="`predictions` is empty: nothing to score"):
        metric.compute(predictions=[], passages=[], **QUICK)
    with pytest.raises(ValueError, match="`predictions`, item 2: expected a string, got NoneType"):
        metric.compute(predictions=["x", None], passages=[[], []], **QUICK)
    with pytest.raises(ValueError, match="`references` has 1 items, but there are 2 predictions"):
        metric.compute(predictions=["x", "y"], references=["r"], passages=[[], []], **QUICK)
    with pytest.raises(ValueError, match="no `predictions` were given or added: nothing to score"):
        metric.compute(**QUICK)
    check(metric.compute(predictions=PREDICTIONS, passages=PASSAGES, **QUICK))


def test_two_processes_share_one_computation(elsewhere):
    cache = str(elsewhere / "cache")
    results: dict[int, object] = {}

    def rank(number):
        module = evaluate.load(
            fas.module_path("fas"), num_process=2, process_id=number, experiment_id="two", cache_dir=cache
        )
        module.add_batch(predictions=PREDICTIONS[number::2], passages=PASSAGES[number::2])
        results[number] = module.compute(**QUICK)

    threads = [threading.Thread(target=rank, args=(number,)) for number in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert results[1] is None
    check(results[0])
