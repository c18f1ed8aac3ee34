"""Agreement between raters, people or programs: Cohen's kappa and Krippendorff's alpha.

Sources: Cohen (1960; weighted: 1968); Krippendorff, Computing Krippendorff's Alpha-Reliability (2011).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from fas.stats.bootstrap import (
    Estimate,
    FloatArray,
    check_options,
    draw_counts,
    make_rng,
    make_units,
)
from fas.stats.intervals import FEWEST_OF_STATISTICS, Interval, nothing, statistic_interval, too_few
from fas.stats.rare import EXACT_BELOW, EXPECTED, Table, expected_together, few_events, off, rare_interval

Weights = Literal["none", "linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval"]

_CELLS_PER_BATCH = 1_000_000


def cohen_kappa(
    first: Sequence[Any] | npt.NDArray[Any],
    second: Sequence[Any] | npt.NDArray[Any],
    *,
    weights: Weights = "none",
    categories: Sequence[Any] | None = None,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
    clusters: npt.ArrayLike | None = None,
) -> Estimate:
    """Agreement of two raters beyond chance, with its interval (`fas.stats.intervals`, `fas.stats.rare`).

    Args:
        first: One rater's categories, shape `[n_items]`; items where either rater has None or NaN are
            left out.
        second: The other's, on the same items.
        weights: How much worse a further category is; with `"none"` all disagreements are equal.
        categories: All categories in order; by default those that occur, sorted. Weighted kappa
            needs the right order and every step of the scale.
        n_resamples: Resamples of items.
        level: Confidence level.
        seed: Seed.
        clusters: Question of each item; whole questions are drawn.

    Returns:
        Kappa in [-1, 1]; NaN where both raters use one and the same category throughout. `n` counts the
        items that both rated.

    Raises:
        ValueError: Lengths differ, a category is not in *categories*, or an option is out of range.
    """
    check_options(n_resamples, level)
    if len(first) != len(second):
        raise ValueError(f"both raters need the same items, got {len(first)} and {len(second)}")
    rated = ~(_missing(first) | _missing(second))
    a, b = np.asarray(first)[rated].tolist(), np.asarray(second)[rated].tolist()
    if weights not in ("none", "linear", "quadratic"):
        raise ValueError(f"`weights` must be 'none', 'linear' or 'quadratic', got {weights!r}")
    known = sorted(set(a) | set(b)) if categories is None else list(categories)
    place = {category: i for i, category in enumerate(known)}
    unknown = sorted({repr(label) for label in [*a, *b] if label not in place})
    if unknown:
        raise ValueError(f"{', '.join(unknown)} is not among the categories {known}")
    k, n = len(known), len(a)
    if n == 0:
        return Estimate(float("nan"), float("nan"), float("nan"), 0)
    distance = np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(np.float64)
    penalty = {"none": (distance > 0).astype(np.float64), "linear": distance, "quadratic": distance**2}[weights]
    units = make_units(n, make_units(len(rated), clusters).of_item[rated])
    cell = np.array([place[one] * k + place[other] for one, other in zip(a, b, strict=True)])
    table = np.zeros((units.n, k * k))
    np.add.at(table, (units.of_item, cell), 1.0)

    def kappa(tables: FloatArray) -> FloatArray:
        shares = (tables / tables.sum(axis=1, keepdims=True)).reshape(-1, k, k)
        expected = np.einsum("ri,rj,ij->r", shares.sum(axis=2), shares.sum(axis=1), penalty)
        observed = np.einsum("rij,ij->r", shares, penalty)
        return _one_less(observed, expected)

    value = float(kappa(table.sum(axis=0, keepdims=True))[0])

    def of_counts(counts: FloatArray) -> FloatArray:
        return kappa(counts @ table)

    commonest = off(np.array([place[label] for label in [*a, *b]]))
    seldom = commonest[:n], commonest[n:]
    binary = k == 2 and units.n == n

    def of_table(counted: Table) -> float:
        both, one, other, neither = counted
        # The table of counts as `kappa` has it, the commonest category first; kappa does not ask which is which.
        cells = np.array([[neither, other, one, both]])
        return float(kappa(cells)[0])

    def interval() -> Interval:
        draws = np.concatenate([of_counts(c) for c in draw_counts(units.n, n_resamples, make_rng(seed))])
        return statistic_interval(value, draws, of_counts, units.n, level=level, scale="fisher")

    expected = expected_together(*seldom, units.of_item)
    found = _guarded(value, expected, seldom, of_table if binary else None, interval, level)
    return Estimate(value, found.low, found.high, n, found.how)


def _guarded(
    value: float,
    expected: float,
    seldom: tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]],
    of_table: Callable[[Table], float] | None,
    interval: Callable[[], Interval],
    level: float,
) -> Interval:
    """The usual interval where events are many enough, the exact one of a table where there is one, else none."""
    n = len(seldom[0])
    if n < FEWEST_OF_STATISTICS:
        return nothing(too_few(n))
    if of_table is not None and not np.isnan(value) and expected < EXACT_BELOW:
        return rare_interval(of_table, *seldom, level)
    if expected < EXPECTED:
        return nothing(few_events(int(seldom[0].sum()), int(seldom[1].sum()), n))
    return interval()


def _missing(labels: Sequence[Any] | npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Which labels are None or NaN; asked before numpy has them, which writes NaN among words as "nan"."""
    return np.array([label is None or label != label for label in labels], dtype=bool)


