"""How stable a ranking of systems is, within a data set and across data sets.

Means that differ only by the rounding of their sums are equal here: `settle` makes them so before
anything is ordered.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fas.stats.bootstrap import (
    Estimate,
    FloatArray,
    check_options,
    make_rng,
    make_units,
    resample_means,
    stack,
    unit_sums,
)
from fas.stats.intervals import MOST_UNDEFINED, NONE, percentile_limits

_ROUNDING = 1e-12  # a difference of that share of the largest value is none: sums in another order differ as much


@dataclass(frozen=True, slots=True)
class RankingStability:
    """A ranking of systems and how well resampling the answers keeps it.

    Attributes:
        order: Systems, best first; those with equal means as they were given.
        means: Mean of each, in that order.
        same_order: Share of resamples with exactly this order, ties included.
        tau: Kendall's tau-b between this ranking and that of a resample: its median and the range of the middle
            95% (or `level`) of the resamples; NaN where all means are equal.
        ranks: Per system, in that order, the 95% (or `level`) range of its rank, 1 for the best;
            tied systems share the mean of their ranks.
        best: Share of resamples in which each system is (or ties for) the best.
        n_resamples: Resamples in which every system had a value.
    """

    order: tuple[str, ...]
    means: tuple[float, ...]
    same_order: float
    tau: Estimate
    ranks: tuple[tuple[float, float], ...]
    best: tuple[float, ...]
    n_resamples: int


@dataclass(frozen=True, slots=True)
class RankingAgreement:
    """Kendall's tau-b between the rankings of the same systems on two data sets."""

    first: str
    second: str
    tau: Estimate
    same_order: float


def ranking_stability(
    systems: Mapping[str, npt.ArrayLike],
    *,
    higher_is_better: bool = True,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
    clusters: npt.ArrayLike | None = None,
) -> RankingStability:
    """How often other answers from the same source would rank the systems the same.

    Args:
        systems: At least two; name to scores on the same answers in the same order, NaN skipped.
        higher_is_better: False for shares of contradicted claims and the like.
        n_resamples: Resamples.
        level: Level of the ranges.
        seed: Seed.
        clusters: Question of each answer.

    Raises:
        ValueError: Fewer than two systems, or one without any value.
    """
    check_options(n_resamples, level)
    matrix = _system_matrix(systems)
    sign = 1 if higher_is_better else -1
    observed = sign * settle(np.nanmean(matrix, axis=0), matrix)
    draws = sign * settle(_draws(matrix, clusters, n_resamples, make_rng(seed)), matrix)
    draws = draws[~np.isnan(draws).any(axis=1)]
    if len(draws) == 0:
        raise ValueError("no resample has a value of every system; there are too few answers")
    order = np.argsort(-observed, kind="stable")
    names = list(systems)
    taus = kendall_rows(draws, observed)
    finite = taus[~np.isnan(taus)]
    middle, low, high, how = math.nan, math.nan, math.nan, f"{NONE}undefined in some draws"
    if len(finite) >= (1 - MOST_UNDEFINED) * len(taus):
        middle, low, high = map(float, np.quantile(finite, [0.5, (1 - level) / 2, (1 + level) / 2]))
        how = "percentile"  # the range of rankings, which may be of one ranking
    ranks = rank_rows(-draws)[:, order]
    tails = [(1 - level) / 2, (1 + level) / 2]
    limits = np.quantile(ranks, tails, axis=0, method="inverted_cdf")
    best = (draws == draws.max(axis=1, keepdims=True)).mean(axis=0)
    return RankingStability(
        order=tuple(names[i] for i in order),
        means=tuple(float(np.nanmean(matrix[:, i])) for i in order),
        same_order=_same_order(draws, observed),
        tau=Estimate(middle, low, high, len(names), how),
        ranks=tuple((float(a), float(b)) for a, b in limits.T),
        best=tuple(float(best[i]) for i in order),
        n_resamples=len(draws),
    )


