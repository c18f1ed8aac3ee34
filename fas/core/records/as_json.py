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
    Report,
    Verdict,
)
from fas.core.records.stored import SCHEMA, ReportRecord

AROUND = 300  # characters of a passage on either side of the sentence that counted


def answer_dict(score: AnswerScore, k: int) -> dict[str, Any]:
    """The answer's line of `scores.jsonl`; *k* is passages per claim."""
    counts = score.counts
    covered = {} if score.coverage is None else score.coverage.as_dict(score.support)
    return {
        "schema": SCHEMA,
        "id": score.answer.id,
        "question": score.answer.question,
        "prediction": score.answer.prediction,
        "references_hash": references_hash(score.answer.references),
        "references": list(score.answer.references),
        "meta": dict(score.answer.meta),
        "k": k,
        "fas": number_or_none(score.fas),
        "fas_evidence": number_or_none(score.fas_evidence),
        "support": number_or_none(score.support),
        "contra": number_or_none(score.contra),
        "unsupported": number_or_none(score.unsupported),
        "rouge1": number_or_none(score.reference.rouge1),
        "rouge2": number_or_none(score.reference.rouge2),
        "rougeL": number_or_none(score.reference.rougeL),
        "bleu4": number_or_none(score.reference.bleu4),
        "bertscore_f1": number_or_none(score.reference.bertscore_f1),
        "n_claims": counts.n_claims,
        "n_unverified": counts.n_unverified,
        "n_no_evidence": counts.n_no_evidence,
        "n_conflicting": counts.n_conflicting,
        "claims": [verdict_dict(verdict) for verdict in score.verdicts],
        "flags": [flag_dict(flag) for flag in score.flags],
        **covered,
        **({"not_scored": score.not_scored} if score.not_scored else {}),
        "error": None if score.error is None else error_dict(score.error),
    }


def references_hash(references: Sequence[str]) -> str | None:
    """What tells whether two runs compared an answer with the same references, in any order; None without any."""
    if not references:
        return None
    texts = json.dumps(sorted(references), ensure_ascii=True)
    return hashlib.sha256(texts.encode("ascii")).hexdigest()[:16]


def report_dict(report: Report) -> dict[str, Any]:
    """The content of `report.json`: the fields of `ReportRecord`."""
    return {name: _plain(getattr(report, name)) for name in ReportRecord.__annotations__} | {
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
        "evidence": [_evidence_dict(passage, judged) for passage, judged in verdict.evidence],
    }
    for i in _find_deciding(verdict):
        record["evidence"][i] |= _cut_context(*verdict.evidence[i])
    if claim.context is not None:
        record["context"] = claim.context
    if claim.given_label is not None:
        record["given_label"] = claim.given_label
    if claim.compound:
        record["compound"] = True
    if claim.failure is not None:
        record["unread"] = True  # the text is a sentence whose claims could not be had
    if verdict.conflicting:
        record["conflict"] = {"stronger": verdict.stronger, "newer": verdict.newer}
    if verdict.why is not None:
        record["why"], record["missing"] = verdict.why, list(verdict.missing)
    if verdict.failure is not None:
        record["failure"] = verdict.failure
    return record


def _evidence_dict(passage: Passage, judged: Judgement) -> dict[str, Any]:
    record: dict[str, Any] = {
        "id": passage.id,
        "title": passage.title,
        "year": passage.year,
        "sentence": judged.sentence,
        "p_support": number_or_none(judged.p_support),
        "p_contradict": number_or_none(judged.p_contradict),
    }
    for name in ("status", "design", "corpus"):
        value = getattr(passage, name)
        if value is not None:
            record[name] = value
    return record


def _find_deciding(verdict: Verdict) -> set[int]:
    """Places of the passages that a reader of the verdict wants to see more of: the highest on either side."""
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


def _plain(value: Any) -> Any:
    """*value* as JSON has it: NaN is None, texts and lists are of plain types, a summary's `how` is `interval`."""
    if isinstance(value, float):
        return number_or_none(value)
    if isinstance(value, MetricSummary | FlagRate):
        return {"interval" if name == "how" else name: _plain(one) for name, one in value._asdict().items()}
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    return str(value) if isinstance(value, str) else list(value) if isinstance(value, tuple) else value
