"""Stability of a ranking of systems, within a data set and across data sets.

Means that differ only by the rounding of their sums are equal here: `equalise_rounding` makes them so before
anything is ordered.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from fas.stats.bootstrap import BootstrapOptions, Estimate, FloatArray, Resampling, make_units, stack, unit_sums
from fas.stats.intervals import MOST_UNDEFINED, NONE, mean_draws, percentile_limits

_ROUNDING = 1e-12  # a difference of that share of the largest value is none: sums in another order differ as much


class RankingStability(NamedTuple):
    """A ranking of systems, best first, and how well resampling the answers keeps it.

    Attributes:
        same_order: Share of resamples with exactly this order, ties included.
        tau: Kendall's tau-b between this ranking and that of a resample: its median and the range of the middle
            95% (or `level`) of the resamples; NaN where all means are equal.
    """

    order: tuple[str, ...]
    same_order: float
    tau: Estimate


class RankingAgreement(NamedTuple):
    """Kendall's tau-b between the rankings of the same systems on two data sets."""

    first: str
    second: str
    tau: Estimate
    same_order: float


def ranking_stability(systems: Mapping[str, npt.ArrayLike], **options: Unpack[BootstrapOptions]) -> RankingStability:
    """Stability of the ranking of systems under other answers from the same source, higher scores first.

    *systems* are at least two names with scores on the same answers in the same order, NaN skipped.
    """
    how = Resampling(**options)
    observed, draws = _draw_means(systems, how)
    draws = draws[~np.isnan(draws).any(axis=1)]
    if len(draws) == 0:
        raise ValueError("no resample has a value for every system: too few answers")
    order = np.argsort(-observed, kind="stable")
    taus = kendall_rows(draws, observed)
    finite = taus[~np.isnan(taus)]
    tau = Estimate.of(math.nan, len(systems), f"{NONE}undefined in some draws")
    if len(finite) >= (1 - MOST_UNDEFINED) * len(taus):
        # The range of rankings, which may be of one ranking.
        middle, low, high = map(float, np.quantile(finite, [0.5, *how.tails]))
        tau = Estimate(middle, low, high, len(systems), "percentile")
    names = list(systems)
    return RankingStability(tuple(names[i] for i in order), _share_same_order(draws, observed), tau)


def ranking_agreement(
    datasets: Mapping[str, Mapping[str, npt.ArrayLike]],
    *,
    clusters: Mapping[str, npt.ArrayLike] | None = None,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
) -> list[RankingAgreement]:
    """Agreement of the rankings of the same systems on every two data sets, each resampled on its own.

    *datasets* has the scores of the same systems for each; data sets without *clusters* are not clustered.
    """
    names = [frozenset(systems) for systems in datasets.values()]
    if len(set(names)) > 1:
        raise ValueError(f"every data set needs the same systems, got {[sorted(group) for group in names]}")
    how = replace(Resampling(n_resamples, level), seed=np.random.default_rng(seed))  # type: ignore[arg-type]
    found = {}
    for dataset, systems in datasets.items():
        own = {name: systems[name] for name in sorted(systems)}
        found[dataset] = _draw_means(own, replace(how, clusters=(clusters or {}).get(dataset)))
    rows = []
    for (first, (one, draws)), (second, (other, others)) in combinations(found.items(), 2):
        point = float(kendall_rows(one, other))
        tau = Estimate.of(point, len(one), percentile_limits(kendall_rows(draws, others), level, point))
        rows.append(RankingAgreement(first, second, tau, _share_same_order(draws, others)))
    return rows


def equalise_rounding(means: FloatArray, values: FloatArray) -> FloatArray:
    """The means with those of a row made equal that differ only by rounding, by the largest of the *values* behind
    them.

    Each takes the smallest mean of its group; groups are parted by gaps, not by a grid, which would have
    edges of its own. NaN stays.
    """
    slack = _ROUNDING * float(np.nanmax(np.abs(values)))
    places = np.argsort(means, axis=-1)
    ordered = np.take_along_axis(means, places, axis=-1)
    first = np.ones(ordered.shape, dtype=bool)
    first[..., 1:] = ~(np.diff(ordered, axis=-1) <= slack)
    settled = np.empty_like(means)
    smallest = np.maximum.accumulate(np.where(first, ordered, -np.inf), axis=-1)
    np.put_along_axis(settled, places, smallest, axis=-1)
    return settled


def kendall_rows(rows: FloatArray, others: FloatArray) -> FloatArray:
    """Kendall's tau-b of each row with the row beside it (or with one row for all).

    For few columns, since it looks at all pairs of them; NaN where a row is constant or has NaN.
    """
    i, j = np.triu_indices(rows.shape[-1], 1)
    a = np.sign(rows[..., i] - rows[..., j])
    b = np.sign(others[..., i] - others[..., j])
    scale = np.sqrt((a**2).sum(axis=-1) * (b**2).sum(axis=-1))
    with np.errstate(invalid="ignore"):
        taus: FloatArray = np.where(scale > 0, (a * b).sum(axis=-1) / np.where(scale > 0, scale, 1.0), np.nan)
    return taus


def rank_rows(rows: FloatArray) -> FloatArray:
    """Rank of each value in its row, 1 for the smallest, ties sharing their mean rank."""
    from scipy.stats import rankdata

    ranks: FloatArray = rankdata(rows, axis=1)
    return ranks


def _draw_means(systems: Mapping[str, npt.ArrayLike], options: Resampling) -> tuple[FloatArray, FloatArray]:
    """The mean of every system, in the sample and in every resample."""
    if len(systems) < 2:
        raise ValueError(f"a ranking needs at least 2 systems, got {len(systems)}")
    matrix = stack(systems)
    empty = [name for name, column in zip(systems, matrix.T, strict=True) if np.isnan(column).all()]
    if empty:
        raise ValueError(f"{', '.join(empty)}: no value to rank by")
    draws, _ = mean_draws(*unit_sums(matrix, make_units(len(matrix), options.clusters)), options)
    return equalise_rounding(np.nanmean(matrix, axis=0), matrix), equalise_rounding(draws, matrix)


def _share_same_order(rows: FloatArray, others: FloatArray) -> float:
    i, j = np.triu_indices(rows.shape[-1], 1)
    same = np.sign(rows[..., i] - rows[..., j]) == np.sign(others[..., i] - others[..., j])
    whole = ~(np.isnan(rows).any(axis=-1) | np.isnan(others).any(axis=-1))
    alike = same.all(axis=-1)[whole]
    return float(alike.mean()) if alike.size else math.nan
