"""Approximate randomisation of paired differences, and the interval of the differences it does not refuse.

The labels of two systems are swapped in random units. The interval is the set of shifts that the same test, with
the same swaps, leaves standing, so that it holds 0 exactly where p is above 1 - level: interval and test cannot
contradict each other. It is exact for differences that lie symmetrically about their mean.

For swapped units A the flipped sum of (s - d m) reaches the whole one exactly where the shift d passes the ratio of
sums over A or over the rest, so that both limits are order statistics of such ratios.

Sources: Noreen, Computer-Intensive Methods for Testing Hypotheses (1989), chapter 2; Hartigan, Using subsample
values as typical values (1969), for the inversion.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fas.stats.draws import FloatArray
from fas.stats.intervals import NONE, too_few

FEWEST_THAT_DIFFER = 6
"""Of fewer units that differ at all no swap of labels is rarer than 5% (2 of 32): no interval can be given."""
_SIGNS_PER_BATCH = 1_000_000


class FlipTest(NamedTuple):
    """What swapping labels says of one metric; NaN where there are too few units that differ.

    Attributes:
        p: Two-sided p of "the labels could be swapped in any unit".
        low: Lower limit of the difference.
        high: Upper limit.
        how: `randomisation`, or why there is no interval.
    """

    p: float
    low: float
    high: float
    how: str


def flip_tests(
    sums: FloatArray, sizes: FloatArray, n_resamples: int, rng: np.random.Generator, *, level: float
) -> list[FlipTest]:
    """The test of every metric, all from the same swaps.

    All sign assignments are tried where there are no more of them than *n_resamples*; else that many are
    drawn and one is added to both counts (Noreen, 1989, chapter 2).

    Args:
        sums: Sum of the differences per unit, shape `[n_units, n_metrics]`.
        sizes: Number of differences per unit, same shape.
        n_resamples: Swaps to draw.
        rng: Generator of the swaps.
        level: Confidence level.
    """
    n_units, n_metrics = sums.shape
    if n_units == 0:
        return [FlipTest(math.nan, math.nan, math.nan, too_few(0))] * n_metrics
    exact = n_units < 63 and 2**n_units <= n_resamples
    total = 2**n_units if exact else n_resamples
    observed = np.abs(sums.sum(axis=0))
    slack = 1e-12 * np.maximum(1.0, np.abs(sums).sum(axis=0))
    extreme = np.zeros(n_metrics)
    lows, highs = [], []
    for flipped in _flips(n_units, total, exact, rng):
        signed = sums.sum(axis=0) - 2 * (flipped @ sums)
        extreme += (np.abs(signed) >= observed - slack).sum(axis=0)
        below, above = _turning_points(flipped, sums, sizes)
        lows.append(below)
        highs.append(above)
    below, above = np.concatenate(lows), np.concatenate(highs)
    extra = 0 if exact else 1
    found = []
    for column in range(n_metrics):
        p = float((extreme[column] + extra) / (total + extra))
        used = sizes[:, column] > 0
        low, high, how = _limits(below[:, column], above[:, column], extra, 1 - level)
        differ = int((np.abs(sums[used, column]) > 1e-12).sum())
        if not used.any():
            found.append(FlipTest(math.nan, math.nan, math.nan, too_few(0)))
        elif differ == 0:
            found.append(FlipTest(p, math.nan, math.nan, f"{NONE}no difference in any of {int(used.sum())}"))
        elif differ < FEWEST_THAT_DIFFER:
            found.append(FlipTest(p, math.nan, math.nan, f"{NONE}too few differ ({differ})"))
        elif high - low <= 1e-12 * max(1.0, abs(high)):
            # What never varied in the sample gives limits without width, which are no certainty.
            found.append(FlipTest(p, math.nan, math.nan, f"{NONE}the same difference in all of {int(used.sum())}"))
        else:
            found.append(FlipTest(p, low, high, how))
    return found


def _flips(n_units: int, total: int, exact: bool, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Which units have their labels swapped, 0 or 1, in batches of shape `[n_in_batch, n_units]`."""
    per_batch = max(1, _SIGNS_PER_BATCH // n_units)
    for start in range(0, total, per_batch):
        n_rows = min(per_batch, total - start)
        if exact:
            bits = (np.arange(start, start + n_rows)[:, None] >> np.arange(n_units)) & 1
        else:
            bits = rng.integers(2, size=(n_rows, n_units), dtype=np.int8)
        yield bits.astype(np.float64)


def _turning_points(flipped: FloatArray, sums: FloatArray, sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Below and above the observed difference: the shift from which on a swap is as extreme as the labels are.

    A swap of no unit with a value, or of all, always is: from minus to plus infinity.
    """
    part, weight = flipped @ sums, flipped @ sizes
    rest, left = sums.sum(axis=0) - part, sizes.sum(axis=0) - weight
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = part / weight, rest / left
    whole = (weight <= 0) | (left <= 0)
    below = np.where(whole, -np.inf, np.minimum(one, other))
    above = np.where(whole, np.inf, np.maximum(one, other))
    return below, above


def _limits(below: FloatArray, above: FloatArray, extra: int, alpha: float) -> tuple[float, float, str]:
    total = len(below)
    # p(shift) counts the turning points that lie at or beyond it; it is above alpha from the k-th one on.
    k = math.floor(alpha * (total + extra) + 1e-9) - extra
    if k < 0 or k >= total:
        return math.nan, math.nan, f"{NONE}too few draws"
    low, high = float(np.partition(below, k)[k]), float(-np.partition(-above, k)[k])
    if not (math.isfinite(low) and math.isfinite(high)):
        return math.nan, math.nan, too_few(total)
    return low, high, "randomisation"
