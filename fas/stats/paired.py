"""Two systems on the same answers: the difference of their means or ratios, with one p and the interval it belongs to.

Two tests of "the true difference is d" are turned round, and the interval holds every d that either leaves standing:
approximate randomisation (the systems are swapped in random units), which is exact for few units and rare events, and
the bootstrap-t, which holds for differences that are skewed. p is the larger of the two, so that the interval leaves
out 0 exactly where p is at most 1 - level, at every number of units.

For swapped units A the flipped sum of (s - d m) reaches the whole one exactly where the shift d passes the ratio of
sums over A or over the rest, so that both limits of the first are order statistics of such ratios.

Sources: Noreen, Computer-Intensive Methods for Testing Hypotheses (1989), chapter 2; Hartigan, Using subsample
values as typical values (1969), for the inversion; Efron and Tibshirani (1993), section 12.5, for the bootstrap-t.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Unpack

import numpy as np
import numpy.typing as npt

from fas.stats.bootstrap import BootstrapOptions, FloatArray, Resampling, make_units, mean_of, stack, unit_sums
from fas.stats.intervals import (
    NONE,
    Interval,
    describe_too_few,
    explain_missing,
    make_empty_interval,
    mean_draws,
    studentise,
)

FEWEST_THAT_DIFFER = 6
"""Of fewer units that differ at all no swap of labels is rarer than 5% (2 of 32): no interval can be given."""
_SIGNS_PER_BATCH = 1_000_000
_FLIP_STREAM = 1  # the sign flips must not reuse the draws of the bootstrap


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The difference of two systems: `mean_a - mean_b` over the *n* answers that both have a value for.

    `p` is two-sided, NaN for fewer than two units (answers, or questions where clustered); `effect_size` is Cohen's
    d_z: the mean difference in units of the differences' standard deviation. `low` and `high` are NaN where too few
    differ.
    """

    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    p: float
    effect_size: float
    n: int
    n_units: int
    how: str = ""

    as_dict = asdict


def paired_difference(a: npt.ArrayLike, b: npt.ArrayLike, **options: Unpack[BootstrapOptions]) -> PairedDifference:
    """The difference of two systems on the same answers, with interval and p.

    >>> result = paired_difference([0.9, 0.8, 0.7, 0.9], [0.5, 0.6, 0.5, 0.4], n_resamples=1000)
    >>> round(result.difference, 3), result.p
    (0.325, 0.125)
    """
    return paired_differences({"": a}, {"": b}, **options)[""]


def paired_differences(
    a: Mapping[str, npt.ArrayLike], b: Mapping[str, npt.ArrayLike], **options: Unpack[BootstrapOptions]
) -> dict[str, PairedDifference]:
    """`paired_difference` for every metric of two systems, all from the same draws."""
    drawn = Resampling(**options)
    if list(a) != list(b):
        raise ValueError(f"both systems need the same metrics in the same order, got {list(a)} and {list(b)}")
    if not a:
        return {}
    first, second = stack(a), stack(b)
    if first.shape != second.shape:
        raise ValueError(f"both systems need the same answers, got {len(first)} and {len(second)}")
    deltas = first - second
    sums, sizes = unit_sums(deltas, make_units(len(deltas), drawn.clusters))
    found = difference_tests(sums, sizes, drawn) if len(sums) > 1 else [make_empty_interval("")] * len(a)
    results = {}
    for i, name in enumerate(a):
        both = ~np.isnan(deltas[:, i])
        n_units = int((sizes[:, i] > 0).sum())
        low, high, how, p = found[i] if n_units >= 2 else make_empty_interval(describe_too_few(n_units))
        mean_a, mean_b, difference = (mean_of(one[both, i]) for one in (first, second, deltas))
        effect, n = _measure_effect(deltas[both, i]), int(both.sum())
        results[name] = PairedDifference(mean_a, mean_b, difference, low, high, p, effect, n, n_units, how)
    return results


def difference_tests(sums: FloatArray, sizes: FloatArray, options: Resampling) -> list[Interval]:
    """Interval and p of every metric's mean difference, all from the same swaps and draws.

    All sign assignments are tried where there are no more of them than resamples; else that many are
    drawn and one is added to both counts (Noreen, 1989, chapter 2). Where too few units differ p is that of the swaps.

    *sums* and *sizes* are the sum and the number of differences per unit, shape `[n_units, n_metrics]`, of two units at
    least.
    """
    roots = mean_draws(sums, sizes, options)[1]
    found = []
    for i, flips in enumerate(_flip_tests(sums, sizes, options)):
        used = sizes[:, i] > 0
        n, differ = int(used.sum()), int((np.abs(sums[used, i]) > 1e-12).sum())
        why, drawn = "", flips
        if n < 2:
            why = describe_too_few(n)
        elif differ == 0:
            why = f"{NONE}no difference in any of {n}"
        elif differ < FEWEST_THAT_DIFFER:
            why = f"{NONE}too few differ ({differ})"
        elif flips.high - flips.low <= 1e-12 * max(1.0, abs(flips.high)):
            # What never varied in the sample gives limits without width, which are no certainty.
            why = f"{NONE}the same difference in all of {n}"
        else:
            drawn = studentise(roots[:, i], sums[:, i], sizes[:, i], options.level)
            why = next((one.how for one in (flips, drawn) if explain_missing(one.how)), "")
        if why:
            found.append(make_empty_interval(why, flips.p))
            continue
        limits = min(flips.low, drawn.low), max(flips.high, drawn.high)
        found.append(Interval(*limits, "inverted", max(flips.p, drawn.p)))
    return found


