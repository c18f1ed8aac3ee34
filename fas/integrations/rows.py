"""Shared code of the harnesses: an answer out of their fields, and words for its score."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from fas.core.records import AnswerScore, Evidence, Verdict
from fas.scoring.aggregate import UNCOUNTED

METRICS = ("fas", "fas_evidence", "support", "contra", "unsupported")
"""Metrics of an answer by name; each lies in [0, 1], or is NaN without a value."""


def check_metric(metric: str) -> None:
    """Raise ValueError unless *metric* is one of `METRICS`."""
    if metric not in METRICS:
        raise ValueError(f"metric is {metric!r}; allowed: {', '.join(METRICS)}")


def answer_row(
    prediction: str,
    *,
    question: str | None,
    references: str | Sequence[str] | None = None,
    passages: Sequence[Any] | None = None,
) -> dict[str, Any]:
    """An answer in the input format without missing fields; an empty list of passages stays."""
    several = [references] if isinstance(references, str) else list(references or ())
    row = {
        "prediction": prediction,
        "question": question or None,
        "references": [text for text in several if text.strip()] or None,
        "passages": None if passages is None else list(passages),
    }
    return {name: value for name, value in row.items() if value is not None}


def read_values(score: AnswerScore) -> dict[str, float]:
    """The metrics of an answer by name, NaN where there is none."""
    return {metric: float(getattr(score, metric)) for metric in METRICS}


def explain_unscored(score: AnswerScore) -> str | None:
    """Why an answer has no share of claims; None for one that has."""
    if score.error is not None:
        return f"{score.error.type}: {score.error.message}"
    if not math.isnan(score.support):
        return None
    return "no claim could be verified" if score.verdicts else "the answer makes no claim"


def rationale(verdict: Verdict) -> str:
    """The basis of a claim's label in one line: the passage that weighed most, or why there is none."""
    if verdict.label == "unverified":
        return f"not verified: {verdict.failure or 'no reason given'}"
    if not verdict.evidence:
        return "no evidence was found"

    def lean(one: Evidence) -> float:
        value = one.judgement.p_support - one.judgement.p_contradict
        return -math.inf if math.isnan(value) else -value if verdict.label == "contradicted" else value

    passage, judged = max(verdict.evidence, key=lean)
    where = f" [{passage.id}]" if passage.id else ""
    if math.isnan(judged.p_support):  # the passages were judged together
        return f"P(support) {verdict.p_support:.2f}, P(contradict) {verdict.p_contradict:.2f}"
    said = judged.sentence or passage.text
    return f"P(support) {judged.p_support:.2f}, P(contradict) {judged.p_contradict:.2f}{where}: {said}"


def explanation(score: AnswerScore) -> str:
    """A line for each claim with its label, and one for each counted safety flag."""
    lines = [f"{verdict.label}: {verdict.claim.text}" for verdict in score.verdicts]
    lines += [f"safety {flag.code}: {flag.message}" for flag in score.flags if flag.status not in UNCOUNTED]
    return "\n".join(lines) or (explain_unscored(score) or "")


def first_text(given: Any, names: Sequence[str]) -> str | None:
    """*given* if it is a text, else the first of its fields *names* that is one."""
    if isinstance(given, str):
        return given
    if isinstance(given, Mapping):
        return next((given[name] for name in names if isinstance(given.get(name), str)), None)
    return None
