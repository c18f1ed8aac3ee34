"""Agreement between raters, people or programs: Cohen's kappa (1960) and Krippendorff's alpha (2011) of categories."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from fas.stats.bootstrap import BootstrapOptions, Estimate, FloatArray, Resampling, make_units
from fas.stats.intervals import Interval, statistic_interval
from fas.stats.rare import Flags, Table, differs_from_mode, expected_together, guard_interval

_CELLS_PER_BATCH = 1_000_000


def cohen_kappa(
    first: Sequence[Any] | npt.NDArray[Any],
    second: Sequence[Any] | npt.NDArray[Any],
    **options: Unpack[BootstrapOptions],
) -> Estimate:
    """Agreement of two raters beyond chance, in [-1, 1], with its interval (`fas.stats.intervals`, `fas.stats.rare`).

    Items where either rater has None or NaN are left out; `n` counts the others. NaN where both raters use one and the
    same category throughout.
    """
    how = Resampling(**options)
    if len(first) != len(second):
        raise ValueError(f"both raters need the same items, got {len(first)} and {len(second)}")
    rated = ~(_flag_missing(first) | _flag_missing(second))
    n = int(rated.sum())
    if n == 0:
        return Estimate.of(math.nan, 0)
    said = np.asarray(first)[rated].tolist() + np.asarray(second)[rated].tolist()
    place = {category: i for i, category in enumerate(sorted(set(said)))}
    k, labels = len(place), np.array([place[label] for label in said])
    units = make_units(n, make_units(len(rated), how.clusters).of_item[rated])
    tables = np.zeros((units.n, k * k))
    np.add.at(tables, (units.of_item, labels[:n] * k + labels[n:]), 1.0)

    def kappa(totals: FloatArray) -> FloatArray:
        shares = (totals / totals.sum(axis=1, keepdims=True)).reshape(-1, k, k)
        alike = (shares.sum(axis=2) * shares.sum(axis=1)).sum(axis=1)
        return _subtract_ratio(1 - np.einsum("rii->r", shares), 1 - alike)

    def of_table(counted: Table) -> float:
        both, one, other, neither = counted
        # The commonest category first; kappa does not ask which is which.
        return float(kappa(np.array([[neither, other, one, both]]))[0])

    off = differs_from_mode(labels)
    seldom = off[:n], off[n:]
    expected = expected_together(*seldom, units.of_item)
    return _estimate(kappa, tables, seldom, expected, of_table if k == 2 and units.single else None, n, how)


def krippendorff_alpha(ratings: npt.ArrayLike, **options: Unpack[BootstrapOptions]) -> Estimate:
    """Krippendorff's alpha of categories for any number of raters, with missing ratings; items are resampled.

    *ratings* are finite numbers of the categories, shape `[n_raters, n_items]`, NaN where a rater left an item out. 1
    is perfect agreement and 0 chance; NaN where all ratings are equal. `n` counts items with at least two ratings; the
    others say nothing about agreement.
    """
    how = Resampling(**options)
    matrix = np.asarray(ratings, dtype=np.float64)
    if matrix.ndim != 2:
        raise ValueError(f"`ratings` must have shape [n_raters, n_items], got {matrix.shape}")
    if np.isinf(matrix).any():
        raise ValueError("`ratings` has an infinite value")
    pairable = matrix[:, (~np.isnan(matrix)).sum(axis=0) >= 2]
    n = pairable.shape[1]
    if n == 0:
        return Estimate.of(math.nan, 0)
    known = ~np.isnan(pairable)
    values, place = np.unique(pairable[known], return_inverse=True)
    k = len(values)
    counts = np.stack([(pairable == value).sum(axis=0) for value in values], axis=1).astype(np.float64)
    # An item's coincidences: its pairs of ratings by different raters, weighted so that every rating counts once.
    pairs = np.einsum("ui,uj->uij", counts, counts) - np.einsum("ui,ij->uij", counts, np.eye(k))
    coincidences = (pairs / (counts.sum(axis=1) - 1)[:, None, None]).reshape(n, -1)

    def alpha(totals: FloatArray) -> FloatArray:
        table = totals.reshape(-1, k, k)
        of_value = table.sum(axis=2)
        size = of_value.sum(axis=1)
        differ = (size**2 - (of_value**2).sum(axis=1)) / (size - 1)
        return _subtract_ratio(size - np.einsum("rii->r", table), differ)

    def of_table(counted: Table) -> float:
        both, one, other, neither = counted
        return float(alpha(np.array([[2 * neither, one + other, one + other, 2 * both]]))[0])

    seldom = known & (pairable != values[np.bincount(place).argmax()])
    expected = n * (seldom.sum() / len(place)) ** 2
    if len(pairable) == 2:
        expected = float(seldom[0].sum() * seldom[1].sum()) / n
    whole = len(pairable) == 2 and k == 2
    return _estimate(alpha, coincidences, (seldom[0], seldom[-1]), expected, of_table if whole else None, n, how)


def _flag_missing(labels: Sequence[Any] | npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Mark the labels that are None or NaN, before numpy turns a NaN among strings into "nan"."""
    return np.array([label is None or label != label for label in labels], dtype=bool)


def _estimate(
    of_totals: Callable[[FloatArray], FloatArray],
    tables: FloatArray,
    seldom: tuple[Flags, Flags],
    expected: float,
    of_table: Callable[[Table], float] | None,
    n: int,
    options: Resampling,
) -> Estimate:
    """A statistic of the sum of the units' *tables*, and its interval."""
    value = float(of_totals(tables.sum(axis=0, keepdims=True))[0])
    step = max(1, _CELLS_PER_BATCH // tables.shape[1])

    def of_counts(counts: FloatArray) -> FloatArray:
        return np.concatenate([of_totals(counts[i : i + step] @ tables) for i in range(0, len(counts), step)])

    def usual() -> Interval:
        draws = np.concatenate([of_counts(counts) for counts in options.counts(len(tables))])
        return statistic_interval(value, draws, of_counts, len(tables), level=options.level, scale="fisher")

    return Estimate.of(value, n, guard_interval(value, seldom, expected, of_table, usual, options.level, len(tables)))


def _subtract_ratio(observed: FloatArray, expected: FloatArray) -> FloatArray:
    """`1 - observed / expected`, NaN where nothing else was to be expected."""
    ratio = np.full(len(observed), np.nan)
    np.divide(observed, expected, out=ratio, where=expected > 1e-12)
    return 1 - ratio
