"""The number of labels that an interval of a wanted width takes, and the claims that are worth a label most.

The variance of an estimate (`fas.stats.prediction_powered`) has a part that labels bring down and one that they do not:
that of the answers being a sample. With claims chosen with probability pi_i the first is

    sum_i (1 / pi_i - 1) (a_i r_i)^2 / (sum_q s_q)^2,        r_i = y_i - m_i

and pi_i in proportion to a_i times the size to be expected of r_i makes it least.

Source: Zrnic and Candès, Active statistical inference (2024), section 3; half of the labels are spread evenly, as they
advise, so that what is expected wrongly costs little.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fas.stats.draws import FloatArray
from fas.stats.prediction_powered import Adjusted, Side, pool_strata, residuals, variance_of_clusters

EVEN = 0.5
"""Share of the labels that is spread evenly."""


@dataclass(frozen=True, slots=True)
class LabelPlan:
    """Labels for an interval of the wanted width.

    Attributes:
        least: The width with a label on every claim: the answers are a sample, and no label changes that.
        same: Labels in all, if the others are chosen as those there are; None where no number is enough.
        best: Labels in all, if the others are chosen by `probabilities`; None where no number is enough.
        probabilities: Probability with which each claim should be chosen in all, shape `[n_claims]`, for `best` labels
            (for all claims where no number is enough).
    """

    wanted: float
    now: float
    least: float
    same: int | None
    best: int | None
    probabilities: FloatArray


def plan_labels(side: Side, found: Adjusted, groups: np.ndarray, wanted: float) -> LabelPlan:
    """The plan for an interval of the width *wanted*; within *groups* of claims verdicts are expected to err alike.

    A ValueError where *wanted* is not positive, or the estimate has no interval.
    """
    if not wanted > 0:
        raise ValueError(f"the width must be positive, got {wanted}")
    if math.isnan(found.width):
        raise ValueError("too few labels for an interval to plan from: label more claims first")
    kept = pool_strata(side)
    r = residuals(kept, found.tuning[0])
    known, total = kept.labelled, float(kept.sizes.sum())
    pi, size = kept.inclusion[known], (kept.weights[known] * r[known]) / total
    spread = expected_spread(r, known, groups, 1 / kept.inclusion)
    shape = kept.weights * spread
    shape = (1 - EVEN) * shape / shape.sum() + EVEN / len(shape)

    def same(scale: float) -> float:
        return float(((1 / pi) * (1 / np.minimum(1.0, scale * pi) - 1) * size**2).sum())

    def best(n: float) -> float:
        return float(((1 / np.minimum(1.0, n * shape) - 1) * (kept.weights * spread / total) ** 2).sum())

    now = variance_of_clusters(kept, found.tuning[0])
    floor = max(0.0, now - same(1.0))
    per_width = found.width / math.sqrt(now)
    target = (wanted / per_width) ** 2 - floor
    everything = float(1 / shape.min())
    n_best, scale = _first(best, target, everything), _first(same, target, float(1 / pi.min()))
    return LabelPlan(
        wanted,
        found.width,
        per_width * math.sqrt(floor),
        None if scale is None else max(1, math.ceil((np.minimum(1.0, scale * pi) / pi).sum())),
        None if n_best is None else max(1, math.ceil(np.minimum(1.0, n_best * shape).sum())),
        np.minimum(1.0, (everything if n_best is None else n_best) * shape),
    )


def expected_spread(r: FloatArray, known: np.ndarray, groups: np.ndarray, weights: FloatArray) -> FloatArray:
    """The size to be expected of each claim's residual: that of its group, and two claims' worth of all."""
    n = int(groups.max()) + 1
    w = np.where(known, weights, 0.0)
    squares = np.where(known, r, 0.0) ** 2
    overall = float((w[known] * squares[known]).sum() / w[known].sum())
    counts = np.bincount(groups[known], minlength=n)
    sums, base = np.bincount(groups, w * squares, n), np.bincount(groups, w, n)
    own = np.divide(sums, base, out=np.full(n, overall), where=base > 0)
    found: FloatArray = np.sqrt((counts * own + 2 * overall) / (counts + 2))[groups]
    return found


def _first(variance: Callable[[float], float], target: float, most: float) -> float | None:
    """The smallest argument up to *most* at which the falling *variance* is at most *target*; None where none is."""
    low, high = 0.0, most
    if target <= 0 or variance(high) > target:
        return None
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if middle > 0 and variance(middle) <= target else (middle, high)
    return high
