"""Decisions of yes or no against gold: precision, recall and F1 with intervals, and paired tests over all pairs.

Each measure is a ratio of sums over answers, F1 = 2 TP / (2 TP + FP + FN), in which no unit has more above than below:
its interval is that of a share (`fas.stats.intervals`). A pair of systems is compared over the answers that both
decided, by the tests of `fas.stats.paired`, which are exact however few the events are. Every side keeps its own sums:
an answer that is a true negative of one side has no part in that side's F1, but may be a false alarm of the other's.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from fas.core.records import MetricSummary
from fas.stats.bootstrap import BootstrapOptions, FloatArray, Resampling, Units, make_units, unit_sums
from fas.stats.intervals import NONE, MeanKind, describe_too_few, make_empty_interval, share_limits
from fas.stats.multiple import benjamini_hochberg, holm
from fas.stats.paired import ratio_difference

MEASURES = ("precision", "recall", "f1")
FEWEST_OF_F1 = 8
"""Fewer answers that are flagged or positive have no interval of F1."""


class Confusion(NamedTuple):
    """Counts of decisions against the gold."""

    tp: int
    fp: int
    fn: int
    tn: int

    @classmethod
    def of(cls, decided: npt.ArrayLike, gold: npt.ArrayLike) -> Confusion:
        """From two vectors of truth values of one length."""
        sums = answer_counts(decided, gold)
        tp, flagged, positive = (int(column.sum()) for column in sums)
        return cls(tp, flagged - tp, positive - tp, len(sums.hits) - flagged - positive + tp)

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
        """2 TP / (2 TP + FP + FN); 0 without a true positive, NaN where the gold has no positive.

        >>> round(Confusion(68, 117, 9, 86).f1, 3), Confusion(0, 0, 3, 7).f1, Confusion(0, 2, 0, 8).f1
        (0.519, 0.0, nan)
        """
        return 2 * self.tp / (2 * self.tp + self.fp + self.fn) if self.tp + self.fn else math.nan


class AnswerSums(NamedTuple):
    """One system's true positives, what it decided positive and what is, answer by answer; NaN where undecided.

    For decisions on answers all are 0 or 1; for decisions on sentences they count the sentences of an answer.
    """

    hits: FloatArray
    flagged: FloatArray
    positives: FloatArray


@dataclass(frozen=True, slots=True)
class PairTest:
    """The F1 of two systems over the *n* answers that both decided, and `f1_a - f1_b` with its interval.

    `p` is two-sided, NaN where there is no interval; `p_holm` and `p_bh` are adjusted over all pairs of rows that
    decide differently. `how`: the kind of interval, or why there is none.
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

    as_dict = asdict


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

    Systems in *always* flag everything by rule: their recall is 1 in every sample and has no interval.
    """
    Resampling(level=level)
    units = _make_units(systems, clusters)
    found: dict[str, dict[str, MetricSummary]] = {name: {} for name in systems}
    for name, counts in systems.items():
        kept = ~np.isnan(counts.flagged)
        sums = _sum_units(counts, kept, units)
        for measure in MEASURES:
            value, above, below = _measure(measure, sums)
            if math.isnan(value):
                limits = make_empty_interval(describe_too_few(0))
            elif name in always and measure == "recall":
                limits = make_empty_interval(f"{NONE}1 by construction")
            elif measure == "f1":  # no share of answers, though its parts may happen to be zeros and ones
                limits = share_limits(above, below, level, kind=MeanKind(True), fewest=FEWEST_OF_F1)
            else:
                limits = share_limits(above, below, level)
            found[name][measure] = MetricSummary(value, limits.low, limits.high, int(kept.sum()), limits.how)
    return found


def pair_tests(systems: Mapping[str, AnswerSums], **options: Unpack[BootstrapOptions]) -> list[PairTest]:
    """The F1 of every two systems, with the interval of the difference and p, raw and adjusted."""
    drawn = Resampling(**options)
    units = _make_units(systems, drawn.clusters)
    rows, same = [], []
    for a, b in combinations(systems, 2):
        both = ~np.isnan(systems[a].flagged) & ~np.isnan(systems[b].flagged)
        sums = [_sum_units(systems[name], both, units) for name in (a, b)]
        (f1_a, *first), (f1_b, *second) = (_measure("f1", one) for one in sums)
        found = make_empty_interval(describe_too_few(0))
        if not math.isnan(f1_a - f1_b):
            found = ratio_difference(first, second, drawn)
        p = math.nan if math.isnan(found.low) else found.p
        rows.append(PairTest(a, b, f1_a, f1_b, f1_a - f1_b, found.low, found.high, p, p, p, int(both.sum()), found.how))
        same.append(b"".join(sorted(np.stack(one).tobytes() for one in sums)))
    p_values = [row.p for row in rows]
    adjusted = zip(rows, holm(p_values, same), benjamini_hochberg(p_values, same), strict=True)
    return [replace(row, p_holm=float(strict), p_bh=float(discovery)) for row, strict, discovery in adjusted]


def _sum_units(counts: AnswerSums, kept: npt.NDArray[np.bool_], units: Units) -> AnswerSums:
    """The three sums of every unit over the answers *kept*."""
    columns = np.column_stack([np.where(kept, column, 0.0) for column in counts])
    return AnswerSums(*unit_sums(columns, units)[0].T)


def _measure(name: str, sums: AnswerSums) -> tuple[float, FloatArray, FloatArray]:
    """The measure, NaN where undefined, and its numerators and denominators, unit by unit."""
    above, below = sums.hits, sums.flagged if name == "precision" else sums.positives
    defined = below.sum() > 0
    if name == "f1":
        above, below = 2 * sums.hits, sums.flagged + sums.positives
    return float(above.sum() / below.sum()) if defined else math.nan, above, below


def _make_units(systems: Mapping[str, AnswerSums], clusters: npt.ArrayLike | None) -> Units:
    lengths = {name: len(counts.flagged) for name, counts in systems.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"all systems need one value per answer, got lengths {lengths}")
    return make_units(next(iter(lengths.values()), 0), clusters)


def spread(values: Sequence[float]) -> tuple[float, float]:
    """Smallest and largest of *values* that are numbers; NaN without one."""
    known = [value for value in values if not math.isnan(value)]
    return (min(known), max(known)) if known else (math.nan, math.nan)
