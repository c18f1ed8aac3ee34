"""Association coefficients of many resamples at once, from how often each item was drawn.

Each function takes the data and returns a function from counts, shape `[n_resamples, n_items]`,
to coefficients, shape `[n_resamples]`; work that does not depend on the draws (above all sorting)
is done once. A coefficient is NaN in a resample where it is undefined because one of the two
variables does not vary. An item that was drawn several times is tied with itself, as in a loop
that copies the items.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import numpy.typing as npt

from fas.stats.bootstrap import FloatArray

Coefficient = Literal["pearson", "spearman", "kendall"]
COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall")
Statistic = Callable[[FloatArray], FloatArray]
_SIGN_COLUMNS = 512  # a block of the matrix of signs is made at a time


def coefficient(name: str, x: FloatArray, y: FloatArray) -> Statistic:
    """The coefficient called *name* for data *x* and *y*, without NaN."""
    if name not in COEFFICIENTS:
        raise ValueError(f"`coefficient` must be one of {', '.join(COEFFICIENTS)}, got {name!r}")
    return {"pearson": pearson, "spearman": spearman, "kendall": kendall}[name](x, y)


def pearson(x: FloatArray, y: FloatArray) -> Statistic:
    """Pearson's r of the drawn items."""
    a, b = _standardise(x), _standardise(y)
    columns = np.column_stack([np.ones_like(a), a, b, a * a, b * b, a * b])

    def statistic(counts: FloatArray) -> FloatArray:
        n, sa, sb, saa, sbb, sab = (counts @ columns).T
        # In units of the whole sample's variance: what is left below this is rounding, not spread.
        return _correlate(sab - sa * sb / n, saa - sa * sa / n, sbb - sb * sb / n, floor=1e-12 * n)

    return statistic


def spearman(x: FloatArray, y: FloatArray) -> Statistic:
    """Spearman's rho: Pearson's r of the mid-ranks within each resample."""
    groups_x, groups_y = _Groups(x), _Groups(y)

    def statistic(counts: FloatArray) -> FloatArray:
        n = counts.sum(axis=1)
        drawn_x, drawn_y = groups_x.counts(counts), groups_y.counts(counts)
        a, b = groups_x.ranks(drawn_x), groups_y.ranks(drawn_y)
        # Mid-ranks always average (n + 1) / 2, and their spread follows from the ties alone.
        together = np.einsum("ij,ij,ij->i", counts, a, b) - n * ((n + 1) / 2) ** 2
        return _correlate(together, _rank_spread(n, drawn_x), _rank_spread(n, drawn_y), floor=np.full(len(n), 1e-6))

    return statistic


def kendall(x: FloatArray, y: FloatArray) -> Statistic:
    """Kendall's tau-b.

    Concordant minus discordant pairs are `c' S c / 2` for the counts c and the matrix S of the signs
    of all pairs. The products are small whole numbers, which single precision holds exactly.
    """
    groups_x, groups_y = _Groups(x), _Groups(y)
    rank_x, rank_y = groups_x.of_item.astype(np.int32), groups_y.of_item.astype(np.int32)

    def statistic(counts: FloatArray) -> FloatArray:
        single = counts.astype(np.float32)
        balance = np.zeros(len(counts))
        for start in range(0, len(x), _SIGN_COLUMNS):
            columns = slice(start, start + _SIGN_COLUMNS)
            signs = np.sign(rank_x[:, None] - rank_x[None, columns]) * np.sign(rank_y[:, None] - rank_y[None, columns])
            balance += np.einsum("ij,ij->i", single @ signs.astype(np.float32), counts[:, columns])
        n = counts.sum(axis=1)
        pairs = n * (n - 1) / 2
        untied = [pairs - _count_tied_pairs(groups.counts(counts)) for groups in (groups_x, groups_y)]
        return _correlate(balance / 2, *untied, floor=np.full(len(counts), 0.5))

    return statistic


def auroc(scores: FloatArray, positive: npt.NDArray[np.bool_]) -> Statistic:
    """Area under the ROC curve: P(a positive item scores higher), ties half."""
    groups = _Groups(scores)

    def statistic(counts: FloatArray) -> FloatArray:
        hits = groups.counts(counts * positive)
        misses = groups.counts(counts * ~positive)
        below = np.cumsum(misses, axis=1) - misses / 2
        pairs = hits.sum(axis=1) * misses.sum(axis=1)
        areas = np.full(len(counts), np.nan)
        np.divide(np.einsum("ij,ij->i", hits, below), pairs, out=areas, where=pairs > 0)
        return areas

    return statistic


def _standardise(x: FloatArray) -> FloatArray:
    if len(x) == 0:
        return x
    centred = x - x.mean()
    spread = centred.std()
    # A column that is constant up to rounding must not be blown up into noise.
    constant = spread <= 1e-14 * max(1e-300, float(np.abs(x).max()))
    return np.zeros_like(centred) if constant else centred / spread


class _Groups:
    """The distinct values of a variable, ascending, and which of them each item has."""

    def __init__(self, x: FloatArray) -> None:
        distinct, group = np.unique(x, return_inverse=True)
        self.of_item = group.astype(np.intp)
        self._order = np.argsort(self.of_item, kind="stable")
        self._starts = np.searchsorted(self.of_item[self._order], np.arange(len(distinct)))
        self._all_differ = len(distinct) == len(x)

    def counts(self, counts: FloatArray) -> FloatArray:
        """Draws per distinct value, shape `[n_resamples, n_groups]`."""
        ordered = np.take(counts, self._order, axis=1)
        if self._all_differ:
            return ordered
        totals: FloatArray = np.add.reduceat(ordered, self._starts, axis=1)
        return totals

    def ranks(self, drawn: FloatArray) -> FloatArray:
        """Mid-rank of every item within its resample, from the draws per distinct value."""
        middle = np.cumsum(drawn, axis=1)
        middle -= (drawn - 1) / 2
        return np.take(middle, self.of_item, axis=1)


def _rank_spread(n: FloatArray, drawn: FloatArray) -> FloatArray:
    """Sum of squared deviations of mid-ranks: (n^3 - n) / 12 less the same of every tied group."""
    spread: FloatArray = (n**3 - n - (drawn**3 - drawn).sum(axis=1)) / 12
    return spread


def _count_tied_pairs(drawn: FloatArray) -> FloatArray:
    tied: FloatArray = (drawn * (drawn - 1)).sum(axis=1) / 2
    return tied


def _correlate(together: FloatArray, first: FloatArray, second: FloatArray, *, floor: FloatArray) -> FloatArray:
    defined = (first > floor) & (second > floor)
    scale = np.sqrt(np.where(defined, first * second, 1.0))
    return np.where(defined, np.clip(together / scale, -1.0, 1.0), np.nan)
