"""A threshold at which precision is at least p, with confidence 1 - delta.

Thresholds are tested from the highest down, each at the whole delta, and the first that fails ends it: a fixed
sequence, so that the family-wise error is delta (learn then test). It begins at the first threshold above which
`ROOM` times as many labels lie as the promise needs at the least, which scores decide and no label. The test is Clopper
and Pearson's one-sided bound. Where claims were chosen with unequal probabilities or go together in clusters, the bound
is taken at the effective sample size (Korn and Graubard), which is an approximation.

Sources: Angelopoulos, Bates, Candès, Jordan and Lei, Learn then test (2021), section 3.2; Clopper and Pearson (1934);
Korn and Graubard (1998).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fas.stats.draws import FloatArray
from fas.stats.intervals import clopper_pearson, effective_size, ratio_variance

GRID = tuple(round(0.99 - 0.01 * i, 2) for i in range(50))
"""The sequence, 0.99 to 0.50: fixed before any label is seen."""
ROOM = 3
"""A sequence that began with the fewest labels would fail at the first error among them."""


@dataclass(frozen=True, slots=True)
class PrecisionThreshold:
    """The lowest threshold that keeps the promise for one kind of verdict, or None and `why_none`.

    `precision` is what the *n* labelled claims at or above it show, `bound` its lower limit with confidence 1 - delta;
    `exact` tells whether that is Clopper and Pearson's own.
    """

    threshold: float | None
    precision: float
    bound: float
    n: int
    why_none: str
    exact: bool


def fewest_labels(precision: float, delta: float) -> int:
    """Labels, all of them right, without which no bound reaches *precision*.

    >>> fewest_labels(0.9, 0.05)
    29
    """
    return math.ceil(math.log(delta) / math.log(precision) - 1e-9)


def find_precision_threshold(
    score: FloatArray,
    eligible: npt.NDArray[np.bool_],
    right: npt.NDArray[np.bool_],
    weights: FloatArray,
    clusters: npt.NDArray[np.intp],
    *,
    precision: float = 0.9,
    delta: float = 0.05,
) -> PrecisionThreshold:
    """The lowest threshold of the sequence down to which every one keeps the promise.

    *score* is the probability of the verdict for each labelled claim (NaN: none), *eligible* whether the claim would
    get the verdict if that is high enough, *right* whether people say the same, *weights* one over the probability with
    which the claim was chosen, *clusters* the number of its unit; *precision* and *delta* lie in (0, 1).
    """
    for name, value in (("precision", precision), ("delta", delta)):
        if not 0 < value < 1:
            raise ValueError(f"`{name}` must be in the open interval (0, 1), got {value}")
    needed = fewest_labels(precision, delta)
    everything = eligible & (score >= GRID[-1])
    most = _count_effective(weights[everything], clusters[everything])
    n_all = int(everything.sum())
    if most < needed:
        why = f"too few labels: at least {needed} are needed, and the {n_all} given count for {most:.0f}"
        return PrecisionThreshold(None, math.nan, math.nan, n_all, why, False)
    found: PrecisionThreshold | None = None
    for threshold in GRID:
        taken = eligible & (score >= threshold)
        n = int(taken.sum())
        if found is None and _count_effective(weights[taken], clusters[taken]) < min(ROOM * needed, most):
            continue
        value, size, exact = _weigh_labels(right[taken], weights[taken], clusters[taken])
        bound = clopper_pearson(value * size, size, 1 - 2 * delta)[0]
        if bound < precision:
            if found is None:
                why = f"of {n} labels at {threshold:.2f} and above {100 * value:.1f}% are right: bound {bound:.3f}"
                return PrecisionThreshold(None, value, bound, n, why, exact)
            break
        found = PrecisionThreshold(threshold, value, bound, n, "", exact)
    assert found is not None  # the last of the sequence has all there are
    return found


def _count_effective(weights: FloatArray, clusters: npt.NDArray[np.intp]) -> float:
    """The least effective number of these labels, for any values: weights and shared units lower it."""
    by_unit = np.bincount(np.unique(clusters, return_inverse=True)[1], weights).astype(np.float64)
    return min(effective_size(weights), effective_size(by_unit))


def _weigh_labels(
    right: npt.NDArray[np.bool_], weights: FloatArray, clusters: npt.NDArray[np.intp]
) -> tuple[float, float, bool]:
    """Weighted share, effective number of labels, and whether both are those of a simple sample."""
    n = len(right)
    units, place = np.unique(clusters, return_inverse=True)
    value = float(np.average(right, weights=weights))
    if len(units) == n and float(np.ptp(weights)) <= 1e-9 * float(weights.max()):
        return value, float(n), True
    floor = _count_effective(weights, clusters)
    if len(units) < 2 or value in (0.0, 1.0):
        return value, floor, False
    by_unit = np.bincount(place, weights).astype(np.float64)
    variance = ratio_variance(np.bincount(place, weights * right).astype(np.float64), by_unit, value)
    return value, min(float(n), value * (1 - value) / variance) if variance > 0 else floor, False
