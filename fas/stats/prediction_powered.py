"""Means that stay right when the verifier is wrong: few labels corrected by all verdicts.

The mean of a claim's gold value over a population in which every claim has a verdict and some a label:

    estimate = [sum_q o_q + sum_i a_i m_i + sum_{i labelled} g_h a_i (y_i - m_i) / pi_i] / sum_q s_q
    m_i      = ybar_h + lambda (f_i - fbar_h)

for claim i of stratum h with weight a_i, verdict f_i, label y_i and inclusion probability pi_i; ybar_h and fbar_h are
the labelled claims' means weighted by a_i / pi_i, and g_h brings these weights' sum to that of the stratum. o_q and s_q
are what a cluster adds to the numerator without any claim, and to the denominator. lambda = 0 is labels alone. Power
tuning takes the lambda of least variance, so that a useless verifier costs nothing and an adversarial one helps.

The variance is that of the clusters' linearised contributions, which holds for claims that depend on one another, for
unequal probabilities, and for the clusters as a sample of all there could be.

Sources: Angelopoulos, Duchi and Zrnic, PPI++ (2023), sections 2 and 6 (power tuning); Zrnic and Candès, Active
statistical inference (2024), for unequal probabilities; Särndal, Swensson and Wretman, Model Assisted Survey Sampling
(1992), sections 6.4 to 6.6, for the difference and regression estimators and g weights; Korn and Graubard (1998) for
Wilson's interval by effective sample size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fas.stats.draws import FloatArray
from fas.stats.intervals import NONE

FEWEST_LABELLED = 10
"""Fewer clusters with a label have no interval."""
FEWEST_STRATIFIED = 40
"""Fewer labels drawn by verdict have no interval: in a stratum of few that all agree no variance is seen."""
FEW_EVENTS = 5
"""Fewer labels that differ from their verdict say too little of how often it errs: then labels alone are used."""
MOST_TUNING = 1.0
"""Verdicts are used in full at the most, for or against: beyond it lambda follows what is seen by chance."""


@dataclass(frozen=True, slots=True)
class Side:
    """The claims of one system. Shapes: `[n_claims]` where not said otherwise.

    Attributes:
        gold: Value by the label; NaN where a claim has none.
        predicted: Value by the verdict.
        inclusion: Probability in (0, 1] with which the claim was chosen for a label; read where there is one.
        weights: What the claim counts in its cluster's numerator, e.g. one over the claims of its answer.
        clusters: Number of the claim's cluster.
        sizes: What each cluster adds to the denominator, e.g. its answers; shape `[n_clusters]`.
        offsets: What each cluster adds to the numerator whatever its labels say; shape `[n_clusters]`.
        strata: Number of the stratum that the claim was drawn from.
    """

    gold: FloatArray
    predicted: FloatArray
    inclusion: FloatArray
    weights: FloatArray
    clusters: npt.NDArray[np.intp]
    sizes: FloatArray
    offsets: FloatArray
    strata: npt.NDArray[np.intp]

    def __post_init__(self) -> None:
        n = len(self.gold)
        for name in ("predicted", "inclusion", "weights", "clusters", "strata"):
            if len(getattr(self, name)) != n:
                raise ValueError(f"`{name}` needs one value per claim ({n}), got {len(getattr(self, name))}")
        if len(self.sizes) != len(self.offsets):
            raise ValueError(f"`sizes` and `offsets` differ in length: {len(self.sizes)} and {len(self.offsets)}")
        chosen = self.inclusion[self.labelled]
        if not bool(((chosen > 0) & (chosen <= 1)).all()):
            raise ValueError("the inclusion probability of a labelled claim must lie in (0, 1]")
        if not self.sizes.sum() > 0:
            raise ValueError("nothing to average: the sizes of all clusters are 0")

    @property
    def labelled(self) -> npt.NDArray[np.bool_]:
        """Which claims have a label."""
        return ~np.isnan(self.gold)


@dataclass(frozen=True, slots=True)
class Adjusted:
    """An estimate from labels and verdicts.

    Attributes:
        value: The estimate. It has no bias and so may lie a little outside [0, 1]; as a share it is cut to it.
        low: Lower limit; NaN where there is none.
        high: Upper limit.
        how: `score` (Wilson's by effective sample size), `t`, or `none: ` and why.
        standard_error: Of the estimate.
        tuning: lambda of each side; 0 where the verdicts are not used.
        n_labels: Labelled claims.
        n_clusters: Clusters with a label.
        degrees: Degrees of freedom of the t quantile.
        alone_low: Lower limit from the labels alone.
        alone_high: Upper limit from the labels alone.
        alone: Estimate from the labels alone.
    """

    value: float
    low: float
    high: float
    how: str
    standard_error: float
    tuning: tuple[float, ...]
    n_labels: int
    n_clusters: int
    degrees: int
    alone_low: float
    alone_high: float
    alone: float

    @property
    def width(self) -> float:
        """From limit to limit."""
        return self.high - self.low


class Line(NamedTuple):
    """An estimate and its clusters' contributions as functions of lambda, `constant + slope * lambda`."""

    value: float
    value_slope: float
    parts: FloatArray
    parts_slope: FloatArray


def adjusted_mean(
    *sides: Side, level: float = 0.95, share: bool = False, tuning: Sequence[float] | None = None
) -> Adjusted:
    """The mean of one system's claims, or the difference of two systems' means over the same clusters.

    Args:
        sides: One system, or two of which the second is taken from the first; cluster numbers mean the same in both.
        level: Confidence level in (0, 1).
        share: The mean is one of zeros and ones: Wilson's interval, limits in [0, 1]; not for differences.
        tuning: lambda of each side; tuned by default.

    Raises:
        ValueError: There are more than two sides, they have other clusters, or an option is out of range.
    """
    if not 1 <= len(sides) <= 2 or len({len(side.sizes) for side in sides}) != 1:
        raise ValueError("expected one or two sides over the same clusters")
    if not 0 < level < 1:
        raise ValueError(f"`level` must be in the open interval (0, 1), got {level}")
    n_labels = sum(int(side.labelled.sum()) for side in sides)
    used = len(np.unique(np.concatenate([side.clusters[side.labelled] for side in sides])))
    fewest = min(int(side.labelled.sum()) for side in sides)
    if fewest < 2 or used < FEWEST_LABELLED:
        nan = math.nan
        why = f"{NONE}too few labels ({used} clusters)" if used else f"{NONE}no labels"
        return Adjusted(nan, nan, nan, why, nan, (nan,) * len(sides), n_labels, used, 0, nan, nan, nan)
    kept = [pooled(side) for side in sides]
    n_strata = sum(len(np.unique(side.strata[side.labelled])) for side in kept)
    lines = [line(side, n_strata) for side in kept]
    few = any(_disagreements(side) < FEW_EVENTS for side in sides)
    unseen = n_strata > len(sides) and fewest < FEWEST_STRATIFIED
    zero = (0.0,) * len(sides)
    degrees = max(1, used - n_strata)
    alone = _estimate(lines, zero, level, share, degrees, kept)
    if tuning is not None:
        chosen = _estimate(lines, tuple(tuning), level, share, degrees, kept)
    elif few:
        chosen = alone
    else:
        best = _least_variance(lines)
        chosen = _estimate(lines, best, level, share, max(1, degrees - len(sides)), kept)
        if not chosen.width <= alone.width:
            chosen = alone
    found = replace(
        chosen,
        n_labels=n_labels,
        n_clusters=used,
        alone_low=alone.low,
        alone_high=alone.high,
        alone=alone.value,
    )
    if unseen:
        why = f"{NONE}too few labels of a draw by verdict ({fewest} of {FEWEST_STRATIFIED})"
        return replace(found, low=math.nan, high=math.nan, alone_low=math.nan, alone_high=math.nan, how=why)
    return found


def adjusted_shares(sides: Sequence[Side], *, level: float = 0.95) -> list[Adjusted]:
    """The shares of kinds that exclude one another and are all there are, of the same claims: they sum to 1.

    One lambda for all, which makes the sum of their variances least, so that the corrections cancel; shares outside
    [0, 1] are cut to it and the others brought down.

    Args:
        sides: A side for each kind, with the same claims, labels and clusters.
        level: Confidence level in (0, 1).
    """
    one = sides[0]
    if int(one.labelled.sum()) < 2:
        return [adjusted_mean(side, level=level, share=True) for side in sides]
    kept = [pooled(side) for side in sides]
    n_strata = len(np.unique(kept[0].strata[kept[0].labelled]))
    lines = [line(side, n_strata) for side in kept]
    differ = int(np.any([np.abs(np.nan_to_num(side.gold - side.predicted)) > 1e-9 for side in sides], axis=0).sum())
    by = 0.0
    if differ >= FEW_EVENTS:
        parts, slopes = (np.concatenate([each[field] for each in lines]) for field in (2, 3))
        together = Line(0.0, 0.0, parts, slopes)
        (by,) = _least_variance([together])
    found = [adjusted_mean(side, level=level, share=True, tuning=(by,)) for side in sides]
    total = sum(each.value for each in found)
    if math.isnan(total) or total <= 0:
        return found
    return [
        replace(each, value=(value := each.value / total), low=min(each.low, value), high=max(each.high, value))
        for each in found
    ]


def pooled(side: Side) -> Side:
    """*side* with the strata of fewer than two labelled claims put together, which have no mean of their own."""
    counts = np.bincount(side.strata[side.labelled], minlength=int(side.strata.max()) + 1)
    small = counts < 2
    strata = np.where(small[side.strata], -1, side.strata)
    if 0 < counts[small].sum() < 2 or (counts[small].sum() == 0 and bool((strata == -1).any())):
        strata = np.zeros_like(strata)
    return replace(side, strata=np.unique(strata, return_inverse=True)[1].astype(np.intp))


def line(side: Side, n_strata: int = 1) -> Line:
    """The estimate of *side* and the contributions of its clusters, which sum to 0, as functions of lambda.

    Args:
        side: The claims; each stratum has a labelled one.
        n_strata: Fitted means, for the small-sample factor n / (n - n_strata) of the residuals' variance.
    """
    known = side.labelled
    total = float(side.sizes.sum())
    y, f = np.where(known, side.gold, 0.0), side.predicted
    raised = np.zeros(len(y))
    raised[known] = side.weights[known] / side.inclusion[known]
    n = int(side.strata.max()) + 1
    in_sample = np.bincount(side.strata, raised, n)
    in_all = np.bincount(side.strata, side.weights, n)
    mean_y = np.bincount(side.strata, raised * y, n) / in_sample
    mean_f = np.bincount(side.strata, raised * f, n) / in_sample
    g = (in_all / in_sample)[side.strata] * raised
    g *= math.sqrt(known.sum() / max(1, known.sum() - n_strata))
    off_y, off_f = np.where(known, y - mean_y[side.strata], 0.0), f - mean_f[side.strata]

    def per_cluster(of_all: FloatArray, of_labelled: FloatArray, fixed: FloatArray) -> tuple[float, FloatArray]:
        model = np.bincount(side.clusters, side.weights * of_all, len(side.sizes)) + fixed
        value = float(model.sum()) / total
        # The residuals of each stratum sum to 0 under these weights, so that they move no estimate.
        rest = np.bincount(side.clusters, g * of_labelled, len(side.sizes))
        return value, (model + rest - value * side.sizes) / total

    value, parts = per_cluster(mean_y[side.strata], off_y, side.offsets)
    slope, parts_slope = per_cluster(off_f, -np.where(known, off_f, 0.0), np.zeros_like(side.offsets))
    return Line(value, slope, parts, parts_slope)


def residuals(side: Side, tuning: float) -> FloatArray:
    """How far each label lies from the model of its stratum; 0 where there is none."""
    known = side.labelled
    raised = np.where(known, side.weights / np.where(known, side.inclusion, 1.0), 0.0)
    rest = np.where(known, side.gold - tuning * side.predicted, 0.0)
    n = int(side.strata.max()) + 1
    mean = np.bincount(side.strata, raised * rest, n) / np.bincount(side.strata, raised, n)
    return np.where(known, rest - mean[side.strata], 0.0)


def variance_of_clusters(side: Side, tuning: float) -> float:
    """The variance of the estimate of one side at a given lambda."""
    one = line(side, len(np.unique(side.strata[side.labelled])))
    return variance_of(one.parts + tuning * one.parts_slope)


def _disagreements(side: Side) -> int:
    known = side.labelled
    return int((np.abs(side.gold[known] - side.predicted[known]) > 1e-9).sum())


def _signs(n: int) -> tuple[float, ...]:
    return (1.0, -1.0)[:n]


def _parts(lines: Sequence[Line], tuning: Sequence[float]) -> tuple[float, FloatArray]:
    value, parts = 0.0, np.zeros_like(lines[0].parts)
    for sign, one, by in zip(_signs(len(lines)), lines, tuning, strict=True):
        value += sign * (one.value + by * one.value_slope)
        parts = parts + sign * (one.parts + by * one.parts_slope)
    return value, parts


def _least_variance(lines: Sequence[Line]) -> tuple[float, ...]:
    """The lambdas that make the sum of squared contributions least; 0 where the verdicts move no contribution.

    In a sample drawn by verdict, verdicts are the same throughout a stratum: their slopes are 0 but for rounding, and a
    lambda of 1e15 would make a contribution of that.
    """
    target = _parts(lines, (0.0,) * len(lines))[1]
    slopes = np.column_stack([sign * one.parts_slope for sign, one in zip(_signs(len(lines)), lines, strict=True)])
    sizes = np.sqrt((slopes**2).sum(axis=0))
    least = 1e-9 * max(float(np.sqrt((one.parts**2).sum())) for one in lines)
    moving = sizes > least
    found = np.zeros(len(lines))
    if moving.any():
        found[moving] = np.clip(
            np.linalg.lstsq(slopes[:, moving], -target, rcond=None)[0], -MOST_TUNING, MOST_TUNING
        )
    return tuple(float(by) for by in found)


def variance_of(parts: FloatArray) -> float:
    """The variance of a sum of independent contributions that themselves sum to 0."""
    n = len(parts)
    return float(n / (n - 1) * (parts**2).sum()) if n > 1 else math.nan


def degrees_of(parts: FloatArray) -> int:
    """Degrees of freedom of the variance of *parts*, at least 2: its own variance, from the fourth moment, says them.

    A sum of squares that a few rare contributions make up is known less well than that of as many normal ones.

    Source: Satterthwaite (1946), with the fourth moment taken from the contributions instead of normality.
    """
    squares = parts**2
    total = float(squares.sum())
    if total <= 1e-24:
        return len(parts)
    spread = float((squares**2).sum()) / total**2 - 1 / len(parts)
    return max(2, int(2 / spread)) if spread > 1e-9 else len(parts)


def _estimate(
    lines: Sequence[Line],
    tuning: tuple[float, ...],
    level: float,
    share: bool,
    degrees: int,
    sides: Sequence[Side],
) -> Adjusted:
    from scipy.special import stdtrit

    value, parts = _parts(lines, tuning)
    error = math.sqrt(variance_of(parts))
    degrees = min(degrees, degrees_of(parts))
    quantile = float(stdtrit(degrees, (1 + level) / 2))
    how = "t"
    if share and len(sides) == 1:
        value, low, high, how = _score(value, error, quantile, sides[0])
    elif error <= 1e-12:
        low = high = math.nan
        how = f"{NONE}no label differs from another"
    else:
        low, high = value - quantile * error, value + quantile * error
    nan = math.nan
    return Adjusted(value, low, high, how, error, tuning, 0, 0, degrees, nan, nan, nan)


def _score(value: float, error: float, quantile: float, side: Side) -> tuple[float, float, float, str]:
    """Wilson's interval by effective sample size; few labels of a kind are worth no more than their clusters."""
    p = min(1.0, max(0.0, value))
    known = side.gold[side.labelled]
    clusters = len(np.unique(side.clusters[side.labelled]))
    size = p * (1 - p) / error**2 if error > 1e-12 else math.inf
    if min(int((known > 0).sum()), int((known < 1).sum())) < FEW_EVENTS or p in (0.0, 1.0):
        size = min(size, float(clusters)) if 0 < p < 1 else float(clusters)
    size = max(size, 1.0)
    spread = quantile**2 / size
    middle = (p + spread / 2) / (1 + spread)
    half = math.sqrt(spread * p * (1 - p) + spread**2 / 4) / (1 + spread)
    return p, max(0.0, min(p, middle - half)), min(1.0, max(p, middle + half)), "score"
