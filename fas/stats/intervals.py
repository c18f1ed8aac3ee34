"""Choice of the interval of a mean or another statistic, by its kind and its number of units.

A unit is an answer, or a question with all its answers where answers share one. Units that differ in size are worth
fewer equal ones: (sum of sizes)^2 / (sum of squared sizes). Over so many units a mean gets

    fewer than `FEWEST`      none
    zeros and ones           Clopper and Pearson's interval ("exact"), where no two share a unit
    values in [0, 1]         the same by effective sample size ("effective"); the percentile bootstrap where at least
                             `PERCENTILE_FROM` units hold at least `FEW_EVENTS` effective events on either side
    any other values         bootstrap-t ("studentised")

The effective size is that of a sample of zeros and ones with the variance seen. `PSEUDO` of a unit at the far end is
added to that variance, so that the width follows the data without a jump where values hardly vary.

A statistic that is no mean has the jackknife's interval below `PERCENTILE_FROM` units and percentiles from there on.
How often each kind holds the truth: `benchmarks/coverage/README.md`, simulated by one command.

Sources: Clopper and Pearson (1934); Korn and Graubard, Confidence intervals for proportions with small expected number
of positive counts (1998); Bell and McCaffrey, Bias reduction in standard errors (2002), for the leverage of unequal
clusters and Satterthwaite's degrees of freedom; Efron and Tibshirani, An introduction to the bootstrap (1993), sections
11.5 (jackknife) and 12.5 (bootstrap-t); Davison and Hinkley (1997), section 4.2.3, for p; Fisher (1921) for z.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

import numpy as np

from fas.stats.draws import FloatArray, Resampling

FEWEST = 5
"""Fewer units, or units worth fewer equal ones, have no interval of a mean."""
FEWEST_UNEQUAL = 20
"""Units worth less than half their number must be worth so many equal ones for a mean of unbounded values."""
PERCENTILE_FROM = 100
"""From so many units on percentiles are read."""
FEWEST_OF_STATISTICS = 7
"""Fewer units have no interval of a correlation or another statistic that is no mean."""
FEW_EVENTS = 20
"""Percentiles of a share are read where so many effective units lie on either side."""
PSEUDO = 0.02
"""Part of a unit that is added to the variance of values in [0, 1]."""
MOST_UNDEFINED = 0.02
"""No interval where a larger share of the draws has no value: the others are a selection."""
NONE = "none: "
"""Prefix of the reason for a missing interval."""
Scale = Literal["fisher", "logit", "plain"]


class MeanKind(NamedTuple):
    """Kind of an averaged variable: values in [0, 1] (*share*), 0 or 1 (*proportion*), or counts."""

    share: bool = False
    proportion: bool = False
    counted: bool = False


class Interval(NamedTuple):
    """An interval with its kind, and the two-sided p that belongs to it: of 0, on the logit scale of one half.

    `low`, `high` and `p` are NaN where there are none; `how` then begins with `NONE` and says why.
    """

    low: float
    high: float
    how: str
    p: float = math.nan


def explain_missing(how: str) -> str:
    """The reason for a missing interval; empty where there is one.

    >>> explain_missing("none: too few (4)"), explain_missing("percentile")
    ('too few (4)', '')
    """
    return how.removeprefix(NONE) if how.startswith(NONE) else ""


def describe_too_few(n: int) -> str:
    """`how` of a figure over *n* units."""
    return f"{NONE}too few ({n})"


def make_empty_interval(how: str, p: float = math.nan) -> Interval:
    """No interval, for the reason *how*."""
    return Interval(math.nan, math.nan, how, p)


def effective_size(sizes: FloatArray) -> float:
    """The number of equal units that these are worth; 0 for none.

    >>> effective_size(np.ones(8)), round(effective_size(np.array([40.0, 1, 1])), 2)
    (8.0, 1.1)
    """
    total = float((sizes**2).sum())
    return float(sizes.sum()) ** 2 / total if total > 0 else 0.0


def classify_means(sums: FloatArray, sizes: FloatArray) -> list[MeanKind]:
    """Classify each metric by its unit sums; a proportion is recognised only where units are not clustered."""
    kinds = []
    for above, below in zip(sums.T, sizes.T, strict=True):
        share = bool(((above >= 0) & (above <= below)).all())
        kinds.append(MeanKind(share, share and bool((below <= 1).all() and np.isin(above, (0.0, 1.0)).all())))
    return kinds


def mean_limits(
    sums: FloatArray, sizes: FloatArray, options: Resampling, kinds: Iterable[MeanKind] | None = None
) -> list[Interval]:
    """The interval of every mean (ratio of sums) by the rule of this module, all from the same draws.

    *sums* and *sizes* are the sum of the values and their number (or weight) per unit, shape `[n_units, n_metrics]`.
    *kinds* are of the averaged variables; the values decide by default.
    """
    chosen = list(classify_means(sums, sizes) if kinds is None else kinds)
    rules = [_rule(above, below, kind) for above, below, kind in zip(sums.T, sizes.T, chosen, strict=True)]
    drawn = [i for i, rule in enumerate(rules) if rule in ("percentile", "studentised")]
    draws, roots = mean_draws(sums[:, drawn], sizes[:, drawn], options) if drawn else (sums, sums)
    found = []
    for i, rule in enumerate(rules):
        if rule == "percentile":
            limits = percentile_limits(draws[:, drawn.index(i)], options.level)
            if chosen[i].share:  # rounding of sums may leave the range
                limits = limits._replace(low=max(limits.low, 0.0), high=min(limits.high, 1.0))
            found.append(limits)
        elif rule == "studentised":
            limits = studentise(roots[:, drawn.index(i)], sums[:, i], sizes[:, i], options.level)
            # Of a few unequal counts the lower limit comes out below 0.
            found.append(limits._replace(low=max(0.0, limits.low)) if chosen[i].counted and limits.low < 0 else limits)
        else:
            found.append(share_limits(sums[:, i], sizes[:, i], options.level, kind=chosen[i]))
    return found


def share_limits(
    sums: FloatArray, sizes: FloatArray, level: float, *, kind: MeanKind | None = None, fewest: int | None = None
) -> Interval:
    """The interval of one share, whatever the number of units.

    >>> low, high, how, _ = share_limits(np.zeros(10), np.ones(10), 0.95)
    >>> low, round(high, 3), how
    (0.0, 0.308, 'exact')

    *sums* are at most *sizes*, unit by unit. *fewest*: of an interval that is not exact; `FEWEST` by default.
    """
    if kind is None:
        kind = MeanKind(True, classify_means(sums[:, None], sizes[:, None])[0].proportion)
    how = _rule(sums, sizes, kind, fewest)
    if explain_missing(how):
        return make_empty_interval(how)
    p, size = _effective(sums, sizes, level, kind.proportion)
    low, high = clopper_pearson(p * size, size, level)
    return Interval(min(low, p), max(high, p), "exact" if how == "exact" else "effective")


def clopper_pearson(events: float, n: float, level: float) -> tuple[float, float]:
    """Clopper and Pearson's limits, also for effective numbers that are not whole, which SciPy's own does not take.

    >>> low, high = clopper_pearson(29, 29, 0.9)
    >>> round(low, 3), high
    (0.902, 1.0)
    """
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = float(betaincinv(events, n - events + 1, tail)) if events > 1e-9 else 0.0
    return low, float(betaincinv(events + 1, n - events, 1 - tail)) if n - events > 1e-9 else 1.0


def ratio_variance(above: FloatArray, below: FloatArray, ratio: float) -> float:
    """Variance of a ratio of sums over independent units, each residual freed of the unit's own leverage."""
    total = below.sum()
    free = 1 - below / total
    residuals = (above - ratio * below)[free > 0]
    return float((residuals**2 / free[free > 0]).sum() / total**2)


