"""Means over answers with their intervals, clustered, many metrics at once; `fas.stats.intervals` decides which."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from fas.core.records import MetricSummary
from fas.stats.draws import BootstrapOptions, FloatArray, IntArray, Resampling
from fas.stats.intervals import Interval, MeanKind, classify_means, explain_missing, mean_limits

__all__ = ["BootstrapOptions", "FloatArray", "IntArray", "Resampling"]


class Estimate(NamedTuple):
    """A statistic with its interval; `low` and `high` are NaN where none can be given.

    `how` is the kind of interval, or `none: ` and why there is none; empty where nothing is known of it.
    """

    value: float
    low: float
    high: float
    n: int
    how: str = ""

    @classmethod
    def of(cls, value: float, n: int, found: Interval | str = "") -> Estimate:
        """*value* over *n* with the interval *found*, or without one and the reason."""
        low, high, how = (math.nan, math.nan, found) if isinstance(found, str) else found[:3]
        return cls(float(value), low, high, n, how)


class Units(NamedTuple):
    """Units of resampling: that of each item, in the order of first appearance, and their number."""

    of_item: IntArray
    n: int

    @property
    def single(self) -> bool:
        """Whether every item is its own unit."""
        return self.n == len(self.of_item)


def mean_intervals(
    values: Mapping[str, npt.ArrayLike],
    *,
    proportions: Collection[str] = (),
    unbounded: Collection[str] = (),
    **options: Unpack[BootstrapOptions],
) -> dict[str, MetricSummary]:
    """Mean, interval, number of values and kind of interval of every metric, all from the same draws.

    >>> out = mean_intervals({"rougeL": np.array([0.2, 0.4, 0.6, np.nan])}, n_resamples=999)
    >>> out["rougeL"].n, round(out["rougeL"].mean, 3)
    (3, 0.4)

    Values are NaN where a metric is undefined; a resample's mean skips them. *proportions* are metrics whose values can
    be 0 or 1 only, *unbounded* those that could lie outside [0, 1] though the values given do not. `low` and `high` are
    NaN where there are too few values or clusters for the kind.

    Raises:
        ValueError: Lengths differ, a value is infinite, or an option is out of range.
    """
    Resampling(**options)
    if not values:
        return {}
    matrix = stack(values)
    present = ~np.isnan(matrix)
    above, below = np.where(present, matrix, 0.0), present.astype(np.float64)
    kinds = [
        MeanKind(kind.share and name not in unbounded, name in proportions)
        for name, kind in zip(values, classify_means(above, below), strict=True)
    ]
    found = ratio_intervals(list(values), above, below, kinds, **options)
    return {
        name: found[name]._replace(mean=mean_of(column[kept]))
        for name, column, kept in zip(values, matrix.T, present.T, strict=True)
    }


def ratio_intervals(
    names: Sequence[str],
    above: FloatArray,
    below: FloatArray,
    kinds: Iterable[MeanKind] | None = None,
    **options: Unpack[BootstrapOptions],
) -> dict[str, MetricSummary]:
    """Ratios of sums over items, such as shares of the claims of all answers, with their intervals from the same draws.

    *above* is what each item adds to the numerators, shape `[n_items, n_names]`, *below* to the denominators, same
    shape, or `[n_items]` for all alike; 0 where it has no part. *kinds*: what each ratio is of; shares by default. A
    ratio is NaN without an item; `n` counts the items with a part.
    """
    how = Resampling(**options)
    units = make_units(len(above), how.clusters)
    parts = np.array(np.broadcast_to(below if below.ndim == 2 else below[:, None], above.shape))
    sums, sizes = unit_sums(above, units)[0], unit_sums(parts, units)[0]
    limits = mean_limits(sums, sizes, how, [MeanKind(share=True)] * len(names) if kinds is None else kinds)
    totals, n = sizes.sum(axis=0), (parts > 0).sum(axis=0)
    ratios = np.divide(sums.sum(axis=0), totals, out=np.full(len(names), np.nan), where=totals > 0)
    return {
        name: MetricSummary(float(ratios[i]), limits[i].low, limits[i].high, int(n[i]), limits[i].how)
        for i, name in enumerate(names)
    }


def group_difference(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    clusters_a: npt.ArrayLike | None = None,
    clusters_b: npt.ArrayLike | None = None,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
) -> Estimate:
    """The difference of two groups, such as factoid and summary questions, that share no answer and no question.

    NaN values are skipped. The interval is recovered from those of the two means (Zou and Donner, Construction of
    confidence limits about effect measures, 2008, eqs. 6 and 7); none where one of them has none. A ValueError where a
    question is in both groups.
    """
    if clusters_a is not None and clusters_b is not None:
        shared = set(np.asarray(clusters_a).tolist()) & set(np.asarray(clusters_b).tolist())
        if shared:
            raise ValueError(
                f"{len(shared)} questions are in both groups, e.g. {next(iter(shared))!r}; "
                "compare answers to the same questions with `paired_difference`"
            )
    first, second = (
        mean_intervals({"": one}, clusters=clusters, n_resamples=n_resamples, level=level, seed=seed)[""]
        for one, clusters in ((a, clusters_a), (b, clusters_b))
    )
    difference, n = first.mean - second.mean, first.n + second.n
    for one in (first, second):
        if math.isnan(one.low):
            return Estimate.of(difference, n, one.how if explain_missing(one.how) else "")
    low = difference - math.hypot(first.mean - first.low, second.high - second.mean)
    high = difference + math.hypot(first.high - first.mean, second.mean - second.low)
    return Estimate(difference, low, high, n, "recovered")


def mean_of(values: FloatArray) -> float:
    """The mean; NaN of nothing."""
    return float(values.mean()) if len(values) else math.nan


def check_values(data: npt.ArrayLike, name: str) -> FloatArray:
    """*data* as a vector of finite numbers and NaN; else a ValueError."""
    vector = np.asarray(data, dtype=np.float64)
    if vector.ndim != 1:
        raise ValueError(f"`{name}` must be one-dimensional, got shape {vector.shape}")
    if np.isinf(vector).any():
        raise ValueError(f"`{name}` has an infinite value at position {int(np.flatnonzero(np.isinf(vector))[0])}")
    return vector


def stack(values: Mapping[str, npt.ArrayLike]) -> FloatArray:
    """The metrics as columns, shape `[n_answers, n_metrics]`; a ValueError for unequal lengths or an infinite value."""
    columns = {name: check_values(data, name) for name, data in values.items()}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"each metric needs one value per answer, got lengths {lengths}")
    return np.column_stack(list(columns.values()))


def make_units(n_items: int, clusters: npt.ArrayLike | None) -> Units:
    """The units to resample: every item alone, or the clusters in order of first appearance."""
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
    sums, sizes = np.zeros((2, units.n, matrix.shape[1]))
    np.add.at(sums, units.of_item, np.where(present, matrix, 0.0))
    np.add.at(sizes, units.of_item, present)
    return sums, sizes
