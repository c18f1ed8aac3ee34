"""Quality of the verifier on this run's claims, by labels of people: `fas results correlate DIR --labels FILE`.

Every number is of the whole run: a labelled claim has the weight of one over the probability with which it was chosen.
Intervals are those of ratios of sums over units (`fas.stats.intervals`): questions where answers share one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np

from fas.core.errors import InputError
from fas.labels.drawing import DrawnSample
from fas.labels.figures import Labelled, read_labelled
from fas.labels.files import BAD, COVERED, read_labels
from fas.labels.judged import VERDICTS
from fas.report.sampling import Sampling
from fas.report.tables import interval, json_ready, kinds_text, number, percent, text_table, wrap_paragraph
from fas.report.wrong import Precision, ShareRight
from fas.stats.bootstrap import BootstrapOptions, Estimate, FloatArray, Resampling, ratio_intervals
from fas.stats.intervals import statistic_interval

_BINS = 5
_OF_STATEMENTS = "of statements: supported is covered by the answer, contradicted is denied, unsupported is omitted"


class CalibrationBin(NamedTuple):
    """Claims of like probability of support: its mean, and the share of them that people call supported."""

    predicted: float
    observed: Estimate


@dataclass(frozen=True, slots=True)
class VerifierQuality:
    """A verifier against people.

    Attributes:
        table: Label by people, then verdict, to the share of all claims.
        counts: The same as numbers of labelled claims.
        precision: Verdict to the share of claims with it that have it as label; `n` is labelled claims.
        recall: Label to the share of claims with it that have it as verdict.
        calibration: By probability of support, lowest first.
    """

    run: Path
    labels: Path
    table: Mapping[str, Mapping[str, float]]
    counts: Mapping[str, Mapping[str, int]]
    accuracy: Estimate
    precision: Mapping[str, Estimate]
    recall: Mapping[str, Estimate]
    auroc: Estimate
    calibration: tuple[CalibrationBin, ...]
    sampling: Sampling
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        return {**json_ready(self), **json_ready(self.sampling.as_dict())}

    def as_text(self) -> str:
        """Tables for people."""
        level = f"{100 * self.sampling.level:g}% interval"
        matrix = [
            [label, *(f"{percent(row[verdict])} ({self.counts[label][verdict]})" for verdict in VERDICTS)]
            for label, row in self.table.items()
        ]
        measures = {
            "accuracy": self.accuracy,
            **{f"precision of {name}": one for name, one in self.precision.items()},
            **{f"recall of {name}": one for name, one in self.recall.items()},
            "AUROC of P(support)": self.auroc,
        }
        kinds = kinds_text(one.how for one in measures.values())
        said = (
            "Shares are of all claims of the run, each labelled one weighted by one over its probability; numbers "
            f"of labels in parentheses. Intervals: {self.sampling.text(kinds or 'none')}."
        )
        blocks = [
            f"run: {self.run}\nlabels: {self.labels}",
            text_table(["people | verdict", *VERDICTS], matrix),
            text_table(["measure", "value", level, "labels"], [[name, *_cells(one)] for name, one in measures.items()]),
            text_table(
                ["P(support)", "called supported", level, "labels"],
                [[number(one.predicted), *_cells(one.observed)] for one in self.calibration],
            ),
            wrap_paragraph(said),
        ]
        return "\n\n".join([*blocks, *(wrap_paragraph(text, bullet="! ") for text in self.notes)])


class _Seen(NamedTuple):
    """Labelled claims: label and verdict by name, weight, unit, probability of support."""

    label: np.ndarray
    verdict: np.ndarray
    weight: FloatArray
    unit: np.ndarray
    p_support: FloatArray


def verifier_quality(
    path: Path, labels: Path, *, cluster_by: str | None = "question", **options: Unpack[BootstrapOptions]
) -> VerifierQuality:
    """The verdicts of a run against labels."""
    labelled = read_labelled(path, labels, cluster_by=cluster_by)
    seen = _summarise_labels(labelled)
    right = seen.label == seen.verdict
    every = np.ones(len(right), dtype=bool)
    weight = seen.weight / seen.weight.sum()
    of = {one: {two: (seen.label == one) & (seen.verdict == two) for two in VERDICTS} for one in VERDICTS}
    results = labelled.run.results
    names = [str(unit) for unit in labelled.run.units]
    return VerifierQuality(
        run=results.path,
        labels=labels,
        table={one: {two: float(weight[here].sum()) for two, here in row.items()} for one, row in of.items()},
        counts={one: {two: int(here.sum()) for two, here in row.items()} for one, row in of.items()},
        accuracy=_share(seen, right, every, options),
        precision={name: _share(seen, right, seen.verdict == name, options) for name in VERDICTS},
        recall={name: _share(seen, right, seen.label == name, options) for name in VERDICTS},
        auroc=_auroc(seen, options),
        calibration=_calibration(seen, options),
        sampling=Sampling.of(
            len(results.lines), names if len(set(names)) < len(names) else None, cluster_by, **options
        ),
        notes=(*labelled.remarks, *([_OF_STATEMENTS] if labelled.run.of == "statements" else [])),
    )


def measure_precision(path: Path, labels: Path) -> Precision:
    """Shares of right verdicts of a run by labels, for its page."""
    if read_labels(labels).of != "claims":
        raise InputError(f"{labels}: expected labels of claims, whose verdicts the page shows", kind="type")
    found = verifier_quality(path, labels)
    right = {
        name: ShareRight(one.value, one.low, one.high, one.n, one.how) for name, one in found.precision.items() if one.n
    }
    n = sum(sum(row.values()) for row in found.counts.values())
    return Precision(right, (f"{labels.name}: {n} labelled claims of this run",), frozenset(right))


def find_disagreements(
    path: Path, labels: Path
) -> tuple[Labelled, list[DrawnSample], dict[tuple[str, int], list[str]]]:
    """The claims on which people and verdicts disagree, the surest verdicts first, and what was said of each."""
    labelled = read_labelled(path, labels)
    wrong = [
        claim
        for claim in labelled.run.claims
        if (one := labelled.labels.get(claim.key)) is not None and one.label not in (claim.verdict, BAD)
    ]
    wrong.sort(key=lambda claim: 0.0 if math.isnan(claim.confidence) else -claim.confidence)
    names = COVERED if labelled.run.of == "statements" else {name: name for name in VERDICTS}
    said = {
        one.key: [f"people: {names[labelled.labels[one.key].label]}", f"machine: {names[one.verdict]}"] for one in wrong
    }
    return labelled, [DrawnSample(one, labelled.labels[one.key].pi or 1.0, "") for one in wrong], said


def _summarise_labels(labelled: Labelled) -> _Seen:
    claims, weight = labelled.weigh_claims()
    named = [labelled.labels[claim.key].label for claim in claims]
    return _Seen(
        np.array(["unsupported" if one == BAD else one for one in named]),
        np.array([claim.verdict for claim in claims]),
        weight,
        np.unique(labelled.run.units_of(claims), return_inverse=True)[1],
        np.array([claim.p_support for claim in claims]),
    )


def _share(seen: _Seen, hit: np.ndarray, among: np.ndarray, options: BootstrapOptions) -> Estimate:
    """The weighted share of *hit* among the claims *among*."""
    n = int(among.sum())
    if not n:
        return Estimate.of(math.nan, 0, "none: no label")
    # Weights in units of their mean, so that a unit's sum counts claims.
    weight = np.where(among, seen.weight, 0.0) / seen.weight[among].mean()
    given: BootstrapOptions = {**options, "clusters": seen.unit}
    return Estimate(*ratio_intervals([""], (weight * hit)[:, None], weight, **given)[""])._replace(n=n)


def weighted_auroc(score: FloatArray, positive: np.ndarray, weight: FloatArray) -> float:
    """Probability that a positive has a higher score than a negative, half of ties, by weight; NaN without both.

    >>> weighted_auroc(np.array([0.1, 0.8, 0.4]), np.array([False, True, True]), np.ones(3))
    1.0
    """
    values, place = np.unique(score, return_inverse=True)
    above = np.bincount(place, weight * positive, len(values))
    below = np.bincount(place, weight * ~positive, len(values))
    total = above.sum() * below.sum()
    beaten = np.cumsum(below) - below / 2
    return float((above * beaten).sum() / total) if total > 0 else math.nan


def _auroc(seen: _Seen, options: BootstrapOptions) -> Estimate:
    known = ~np.isnan(seen.p_support)
    score, positive = seen.p_support[known], (seen.label == "supported")[known]
    weight, unit = seen.weight[known], seen.unit[known]
    n_units = int(seen.unit.max()) + 1

    def of_counts(counts: FloatArray) -> FloatArray:
        return np.array([weighted_auroc(score, positive, weight * row[unit]) for row in counts])

    value = weighted_auroc(score, positive, weight)
    how = Resampling(**options)
    drawn = replace(how, n_resamples=min(how.n_resamples, 2000))
    draws = np.concatenate([of_counts(counts) for counts in drawn.counts(n_units)])
    found = statistic_interval(value, draws, of_counts, n_units, level=how.level, scale="logit")
    return Estimate.of(value, int(known.sum()), found)


def _calibration(seen: _Seen, options: BootstrapOptions) -> tuple[CalibrationBin, ...]:
    known = ~np.isnan(seen.p_support)
    if not known.any():
        return ()
    borders = np.quantile(seen.p_support[known], np.linspace(0, 1, _BINS + 1)[1:-1])
    place = np.searchsorted(borders, seen.p_support, side="right")
    found = []
    for i in range(_BINS):
        here = known & (place == i)
        if here.any():
            predicted = float(np.average(seen.p_support[here], weights=seen.weight[here]))
            found.append(CalibrationBin(predicted, _share(seen, seen.label == "supported", here, options)))
    return tuple(found)


def _cells(one: Estimate) -> list[str]:
    return [number(one.value), interval(one.low, one.high, how=one.how), str(one.n)]