def ranking_agreement(
    datasets: Mapping[str, Mapping[str, npt.ArrayLike]],
    *,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
    clusters: Mapping[str, npt.ArrayLike] | None = None,
) -> list[RankingAgreement]:
    """Whether data sets rank the same systems alike, for every pair of data sets.

    Each data set is resampled on its own.

    Args:
        datasets: Data set to system to scores; every data set has the same systems.
        n_resamples: Resamples.
        level: Confidence level.
        seed: Seed.
        clusters: Data set to the question of each of its answers; data sets left out are not clustered.

    Raises:
        ValueError: The systems differ between data sets.
    """
    check_options(n_resamples, level)
    rng = make_rng(seed)
    names = [frozenset(systems) for systems in datasets.values()]
    if len(set(names)) > 1:
        raise ValueError(f"every data set needs the same systems, got {[sorted(group) for group in names]}")
    observed, draws = {}, {}
    for dataset, systems in datasets.items():
        matrix = _system_matrix({name: systems[name] for name in sorted(systems)})
        observed[dataset] = settle(np.nanmean(matrix, axis=0), matrix)
        draws[dataset] = settle(_draws(matrix, (clusters or {}).get(dataset), n_resamples, rng), matrix)
    rows = []
    titles = list(datasets)
    for i, first in enumerate(titles):
        for second in titles[i + 1 :]:
            point = kendall_rows(observed[first][None, :], observed[second])[0]
            found = percentile_limits(kendall_rows(draws[first], draws[second]), level, float(point))
            tau = Estimate(float(point), found.low, found.high, len(observed[first]), found.how)
            rows.append(RankingAgreement(first, second, tau, _same_order(draws[first], draws[second])))
    return rows


def settle(means: FloatArray, values: FloatArray) -> FloatArray:
    """The means with those of a row made equal that differ only by rounding.

    Each takes the smallest mean of its group; groups are parted by gaps, not by a grid, which would have
    edges of its own. NaN stays.

    Args:
        means: Shape `[n_means]` or `[n_rows, n_means]`.
        values: What they are means of; the largest says how much rounding there can be.
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
    a, b = np.broadcast_arrays(a, b)
    scale = np.sqrt((a**2).sum(axis=-1) * (b**2).sum(axis=-1))
    taus = np.full(scale.shape, np.nan)
    np.divide((a * b).sum(axis=-1), scale, out=taus, where=scale > 0)
    return taus


def _system_matrix(systems: Mapping[str, npt.ArrayLike]) -> FloatArray:
    if len(systems) < 2:
        raise ValueError(f"a ranking needs at least 2 systems, got {len(systems)}")
    matrix = stack(systems)
    empty = [name for column, name in enumerate(systems) if np.isnan(matrix[:, column]).all()]
    if empty:
        raise ValueError(f"{', '.join(empty)}: no value to rank by")
    return matrix


def _draws(
    matrix: FloatArray, clusters: npt.ArrayLike | None, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    sums, sizes = unit_sums(matrix, make_units(len(matrix), clusters))
    return resample_means(sums, sizes, n_resamples, rng)


def rank_rows(rows: FloatArray) -> FloatArray:
    """Rank of each value in its row, 1 for the smallest, ties sharing their mean rank."""
    from scipy.stats import rankdata

    ranks: FloatArray = rankdata(rows, axis=1)
    return ranks


def _same_order(rows: FloatArray, others: FloatArray) -> float:
    i, j = np.triu_indices(rows.shape[-1], 1)
    same = np.sign(rows[..., i] - rows[..., j]) == np.sign(others[..., i] - others[..., j])
    whole = ~(np.isnan(rows).any(axis=-1) | np.isnan(others).any(axis=-1))
    alike = same.all(axis=-1)[whole]
    return float(alike.mean()) if alike.size else float("nan")