def percentile_limits(draws: FloatArray, level: float, value: float | None = None) -> Interval:
    """Percentile limits of a statistic, with the p that they belong to.

    None where more than `MOST_UNDEFINED` of its draws have no value, where they are all equal, and where they leave out
    *value*, if it is given: biased draws cover little.
    """
    undefined = float(np.isnan(draws).mean()) if len(draws) else 1.0
    if undefined > MOST_UNDEFINED:
        return make_empty_interval(f"{NONE}undefined in {100 * undefined:.0f}% of draws")
    low, high = map(float, np.quantile(draws[~np.isnan(draws)], [(1 - level) / 2, (1 + level) / 2]))
    slack = 1e-12 * max(1.0, abs(low), abs(high))
    if high - low <= slack:
        return make_empty_interval(f"{NONE}all draws are equal")
    if value is not None and not low - slack <= value <= high + slack:
        return make_empty_interval(f"{NONE}the draws are biased")
    p, outside = two_sided_p(draws), low > 0 or high < 0
    # Quantiles are interpolated between two draws, p counts them: in between the limits decide.
    return Interval(low, high, "percentile", min(p, 1 - level) if outside else max(p, math.nextafter(1 - level, 1)))


def two_sided_p(resampled: FloatArray, null: float = 0.0) -> float:
    """Two-sided bootstrap p of "the statistic is *null*", by inverting the percentile interval; never 0, at most 1.

    Draws equal to *null* count on both sides. NaN where more than `MOST_UNDEFINED` of the draws have no value.
    """
    draws = resampled[~np.isnan(resampled)]
    if len(draws) < (1 - MOST_UNDEFINED) * len(resampled) or len(draws) == 0:
        return math.nan
    # Sums in another order differ in the last bits; a difference of 1e-12 is no difference.
    slack = 1e-12 * max(1.0, float(np.abs(draws).max()))
    below, above = int((draws <= null + slack).sum()), int((draws >= null - slack).sum())
    return min(1.0, 2 * (min(below, above) + 1) / (len(draws) + 1))