def krippendorff_alpha(
    ratings: npt.ArrayLike,
    *,
    level_of_measurement: Level = "nominal",
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
) -> Estimate:
    """Krippendorff's alpha for any number of raters, with missing ratings.

    The interval comes from resampled items, each with all its ratings; the distances between
    ordinal categories are those of the resample.

    Args:
        ratings: Shape `[n_raters, n_items]`; numbers, NaN where a rater left an item out. Nominal
            and ordinal categories are numbered in any way that keeps them apart, and in order.
        level_of_measurement: `"nominal"`, `"ordinal"` or `"interval"`.
        n_resamples: Resamples.
        level: Confidence level.
        seed: Seed.

    Returns:
        Alpha, 1 for perfect agreement and 0 for chance; NaN where all ratings are equal. `n` counts
        items with at least two ratings; the others say nothing about agreement.

    Raises:
        ValueError: The shape is not two-dimensional, a rating is infinite, or an option is out of range.
    """
    check_options(n_resamples, level)
    matrix = np.asarray(ratings, dtype=np.float64)
    if matrix.ndim != 2:
        raise ValueError(f"`ratings` must have shape [n_raters, n_items], got {matrix.shape}")
    if np.isinf(matrix).any():
        raise ValueError("`ratings` has an infinite value")
    if level_of_measurement not in ("nominal", "ordinal", "interval"):
        raise ValueError(
            f"`level_of_measurement` must be 'nominal', 'ordinal' or 'interval', got {level_of_measurement!r}"
        )
    pairable = matrix[:, (~np.isnan(matrix)).sum(axis=0) >= 2]
    n = pairable.shape[1]
    if n == 0:
        return Estimate(float("nan"), float("nan"), float("nan"), 0)
    flat, alpha, width = (
        _interval_alpha(pairable)
        if level_of_measurement == "interval"
        else _category_alpha(pairable, level_of_measurement)
    )
    value = float(alpha(flat.sum(axis=0, keepdims=True))[0])
    step = max(1, _CELLS_PER_BATCH // width)

    def of_counts(counts: FloatArray) -> FloatArray:
        return np.concatenate([alpha(counts[start : start + step] @ flat) for start in range(0, len(counts), step)])

    values, place = np.unique(pairable[~np.isnan(pairable)], return_inverse=True)
    seldom = ~np.isnan(pairable) & (pairable != values[np.bincount(place).argmax()])
    expected = n * (seldom.sum() / len(place)) ** 2
    if len(pairable) == 2:
        expected = float(seldom[0].sum() * seldom[1].sum()) / n
    complete = len(pairable) == 2 and len(values) == 2

    def of_table(counted: Table) -> float:
        both, one, other, neither = counted
        size = 2 * (both + one + other + neither)
        rare = 2 * both + one + other
        expected = 2 * rare * (size - rare) / (size - 1)
        return 1 - 2 * (one + other) / expected if expected > 0 else float("nan")

    def interval() -> Interval:
        draws = np.concatenate([of_counts(c) for c in draw_counts(n, n_resamples, make_rng(seed))])
        return statistic_interval(value, draws, of_counts, n, level=level, scale="fisher")

    found = _guarded(value, expected, (seldom[0], seldom[-1]), of_table if complete else None, interval, level)
    return Estimate(value, found.low, found.high, n, found.how)


class _Alpha(NamedTuple):
    """Per-item sums, and alpha as a function of their totals.

    Attributes:
        flat: Shape `[n_items, width]`.
        of_totals: From `[n_resamples, width]` to `[n_resamples]`.
        width: Columns.
    """

    flat: FloatArray
    of_totals: Callable[[FloatArray], FloatArray]
    width: int


def _category_alpha(ratings: FloatArray, level: Level) -> _Alpha:
    values = np.unique(ratings[~np.isnan(ratings)])
    k = len(values)
    counts = np.stack([(ratings == value).sum(axis=0) for value in values], axis=1).astype(np.float64)
    # An item's coincidences: its pairs of ratings by different raters, weighted so that every rating counts once.
    products = np.einsum("ui,uj->uij", counts, counts) - np.einsum("ui,ij->uij", counts, np.eye(k))
    flat = (products / (counts.sum(axis=1) - 1)[:, None, None]).reshape(len(counts), -1)
    nominal = (1.0 - np.eye(k))[None]

    def alpha(totals: FloatArray) -> FloatArray:
        coincidences = totals.reshape(-1, k, k)
        marginal = coincidences.sum(axis=2)
        delta = nominal
        if level == "ordinal":
            # Ratings between the two categories, counting half of each end (Krippendorff, 2011, p. 6).
            middle = np.cumsum(marginal, axis=1) - marginal / 2
            delta = (middle[:, :, None] - middle[:, None, :]) ** 2
        observed = (coincidences * delta).sum(axis=(1, 2))
        pairs = marginal[:, :, None] * marginal[:, None, :]
        return _one_less(observed, (pairs * delta).sum(axis=(1, 2)) / (marginal.sum(axis=1) - 1))

    return _Alpha(flat, alpha, k * k)


def _interval_alpha(ratings: FloatArray) -> _Alpha:
    present = ~np.isnan(ratings)
    # Only the ratios of differences count. Centring keeps the squares from drowning them, and in units of
    # the largest their size is no matter; ratings that differ in their last bits are equal.
    centred = np.where(present, ratings - ratings[present].mean(), 0.0)
    largest = float(np.abs(centred).max())
    rounding = 1e-14 * float(np.abs(ratings[present]).max())
    centred = centred / largest if largest > rounding else np.zeros_like(centred)
    n = present.sum(axis=0).astype(np.float64)
    sums, squares = centred.sum(axis=0), (centred**2).sum(axis=0)
    within = 2 * (n * squares - sums**2) / (n - 1)
    floor = 1e-12 * float(squares.sum())

    def alpha(totals: FloatArray) -> FloatArray:
        observed, size, s, ss = totals.T
        expected = 2 * (size * ss - s**2) / (size - 1)
        return _one_less(observed, np.where(expected > floor, expected, 0.0))

    return _Alpha(np.column_stack([within, n, sums, squares]), alpha, 4)


def _one_less(observed: FloatArray, expected: FloatArray) -> FloatArray:
    """`1 - observed / expected`, NaN where nothing else was to be expected."""
    ratio = np.full(len(observed), np.nan)
    np.divide(observed, expected, out=ratio, where=expected > 0)
    return 1 - ratio
