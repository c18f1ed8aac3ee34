"""Decisions of yes or no against gold: precision, recall and F1 with intervals, and paired tests over all pairs.

Each measure is a ratio of sums over answers, F1 = 2 TP / (2 TP + FP + FN), in which no unit has more above than below:
its interval is that of a share (`fas.stats.intervals`). A pair of systems is compared over the answers that both
decided, by the tests of `fas.stats.paired`, which are exact however few the events are. Every side keeps its own sums:
an answer that is a true negative of one side has no part in that side's F1, but may be a false alarm of the other's.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fas.records import MetricSummary
from fas.stats.bootstrap import FloatArray, Units, check_options, make_units
from fas.stats.intervals import NONE, share_limits, too_few
from fas.stats.multiple import benjamini_hochberg, holm
from fas.stats.paired import ratio_difference

MEASURES = ("precision", "recall", "f1")
FEWEST_OF_F1 = 8
"""Fewer answers that are flagged or positive have no interval of F1."""


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
        p: Two-sided p; NaN where there is no interval.
        p_holm: Adjusted by Holm over all pairs of rows that decide differently.
        p_bh: The same by Benjamini and Hochberg.
        n: Answers.
        how: Kind of interval, or why there is none.
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
    how: str = ""

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
    level: float = 0.95,
    clusters: npt.ArrayLike | None = None,
    always: Collection[str] = (),
) -> dict[str, dict[str, MetricSummary]]:
    """System to `precision`, `recall` and `f1` with the intervals of shares; `n` is the number of answers decided.

    Args:
        systems: Name to sums.
        level: Confidence level.
        clusters: Question of each answer.
        always: Systems that flag everything by rule: their recall is 1 in every sample and has no interval.

    Raises:
        ValueError: Lengths differ, or an option is out of range.
    """
    check_options(1, level)
    units = _units(systems, clusters)
    found: dict[str, dict[str, MetricSummary]] = {}
    for name, counts in systems.items():
        n = int((~np.isnan(counts.flagged)).sum())
        sums = _sums(counts, ~np.isnan(counts.flagged), units)
        found[name] = {}
        for measure in MEASURES:
            value, above, below = _measure(measure, sums)
            if math.isnan(value):
                found[name][measure] = MetricSummary(value, math.nan, math.nan, n, too_few(0))
                continue
            if name in always and measure == "recall":
                found[name][measure] = MetricSummary(value, math.nan, math.nan, n, f"{NONE}1 by construction")
                continue
            # F1 is no share of answers, though its parts may happen to be zeros and ones.
            limits = (
                share_limits(above, below, level, proportion=False, fewest=FEWEST_OF_F1)
                if measure == "f1"
                else share_limits(above, below, level)
            )
            found[name][measure] = MetricSummary(value, limits.low, limits.high, n, limits.how)
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
    units = _units(systems, clusters)
    rows, same = [], []
    for a, b in combinations(systems, 2):
        both = ~np.isnan(systems[a].flagged) & ~np.isnan(systems[b].flagged)
        sums = [_sums(systems[name], both, units) for name in (a, b)]
        key = b"".join(sorted(np.stack(one).tobytes() for one in sums))
        sides = [_measure("f1", one) for one in sums]
        difference = sides[0][0] - sides[1][0]
        if math.isnan(difference):
            found = too_few(0), math.nan, math.nan, math.nan
        else:
            one = ratio_difference(sides[0][1:], sides[1][1:], n_resamples=n_resamples, level=level, seed=seed)
            found = one.how, one.low, one.high, math.nan if math.isnan(one.low) else one.p
        rows.append((a, b, sides[0][0], sides[1][0], difference, found, int(both.sum())))
        same.append(key)
    p = [row[5][3] for row in rows]
    return [
        PairTest(a, b, f1_a, f1_b, difference, low, high, raw, float(strict), float(discovery), n, how)
        for (a, b, f1_a, f1_b, difference, (how, low, high, raw), n), strict, discovery in zip(
            rows, holm(p, same), benjamini_hochberg(p, same), strict=True
        )
    ]


def _sums(counts: AnswerSums, kept: npt.NDArray[np.bool_], units: Units) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The three sums of every unit over the answers *kept*."""
    hits, flagged, positives = (
        np.bincount(units.of_item, np.where(kept, column, 0.0), units.n).astype(np.float64) for column in counts
    )
    return hits, flagged, positives


def _measure(name: str, sums: tuple[FloatArray, FloatArray, FloatArray]) -> tuple[float, FloatArray, FloatArray]:
    """The measure, what it divides and by what, unit by unit; NaN where it is undefined."""
    hits, flagged, positives = sums
    above, below = _ratio(name, hits, flagged, positives)
    defined = (flagged if name == "precision" else positives).sum() > 0
    return float(above.sum() / below.sum()) if defined else math.nan, above, below


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