def statistic_interval(
    value: float,
    draws: FloatArray,
    statistic: Callable[[FloatArray], FloatArray],
    n_units: int,
    *,
    level: float,
    scale: Scale,
    least: float = 0.0,
    among: int | None = None,
) -> Interval:
    """The interval of a statistic that is no mean.

    *draws* are the statistic of every resample, NaN where it has no value; *statistic* takes how often each unit
    counts, shape `[n_rows, n_units]`. On *scale* it is nearly normal; *least* is the least standard error there, as the
    jackknife's of few units can be too small. *among* must reach `PERCENTILE_FROM` for percentiles to be read; the
    units by default.
    """
    if n_units < FEWEST_OF_STATISTICS:
        return make_empty_interval(describe_too_few(n_units))
    if math.isnan(value):
        return make_empty_interval("")
    found = percentile_limits(draws, level, value)
    if (n_units if among is None else among) >= PERCENTILE_FROM or "undefined" in found.how:
        return found
    return _jackknife(value, statistic(1.0 - np.eye(n_units)), level, scale, least)


def studentise(roots: FloatArray, sums: FloatArray, sizes: FloatArray, level: float) -> Interval:
    """Bootstrap-t limits of a mean from the roots of `mean_draws`, with the p of "the mean is 0" that belongs to it."""
    above, below = sums[sizes > 0], sizes[sizes > 0]
    value = float(above.sum() / below.sum())
    error = math.sqrt(ratio_variance(above, below, value))
    if error <= 1e-12 * max(1.0, abs(value)):
        return make_empty_interval(f"{NONE}all values are equal")
    known = np.sort(roots[~np.isnan(roots)])
    total = len(known)
    # Order statistics with one added to the count, so that the limits leave out 0 exactly where p is at most 1 - level.
    k = math.floor((1 - level) / 2 * (total + 1) + 1e-9) - 1
    # A share of the draws beyond any bound on one side: the sample cannot say how far that limit lies.
    if total < (1 - MOST_UNDEFINED) * len(roots) or k < 0 or not np.isfinite(known[[k, total - 1 - k]]).all():
        return make_empty_interval(describe_too_few(len(above)))
    left, right, at = min(float(known[k]), 0.0), max(float(known[total - 1 - k]), 0.0), value / error
    beyond = min(int((known >= at).sum()), int((known <= at).sum()))
    p = min(1.0, 2 * (beyond + 1) / (total + 1))
    return Interval(value - right * error, value - left * error, "studentised", p)


