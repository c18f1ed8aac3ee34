"""Two independent groups of answers, such as factoid and summary questions."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fas.records import MetricSummary
from fas.stats.bootstrap import (
    FloatArray,
    as_values,
    check_options,
    make_rng,
    make_units,
    mean_intervals,
    resample_means,
    two_sided_p,
    unit_sums,
)
from fas.stats.effects import cliffs_delta, cohen_d, hedges_g
from fas.stats.intervals import many, percentile_limits


@dataclass(frozen=True, slots=True)
class GroupDifference:
    """How far two independent groups lie apart; NaN values are skipped.

    Attributes:
        mean_a: Mean of the first group.
        mean_b: Mean of the second.
        difference: `mean_a - mean_b`.
        low: Lower limit; NaN where a group has too few values or questions.
        high: Upper limit.
        p_bootstrap: Two-sided p by inverting the percentile interval; NaN where another kind is given.
        cohen_d: Difference in pooled standard deviations.
        hedges_g: The same without the bias of small samples.
        cliffs_delta: P(a > b) - P(a < b).
        n_a: Values in the first group.
        n_b: Values in the second.
        how: Kind of interval, or why there is none: `percentile` where both groups have 100 units, else `recovered`
            from the intervals of the two means (Zou and Donner, 2008).
    """

    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    p_bootstrap: float
    cohen_d: float
    hedges_g: float
    cliffs_delta: float
    n_a: int
    n_b: int
    how: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return asdict(self)


def group_difference(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
    clusters_a: npt.ArrayLike | None = None,
    clusters_b: npt.ArrayLike | None = None,
) -> GroupDifference:
    """The difference of two groups that share no answer and no question.

    Each group is resampled on its own.

    Args:
        a: Scores of the first group, shape `[n_a]`.
        b: Scores of the second, shape `[n_b]`.
        n_resamples: Resamples of each group.
        level: Confidence level.
        seed: Seed.
        clusters_a: Question of each answer of the first group; whole questions are drawn.
        clusters_b: The same for the second group.

    Raises:
        ValueError: A question is in both groups, a value is infinite, or an option is out of range.
    """
    check_options(n_resamples, level)
    if clusters_a is not None and clusters_b is not None:
        shared = set(np.asarray(clusters_a).tolist()) & set(np.asarray(clusters_b).tolist())
        if shared:
            raise ValueError(
                f"{len(shared)} questions are in both groups, e.g. {next(iter(shared))!r}; "
                "compare answers to the same questions with `paired_difference`"
            )
    rng = make_rng(seed)
    first, second = as_values(a, "a"), as_values(b, "b")
    draws_a, units_a = _draws(first, clusters_a, n_resamples, rng)
    draws_b, units_b = _draws(second, clusters_b, n_resamples, rng)
    p = float("nan")
    if many(min(units_a, units_b)):
        low, high, how = percentile_limits(draws_a - draws_b, level)
        p = two_sided_p(draws_a - draws_b)
    else:
        options: dict[str, Any] = {"n_resamples": n_resamples, "level": level, "seed": seed}
        low, high, how = _recovered(
            mean_intervals({"": first}, clusters=clusters_a, **options)[""],
            mean_intervals({"": second}, clusters=clusters_b, **options)[""],
        )
    kept_a, kept_b = first[~np.isnan(first)], second[~np.isnan(second)]
    mean_a = float(kept_a.mean()) if len(kept_a) else float("nan")
    mean_b = float(kept_b.mean()) if len(kept_b) else float("nan")
    return GroupDifference(
        mean_a=mean_a,
        mean_b=mean_b,
        difference=mean_a - mean_b,
        low=low,
        high=high,
        p_bootstrap=p,
        cohen_d=cohen_d(first, second),
        hedges_g=hedges_g(first, second),
        cliffs_delta=cliffs_delta(first, second),
        n_a=len(kept_a),
        n_b=len(kept_b),
        how=how,
    )


def _recovered(a: MetricSummary, b: MetricSummary) -> tuple[float, float, str]:
    """The interval of a difference from those of its two means (Zou and Donner, 2008, eqs. 6 and 7)."""
    for one in (a, b):
        if math.isnan(one.low):
            return math.nan, math.nan, one.how
    difference = a.mean - b.mean
    low = difference - math.hypot(a.mean - a.low, b.high - b.mean)
    high = difference + math.hypot(a.high - a.mean, b.mean - b.low)
    return low, high, "recovered"


def _draws(
    values: FloatArray, clusters: npt.ArrayLike | None, n_resamples: int, rng: np.random.Generator
) -> tuple[FloatArray, int]:
    """Resampled means, and how many units have a value."""
    sums, sizes = unit_sums(values[:, None], make_units(len(values), clusters))
    return resample_means(sums, sizes, n_resamples, rng)[:, 0], int((sizes > 0).sum())
