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

from fas.stats.draws import FloatArray, Resampling
from fas.stats.intervals import NONE, effective_size

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
        """Claims that have a label."""
        return ~np.isnan(self.gold)


@dataclass(frozen=True, slots=True)
class Adjusted:
    """An estimate from labels and verdicts, and from the labels `alone`; limits are NaN where there are none.

    Attributes:
        value: The estimate. It has no bias and so may lie a little outside [0, 1]; as a share it is cut to it.
        how: `score` (Wilson's by effective sample size), `t`, or `none: ` and why.
        tuning: lambda of each side; 0 where the verdicts are not used.
        n_clusters: Clusters with a label.
        degrees: Degrees of freedom of the t quantile.
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


class SideEstimate(NamedTuple):
    """An estimate and its clusters' contributions as functions of lambda, `constant + slope * lambda`."""

    value: float
    value_slope: float
    parts: FloatArray
    parts_slope: FloatArray


def adjusted_mean(
    *sides: Side, level: float = 0.95, share: bool = False, tuning: Sequence[float] | None = None
) -> Adjusted:
    """The mean of one system's claims, or of the first less the second; cluster numbers mean the same in both.

    *share*: a mean of zeros and ones, which gets Wilson's interval with limits in [0, 1]; not for differences.
    *tuning*: lambda of each side; tuned by default. A ValueError for more than two sides, or sides of other clusters.
    """
    if not 1 <= len(sides) <= 2 or len({len(side.sizes) for side in sides}) != 1:
        raise ValueError("expected one or two sides over the same clusters")
    Resampling(level=level)
    counts = [int(side.labelled.sum()) for side in sides]
    used = len(np.unique(np.concatenate([side.clusters[side.labelled] for side in sides])))
    if min(counts) < 2 or used < FEWEST_LABELLED:
        nan = math.nan
        why = f"{NONE}too few labels ({used} clusters)" if used else f"{NONE}no labels"
        return Adjusted(nan, nan, nan, why, nan, (nan,) * len(sides), sum(counts), used, 0, nan, nan, nan)
    kept = [pool_strata(side) for side in sides]
    n_strata = sum(_n_strata(side) for side in kept)
    lines = [line(side, n_strata) for side in kept]
    degrees = max(1, used - n_strata)
    wilson = kept[0] if share and len(sides) == 1 else None
    alone = chosen = _estimate(lines, (0.0,) * len(sides), level, degrees, wilson)
    if tuning is not None:
        chosen = _estimate(lines, tuple(tuning), level, degrees, wilson)
    elif all(_disagrees(side).sum() >= FEW_EVENTS for side in sides):
        best = _estimate(lines, _least_variance(lines), level, max(1, degrees - len(sides)), wilson)
        chosen = best if best.width <= alone.width else alone
    found = replace(
        chosen, n_labels=sum(counts), n_clusters=used, alone_low=alone.low, alone_high=alone.high, alone=alone.value
    )
    if n_strata > len(sides) and min(counts) < FEWEST_STRATIFIED:
        why = f"{NONE}too few labels drawn by verdict ({min(counts)} of {FEWEST_STRATIFIED})"
        return replace(found, low=math.nan, high=math.nan, alone_low=math.nan, alone_high=math.nan, how=why)
    return found


def adjusted_shares(sides: Sequence[Side], *, level: float = 0.95) -> list[Adjusted]:
    """The shares of kinds that exclude one another and are all there are, of the same claims: they sum to 1.

    One lambda for all, which makes the sum of their variances least, so that the corrections cancel; shares outside
    [0, 1] are cut to it and the others brought down.

    *sides* has one for each kind, with the same claims, labels and clusters.
    """
    tuning: tuple[float, ...] | None = None
    if int(sides[0].labelled.sum()) >= 2:
        kept = [pool_strata(side) for side in sides]
        lines = [line(side, _n_strata(kept[0])) for side in kept]
        tuning = (0.0,)
        if np.any([_disagrees(side) for side in sides], axis=0).sum() >= FEW_EVENTS:
            parts, slopes = (np.concatenate([each[field] for each in lines]) for field in (2, 3))
            tuning = _least_variance([SideEstimate(0.0, 0.0, parts, slopes)])
    found = [adjusted_mean(side, level=level, share=True, tuning=tuning) for side in sides]
    total = sum(each.value for each in found)
    if math.isnan(total) or total <= 0:
        return found
    return [
        replace(each, value=(value := each.value / total), low=min(each.low, value), high=max(each.high, value))
        for each in found
    ]