def mean_draws(sums: FloatArray, sizes: FloatArray, options: Resampling) -> tuple[FloatArray, FloatArray]:
    """Means of every resample, and how far they lie from the whole sample's in units of their own standard error.

    Both of shape `[n_resamples, n_metrics]`; a resample whose values are all equal is infinitely far away.
    """
    totals = sizes.sum(axis=0)
    ratio = np.divide(sums.sum(axis=0), totals, out=np.zeros(sums.shape[1]), where=totals > 0)
    residuals = sums - ratio * sizes
    columns = np.hstack([residuals, sizes, residuals**2, residuals * sizes, sizes**2, (sizes > 0).astype(np.float64)])
    off, weight, a, b, c, n = np.split(
        np.concatenate([counts @ columns for counts in options.counts(len(sums))]), 6, axis=1
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = off / weight
        spread = np.maximum(a - 2 * shift * b + shift**2 * c, 0.0)
        # Sums of squares that cancel leave rounding behind; a spread below that is none.
        spread[spread <= 1e-12 * np.maximum(a, 1e-300)] = 0.0
        roots = shift / (np.sqrt(n / (n - 1) * spread) / weight)
    still = np.abs(shift) <= 1e-12 * np.maximum(1.0, np.abs(ratio))
    return ratio + shift, np.where(still, 0.0, roots)


def _rule(sums: FloatArray, sizes: FloatArray, kind: MeanKind, fewest: int | None = None) -> str:
    above, below = sums[sizes > 0], sizes[sizes > 0]
    n, least = len(below), FEWEST if fewest is None else fewest
    if kind.proportion and n >= 2 and (below == 1).all():
        return "exact"
    if n < max(2, least):
        return describe_too_few(n)
    equal = effective_size(below)
    unbounded = not (kind.share or kind.proportion)
    if equal < least or (unbounded and equal < min(FEWEST_UNEQUAL, n / 2)):
        return f"{NONE}{n} units of very different size (effective number {equal:.1f})"
    if unbounded:
        return "studentised"
    p, size = _effective(above, below, 0.95, kind.proportion)
    varied = ratio_variance(above, below, p) >= 10 * PSEUDO / equal**2
    many = equal >= PERCENTILE_FROM and min(p, 1 - p) * size >= FEW_EVENTS
    return "percentile" if many and varied else "effective"


def _effective(sums: FloatArray, sizes: FloatArray, level: float, proportion: bool) -> tuple[float, float]:
    """A share, and how many single zeros and ones its sample is worth at a normal quantile."""
    from scipy.special import ndtri, stdtrit

    above, below = sums[sizes > 0], sizes[sizes > 0]
    total = float(below.sum())
    p = float(np.clip(above.sum() / total, 0.0, 1.0))
    if proportion and bool((below == 1).all()):
        return p, total
    equal = effective_size(below)
    size = equal * (equal * p * (1 - p) + PSEUDO) / (equal**2 * ratio_variance(above, below, p) + PSEUDO)
    if proportion:
        size = min(size, total)
    # Degrees of freedom where answers to one question are alike.
    degrees = max(1.0, effective_size(below**2) - 1)
    tail = (1 + level) / 2
    return p, max(1.0, size * float(ndtri(tail) / stdtrit(degrees, tail)) ** 2)


def _jackknife(value: float, left_out: FloatArray, level: float, scale: Scale, least: float) -> Interval:
    from scipy.special import expit, logit, stdtr, stdtrit

    n = len(left_out)
    if np.isnan(left_out).any():
        return make_empty_interval(f"{NONE}undefined without one of {n}")
    error = math.sqrt((n - 1) / n * float(((left_out - left_out.mean()) ** 2).sum()))
    edge = {"fisher": abs(value), "logit": max(value, 1 - value), "plain": 0.0}[scale]
    if not error > 1e-12 or edge >= 1 - 1e-12:
        return make_empty_interval(f"{NONE}all draws are equal")
    at, slope, back = value, 1.0, float
    if scale == "fisher":
        at, slope, back = math.atanh(value), 1 / (1 - value**2), math.tanh  # type: ignore[assignment]
    elif scale == "logit":
        at, slope, back = float(logit(value)), 1 / (value * (1 - value)), expit
    error = max(error * slope, least)
    reach = float(stdtrit(n - 1, (1 + level) / 2)) * error
    # 0 on the scale is no correlation, no difference, and an area of one half.
    p = float(2 * stdtr(n - 1, -abs(at) / error))
    return Interval(float(back(at - reach)), float(back(at + reach)), "jackknife", p)
