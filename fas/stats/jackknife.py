"""Intervals of statistics that are no means: the jackknife over few units, percentiles over many.

Below `PERCENTILE_FROM` units a correlation's percentile interval is too narrow, and that of a perfect one has no
width. There the interval is t's, with the jackknife's variance over units, on a scale on which the statistic
is nearly normal: Fisher's z for what lies in [-1, 1], the logit for what lies in [0, 1].

Sources: Efron and Tibshirani (1993), section 11.5 (jackknife); Fisher (1921) for z; the delta method for the scale.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from fas.stats.draws import FloatArray
from fas.stats.intervals import NONE, containing, enough_for_statistic, many, percentile_limits, too_few

Scale = Literal["fisher", "logit", "plain"]


class Interval(NamedTuple):
    """An interval with its kind, and the two-sided p that belongs to it: of 0, on the logit scale of one half.

    `low`, `high` and `p` are NaN where there are none; `how` then begins with `NONE` and says why.
    """

    low: float
    high: float
    how: str
    p: float


def statistic_interval(
    value: float,
    draws: FloatArray,
    statistic: Callable[[FloatArray], FloatArray],
    n_units: int,
    *,
    level: float,
    scale: Scale,
    percentile: bool = True,
) -> Interval:
    """The interval of *value*.

    Args:
        value: The statistic of the whole sample.
        draws: The statistic of every resample, NaN where it has no value; shape `[n_resamples]`.
        statistic: From how often each unit counts, shape `[n_rows, n_units]`, to the statistic, shape `[n_rows]`.
        n_units: Independent units.
        level: Confidence level.
        scale: Scale on which it is nearly normal.
        percentile: Whether percentiles may be read, given units enough.
    """
    nothing = math.nan
    if not enough_for_statistic(n_units):
        return Interval(nothing, nothing, too_few(n_units), nothing)
    if math.isnan(value):
        return Interval(nothing, nothing, "", nothing)
    low, high, how = percentile_limits(draws, level)
    if how.startswith(NONE):
        return Interval(nothing, nothing, how, nothing)
    if percentile and many(n_units):
        if low == high:
            return Interval(nothing, nothing, f"{NONE}all draws are equal", nothing)
        from fas.stats.bootstrap import two_sided_p

        low, high, how = containing(value, low, high, how)
        return Interval(low, high, how, nothing if how.startswith(NONE) else two_sided_p(draws))
    return _jackknife(value, statistic(1.0 - np.eye(n_units)), level, scale)


def _jackknife(value: float, left_out: FloatArray, level: float, scale: Scale) -> Interval:
    from scipy.special import stdtr, stdtrit

    n = len(left_out)
    if np.isnan(left_out).any():
        return Interval(math.nan, math.nan, f"{NONE}undefined without one of {n}", math.nan)
    error = math.sqrt((n - 1) / n * float(((left_out - left_out.mean()) ** 2).sum()))
    at, slope, back = _scaled(value, scale)
    if not error > 1e-12 or not math.isfinite(at):
        return Interval(math.nan, math.nan, f"{NONE}all draws are equal", math.nan)
    error *= slope
    reach = float(stdtrit(n - 1, (1 + level) / 2)) * error
    # 0 on the scale is no correlation, no difference, and an area of one half.
    p = float(2 * stdtr(n - 1, -abs(at) / error))
    return Interval(back(at - reach), back(at + reach), "jackknife", p)


def _scaled(value: float, scale: Scale) -> tuple[float, float, Callable[[float], float]]:
    """*value* on the scale, the slope of the scale there, and the way back."""
    if scale == "fisher":
        if abs(value) >= 1 - 1e-12:
            return math.inf, math.nan, math.tanh
        return math.atanh(value), 1 / (1 - value**2), math.tanh
    if scale == "logit":
        if not 1e-12 < value < 1 - 1e-12:
            return math.inf, math.nan, _logistic
        return math.log(value / (1 - value)), 1 / (value * (1 - value)), _logistic
    return value, 1.0, lambda at: at


def _logistic(at: float) -> float:
    return 1 / (1 + math.exp(-at)) if at > -700 else 0.0
