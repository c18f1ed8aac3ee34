"""Bootstrap intervals of means over answers: percentile and BCa, clustered, many metrics at once.

A resample is stored as how often each unit (an answer, or a question with all its answers)
was drawn, not as the drawn values. The means of all metrics in all resamples are then one
matrix product, and every metric of one call sees the same draws, so that what is correlated
in the data stays correlated in the resamples.

Sources: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapters 13 (percentile)
and 14 (BCa: eqs. 14.9, 14.10, 14.14, 14.15).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from fas.records import MetricSummary

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]
Method = Literal["percentile", "bca"]

_DRAWS_PER_BATCH = 1_000_000  # a batch of draws and its counts stay near 32 MB whatever the input


class Estimate(NamedTuple):
    """A statistic with its interval; `low` and `high` are NaN where none can be given."""

    value: float
    low: float
    high: float
    n: int


class Units(NamedTuple):
    """What is resampled.

    Attributes:
        of_item: Shape `[n_items]`: the unit of each item, in the order of first appearance.
        n: How many units there are.
    """

    of_item: IntArray
    n: int


def mean_intervals(
    values: Mapping[str, npt.ArrayLike],
    *,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int | np.random.Generator = 12345,
    clusters: npt.ArrayLike | None = None,
    method: Method = "percentile",
) -> dict[str, MetricSummary]:
    """Mean and bootstrap interval of every metric, all from the same draws.

    A resample's mean is taken over its values that are not NaN; a resample in which a metric
    has no value at all says nothing about that metric and is left out of its quantiles.

    >>> out = mean_intervals({"rougeL": np.array([0.2, 0.4, 0.6, np.nan])}, n_resamples=999)
    >>> out["rougeL"].n, round(out["rougeL"].mean, 3)
    (3, 0.4)

    Args:
        values: Name to values, each of shape `[n_answers]`, NaN where the metric is undefined.
        n_resamples: How many resamples to draw; at least 1.
        level: Confidence level, in the open interval (0, 1).
        seed: Seed of the draws, or the generator to take them from.
        clusters: Shape `[n_answers]`: label of the question (or other unit) an answer belongs
            to. Whole clusters are drawn. Without it every answer is its own unit.
        method: `"percentile"`, or `"bca"` for the bias-corrected and accelerated interval.

    Returns:
        Name to mean, interval and number of values, in the order of *values*. `low` and `high`
        are NaN for fewer than two values, or where all values are in one cluster.

    Raises:
        ValueError: Lengths differ, a value is infinite, or an option is out of range.
    """
    check_options(n_resamples, level, method)
    if not values:
        return {}
    matrix = stack(values)
    units = make_units(len(matrix), clusters)
    sums, sizes = unit_sums(matrix, units)
    means = resample_means(sums, sizes, n_resamples, make_rng(seed))
    low, high = interval(means, sums, sizes, level=level, method=method)
    present = ~np.isnan(matrix)
    summaries = {}
    for column, name in enumerate(values):
        kept = matrix[present[:, column], column]
        mean = float(kept.mean()) if len(kept) else float("nan")
        summaries[name] = MetricSummary(mean, float(low[column]), float(high[column]), len(kept))
    return summaries


def check_options(n_resamples: int, level: float, method: str = "percentile") -> None:
    """Refuse options no bootstrap can work with.

    Raises:
        ValueError: The message names the option, its value and what is allowed.
    """
    if n_resamples < 1:
        raise ValueError(f"`n_resamples` must be at least 1, got {n_resamples}")
    if not 0.0 < level < 1.0:
        raise ValueError(f"`level` must be in the open interval (0, 1), got {level}")
    if method not in ("percentile", "bca"):
        raise ValueError(f"`method` must be 'percentile' or 'bca', got {method!r}")


def make_rng(seed: int | np.random.Generator) -> np.random.Generator:
    """The generator itself, or a new one from a seed."""
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(seed)


def as_values(data: npt.ArrayLike, name: str) -> FloatArray:
    """*data* as a vector of finite numbers and NaN.

    Raises:
        ValueError: It is not one-dimensional, or a value is infinite.
    """
    vector = np.asarray(data, dtype=np.float64)
    if vector.ndim != 1:
        raise ValueError(f"`{name}` must be one-dimensional, got shape {vector.shape}")
    if np.isinf(vector).any():
        raise ValueError(f"`{name}` has an infinite value at position {int(np.flatnonzero(np.isinf(vector))[0])}")
    return vector


def stack(values: Mapping[str, npt.ArrayLike]) -> FloatArray:
    """The metrics as columns, shape `[n_answers, n_metrics]`.

    Raises:
        ValueError: Lengths differ, or a value is infinite.
    """
    columns = {name: as_values(data, name) for name, data in values.items()}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"all metrics need one value per answer, got lengths {lengths}")
    return np.column_stack(list(columns.values()))


def make_units(n_items: int, clusters: npt.ArrayLike | None) -> Units:
    """The units to resample: every item alone, or the clusters in order of first appearance.

    Raises:
        ValueError: There is not one cluster label per item.
    """
    if clusters is None:
        return Units(np.arange(n_items), n_items)
    labels: list[Any] = np.asarray(clusters).tolist()
    if len(labels) != n_items:
        raise ValueError(f"`clusters` needs one label per answer: {n_items} answers, {len(labels)} labels")
    seen: dict[Hashable, int] = {}
    index = np.array([seen.setdefault(label, len(seen)) for label in labels], dtype=np.intp)
    return Units(index, len(seen))


def unit_sums(matrix: FloatArray, units: Units) -> tuple[FloatArray, FloatArray]:
    """Sum and number of the values that are not NaN, per unit; both `[n_units, n_metrics]`."""
    present = ~np.isnan(matrix)
    filled = np.where(present, matrix, 0.0)
    sums = np.zeros((units.n, matrix.shape[1]))
    sizes = np.zeros_like(sums)
    np.add.at(sums, units.of_item, filled)
    np.add.at(sizes, units.of_item, present)
    return sums, sizes


def draw_counts(n_units: int, n_resamples: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """How often each unit was drawn, in batches of shape `[n_in_batch, n_units]`.

    The draws are those of `rng.integers(n_units, size=(n_resamples, n_units))`, whatever the
    size of a batch, so that a plain loop over that array gives the same resamples.
    """
    per_batch = max(1, _DRAWS_PER_BATCH // max(1, n_units))
    for start in range(0, n_resamples, per_batch):
        n_rows = min(per_batch, n_resamples - start)
        picks = rng.integers(n_units, size=(n_rows, n_units))
        picks += np.arange(n_rows)[:, None] * n_units
        counts = np.bincount(picks.ravel(), minlength=n_rows * n_units)
        yield counts.reshape(n_rows, n_units).astype(np.float64)


def resample_means(sums: FloatArray, sizes: FloatArray, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """Mean of every metric in every resample, shape `[n_resamples, n_metrics]`; NaN without a value."""
    n_units, n_metrics = sums.shape
    if n_units == 0:
        return np.full((n_resamples, n_metrics), np.nan)
    # Metrics without a missing value share one denominator; most runs have one or two distinct ones.
    seen: dict[bytes, int] = {}
    which = [seen.setdefault(sizes[:, column].tobytes(), len(seen)) for column in range(n_metrics)]
    columns = np.hstack([sums, sizes[:, [which.index(i) for i in range(len(seen))]]])
    totals = np.concatenate([counts @ columns for counts in draw_counts(n_units, n_resamples, rng)])
    weights = totals[:, n_metrics:][:, which]
    means = np.full((n_resamples, n_metrics), np.nan)
    np.divide(totals[:, :n_metrics], weights, out=means, where=weights > 0)
    return means


def interval(
    resampled: FloatArray, sums: FloatArray, sizes: FloatArray, *, level: float, method: Method
) -> tuple[FloatArray, FloatArray]:
    """Lower and upper limit per metric from resampled means.

    Args:
        resampled: Shape `[n_resamples, n_metrics]`.
        sums: Sum of the values per unit, shape `[n_units, n_metrics]`.
        sizes: Number of values per unit, same shape.
        level: Confidence level.
        method: `"percentile"` or `"bca"`.

    Returns:
        Two arrays of shape `[n_metrics]`; NaN where fewer than two values or units have one.
    """
    n_metrics = resampled.shape[1]
    low, high = np.full(n_metrics, np.nan), np.full(n_metrics, np.nan)
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    for column in range(n_metrics):
        used = sizes[:, column] > 0
        if used.sum() < 2:
            continue
        draws = resampled[:, column]
        draws = draws[~np.isnan(draws)]
        if len(draws) == 0:
            continue
        points = tails
        if method == "bca":
            points = _bca_points(draws, sums[used, column], sizes[used, column], tails)
            if np.isnan(points).any():
                continue
        low[column], high[column] = np.quantile(draws, points)
    return low, high


def percentile_interval(resampled: FloatArray, level: float) -> tuple[float, float]:
    """Percentile limits of one statistic; resamples in which it is undefined are left out."""
    draws = resampled[~np.isnan(resampled)]
    if len(draws) == 0:
        return float("nan"), float("nan")
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def two_sided_p(resampled: FloatArray, null: float = 0.0) -> float:
    """Two-sided bootstrap p of "the statistic is *null*", by inverting the percentile interval.

    Twice the smaller share of resamples on either side of *null* (those equal to it count on
    both), with one added to the count and the number of resamples so that it is never 0 (Davison
    and Hinkley, 1997, section 4.2.3); at most 1. NaN where every resample is undefined.
    """
    draws = resampled[~np.isnan(resampled)]
    if len(draws) == 0:
        return float("nan")
    # Sums in another order differ in the last bits; a difference of 1e-12 is no difference.
    slack = 1e-12 * max(1.0, float(np.abs(draws).max()))
    below = int((draws <= null + slack).sum())
    above = int((draws >= null - slack).sum())
    return min(1.0, 2 * (min(below, above) + 1) / (len(draws) + 1))


def _bca_points(draws: FloatArray, sums: FloatArray, sizes: FloatArray, tails: FloatArray) -> FloatArray:
    """The quantiles that BCa reads instead of the symmetric ones; NaN where it is undefined.

    It is undefined where all resampled means lie on one side of the observed one.
    """
    from scipy.special import ndtr, ndtri

    observed = sums.sum() / sizes.sum()
    # Ties with the observed mean count half, so that a symmetric discrete distribution has no bias.
    slack = 1e-12 * max(1.0, abs(float(observed)))
    share = ((draws < observed - slack).mean() + (draws <= observed + slack).mean()) / 2
    bias = ndtri(share)  # eq. 14.14
    if not np.isfinite(bias):
        return np.array([np.nan, np.nan])
    left_out = (sums.sum() - sums) / (sizes.sum() - sizes)
    deviations = left_out.mean() - left_out
    spread = float((deviations**2).sum())
    # Leaving any unit out changes nothing: all units are equal, and so are the limits.
    acceleration = float((deviations**3).sum()) / (6 * spread**1.5) if spread > 1e-30 else 0.0  # eq. 14.15
    shifted = bias + ndtri(tails)
    points: FloatArray = ndtr(bias + shifted / (1 - acceleration * shifted))  # eqs. 14.9, 14.10
    return points
