"""Whether what labels of one system say of the verifier holds for another system's answers."""

from __future__ import annotations

import math
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
    pick_units,
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
        """For programs."""
        return {
            "correction": self.here,
            "correction_against": self.there,
            "difference": self.difference.value,
            "low": self.difference.low,
            "high": self.difference.high,
            "outcome": self.outcome,
        }


@dataclass(frozen=True, slots=True)
class Audit:
    """The audit of every figure: differences from the run whose labels are to serve pass up to the margin."""

    run: Path
    against: Path
    margin: float
    figures: dict[str, AuditedFigure]

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        return dict(
            json_ready(
                {
                    "run": str(self.run),
                    "against": str(self.against),
                    "margin": self.margin,
                    "figures": {name: one.as_dict() for name, one in self.figures.items()},
                }
            )
        )

    def as_text(self) -> str:
        """A table for people."""
        table = text_table(["figure", "A", "B", "A - B", "interval", "audit"], audit_rows(self.figures))
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
    both = [read_labelled(path, labels, cluster_by=cluster_by)]
    both.append(read_labelled(against, labels_against, cluster_by=cluster_by))
    found = attach_audit(both, margin=margin, metrics=metrics, level=level)
    return Audit(both[0].run.results.path, both[1].run.results.path, margin, found)


def attach_audit(
    both: Sequence[Labelled], *, margin: float, metrics: Sequence[str] | None = None, level: float = 0.95
) -> dict[str, AuditedFigure]:
    """The figures of two labelled runs, or of one run labelled twice; an InputError where they share none."""
    if not margin > 0:
        raise ValueError(f"the margin must be positive, got {margin}")
    units = _units(both)
    found = {}
    theirs = {figure.name for figure in list_figures(both[1].run)}
    shared = [one for one in list_figures(both[0].run) if one.name in theirs and not one.name.startswith(OF_CLAIMS)]
    for figure in pick_units(shared, metrics, both[0].run.results.path):
        sides = []
        for one, of_answer in zip(both, units, strict=True):
            rows = select_with_value(one.run, figure)
            names = list(one.run.results.lines)
            n_units = max(int(part.max()) for part in units) + 1
            answers = [names[i] for i in rows]
            sides.append(_errors(build_side(one, figure._replace(bertscore=0.0), answers, of_answer[rows], n_units)))
        here, there = (adjusted_mean(side, level=level, tuning=[0.0]).value for side in sides)
        difference = adjusted_mean(*sides, level=level, tuning=[0.0, 0.0])
        found[figure.name] = AuditedFigure(here, there, difference, _outcome(difference, margin))
    if not found:
        paths = " and ".join(str(one.run.results.path) for one in both)
        raise InputError(f"{paths}: no figure in common", kind="nothing_in_common")
    return found


def audit_rows(figures: Mapping[str, AuditedFigure]) -> list[list[str]]:
    """Rows of a table of them."""
    return [
        [
            name,
            signed(one.here),
            signed(one.there),
            signed(one.difference.value),
            interval(one.difference.low, one.difference.high, form="signed", how=one.difference.how),
            one.outcome,
        ]
        for name, one in figures.items()
    ]


def _outcome(difference: Adjusted, margin: float) -> str:
    low, high = difference.low, difference.high
    if math.isnan(low):
        return "too few"
    if -margin <= low and high <= margin:
        return "pass"
    return "fail" if low > 0 or high < 0 else "too few"


def _errors(side: Side) -> Side:
    """The same claims with label less verdict for a value."""
    return replace(side, gold=side.gold - side.predicted, predicted=np.zeros_like(side.predicted))


def _units(both: Sequence[Labelled]) -> list[np.ndarray]:
    """Units of the answers of both runs, numbered together; an answer that shares none is one of its run."""
    names = []
    same = both[0].run.results.path == both[1].run.results.path  # two rounds of labels of one run
    for run, one in enumerate(both):
        given = one.run.results.units or [f"id\0{name}" for name in one.run.results.lines]
        names.append([f"{run}{name}" if name.startswith("id\0") and not same else name for name in given])
    together = number_names([*names[0], *names[1]])
    return [together[: len(names[0])], together[len(names[0]) :]]
