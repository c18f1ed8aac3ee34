"""The line of `scores.jsonl` as types: what `as_json` writes and `fas.results` reads.

A record is a dictionary, so that fields of newer versions survive and a report copies nothing. It also holds metrics,
each a number or null: `fas`, `support`, `rouge1`, ... `metric_name` makes the names that people read, `support@5`.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from fas.core.records.judged import Label
from fas.core.records.statements import COVERAGE_METRICS, CoverLabel

SCHEMA = 1
"""Version of these types; `fas.results.migration` says what changed."""
SHARES = ("support", "contra", "unsupported")
"""Shares of the verified claims of an answer, whose names end in `@k` where they are shown."""
METRICS = ("fas", "fas_evidence", *SHARES, "rouge1", "rouge2", "rougeL", "bleu4", "bertscore_f1", *COVERAGE_METRICS)
"""Our metrics of an answer; a record may hold others."""


def metric_name(field: str, k: int | None) -> str:
    """A metric as it is shown.

    >>> metric_name("support", 5), metric_name("rouge1", 5), metric_name("support", None)
    ('support@5', 'rouge1', 'support')
    """
    return f"{field}@{k}" if k and field in SHARES else field


def metric_field(name: str) -> str:
    """The field of a metric that is shown as *name*.

    >>> metric_field("support@5"), metric_field("rouge1"), metric_field("mine@home")
    ('support', 'rouge1', 'mine@home')
    """
    field, _, k = name.partition("@")
    return field if field in SHARES and k[:1].isdecimal() else name


class PassageRecord(TypedDict):
    """A passage that a claim was judged by."""

    id: str | None
    title: str | None
    year: int | None
    sentence: str | None
    p_support: float | None
    p_contradict: float | None
    status: str | None
    design: str | None
    corpus: str | None
    before: str | None
    after: str | None


class ClaimRecord(TypedDict):
    """A claim with its verdict; the fields are those of `Claim` and `Verdict`."""

    text: str
    start: int | None
    end: int | None
    label: Label
    conflicting: bool
    p_support: float | None
    p_contradict: float | None
    evidence: list[PassageRecord]
    context: str | None
    given_label: Any | None
    compound: bool
    unread: bool
    why: str | None
    missing: list[str]
    failure: str | None
    conflict: dict[str, Any]


class StatementRecord(TypedDict):
    """A statement that the answer ought to make."""

    text: str
    kind: str | None
    label: CoverLabel
    p_support: float | None
    p_contradict: float | None
    sentence: str | None
    severity: str | None
    harm: str | None
    harm_kind: str | None
    failure: str | None


class FlagRecord(TypedDict):
    """A safety flag; the fields are those of `Flag`."""

    flag: str
    code: str | None
    drug: str | None
    rxcui: str | None
    target: str | None
    start: int
    end: int
    severity: str | None
    status: str | None
    rule: str | None
    source: str | None
    message: str


class ErrorRecord(TypedDict):
    """Why an answer has no score."""

    type: str | None
    line: int | None
    field: str | None
    message: str | None


class AnswerRecord(TypedDict):
    """An answer with its claims and flags."""

    schema: int | None
    id: str
    question: str | None
    prediction: str | None
    references_hash: str | None
    references: list[str]
    meta: dict[str, Any]
    k: int | None
    n_claims: int | None
    n_unverified: int | None
    n_no_evidence: int | None
    n_conflicting: int | None
    claims: list[ClaimRecord]
    flags: list[FlagRecord]
    n_statements: int | None
    n_statements_unverified: int | None
    reference: int | None
    statements: list[StatementRecord]
    not_scored: str | None
    error: ErrorRecord | None


Harm = Literal["none", "very low", "low", "medium", "high"]


class FindingRecord(TypedDict):
    """A finding of a detector, or a cluster of findings *by* several members; the fields are `DetectedFinding`'s."""

    snippet: str
    explanation: str
    start: int | None
    end: int | None
    harm: Harm | None
    confidence: float
    tags: list[str]
    by: list[FindingRecord]
    deleted_by: str | None
    claim: str | None
    member: str | None


class FindingsRecord(TypedDict):
    """A line of `findings.jsonl`; the fields are those of `Findings`, with the answer's own."""

    id: str
    question: str | None
    prediction: str | None
    meta: dict[str, Any]
    findings: list[FindingRecord]
    failure: str | None
    deleted: list[FindingRecord]
    left_out: list[str]
    converged: bool | None
    n_messages: int | None
    dropped: int | None
    unread: int | None
    score: float | None
    baselines: dict[str, float]
    abstained: list[str]
    flagged: bool | None


class SummaryRecord(TypedDict):
    """A mean with its interval."""

    mean: float | None
    low: float | None
    high: float | None
    n: int
    interval: str | None


class RateRecord(TypedDict):
    """How many answers carry a flag."""

    answers: int
    rate: float | None
    low: float | None
    high: float | None
    interval: str | None


class ReportRecord(TypedDict):
    """The content of `report.json`; the fields are those of `Report`."""

    signature: str
    k: int | None
    n: int
    n_unscored: int
    n_abstained: int | None
    n_language: int | None
    n_failed: int
    metrics: dict[str, SummaryRecord]
    claim_shares: dict[str, SummaryRecord]
    bias: dict[str, SummaryRecord]
    bias_source: str | None
    reasons: dict[str, int]
    variance: dict[str, dict[str, float]]
    spread: dict[str, dict[str, float | None]]
    groups: dict[str, dict[str, dict[str, SummaryRecord]]]
    flags: dict[str, RateRecord]
    controls: dict[str, SummaryRecord]
    timing: dict[str, float]
    versions: dict[str, str]
    notes: list[str]
