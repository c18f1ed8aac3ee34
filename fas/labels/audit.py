"""A test of whether one system's labels correct the verdicts on another system's answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fas.core.errors import InputError
from fas.labels.figures import (
    OF_CLAIMS,
    Labelled,
    build_side,
    list_figures,
    pick_figures,
    read_labelled,
    select_with_value,
)
from fas.labels.judged import number_names
from fas.report.tables import interval, json_ready, signed, text_table, wrap_paragraph
from fas.stats.prediction_powered import Adjusted, Side, adjusted_mean


@dataclass(frozen=True, slots=True)
class AuditedFigure:
    """By how much the verdicts are off here and there, and the difference with its interval.

    It passes if that lies within the margin, and fails if it leaves out 0 and does not; else there are `too few`.
    """

    here: float
    there: float
    difference: Adjusted
    outcome: str

    def as_dict(self) -> dict[str, Any]:
        """For programs, with NaN where a value is undefined."""
        one = self.difference
        corrections = {"correction": self.here, "correction_against": self.there}
        return {**corrections, "difference": one.value, "low": one.low, "high": one.high, "outcome": self.outcome}


@dataclass(frozen=True, slots=True)
class Audit:
    """The audit of every figure: differences from the run whose labels are to serve pass up to the margin."""

    run: Path
    against: Path
    margin: float
    figures: dict[str, AuditedFigure]

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        figures = {name: one.as_dict() for name, one in self.figures.items()}
        return dict(json_ready({"run": self.run, "against": self.against, "margin": self.margin, "figures": figures}))

    def as_text(self) -> str:
        """A table for people."""
        table = text_table(["figure", "A", "B", "A - B", "interval", "audit"], list_audit_rows(self.figures))
        said = (
            "A, B: by how much labels say more than verdicts do. pass: labels of B correct A to within "
            f"{self.margin:g}; fail: they do not; too few: the labels cannot tell."
        )
        return "\n".join([f"A: {self.run}", f"B: {self.against}", "", table, "", wrap_paragraph(said)])


def audit(
    path: Path,
    labels: Path,
    against: Path,
    labels_against: Path,
    *,
    margin: float = 0.05,
    metrics: Sequence[str] | None = None,
    cluster_by: str | None = "question",
    level: float = 0.95,
) -> Audit:
    """Compare by how much the verdicts are off in two runs; a ValueError where the margin is not positive."""
    here = read_labelled(path, labels, cluster_by=cluster_by)
    there = read_labelled(against, labels_against, cluster_by=cluster_by)
    found = compare_corrections(here, there, margin=margin, metrics=metrics, level=level)
    return Audit(here.run.results.path, there.run.results.path, margin, found)


def compare_corrections(
    here: Labelled, there: Labelled, *, margin: float, metrics: Sequence[str] | None = None, level: float = 0.95
) -> dict[str, AuditedFigure]:
    """The figures of two labelled runs, or of one run labelled twice; an InputError where they share none."""
    if not margin > 0:
        raise ValueError(f"the margin must be positive, got {margin}")
    both, units = (here, there), _number_units(here, there)
    n_units = max(int(part.max()) for part in units) + 1
    theirs = {figure.name for figure in list_figures(there.run)}
    shared = [one for one in list_figures(here.run) if one.name in theirs and not one.name.startswith(OF_CLAIMS)]
    found = {}
    for figure in pick_figures(shared, metrics, here.run.results.path):
        sides = []
        for one, of_answer in zip(both, units, strict=True):
            answers = select_with_value(one.run, figure)
            own = of_answer[[one.run.results.place[name] for name in answers]]
            sides.append(_subtract_verdicts(build_side(one, figure._replace(bertscore=0.0), answers, own, n_units)))
        a, b = (adjusted_mean(side, level=level, tuning=[0.0]).value for side in sides)
        difference = adjusted_mean(*sides, level=level, tuning=[0.0, 0.0])
        found[figure.name] = AuditedFigure(a, b, difference, _decide_outcome(difference, margin))
    if not found:
        paths = " and ".join(str(one.run.results.path) for one in both)
        raise InputError(f"{paths}: no figure in common", kind="nothing_in_common")
    return found


def list_audit_rows(figures: Mapping[str, AuditedFigure]) -> list[list[str]]:
    """Rows of a table of them."""
    return [
        [
            name,
            *map(signed, (one.here, one.there, one.difference.value)),
            interval(one.difference.low, one.difference.high, form="signed", how=one.difference.how),
            one.outcome,
        ]
        for name, one in figures.items()
    ]


def _decide_outcome(difference: Adjusted, margin: float) -> str:
    low, high = difference.low, difference.high
    if -margin <= low and high <= margin:
        return "pass"
    return "fail" if low > 0 or high < 0 else "too few"  # NaN fails every comparison


def _subtract_verdicts(side: Side) -> Side:
    """The same claims with label less verdict for a value."""
    return replace(side, gold=side.gold - side.predicted, predicted=np.zeros_like(side.predicted))


def _number_units(here: Labelled, there: Labelled) -> list[np.ndarray]:
    """Units of the answers of both runs, numbered together; an answer that shares none is one of its run."""
    names = []
    same = here.run.results.path == there.run.results.path  # two rounds of labels of one run
    for run, one in enumerate((here, there)):
        given = one.run.results.units or [f"id\0{name}" for name in one.run.results.lines]
        names.append([f"{run}{name}" if name.startswith("id\0") and not same else name for name in given])
    return np.split(number_names([*names[0], *names[1]]), [len(names[0])])
