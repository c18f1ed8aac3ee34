"""Intervals of a report: over answers, or over questions where answers share one."""

from __future__ import annotations

import numpy as np
import pytest

from fas.core.profile import Profile
from fas.core.records.signature import Signature
from fas.pipeline.runs.notes import note_records
from fas.scoring.aggregate import collect_columns, question_key, report_of
from fas.stats.bootstrap import mean_intervals

SIGNATURE = "n:6|boot:10000|seed:12345"

# The oracles are loops over the same draws; which kind a figure gets is in stats/test_intervals.py.
pytestmark = pytest.mark.usefixtures("percentiles")


def record(number, value, *, question=None, flags=(), error=None, **meta):
    """One line of `scores.jsonl` whose metrics are all *value*."""
    names = ("fas", "fas_evidence", "support", "contra", "unsupported")
    names += ("rouge1", "rouge2", "rougeL", "bleu4", "bertscore_f1")
    counts = dict.fromkeys(("n_claims", "n_unverified", "n_no_evidence", "n_conflicting"), 0)
    found = [{"flag": name, "status": None} for name in flags]
    row = {"id": str(number), "question": question, "meta": meta, "claims": [], "flags": found, "error": error}
    return row | dict.fromkeys(names, value) | counts


def report(records, by=(), signature=SIGNATURE):
    columns = collect_columns(records, k=5, by=by)
    return report_of(columns, profile=Profile(), signature=signature, timing={}, notes=note_records(columns))


def test_answers_to_distinct_questions_are_resampled_one_by_one_against_the_plain_bootstrap():
    values = [0.1, 0.5, 0.2, 0.9, 0.4, 0.7]
    found = report([record(i, v, question=f"Question {i}?") for i, v in enumerate(values)])
    assert found.metrics["fas"] == mean_intervals({"fas": values})["fas"]
    assert found.signature == SIGNATURE
    assert found.notes == ()


def test_answers_that_share_questions_are_resampled_by_question_against_a_naive_loop():
    values, questions = [0.1, 0.2, 0.3, 0.8, 0.9, 1.0], ["a", "a", "a", "b", "b", "c"]
    found = report([record(i, v, question=q) for i, (v, q) in enumerate(zip(values, questions, strict=True))])
    members = [[0, 1, 2], [3, 4], [5]]
    draws = np.random.default_rng(12345).integers(3, size=(10_000, 3))
    means = [np.mean([values[i] for unit in draw for i in members[unit]]) for draw in draws]
    low, high = np.quantile(means, [0.025, 0.975])
    assert found.metrics["fas"].mean == pytest.approx(0.55)
    assert (found.metrics["fas"].low, found.metrics["fas"].high) == pytest.approx((low, high), abs=1e-12)


def test_signature_and_notes_say_that_questions_were_resampled():
    found = report([record(i, i / 10, question=str(i // 3)) for i in range(6)])
    assert Signature.parse(found.signature).fields["boot"] == "10000[question]"
    assert found.notes == ("6 answers share 2 questions; intervals resample questions, not answers",)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ({"question": "Is it safe?"}, {"question": " Is it\n safe? "}, True),
        ({"question": "Is it safe?"}, {"question": "Is it harmful?"}, False),
        ({"question": "x", "meta": {"question_id": 3}}, {"question": "y", "meta": {"question_id": 3}}, True),
        ({"question": "x", "meta": {"question_id": 3}}, {"question": "x", "meta": {"question_id": 4}}, False),
        (
            {"meta": {"question_id": 3, "dataset": "a"}},
            {"meta": {"question_id": 3, "dataset": "b"}},
            False,
        ),
    ],
)  # fmt: skip
def test_question_id_within_its_dataset_comes_before_the_text_of_the_question(first, second, same):
    assert (question_key(first) == question_key(second)) is same


def test_each_group_has_its_own_flag_rates_over_its_own_answers():
    flags = [["X"], [], [], ["X"], ["X"], ["Y"]]
    records = [record(i, 0.5, flags=f, model="a" if i < 3 else "b") for i, f in enumerate(flags)]
    groups = report(records, by=["model"]).groups["model"]
    rates = {name: (groups[name]["flag:X"].mean, groups[name]["flag:Y"].mean) for name in ("a", "b")}
    assert rates == {"a": (1 / 3, 0.0), "b": (2 / 3, 1 / 3)}
    from statsmodels.stats.proportion import proportion_confint

    found = groups["a"]["flag:X"]
    assert (found.low, found.high) == pytest.approx(proportion_confint(1, 3, method="beta"))


def test_marked_passages_are_counted_from_the_records_once_for_each_claim_they_were_judged_for():
    retracted, concern = {"id": "1", "status": "retracted"}, {"id": "2", "status": "concern"}
    claims = [{"evidence": [retracted, {"id": "3"}]}, {"evidence": [retracted, concern]}, {"evidence": []}]
    failed = record(3, None, error={"type": "x"}) | {"claims": claims}
    found = report([record(1, 0.5) | {"claims": claims}, record(2, 0.5) | {"claims": claims[:1]}, failed])
    assert found.notes[:2] == (
        "the source marks 1 judged passage as 'concern'",
        "the source marks 3 judged passages as 'retracted'",
    )
