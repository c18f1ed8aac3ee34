"""Means over answers with their intervals, clustered, many metrics at once; `fas.stats.intervals` decides which."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fas.records import MetricSummary
from fas.stats.draws import FloatArray, IntArray, draw_counts, make_rng
from fas.stats.intervals import MeanKind, kinds_of, mean_limits

__all__ = ["FloatArray", "IntArray", "draw_counts", "make_rng"]


class Estimate(NamedTuple):
    """A statistic with its interval; `low` and `high` are NaN where none can be given.

    `how` is the kind of interval, or `none: ` and why there is none; empty where nothing is known of it.
    """

    value: float
    low: float
    high: float
    n: int
    how: str = ""


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
    proportions: Collection[str] = (),
    unbounded: Collection[str] = (),
) -> dict[str, MetricSummary]:
    """Mean and interval of every metric, all from the same draws.

    A resample's mean is taken over its values that are not NaN.

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
        proportions: Names of metrics whose values can be 0 or 1 only.
        unbounded: Names of metrics that could lie outside [0, 1] though the values given do not.

    Returns:
        Name to mean, interval, number of values and kind of interval, in the order of *values*. `low` and `high`
        are NaN where there are too few values or clusters for the kind.

    Raises:
        ValueError: Lengths differ, a value is infinite, or an option is out of range.
    """
    check_options(n_resamples, level)
    if not values:
        return {}
    matrix = stack(values)
    sums, sizes = unit_sums(matrix, make_units(len(matrix), clusters))
    kinds = [
        MeanKind(kind.share and name not in unbounded, name in proportions)
        for name, kind in zip(values, kinds_of(sums, sizes), strict=True)
    ]
    low, high, how = mean_limits(sums, sizes, n_resamples=n_resamples, level=level, rng=make_rng(seed), kinds=kinds)
    present = ~np.isnan(matrix)
    summaries = {}
    for column, name in enumerate(values):
        kept = matrix[present[:, column], column]
        mean = float(kept.mean()) if len(kept) else float("nan")
        summaries[name] = MetricSummary(mean, float(low[column]), float(high[column]), len(kept), how[column])
    return summaries


def check_options(n_resamples: int, level: float) -> None:
    """Refuse options no bootstrap can work with.

    Raises:
        ValueError: The message names the option, its value and what is allowed.
    """
    if n_resamples < 1:
        raise ValueError(f"`n_resamples` must be at least 1, got {n_resamples}")
    if not 0.0 < level < 1.0:
        raise ValueError(f"`level` must be in the open interval (0, 1), got {level}")


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