def ratio_difference(a: Sequence[FloatArray], b: Sequence[FloatArray], options: Resampling) -> Interval:
    """Interval and p of the difference of two ratios of sums over the same units.

    The units' parts are linearised about the ratio of both systems together, which no swap changes, so that the test of
    no difference is exact as that of means. *a* and *b*: what each system adds to numerator and denominator in each
    unit.
    """
    used = (a[1] > 0) | (b[1] > 0)
    (above_a, below_a), (above_b, below_b) = ((side[0][used], side[1][used]) for side in (a, b))
    totals = float(below_a.sum()), float(below_b.sum())
    if min(totals) <= 0 or len(below_a) < 2:
        return make_empty_interval(describe_too_few(len(below_a)))
    ratio = (above_a.sum() + above_b.sum()) / sum(totals)
    parts = (above_a - ratio * below_a) - (above_b - ratio * below_b)
    # 2 A (r_a - r) = 2 A B / (A + B) (r_a - r_b): the parts sum to the difference itself.
    parts = parts * (len(parts) * sum(totals) / (2 * totals[0] * totals[1]))
    return difference_tests(parts[:, None], np.ones((len(parts), 1)), options)[0]


def _flip_tests(sums: FloatArray, sizes: FloatArray, options: Resampling) -> list[Interval]:
    """Approximate randomisation of every metric, all from the same swaps, and the shifts that it leaves standing."""
    n_units = len(sums)
    exact = n_units < 63 and 2**n_units <= options.n_resamples
    total, extra = (2**n_units, 0) if exact else (options.n_resamples, 1)
    reached = np.abs(sums.sum(axis=0)) - 1e-12 * np.maximum(1.0, np.abs(sums).sum(axis=0))
    extreme = np.zeros(sums.shape[1])
    points = []
    for flipped in _draw_flips(n_units, total, exact, options.seed):
        part, weight = flipped @ sums, flipped @ sizes
        extreme += (np.abs(sums.sum(axis=0) - 2 * part) >= reached).sum(axis=0)
        points.append(_find_turning_points(part, weight, sums.sum(axis=0) - part, sizes.sum(axis=0) - weight))
    below, above = np.concatenate(points, axis=1)
    p = (extreme + extra) / (total + extra)
    # p(shift) counts the turning points that lie at or beyond it; it is above 1 - level from the k-th one on.
    k = math.floor((1 - options.level) * (total + extra) + 1e-9) - extra
    few = f"{NONE}too few draws"
    if not 0 <= k < total:
        return [make_empty_interval(few, float(one)) for one in p]
    lows, highs = np.partition(below, k, axis=0)[k], -np.partition(-above, k, axis=0)[k]
    found = np.column_stack([lows, highs, p]).tolist()
    return [Interval(a, b, "randomisation" if math.isfinite(b - a) else few, one) for a, b, one in found]


def _draw_flips(n_units: int, total: int, exact: bool, seed: int) -> Iterator[FloatArray]:
    """Units whose labels are swapped, as 0 or 1, in batches of shape `[n_in_batch, n_units]`."""
    rng = np.random.default_rng([_FLIP_STREAM, seed])
    per_batch = max(1, _SIGNS_PER_BATCH // n_units)
    for start in range(0, total, per_batch):
        n_rows = min(per_batch, total - start)
        if exact:
            bits = (np.arange(start, start + n_rows)[:, None] >> np.arange(n_units)) & 1
        else:
            bits = rng.integers(2, size=(n_rows, n_units), dtype=np.int8)
        yield bits.astype(np.float64)


def _find_turning_points(part: FloatArray, weight: FloatArray, rest: FloatArray, left: FloatArray) -> FloatArray:
    """Below and above the observed difference: the shift from which on a swap is as extreme as the labels are.

    A swap of no unit with a value, or of all, always is: from minus to plus infinity.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = part / weight, rest / left
    whole = (weight <= 0) | (left <= 0)
    return np.stack([np.where(whole, -np.inf, np.minimum(one, other)), np.where(whole, np.inf, np.maximum(one, other))])


def _measure_effect(deltas: FloatArray) -> float:
    """NaN for fewer than two; infinite where all are equal and not 0, 0 where all are 0."""
    if len(deltas) < 2:
        return math.nan
    mean, spread = float(deltas.mean()), float(deltas.std(ddof=1))
    if spread > 0:
        return mean / spread
    return 0.0 if mean == 0 else math.copysign(math.inf, mean)
