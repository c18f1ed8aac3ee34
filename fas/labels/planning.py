"""The number of labels that a run still needs, and the claims to label next."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fas.core.checks import count_of
from fas.core.errors import InputError
from fas.core.files.own import replace_file
from fas.labels.drawing import assign_stratum
from fas.labels.figures import Labelled, build_whole_side, list_figures, pick_figures, read_labelled
from fas.labels.files import ClaimLabel, Key
from fas.labels.judged import JudgedClaim, number_names
from fas.report.tables import json_ready, wrap_paragraph
from fas.stats.label_plan import LabelPlan, plan_labels
from fas.stats.prediction_powered import adjusted_mean


@dataclass(frozen=True, slots=True)
class Planned:
    """The plan for a figure of a run, and the claims to label next.

    *labels* are those there are, with the probabilities that will hold, and the claims to label next, without a label.
    *why_none*: why no claims are named; empty where they are.
    """

    figure: str
    plan: LabelPlan
    n_labels: int
    n_claims: int
    labels: tuple[ClaimLabel, ...]
    why_none: str

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        return dict(
            json_ready(
                {
                    "figure": self.figure,
                    "wanted": self.plan.wanted,
                    "width": self.plan.now,
                    "least_width": self.plan.least,
                    "labels": self.n_labels,
                    "labels_needed": self.plan.same,
                    "labels_needed_chosen": self.plan.best,
                    "claims": self.n_claims,
                    "next": sum(not one.label for one in self.labels),
                    "note": self.why_none or None,
                }
            )
        )

    def as_text(self) -> str:
        """For people."""
        plan = self.plan
        lines = [
            f"{self.figure}: {count_of(self.n_labels, 'label')} of {count_of(self.n_claims, 'claim')}, "
            f"interval {plan.now:.3f} wide; wanted {plan.wanted:.3f}."
        ]
        if plan.best is None or plan.same is None:
            lines.append(
                f"With a label on every claim it would be about {plan.least:.3f} wide: the answers themselves are a "
                "sample. More answers are needed, not more labels."
            )
        else:
            more = [max(0, n - self.n_labels) for n in (plan.same, plan.best)]
            lines.append(f"Chosen as so far: about {plan.same} labels in all, {more[0]} more.")
            lines.append(f"Chosen where the verdicts are least sure: about {plan.best} in all, {more[1]} more.")
        if self.why_none:
            lines.append(self.why_none)
        return "\n".join(wrap_paragraph(line) for line in lines)

    def write(self, path: Path) -> None:
        """Write the labels; an InputError if there are none."""
        if not self.labels:
            raise InputError(f"{path}: nothing to write: {self.why_none}", kind="nothing")
        with replace_file(path) as out:
            out.writelines(json.dumps(one.as_dict(), ensure_ascii=False) + "\n" for one in self.labels)


def plan_run(
    path: Path,
    labels: Path,
    width: float,
    *,
    metrics: Sequence[str] | None = None,
    cluster_by: str | None = "question",
    level: float = 0.95,
    seed: int = 12345,
) -> Planned:
    """The number of labels that an interval of *width* takes, for the first of *metrics* (Support@k by default).

    An InputError where there is no interval to plan from.
    """
    labelled = read_labelled(path, labels, cluster_by=cluster_by)
    run = labelled.run
    figure = pick_figures(list_figures(run), metrics, run.results.path)[0]
    side, answers = build_whole_side(labelled, figure)
    found = adjusted_mean(side, level=level, share=figure.share)
    counted = set(answers)
    claims = [claim for claim in run.claims if claim.id in counted and claim.kind == figure.kind]
    try:
        plan = plan_labels(side, found, number_names([assign_stratum(claim) for claim in claims]), width)
    except ValueError as error:
        raise InputError(f"{labels}: {error}", kind="plan") from error
    before = _replay_probabilities(labelled)
    why = ""
    planned: list[ClaimLabel] = []
    if plan.best is None:
        why = "No claims are named."
    elif before is None:
        why = (
            "No claims are named: the labels' probabilities differ within a stratum, so that those of the claims "
            "without a label are not known."
        )
    else:
        planned = _draw_next(labelled, claims, plan.probabilities, before, seed)
        drawn = {claim.key for claim in claims}
        others = (one for key, one in labelled.labels.items() if key not in drawn)
        planned += [replace(one, pi=before[one.key], stratum="") for one in others]
    return Planned(figure.name, plan, len(labelled.labels), len(claims), tuple(planned), why)


def _replay_probabilities(labelled: Labelled) -> Mapping[Key, float] | None:
    """The probability with which each claim could have been chosen so far; None where that cannot be known."""
    claims, strata = labelled.run.claims, labelled.strata
    found = np.zeros(len(claims))
    for stratum in np.unique(strata):
        here = strata == stratum
        known = labelled.pi[here & ~np.isnan(labelled.pi)]
        if len(known) and np.ptp(known) > 1e-9:
            return None
        found[here] = known[0] if len(known) else 0.0
    return {claim.key: float(p) for claim, p in zip(claims, found, strict=True)}


def _draw_next(
    labelled: Labelled, claims: Sequence[JudgedClaim], wanted: np.ndarray, before: Mapping[Key, float], seed: int
) -> list[ClaimLabel]:
    """The labels that there are, and the claims to label next in random order."""
    rng = np.random.default_rng(seed)
    kept: list[ClaimLabel] = []
    chosen: list[ClaimLabel] = []
    for claim, target in zip(claims, wanted, strict=True):
        old = before[claim.key]
        # Chosen before, or else now: old + (1 - old) * now.
        now = max(0.0, (target - old) / (1 - old)) if old < 1 else 0.0
        pi = old + (1 - old) * now
        if one := labelled.labels.get(claim.key):
            kept.append(replace(one, pi=pi, stratum=""))
        elif rng.random() < now:
            chosen.append(ClaimLabel(claim.id, claim.claim, "", pi, text=claim.text, of=labelled.run.of))
    return kept + [chosen[i] for i in rng.permutation(len(chosen))]
