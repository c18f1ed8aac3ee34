"""What evidence says of the answers of a log, beside the log's scores: agreement, and the answers furthest apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fas.core.profile import Profile
from fas.core.records import AnswerScore
from fas.integrations.logs.reading import Log
from fas.integrations.logs.records import LoggedAnswer
from fas.integrations.logs.scores import clusters_of, values_of
from fas.stats.correlation import correlation
from fas.stats.ranking import rank_rows

FOLDER = "claims"
"""Folder of the claims' run within the results: read by `fas explain`, `fas labels draw` and all others."""


class Apart(NamedTuple):
    """An answer with both numbers.

    Attributes:
        answer: The answer.
        logged: The log's score.
        checked: What evidence says of it.
        by: Difference of its ranks in the two orders, in [-1, 1]: above 0 the log ranks it higher than evidence does.
    """

    answer: LoggedAnswer
    logged: float
    checked: AnswerScore
    by: float


def check_claims(log: Log, out: Path, profile: Profile, *, offline: bool = False) -> tuple[dict[str, AnswerScore], str]:
    """The answers of *log* scored by evidence into *out*, by identifier; and why there are none, or not of all.

    By default the evidence is the passages of the log; answers without any are then left out.
    """
    from fas.pipeline.runs.scorer import Scorer

    own = profile.evidence in (None, "passages")
    with_text = [one for one in log.answers if one.prediction is not None]
    asked = [one for one in with_text if one.passages is not None or not own]
    if not asked:
        return {}, (
            "No answer of the log has passages, so that its claims are not checked; name a source with --evidence "
            "(index:DIR, entrez, snapshot:FILE)."
            if with_text
            else "The log has no text of answers, so that there are no claims to check."
        )
    rows = [
        {
            "id": one.id, "prediction": one.prediction, "question": one.question, "references": list(one.references),
            **({"passages": list(one.passages)} if one.passages is not None and own else {}),
            "unit": one.unit, "system": one.system,
        }
        for one in asked
    ]  # fmt: skip
    with Scorer(profile, offline=offline) as scorer:
        report = scorer.score(rows, output_dir=out / FOLDER, overwrite=True)
    left = len(with_text) - len(asked)
    note = f"Claims of {left} answers are not checked: the log has no passages for them." if left else ""
    return {one.answer.id: one for one in report.answers}, note


def compare_with_claims(log: Log, name: str, checked: Mapping[str, AnswerScore]) -> tuple[dict[str, Any], list[Apart]]:
    """How far the score *name* and evidence (`fas_evidence`) order the answers alike, and the answers, worst first.

    Worst is an answer that the log ranks high and evidence low; of equal ones that with the larger share of
    contradicted claims. Answers without one of the numbers are left out.
    """
    both = [
        one for one, value in zip(log.answers, values_of(log.answers, name), strict=True)
        if not math.isnan(value) and one.id in checked and not math.isnan(checked[one.id].fas_evidence)
    ]  # fmt: skip
    if not both:
        return {"name": name, "n": 0}, []
    logged, ours = values_of(both, name), np.array([checked[one.id].fas_evidence for one in both])
    ranks = rank_rows(np.vstack([logged, ours])) / max(1, len(both) - 1)
    apart = [
        Apart(one, float(value), checked[one.id], float(by))
        for one, value, by in zip(both, logged, ranks[0] - ranks[1], strict=True)
    ]
    apart.sort(key=lambda one: (round(one.by, 9), one.checked.contra), reverse=True)
    found = correlation(logged, ours, clusters=clusters_of(both))
    agreement = {"name": name, "n": len(both), "spearman": found.value, "low": found.low, "high": found.high}
    return agreement | {"how": found.how}, apart


def answer_rows(apart: Sequence[Apart]) -> list[dict[str, Any]]:
    """The answers as JSON."""
    return [
        {
            "id": one.answer.id, "system": one.answer.system, "logged": one.logged, "by": one.by,
            "fas_evidence": one.checked.fas_evidence, "support": one.checked.support, "contra": one.checked.contra,
            "flags": [flag.code for flag in one.checked.flags if flag.status is None],
        }
        for one in apart
    ]  # fmt: skip
