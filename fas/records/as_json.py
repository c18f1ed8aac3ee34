"""The output format: records as `scores.jsonl` and `report.json` write them. NaN becomes None."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from fas.records import AnswerScore, Flag, Judgement, MetricSummary, Passage, RecordError, Report, Verdict


def answer_dict(score: AnswerScore, k: int) -> dict[str, Any]:
    """The answer's line of `scores.jsonl`; *k* names the `@` fields."""
    counts = score.counts
    covered = {} if score.coverage is None else score.coverage.as_dict(score.support)
    return {
        "id": score.answer.id,
        "question": score.answer.question,
        "prediction": score.answer.prediction,
        "references_hash": references_hash(score.answer.references),
        "meta": dict(score.answer.meta),
        "fas": number_or_none(score.fas),
        "fas_evidence": number_or_none(score.fas_evidence),
        f"support@{k}": number_or_none(score.support),
        f"contra@{k}": number_or_none(score.contra),
        f"unsupported@{k}": number_or_none(score.unsupported),
        "rouge1": number_or_none(score.reference.rouge1),
        "rouge2": number_or_none(score.reference.rouge2),
        "rougeL": number_or_none(score.reference.rougeL),
        "bleu4": number_or_none(score.reference.bleu4),
        "bertscore_f1": number_or_none(score.reference.bertscore_f1),
        "n_claims": counts.n_claims,
        "n_unverified": counts.n_unverified,
        "n_no_evidence": counts.n_no_evidence,
        "n_conflicting": counts.n_conflicting,
        "claims": [_verdict_dict(verdict) for verdict in score.verdicts],
        "flags": [flag_dict(flag) for flag in score.flags],
        **covered,
        "error": None if score.error is None else error_dict(score.error),
    }


def references_hash(references: Sequence[str]) -> str | None:
    """What tells whether two runs compared an answer with the same references, in any order; None without any."""
    if not references:
        return None
    texts = json.dumps(sorted(references), ensure_ascii=True)
    return hashlib.sha256(texts.encode("ascii")).hexdigest()[:16]


def report_dict(report: Report) -> dict[str, Any]:
    """The content of `report.json`."""
    return {
        "signature": str(report.signature),
        "n": report.n,
        "n_unscored": report.n_unscored,
        "n_abstained": report.n_abstained,
        "n_failed": report.n_failed,
        "metrics": _metrics_dict(report.metrics),
        "claim_shares": _metrics_dict(report.claim_shares),
        "groups": {
            name: {value: _metrics_dict(metrics) for value, metrics in values.items()}
            for name, values in report.groups.items()
        },
        "flags": {
            name: {
                "answers": rate.answers,
                "rate": number_or_none(rate.rate),
                "low": number_or_none(rate.low),
                "high": number_or_none(rate.high),
                "interval": rate.how,
            }
            for name, rate in report.flags.items()
        },
        "timing": dict(report.timing),
        "versions": dict(report.versions),
        "notes": list(report.notes),
    }


def flag_dict(flag: Flag) -> dict[str, Any]:
    """A flag as the output format writes it."""
    return {name: getattr(flag, name) for name in Flag.__slots__}


def error_dict(error: RecordError) -> dict[str, Any]:
    """An error as the output format writes it."""
    return {name: getattr(error, name) for name in RecordError.__slots__}


def number_or_none(value: float) -> float | None:
    """*value*; None for NaN, which JSON does not have."""
    return None if math.isnan(value) else value


def _verdict_dict(verdict: Verdict) -> dict[str, Any]:
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
    if claim.context is not None:
        record["context"] = claim.context
    if claim.given_label is not None:
        record["given_label"] = claim.given_label
    if claim.failure is not None:
        record["unread"] = True  # the text is a sentence whose claims could not be had
    if verdict.conflicting:
        record["conflict"] = {"stronger": verdict.stronger, "newer": verdict.newer}
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


def _metrics_dict(metrics: Mapping[str, MetricSummary]) -> dict[str, Any]:
    return {
        name: {
            "mean": number_or_none(summary.mean),
            "low": number_or_none(summary.low),
            "high": number_or_none(summary.high),
            "n": summary.n,
            "interval": summary.how,
        }
        for name, summary in metrics.items()
    }