def pool_strata(side: Side) -> Side:
    """*side* with the strata of fewer than two labelled claims put together, which have no mean of their own."""
    counts = np.bincount(side.strata[side.labelled], minlength=int(side.strata.max()) + 1)
    small = counts < 2
    strata = np.where(small[side.strata], -1, side.strata)
    if 0 < counts[small].sum() < 2 or (counts[small].sum() == 0 and bool((strata == -1).any())):
        strata = np.zeros_like(strata)
    return replace(side, strata=np.unique(strata, return_inverse=True)[1].astype(np.intp))


def line(side: Side, n_strata: int = 1) -> SideEstimate:
    """The estimate of *side* and the contributions of its clusters, which sum to 0, as functions of lambda.

    Each stratum has a labelled claim. *n_strata* means are fitted, which takes as many degrees of freedom.
    """
    known = side.labelled
    total = float(side.sizes.sum())
    raised = _weigh_labelled(side)
    in_sample, in_all = np.bincount(side.strata, raised), np.bincount(side.strata, side.weights)
    g = (in_all / in_sample)[side.strata] * raised
    g *= math.sqrt(known.sum() / max(1, known.sum() - n_strata))

    def per_cluster(of_all: FloatArray, of_labelled: FloatArray, fixed: FloatArray) -> tuple[float, FloatArray]:
        model = np.bincount(side.clusters, side.weights * of_all, len(side.sizes)) + fixed
        value = float(model.sum()) / total
        # The residuals of each stratum sum to 0 under these weights, so that they move no estimate.
        rest = np.bincount(side.clusters, g * np.where(known, of_labelled, 0.0), len(side.sizes))
        return value, (model + rest - value * side.sizes) / total

    y = np.where(known, side.gold, 0.0)
    mean_y, mean_f = ((np.bincount(side.strata, raised * one) / in_sample)[side.strata] for one in (y, side.predicted))
    off = side.predicted - mean_f
    value, parts = per_cluster(mean_y, y - mean_y, side.offsets)
    slope, parts_slope = per_cluster(off, -off, np.zeros_like(side.offsets))
    return SideEstimate(value, slope, parts, parts_slope)


def residuals(side: Side, tuning: float) -> FloatArray:
    """Residual of each label from the model of its stratum; 0 where there is none."""
    raised, known = _weigh_labelled(side), side.labelled
    rest = np.where(known, side.gold - tuning * side.predicted, 0.0)
    mean = np.bincount(side.strata, raised * rest) / np.bincount(side.strata, raised)
    return np.where(known, rest - mean[side.strata], 0.0)


def variance_of_clusters(side: Side, tuning: float) -> float:
    """The variance of the estimate of one side at a given lambda."""
    one = line(side, _n_strata(side))
    return variance_of(one.parts + tuning * one.parts_slope)


def _weigh_labelled(side: Side) -> FloatArray:
    """Each labelled claim's weight over its probability; 0 for the others."""
    return np.where(side.labelled, side.weights / np.where(side.labelled, side.inclusion, 1.0), 0.0)


def _n_strata(side: Side) -> int:
    return len(np.unique(side.strata[side.labelled]))


def _disagrees(side: Side) -> npt.NDArray[np.bool_]:
    """Labels that differ from their verdict."""
    found: npt.NDArray[np.bool_] = np.abs(np.nan_to_num(side.gold - side.predicted)) > 1e-9
    return found


