"""Records are frozen, and what they write is JSON with nulls for what is undefined."""

from __future__ import annotations

import json
import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fas.core import records
from fas.core.records import (
    Answer,
    AnswerScore,
    Claim,
    Counts,
    Evidence,
    FlagRate,
    Judgement,
    MetricSummary,
    Passage,
    RecordError,
    ReferenceScores,
    Report,
    Verdict,
)

NUMBERS = st.one_of(st.just(math.nan), st.floats(0, 1))
TEXTS = st.text(max_size=20)
CLAIMS = st.builds(Claim, TEXTS, st.none() | st.integers(0, 99), st.none() | st.integers(0, 99))
PASSAGES = st.builds(Passage, TEXTS, st.none() | TEXTS, st.none() | TEXTS, st.none() | st.integers(1900, 2030))
JUDGEMENTS = st.builds(Judgement, NUMBERS, NUMBERS, st.none() | TEXTS)
VERDICTS = st.builds(
    Verdict,
    CLAIMS,
    st.sampled_from(records.LABELS),
    st.booleans(),
    NUMBERS,
    NUMBERS,
    st.lists(st.builds(Evidence, PASSAGES, JUDGEMENTS), max_size=3).map(tuple),
)
SCORES = st.builds(
    AnswerScore,
    st.builds(Answer, TEXTS, TEXTS, st.none() | TEXTS),
    st.builds(Counts, *[st.integers(0, 9)] * len(Counts._fields)),
    st.builds(ReferenceScores, *[NUMBERS] * 5),
    *[NUMBERS] * 5,
    verdicts=st.lists(VERDICTS, max_size=3).map(tuple),
    error=st.none() | st.builds(RecordError, TEXTS, st.none() | st.integers(1, 9), st.none() | TEXTS, TEXTS),
)


def strict(value: object) -> Any:
    """Through JSON and back; NaN and Infinity are refused."""
    return json.loads(json.dumps(value, allow_nan=False))


@given(SCORES, st.integers(1, 50))
def test_a_score_is_strict_json_with_the_fields_of_the_format(score: AnswerScore, k: int) -> None:
    record = score.as_dict(k)
    assert strict(record) == record
    assert list(record) == [
        "schema", "id", "question", "prediction", "references_hash", "references", "meta", "k", "fas", "fas_evidence",
        "support", "contra", "unsupported", "rouge1", "rouge2", "rougeL", "bleu4", "bertscore_f1", "n_claims",
        "n_unverified", "n_no_evidence", "n_conflicting", "claims", "flags", "error",
    ]  # fmt: skip


def test_a_claim_is_written_with_the_fields_of_the_format() -> None:
    verdict = Verdict(
        Claim("Aspirin lowers fever.", 3, 24),
        "supported",
        p_support=0.91,
        p_contradict=0.02,
        evidence=(Evidence(Passage("Long text.", "123", "A title", 2001), Judgement(0.91, 0.02, "Long text.", 0, 10)),),
    )
    assert AnswerScore(Answer("1", "x"), verdicts=(verdict,)).as_dict(5)["claims"] == [
        {
            "text": "Aspirin lowers fever.",
            "start": 3,
            "end": 24,
            "label": "supported",
            "conflicting": False,
            "p_support": 0.91,
            "p_contradict": 0.02,
            "evidence": [
                {
                    "id": "123",
                    "title": "A title",
                    "year": 2001,
                    "sentence": "Long text.",
                    "p_support": 0.91,
                    "p_contradict": 0.02,
                }
            ],
        }
    ]


@given(st.lists(NUMBERS, min_size=3, max_size=3), st.integers(0, 99))
def test_a_report_is_strict_json(numbers: list[float], n: int) -> None:
    summary = MetricSummary(numbers[0], numbers[1], numbers[2], n)
    report = Report(
        signature="n:1",
        n=n,
        n_unscored=0,
        n_failed=0,
        metrics={"fas": summary},
        groups={"type": {"list": {"fas": summary}}},
        flags={"A": FlagRate(0, *numbers)},
        timing={"verify": 0.5},
        versions={"fas": "0"},
    )
    record = strict(report.as_dict())
    expected = [None if math.isnan(x) else x for x in numbers]
    assert list(record["metrics"]["fas"].values()) == [*expected, n, ""]
    assert record["groups"]["type"]["list"] == record["metrics"]
    assert [record["flags"]["A"][key] for key in ("rate", "low", "high")] == expected
    assert "answers" not in record


def test_nothing_scored_is_nan_and_never_zero() -> None:
    score = AnswerScore(Answer("1", ""))
    assert all(math.isnan(x) for x in (score.fas, score.fas_evidence, score.support, score.contra, score.unsupported))
    assert all(math.isnan(getattr(score.reference, name)) for name in ReferenceScores.__slots__)
