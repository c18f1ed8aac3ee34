"""Which interval a mean gets: the one place that decides, by what is averaged and over how many units.

A unit is an answer, or a question with all its answers where answers share one. Of G units with a value:

    proportion           Wilson's score interval; with clusters by effective sample size
    share in [0, 1]      percentile bootstrap from `PERCENTILE_FROM` units on, of which `FEW_EVENTS` lie off either end;
                         else Wilson's by effective sample size, with t quantiles ("score")
    any other mean       percentile bootstrap from `PERCENTILE_FROM` units on, else bootstrap-t ("studentised")
    fewer than `FEWEST`  none ("too few"), but Wilson's for a proportion without clusters

The percentile interval is what the tables are defined with; where it was seen to cover too little
(`docs/coverage.md`: simulated, by one command) another takes its place, and says so.

Sources: Wilson (1927); effective sample size p(1 - p) / Var: Korn and Graubard, Confidence intervals for proportions
with small expected number of positive counts (1998); bootstrap-t: Efron and Tibshirani (1993), section 12.5; the
variance of a ratio of sums over clusters: Cochran, Sampling Techniques (1977), section 6.4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fas.stats.draws import FloatArray, draw_counts

FEWEST = 5
"""Fewer units have no interval of a mean."""
PERCENTILE_FROM = 100
"""From so many units on the percentile interval of a mean covers what it says."""
FEWEST_OF_STATISTICS = 6
"""Fewer units have no interval of a correlation or another statistic that is no mean."""
FEW_EVENTS = 20
"""A share of which fewer units lie off 0 (or off 1) is taken for one of few events."""
MOST_UNDEFINED = 0.02
"""No interval where a larger share of the draws has no value: the others are a selection."""
NONE = "none: "
"""Begins what is said in the place of an interval."""


class Limits(NamedTuple):
    """The limits of several means; NaN where there are none.

    Attributes:
        low: Lower limits, shape `[n_metrics]`.
        high: Upper limits.
        how: What kind of interval each is, or `NONE` and why there is none.
    """

    low: FloatArray
    high: FloatArray
    how: tuple[str, ...]


class MeanKind(NamedTuple):
    """What is known of an averaged variable.

    Attributes:
        share: All values lie in [0, 1].
        proportion: All values are 0 or 1.
    """

    share: bool = False
    proportion: bool = False


def many(n_units: int) -> bool:
    """Whether percentile intervals hold over so many units."""
    return n_units >= PERCENTILE_FROM


def enough_for_statistic(n_units: int) -> bool:
    """Whether a statistic that is no mean has an interval over so many units."""
    return n_units >= FEWEST_OF_STATISTICS


def why_none(how: str) -> str:
    """What to write in the place of an interval that is not given; empty where one is.

    >>> why_none("none: too few (4)"), why_none("percentile")
    ('too few (4)', '')
    """
    return how.removeprefix(NONE) if how.startswith(NONE) else ""


def too_few(n: int) -> str:
    """`how` of a figure over *n* units."""
    return f"{NONE}too few ({n})"


def kinds_of(sums: FloatArray, sizes: FloatArray) -> list[MeanKind]:
    """What the unit sums of each metric say of its values; a proportion can be told where no units are clustered."""
    kinds = []
    for column in range(sums.shape[1]):
        above, below = sums[:, column], sizes[:, column]
        share = bool(((above >= 0) & (above <= below)).all())
        single = share and bool((below <= 1).all())
        kinds.append(MeanKind(share, single and bool(np.isin(above, (0.0, 1.0)).all())))
    return kinds


def mean_limits(
    sums: FloatArray,
    sizes: FloatArray,
    *,
    n_resamples: int,
    level: float,
    rng: np.random.Generator,
    kinds: Sequence[MeanKind] | None = None,
) -> Limits:
    """The interval of every mean (ratio of sums) by the rule of this module.

    Args:
        sums: Sum of the values per unit, shape `[n_units, n_metrics]`.
        sizes: Number of values (or weight) per unit, same shape; 0 where a unit has none.
        n_resamples: Bootstrap draws; all metrics see the same.
        level: Confidence level.
        rng: Generator of the draws.
        kinds: What is averaged; read from the values by default.
    """
    n_metrics = sums.shape[1]
    kinds = kinds_of(sums, sizes) if kinds is None else kinds
    rules = [_rule(sums[:, i], sizes[:, i], kinds[i]) for i in range(n_metrics)]
    low, high = np.full(n_metrics, np.nan), np.full(n_metrics, np.nan)
    how = list(rules)
    drawn = [i for i in range(n_metrics) if rules[i] in ("percentile", "studentised")]
    if drawn:
        draws, roots = _draws(sums[:, drawn], sizes[:, drawn], n_resamples, rng)
        for place, i in enumerate(drawn):
            if rules[i] == "percentile":
                low[i], high[i], how[i] = percentile_limits(draws[:, place], level)
                if high[i] - low[i] <= 1e-12 * max(1.0, abs(high[i])):  # no width is no certainty
                    low[i], high[i], how[i] = math.nan, math.nan, f"{NONE}all values are equal"
            else:
                low[i], high[i], how[i] = _studentised(roots[:, place], sums[:, i], sizes[:, i], level)
    for i in range(n_metrics):
        if rules[i] in ("wilson", "score"):
            low[i], high[i] = score_limits(sums[:, i], sizes[:, i], level, proportion=kinds[i].proportion)
    return Limits(low, high, tuple(how))


def score_limits(sums: FloatArray, sizes: FloatArray, level: float, *, proportion: bool) -> tuple[float, float]:
    """Wilson's interval of a share; of clusters, or of values between 0 and 1, by effective sample size.

    The effective size is that of a simple sample of zeros and ones with the variance that was seen; where none was
    seen (0 of n), it is the number of units. Of single zeros and ones it is n, with a normal quantile.

    >>> low, high = score_limits(np.zeros(10), np.ones(10), 0.95, proportion=True)
    >>> round(low, 3), round(high, 3)
    (0.0, 0.278)
    """
    from scipy.special import ndtri, stdtrit

    used = sizes > 0
    above, below = sums[used], sizes[used]
    n_units, total = len(above), float(below.sum())
    p = float(np.clip(above.sum() / total, 0.0, 1.0))
    simple = proportion and bool((below == 1).all())
    if simple:
        size, quantile = float(n_units), float(ndtri((1 + level) / 2))
    else:
        variance = ratio_variance(above, below, p)
        quantile = float(stdtrit(n_units - 1, (1 + level) / 2))
        size = p * (1 - p) / variance if variance > 1e-15 else float(n_units)
        size = min(size, total) if proportion else size
        # p(1 - p) is the largest variance there is: no sample of G units is worth less than that of one cluster.
        size = max(size, 1.0)
    spread = quantile**2 / size
    middle = (p + spread / 2) / (1 + spread)
    half = math.sqrt(spread * p * (1 - p) + spread**2 / 4) / (1 + spread)
    return max(0.0, min(p, middle - half)), min(1.0, max(p, middle + half))


def ratio_limits(
    above: FloatArray, below: FloatArray, level: float, percentile: tuple[float, float, str]
) -> tuple[float, float, str]:
    """The *percentile* limits of a ratio of unit sums, a share, or by the rule of this module what takes their place.

    >>> low, high, how = ratio_limits(np.zeros(10), np.ones(10), 0.95, (0.0, 0.0, "percentile"))
    >>> round(high, 3), how
    (0.278, 'wilson')
    """
    (kind,) = kinds_of(above[:, None], below[:, None])
    used = below > 0
    off = min(int((above[used] > 0).sum()), int((above[used] < below[used]).sum()))
    if not kind.share or (int(used.sum()) >= PERCENTILE_FROM and off >= FEW_EVENTS):
        return percentile
    how = _rule(above, below, kind)
    if why_none(how):
        return math.nan, math.nan, how
    return *score_limits(above, below, level, proportion=kind.proportion), "wilson" if how == "wilson" else "score"


def ratio_variance(above: FloatArray, below: FloatArray, ratio: float) -> float:
    """Variance of a ratio of sums over independent units."""
    n = len(above)
    residuals = above - ratio * below
    return float(n / (n - 1) * (residuals**2).sum() / below.sum() ** 2)


def percentile_limits(draws: FloatArray, level: float) -> tuple[float, float, str]:
    """Percentile limits of a statistic, none where more than `MOST_UNDEFINED` of its draws have no value."""
    undefined = float(np.isnan(draws).mean()) if len(draws) else 1.0
    if undefined > MOST_UNDEFINED:
        return math.nan, math.nan, f"{NONE}undefined in {100 * undefined:.0f}% of draws"
    low, high = np.quantile(draws[~np.isnan(draws)], [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high), "percentile"


def containing(value: float, low: float, high: float, how: str) -> tuple[float, float, str]:
    """The limits, or none where they leave out the value that they are of: then the draws are biased."""
    slack = 1e-9 * max(1.0, abs(value)) if math.isfinite(value) else 0.0
    if math.isnan(low) or low - slack <= value <= high + slack:
        return low, high, how
    return math.nan, math.nan, f"{NONE}the draws are biased"


def _rule(sums: FloatArray, sizes: FloatArray, kind: MeanKind) -> str:
    used = sizes > 0
    n = int(used.sum())
    if kind.proportion and n >= 2 and (sizes[used] == 1).all():
        return "wilson"
    if n < FEWEST:
        return too_few(n)
    if kind.proportion:
        return "score"
    if kind.share:
        off = min(int((sums[used] > 0).sum()), int((sums[used] < sizes[used]).sum()))
        return "percentile" if n >= PERCENTILE_FROM and off >= FEW_EVENTS else "score"
    return "percentile" if n >= PERCENTILE_FROM else "studentised"


def _draws(
    sums: FloatArray, sizes: FloatArray, n_resamples: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Means of every resample, and how far they lie from the whole sample's in units of their own standard error.

    Both of shape `[n_resamples, n_metrics]`; a resample whose values are all equal is infinitely far away.
    """
    n_metrics = sums.shape[1]
    totals = sizes.sum(axis=0)
    ratio = np.divide(sums.sum(axis=0), totals, out=np.zeros(n_metrics), where=totals > 0)
    residuals = sums - ratio * sizes
    columns = np.hstack([residuals, sizes, residuals**2, residuals * sizes, sizes**2, (sizes > 0).astype(np.float64)])
    drawn = np.concatenate([counts @ columns for counts in draw_counts(len(sums), n_resamples, rng)])
    off, weight, a, b, c, n = np.split(drawn, 6, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = off / weight
        spread = np.maximum(a - 2 * shift * b + shift**2 * c, 0.0)
        # Sums of squares that cancel leave rounding behind; a spread below that is none.
        spread[spread <= 1e-12 * np.maximum(a, 1e-300)] = 0.0
        error = np.sqrt(n / (n - 1) * spread) / weight
        roots = shift / error
    still = np.abs(shift) <= 1e-12 * np.maximum(1.0, np.abs(ratio))
    roots = np.where(still, 0.0, roots)
    return ratio + shift, roots


def _studentised(roots: FloatArray, sums: FloatArray, sizes: FloatArray, level: float) -> tuple[float, float, str]:
    used = sizes > 0
    above, below = sums[used], sizes[used]
    n = len(above)
    value = float(above.sum() / below.sum())
    error = math.sqrt(ratio_variance(above, below, value))
    if error <= 1e-12 * max(1.0, abs(value)):
        return math.nan, math.nan, f"{NONE}all values are equal"
    known = roots[~np.isnan(roots)]
    if len(known) < (1 - MOST_UNDEFINED) * len(roots):
        return math.nan, math.nan, too_few(n)
    # A share of the draws beyond any bound on one side: the sample cannot say how far that limit lies.
    left = float(np.quantile(known, (1 - level) / 2, method="lower"))
    right = float(np.quantile(known, (1 + level) / 2, method="higher"))
    if not (math.isfinite(left) and math.isfinite(right)):
        return math.nan, math.nan, too_few(n)
    return value - max(right, 0.0) * error, value - min(left, 0.0) * error, "studentised"
