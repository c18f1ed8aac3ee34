"""Two independent groups of answers, such as factoid and summary questions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from fas.stats.bootstrap import Estimate, check_options, mean_intervals
from fas.stats.intervals import why_none


def group_difference(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
    clusters_a: npt.ArrayLike | None = None,
    clusters_b: npt.ArrayLike | None = None,
) -> Estimate:
    """The difference of two groups that share no answer and no question; NaN values are skipped.

    Its interval is recovered from those of the two means (Zou and Donner, Construction of confidence limits about
    effect measures, 2008, eqs. 6 and 7); none where one of them has none.

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
    options: dict[str, Any] = {"n_resamples": n_resamples, "level": level, "seed": seed}
    first = mean_intervals({"": a}, clusters=clusters_a, **options)[""]
    second = mean_intervals({"": b}, clusters=clusters_b, **options)[""]
    difference, n = first.mean - second.mean, first.n + second.n
    for one in (first, second):
        if math.isnan(one.low):
            return Estimate(difference, math.nan, math.nan, n, one.how if why_none(one.how) else "")
    low = difference - math.hypot(first.mean - first.low, second.high - second.mean)
    high = difference + math.hypot(first.high - first.mean, second.mean - second.low)
    return Estimate(difference, low, high, n, "recovered")
