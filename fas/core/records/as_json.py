"""The output format: records as `scores.jsonl` and `report.json` write them. NaN becomes None."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from fas.core.records import (
    AnswerScore,
    Flag,
    FlagRate,
    Judgement,
    MetricSummary,
    Passage,
    RecordError,
    ReferenceScores,
    Report,
    Verdict,
)
from fas.core.records.stored import SCHEMA, SHARES, ReportRecord

AROUND = 300  # characters of a passage on either side of the sentence that counted


def answer_dict(score: AnswerScore, k: int) -> dict[str, Any]:
    """The answer's line of `scores.jsonl`; *k* is passages per claim."""
    answer, counts = score.answer, score.counts
    shares = {name: getattr(score, name) for name in ("fas", "fas_evidence", *SHARES)}
    reference = {name: getattr(score.reference, name) for name in ReferenceScores.__slots__}
    return {
        "schema": SCHEMA,
        "id": answer.id,
        "question": answer.question,
        "prediction": answer.prediction,
        "references_hash": references_hash(answer.references),
        "references": list(answer.references),
        "meta": dict(answer.meta),
        "k": k,
        **{name: number_or_none(value) for name, value in (shares | reference).items()},
        **{name: getattr(counts, name) for name in ("n_claims", "n_unverified", "n_no_evidence", "n_conflicting")},
        "claims": [verdict_dict(verdict) for verdict in score.verdicts],
        "flags": [flag_dict(flag) for flag in score.flags],
        **({} if score.coverage is None else score.coverage.as_dict(score.support)),
        **({"not_scored": score.not_scored} if score.not_scored else {}),
        "error": None if score.error is None else error_dict(score.error),
    }


def references_hash(references: Sequence[str]) -> str | None:
    """A hash of an answer's references in any order, the same in runs with the same references; None without any."""
    if not references:
        return None
    texts = json.dumps(sorted(references), ensure_ascii=True)
    return hashlib.sha256(texts.encode("ascii")).hexdigest()[:16]


def report_dict(report: Report) -> dict[str, Any]:
    """The content of `report.json`: the fields of `ReportRecord`."""
    return {name: _to_plain(getattr(report, name)) for name in ReportRecord.__annotations__} | {
        "bias_source": report.bias_source or None
    }


def flag_dict(flag: Flag) -> dict[str, Any]:
    """A flag as the output format writes it."""
    return {name: getattr(flag, name) for name in Flag.__slots__}


def error_dict(error: RecordError) -> dict[str, Any]:
    """An error as the output format writes it."""
    return {name: getattr(error, name) for name in RecordError.__slots__}


def number_or_nan(value: float | None) -> float:
    """*value*; NaN for None."""
    return math.nan if value is None else float(value)


def number_or_none(value: float) -> float | None:
    """*value*; None for NaN, which JSON does not have."""
    return None if math.isnan(value) else value


def verdict_dict(verdict: Verdict) -> dict[str, Any]:
    """A claim of a line of `scores.jsonl`."""
    claim = verdict.claim
    record: dict[str, Any] = {
        "text": claim.text,
        "start": claim.start,
        "end": claim.end,
        "label": verdict.label,
        "conflicting": verdict.conflicting,
        "p_support": number_or_none(verdict.p_support),
        "p_contradict": number_or_none(verdict.p_contradict),
        "evidence": [_make_evidence(passage, judged) for passage, judged in verdict.evidence],
    }
    for i in _find_deciding(verdict):
        record["evidence"][i] |= _cut_context(*verdict.evidence[i])
    optional = {
        "context": claim.context,
        "given_label": claim.given_label,
        "compound": claim.compound or None,
        "unread": True if claim.failure is not None else None,  # the text is a sentence whose claims are unknown
        "conflict": {"stronger": verdict.stronger, "newer": verdict.newer} if verdict.conflicting else None,
        "why": verdict.why,
        "missing": None if verdict.why is None else list(verdict.missing),
        "failure": verdict.failure,
    }
    return record | {name: value for name, value in optional.items() if value is not None}


def _make_evidence(passage: Passage, judged: Judgement) -> dict[str, Any]:
    marks = {name: getattr(passage, name) for name in ("status", "design", "corpus")}
    return {
        "id": passage.id,
        "title": passage.title,
        "year": passage.year,
        "sentence": judged.sentence,
        "p_support": number_or_none(judged.p_support),
        "p_contradict": number_or_none(judged.p_contradict),
        **{name: value for name, value in marks.items() if value is not None},
    }


def _find_deciding(verdict: Verdict) -> set[int]:
    """Places of the passages with the highest probability on either side, of which a reader wants to see more."""
    found = set()
    for side in ("p_support", "p_contradict"):
        values = [getattr(judged, side) for _, judged in verdict.evidence]
        known = [i for i, value in enumerate(values) if not math.isnan(value)]
        if known:
            found.add(max(known, key=lambda i: values[i]))
    return found or set(range(min(1, len(verdict.evidence))))


def _cut_context(passage: Passage, judged: Judgement) -> dict[str, str]:
    """Return the text before and after the deciding sentence, up to `AROUND` characters each.

    A passage without a known place (its title was read, or the verifier names none) has its beginning as `after`.
    An ellipsis marks where more of the passage follows, or went before.
    """
    text = passage.text
    start, end = (0, 0) if judged.start is None or judged.end is None else (judged.start, judged.end)
    if judged.start is None and judged.sentence is not None and judged.sentence.strip() == text.strip():
        return {}
    first, last = max(0, start - AROUND), min(len(text), end + AROUND)
    found = {
        "before": ("… " if first else "") + text[first:start],
        "after": text[end:last] + (" …" if last < len(text) else ""),
    }
    return {name: value for name, value in found.items() if value.strip()}


def _to_plain(value: Any) -> Any:
    """*value* as JSON has it: NaN is None, texts and lists are of plain types, a summary's `how` is `interval`."""
    if isinstance(value, float):
        return number_or_none(value)
    if isinstance(value, MetricSummary | FlagRate):
        return {"interval" if name == "how" else name: _to_plain(one) for name, one in value._asdict().items()}
    if isinstance(value, Mapping):
        return {name: _to_plain(one) for name, one in value.items()}
    return str(value) if isinstance(value, str) else list(value) if isinstance(value, tuple) else value
