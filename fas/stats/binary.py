"""Decisions of yes or no against gold: precision, recall and F1 with intervals, and paired tests over all pairs.

Each measure is a ratio of sums over answers, F1 = 2 TP / (2 TP + FP + FN), so that a resample is a weighting of the
sums and no loop. A pair of systems is compared over the answers that both decided. Every side keeps its own sums: an
answer that is a true negative of one side has no part in that side's F1, but may be a false alarm of the other's.

Sources: Berg-Kirkpatrick, Burkett and Klein, An empirical investigation of statistical significance in NLP (2012), for
the shifted test; see `p_shifted`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fas.records import MetricSummary
from fas.stats.bootstrap import (
    FloatArray,
    Units,
    check_options,
    draw_counts,
    make_rng,
    make_units,
    percentile_interval,
)
from fas.stats.intervals import ratio_limits, too_few, why_none
from fas.stats.multiple import benjamini_hochberg, holm

MEASURES = ("precision", "recall", "f1")


class Confusion(NamedTuple):
    """How often a decision and the gold went together."""

    tp: int
    fp: int
    fn: int
    tn: int

    @classmethod
    def of(cls, decided: npt.ArrayLike, gold: npt.ArrayLike) -> Confusion:
        """From two vectors of truth values of one length."""
        yes, truth = np.asarray(decided, dtype=bool), np.asarray(gold, dtype=bool)
        if yes.shape != truth.shape or yes.ndim != 1:
            raise ValueError(f"decisions and gold need one value per answer, got shapes {yes.shape} and {truth.shape}")
        return cls(
            int((yes & truth).sum()), int((yes & ~truth).sum()), int((~yes & truth).sum()), int((~yes & ~truth).sum())
        )

    @property
    def precision(self) -> float:
        """TP / (TP + FP); NaN where nothing is decided positive."""
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else math.nan

    @property
    def recall(self) -> float:
        """TP / (TP + FN); NaN where the gold has no positive."""
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else math.nan

    @property
    def f1(self) -> float:
        """2 TP / (2 TP + FP + FN); 0 where nothing is found of what is there, NaN where the gold has no positive.

        >>> round(Confusion(68, 117, 9, 86).f1, 3), Confusion(0, 0, 3, 7).f1, Confusion(0, 2, 0, 8).f1
        (0.519, 0.0, nan)
        """
        return 2 * self.tp / (2 * self.tp + self.fp + self.fn) if self.tp + self.fn else math.nan


class AnswerSums(NamedTuple):
    """One system's part of the sums, answer by answer; NaN in an answer that it did not decide.

    For decisions on answers all three are 0 or 1; for decisions on sentences they count the sentences of an answer.

    Attributes:
        hits: Shape `[n]`: true positives.
        flagged: Shape `[n]`: what was decided positive.
        positives: Shape `[n]`: what is positive by the gold.
    """

    hits: FloatArray
    flagged: FloatArray
    positives: FloatArray


@dataclass(frozen=True, slots=True)
class PairTest:
    """The F1 of two systems over the answers that both decided.

    Attributes:
        a: Name of the first system.
        b: Name of the second.
        f1_a: Its F1 there.
        f1_b: That of the second.
        difference: `f1_a - f1_b`.
        low: Lower limit of the difference.
        high: Upper limit.
        p: Two-sided p of the shifted bootstrap; NaN where a side has no F1.
        p_holm: Adjusted over all pairs by Holm.
        p_bh: Adjusted over all pairs by Benjamini and Hochberg.
        n: Answers.
    """

    a: str
    b: str
    f1_a: float
    f1_b: float
    difference: float
    low: float
    high: float
    p: float
    p_holm: float
    p_bh: float
    n: int

    def as_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return asdict(self)


def answer_counts(decided: npt.ArrayLike, gold: npt.ArrayLike) -> AnswerSums:
    """The counts of decisions on answers: *decided* is 0 or 1, or NaN where there is none."""
    yes, truth = np.asarray(decided, dtype=np.float64), np.asarray(gold, dtype=np.float64)
    if yes.shape != truth.shape or yes.ndim != 1:
        raise ValueError(f"decisions and gold need one value per answer, got shapes {yes.shape} and {truth.shape}")
    return AnswerSums(yes * truth, yes, np.where(np.isnan(yes), np.nan, truth))


def binary_summaries(
    systems: Mapping[str, AnswerSums],
    *,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
    clusters: npt.ArrayLike | None = None,
) -> dict[str, dict[str, MetricSummary]]:
    """System to `precision`, `recall` and `f1` with percentile intervals, all from the same draws.

    Where a measure is undefined in more than 2% of the resamples (for recall and F1: those without a positive), it has
    no interval. Over few units or with few events (`fas.stats.intervals`: 0 of n, and near it) Wilson's takes the place
    of the percentiles: each measure is a ratio of sums in which no unit has more above than below. `n` is the number of
    answers decided.

    Raises:
        ValueError: Lengths differ, or an option is out of range.
    """
    check_options(n_resamples, level)
    units = _units(systems, clusters)
    columns = _Columns(units)
    places = {name: columns.add(counts, ~np.isnan(counts.flagged)) for name, counts in systems.items()}
    draws = columns.resampled(n_resamples, seed)
    found: dict[str, dict[str, MetricSummary]] = {}
    for name, place in places.items():
        n = int((~np.isnan(systems[name].flagged)).sum())
        found[name] = {}
        for measure in MEASURES:
            value = float(_measure(measure, *(columns.total(i)[None] for i in place))[0])
            drawn = _measure(measure, *(draws[:, i] for i in place))
            enough = n > 1 and units.n > 1 and not math.isnan(value)
            limits = percentile_interval(drawn, level, value) if enough else (math.nan, math.nan, too_few(n))
            if not why_none(limits[2]):
                limits = ratio_limits(*_ratio(measure, *(columns.of_units(i) for i in place)), level, limits)
            found[name][measure] = MetricSummary(value, limits[0], limits[1], n, limits[2])
    return found


def pair_tests(
    systems: Mapping[str, AnswerSums],
    *,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
    clusters: npt.ArrayLike | None = None,
) -> list[PairTest]:
    """The F1 of every two systems, with the interval of the difference and p, raw and adjusted.

    Raises:
        ValueError: Lengths differ, or an option is out of range.
    """
    check_options(n_resamples, level)
    columns = _Columns(_units(systems, clusters))
    pairs = list(combinations(systems, 2))
    both = {(a, b): ~np.isnan(systems[a].flagged) & ~np.isnan(systems[b].flagged) for a, b in pairs}
    places = {(a, b): (columns.add(systems[a], both[a, b]), columns.add(systems[b], both[a, b])) for a, b in pairs}
    draws = columns.resampled(n_resamples, seed)
    rows = []
    for pair in pairs:
        values = [float(_measure("f1", *(columns.total(i)[None] for i in place))[0]) for place in places[pair]]
        drawn = [_measure("f1", *(draws[:, i] for i in place)) for place in places[pair]]
        difference, resampled = values[0] - values[1], drawn[0] - drawn[1]
        rows.append((values, difference, percentile_interval(resampled, level)[:2], p_shifted(resampled, difference)))
    p = [row[3] for row in rows]
    return [
        PairTest(
            a,
            b,
            values[0],
            values[1],
            difference,
            limits[0],
            limits[1],
            raw,
            float(strict),
            float(discovery),
            int(both[a, b].sum()),
        )
        for (a, b), (values, difference, limits, raw), strict, discovery in zip(
            pairs, rows, holm(p), benjamini_hochberg(p), strict=True
        )
    ]


def p_shifted(resampled: npt.ArrayLike, observed: float) -> float:
    """Two-sided p of "there is no difference": the share of resampled differences d* with |d* - d| >= |d|.

    The two-sided form of d* > 2d (Berg-Kirkpatrick et al., 2012, section 2); without one added to the counts, so
    that 0 is possible, as in the published tables. 1 for equal outputs. NaN without a difference.

    >>> p_shifted([0.0, 0.1, 0.2, 0.3], 0.1), p_shifted([0.0, 0.0], 0.0)
    (0.75, 1.0)
    """
    draws = np.asarray(resampled, dtype=np.float64)
    draws = draws[~np.isnan(draws)]
    if math.isnan(observed) or not len(draws):
        return math.nan
    slack = 1e-12 * max(1.0, float(np.abs(draws).max()))
    return float((np.abs(draws - observed) >= abs(observed) - slack).mean())


class _Columns:
    """Sums of many columns over units; equal columns are kept once."""

    def __init__(self, units: Units) -> None:
        self._units = units
        self._known: dict[bytes, int] = {}
        self._sums: list[FloatArray] = []

    def add(self, counts: AnswerSums, kept: npt.NDArray[np.bool_]) -> tuple[int, int, int]:
        """Places of a system's three sums over the answers *kept*."""
        hits, flagged, positives = (self._add(np.where(kept, column, 0.0)) for column in counts)
        return hits, flagged, positives

    def total(self, place: int) -> FloatArray:
        """The sum over all units."""
        return np.asarray(self._sums[place].sum())

    def of_units(self, place: int) -> FloatArray:
        """The sum of every unit."""
        return self._sums[place]

    def resampled(self, n_resamples: int, seed: int) -> FloatArray:
        """The sums in every resample, shape `[n_resamples, n_columns]`."""
        if not self._sums or not self._units.n:
            return np.zeros((n_resamples, max(1, len(self._sums))))
        matrix = np.column_stack(self._sums)
        return np.concatenate([drawn @ matrix for drawn in draw_counts(self._units.n, n_resamples, make_rng(seed))])

    def _add(self, column: FloatArray) -> int:
        sums: FloatArray = np.zeros(self._units.n)
        np.add.at(sums, self._units.of_item, column)
        place = self._known.setdefault(sums.tobytes(), len(self._sums))
        if place == len(self._sums):
            self._sums.append(sums)
        return place


def _measure(name: str, hits: FloatArray, flagged: FloatArray, positives: FloatArray) -> FloatArray:
    """The measure from sums, element by element; NaN where it is undefined."""
    above, below = _ratio(name, hits, flagged, positives)
    defined = (flagged if name == "precision" else positives) > 0
    result: FloatArray = np.divide(above, below, out=np.full(np.shape(above), np.nan), where=defined & (below > 0))
    return result


def _ratio(name: str, hits: FloatArray, flagged: FloatArray, positives: FloatArray) -> tuple[FloatArray, FloatArray]:
    """What the measure divides, and by what."""
    if name == "f1":
        return 2 * hits, flagged + positives
    return hits, flagged if name == "precision" else positives


def _units(systems: Mapping[str, AnswerSums], clusters: npt.ArrayLike | None) -> Units:
    lengths = {name: len(counts.flagged) for name, counts in systems.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"all systems need one value per answer, got lengths {lengths}")
    return make_units(next(iter(lengths.values()), 0), clusters)


def spread(values: Sequence[float]) -> tuple[float, float]:
    """Smallest and largest of *values* that are numbers; NaN without one."""
    known = [value for value in values if not math.isnan(value)]
    return (min(known), max(known)) if known else (math.nan, math.nan)