def _least_variance(lines: Sequence[SideEstimate]) -> tuple[float, ...]:
    """The lambdas that make the sum of squared contributions least; 0 where the verdicts move no contribution.

    In a sample drawn by verdict, verdicts are the same throughout a stratum: their slopes are 0 but for rounding, and a
    lambda of 1e15 would make a contribution of that.
    """
    signs = (1.0, -1.0)[: len(lines)]
    target = sum(sign * one.parts for sign, one in zip(signs, lines, strict=True))
    slopes = np.column_stack([sign * one.parts_slope for sign, one in zip(signs, lines, strict=True)])
    least = 1e-9 * max(float(np.linalg.norm(one.parts)) for one in lines)
    moving = np.linalg.norm(slopes, axis=0) > least
    found = np.zeros(len(lines))
    if moving.any():
        found[moving] = np.clip(np.linalg.lstsq(slopes[:, moving], -target)[0], -MOST_TUNING, MOST_TUNING)
    return tuple(float(by) for by in found)


def variance_of(parts: FloatArray) -> float:
    """The variance of a sum of independent contributions that themselves sum to 0."""
    n = len(parts)
    return float(n / (n - 1) * (parts**2).sum()) if n > 1 else math.nan


def degrees_of_freedom(parts: FloatArray) -> int:
    """Degrees of freedom of the variance of *parts*, at least 2: its own variance, from the fourth moment, says them.

    A sum of squares that a few rare contributions make up is known less well than that of as many normal ones.

    Source: Satterthwaite (1946), with the fourth moment taken from the contributions instead of normality.
    """
    if float((parts**2).sum()) <= 1e-24:
        return len(parts)
    spread = 1 / effective_size(parts**2) - 1 / len(parts)
    return max(2, int(2 / spread)) if spread > 1e-9 else len(parts)


def _estimate(
    lines: Sequence[SideEstimate], tuning: tuple[float, ...], level: float, degrees: int, share: Side | None
) -> Adjusted:
    """The estimate at the lambdas of *tuning*; *share*: the one side of a share, which gets Wilson's interval."""
    from scipy.special import stdtrit

    value, parts = 0.0, np.zeros_like(lines[0].parts)
    for sign, one, by in zip((1.0, -1.0)[: len(lines)], lines, tuning, strict=True):
        value += sign * (one.value + by * one.value_slope)
        parts = parts + sign * (one.parts + by * one.parts_slope)
    error = math.sqrt(variance_of(parts))
    degrees = min(degrees, degrees_of_freedom(parts))
    quantile = float(stdtrit(degrees, (1 + level) / 2))
    nan, how = math.nan, "t"
    low, high = value - quantile * error, value + quantile * error
    if share is not None:
        value, low, high = _score(value, error, quantile, share)
        how = "score"
    elif error <= 1e-12:
        low, high, how = nan, nan, f"{NONE}no label differs from another"
    return Adjusted(value, low, high, how, error, tuning, 0, 0, degrees, nan, nan, nan)


def _score(value: float, error: float, quantile: float, side: Side) -> tuple[float, float, float]:
    """Wilson's interval by effective sample size; few labels of a kind are worth no more than their clusters."""
    p = min(1.0, max(0.0, value))
    known = side.gold[side.labelled]
    clusters = float(len(np.unique(side.clusters[side.labelled])))
    size = p * (1 - p) / error**2 if error > 1e-12 else math.inf
    if p in (0.0, 1.0):
        size = clusters
    elif min(int((known > 0).sum()), int((known < 1).sum())) < FEW_EVENTS:
        size = min(size, clusters)
    spread = quantile**2 / max(size, 1.0)
    middle = (p + spread / 2) / (1 + spread)
    half = math.sqrt(spread * p * (1 - p) + spread**2 / 4) / (1 + spread)
    return p, max(0.0, min(p, middle - half)), min(1.0, max(p, middle + half))
