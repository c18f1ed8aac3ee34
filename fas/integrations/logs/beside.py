"""The claims of a log's answers checked: agreement of scores with evidence, and the answers furthest apart."""

from __future__ import annotations

import math
from collections.abc import Mapping
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
"""Folder of the claims' run within the results."""


class Apart(NamedTuple):
    """An answer with the log's score and the check of its claims.

    `by` is the difference of its ranks in the two orders, in [-1, 1]: above 0 the log ranks it higher than evidence.
    """

    answer: LoggedAnswer
    logged: float
    checked: AnswerScore
    by: float

    def as_dict(self) -> dict[str, Any]:
        """As in `audit.json`."""
        answer, checked = self.answer, self.checked
        return {
            "id": answer.id, "system": answer.system, "logged": self.logged, "by": self.by,
            "fas_evidence": checked.fas_evidence, "support": checked.support, "contra": checked.contra,
            "flags": [flag.code for flag in checked.flags if flag.status is None],
        }  # fmt: skip


def check_claims(log: Log, out: Path, profile: Profile, *, offline: bool = False) -> tuple[dict[str, AnswerScore], str]:
    """Score the answers of *log* by evidence into *out*: scores by identifier, and a note on answers left out.

    By default the evidence is the passages of the log, and answers without passages are left out.
    """
    from fas.pipeline.runs.scorer import Scorer

    own = profile.evidence in (None, "passages")
    with_text = [one for one in log.answers if one.prediction is not None]
    if not with_text:
        return {}, "The log has no text of answers, so that there are no claims to check."
    asked = [one for one in with_text if one.passages is not None or not own]
    if not asked:
        return {}, (
            "No answer of the log has passages, so that its claims are not checked; name a source with --evidence "
            "(index:DIR, entrez, snapshot:FILE)."
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

    Worst is an answer that the log ranks high and evidence low; ties go by the share of contradicted claims. Answers
    without one of the numbers are left out.
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
