"""Correlation of scores with gold, with bootstrap intervals: by answer, by pair, by system."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from fas.stats.bootstrap import (
    Estimate,
    FloatArray,
    Units,
    as_values,
    check_options,
    draw_counts,
    make_rng,
    make_units,
    resample_means,
    unit_sums,
)
from fas.stats.coefficients import Coefficient, Statistic, auroc, coefficient
from fas.stats.intervals import (
    FEWEST_OF_STATISTICS,
    NONE,
    Scale,
    percentile_limits,
    share_limits,
    statistic_interval,
    too_few,
)
from fas.stats.ranking import kendall_rows, rank_rows, settle
from fas.stats.rare import EXACT_BELOW, EXPECTED, Table, area, expected_together, few_events, off, phi, rare_interval

Ties = Literal["half", "wrong", "equal"]
FEWEST_OF_A_CLASS = 10
"""Fewer answers of a class have no interval of the area under the curve, unless the score has two values."""

_CELLS_PER_BATCH = 1_000_000  # resamples times items that a coefficient unfolds at once


@dataclass(frozen=True, slots=True)
class PairwiseAccuracy:
    """How often a score orders two answers to the same question as gold does.

    Attributes:
        value: Accuracy in [0, 1]; NaN without a pair.
        low: Lower limit over questions; NaN for too few with a pair.
        high: Upper limit.
        n_pairs: Pairs counted.
        n_tied: Pairs among them whose scores are equal.
        n_questions: Questions with at least one pair.
        how: Kind of interval, or why there is none.
    """

    value: float
    low: float
    high: float
    n_pairs: int
    n_tied: int
    n_questions: int
    how: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return asdict(self)


def correlation(
    scores: npt.ArrayLike,
    gold: npt.ArrayLike,
    *,
    name: Coefficient = "spearman",
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
    clusters: npt.ArrayLike | None = None,
) -> Estimate:
    """Answer-level correlation of *scores* with *gold*, with its interval (`fas.stats.intervals`, `fas.stats.rare`).

    >>> correlation([0.1, 0.4, 0.3, 0.9], [1, 2, 3, 4], n_resamples=200).value
    0.8

    Args:
        scores: Shape `[n_answers]`; answers where either is NaN are left out.
        gold: Shape `[n_answers]`.
        name: `"spearman"`, `"kendall"` (tau-b) or `"pearson"`.
        n_resamples: Resamples; where a variable is constant in more than 2% of them there is no interval.
        level: Confidence level.
        seed: Seed.
        clusters: Question of each answer; whole questions are drawn.

    Returns:
        The coefficient, NaN where a variable is constant; `n` counts complete answers.

    Raises:
        ValueError: Lengths differ, a value is infinite, or an option is out of range.
    """
    check_options(n_resamples, level)
    (x, y), units = complete({"scores": scores, "gold": gold}, clusters)
    # Fisher's own error: with skewed scores the jackknife's of Pearson's r is too small below 100 answers.
    least = 1 / math.sqrt(len(x) - 3) if name == "pearson" and len(x) == units.n > 3 else 0.0
    return _estimate(coefficient(name, x, y), (x, y), units, phi, n_resamples, level, seed, scale="fisher", least=least,
                     among=units.n // 3 if least else None)  # fmt: skip


def auroc_estimate(
    scores: npt.ArrayLike,
    gold: npt.ArrayLike,
    *,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
    clusters: npt.ArrayLike | None = None,
) -> Estimate:
    """Area under the ROC curve of *scores* for binary *gold*, with its interval (`fas.stats.intervals`, `.rare`).

    Args:
        scores: Shape `[n_answers]`; answers where either is NaN are left out.
        gold: Shape `[n_answers]`, 0 or 1; 1 (or True) is what a high score should mean.
        n_resamples: Resamples; where more than 2% of them have one class only there is no interval.
        level: Confidence level.
        seed: Seed.
        clusters: Question of each answer.

    Returns:
        The area in [0, 1]; NaN where gold has one class only.

    Raises:
        ValueError: Gold has a value other than 0 and 1, or see `correlation`.
    """
    check_options(n_resamples, level)
    (x, y), units = complete({"scores": scores, "gold": gold}, clusters)
    odd = y[(y != 0) & (y != 1)]
    if len(odd):
        raise ValueError(f"`gold` must be 0 or 1 for the area under the ROC curve, got {odd[0]}")
    smaller = int(min((y == 1).sum(), (y == 0).sum()))
    if 0 < smaller < FEWEST_OF_A_CLASS and len(np.unique(x)) > 2:
        value = float(auroc(x, y == 1)(np.ones((1, len(y))))[0])
        return Estimate(value, math.nan, math.nan, len(y), f"{NONE}too few of one class ({smaller})")
    return _estimate(auroc(x, y == 1), (x, y), units, area, n_resamples, level, seed, scale="logit",
                     among=smaller)  # fmt: skip


def pairwise_accuracy(
    scores: npt.ArrayLike,
    gold: npt.ArrayLike,
    questions: npt.ArrayLike,
    *,
    ties: Ties = "half",
    level: float = 0.95,
) -> PairwiseAccuracy:
    """Share of pairs of answers to the same question that *scores* order as *gold* does.

    Args:
        scores: Shape `[n_answers]`; answers where either is NaN are left out.
        gold: Shape `[n_answers]`.
        questions: Shape `[n_answers]`; only answers to the same question are compared.
        ties: What equal scores are worth. `"half"`: half a point, as a coin would earn, and
            pairs equal in gold do not count. `"wrong"`: nothing, and pairs equal in gold do not
            count. `"equal"`: all pairs count, and equal scores are right exactly where gold is
            equal too (Deutsch, Foster and Freitag, Ties Matter, 2023).
        level: Confidence level.

    Raises:
        ValueError: There is no such rule for ties, or see `correlation`.
    """
    check_options(1, level)
    if ties not in ("half", "wrong", "equal"):
        raise ValueError(f"`ties` must be 'half', 'wrong' or 'equal', got {ties!r}")
    (x, y), units = complete({"scores": scores, "gold": gold}, questions)
    credit, pairs, tied = (np.zeros(units.n) for _ in range(3))
    order = np.argsort(units.of_item, kind="stable")
    starts = np.searchsorted(units.of_item[order], np.arange(units.n + 1))
    for unit in range(units.n):
        members = order[starts[unit] : starts[unit + 1]]
        for i in range(len(members) - 1):
            by_score = np.sign(x[members[i]] - x[members[i + 1 :]])
            by_gold = np.sign(y[members[i]] - y[members[i + 1 :]])
            counted = np.ones(len(by_gold), dtype=bool) if ties == "equal" else by_gold != 0
            credit[unit] += (counted & (by_score == by_gold)).sum()
            if ties == "half":
                credit[unit] += 0.5 * (counted & (by_score == 0)).sum()
            pairs[unit] += counted.sum()
            tied[unit] += (counted & (by_score == 0)).sum()
    n_pairs, n_questions = int(pairs.sum()), int((pairs > 0).sum())
    value = float(credit.sum() / n_pairs) if n_pairs else float("nan")
    found = share_limits(credit, pairs, level)
    return PairwiseAccuracy(value, found.low, found.high, n_pairs, int(tied.sum()), n_questions, found.how)


def system_correlation(
    scores: npt.ArrayLike,
    gold: npt.ArrayLike,
    systems: npt.ArrayLike,
    *,
    name: Coefficient = "spearman",
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
    clusters: npt.ArrayLike | None = None,
) -> Estimate:
    """System-level correlation: of the systems' mean scores with their mean gold.

    The systems are fixed and the answers (or questions) are resampled, so the interval speaks
    of other answers by the same systems, not of other systems.

    Args:
        scores: Shape `[n_answers]`; answers where either is NaN are left out.
        gold: Shape `[n_answers]`.
        systems: Shape `[n_answers]`: who gave the answer.
        name: Coefficient.
        n_resamples: Resamples; where a system has no answer in more than 2% of them there is no interval.
        level: Confidence level.
        seed: Seed.
        clusters: Question of each answer; with it, a drawn question brings the answers of all systems.

    Returns:
        The coefficient, NaN where the means of all systems are equal; `n` counts systems.
    """
    check_options(n_resamples, level)
    labels = np.asarray(systems)
    (x, y), units, kept = _complete({"scores": scores, "gold": gold}, clusters)
    if len(labels) != len(kept):
        raise ValueError(f"`systems` needs one name per answer: {len(kept)} answers, {len(labels)} names")
    owners: dict[Hashable, int] = {}
    owner = np.array([owners.setdefault(label, len(owners)) for label in labels[kept].tolist()], dtype=np.intp)
    n = len(owners)
    matrix = np.full((len(x), 2 * n), np.nan)
    rows = np.arange(len(x))
    matrix[rows, owner], matrix[rows, n + owner] = x, y
    if n < 2:
        return Estimate(float("nan"), float("nan"), float("nan"), n)
    sums, sizes = unit_sums(matrix, units)
    means = sums.sum(axis=0) / sizes.sum(axis=0)
    point = _by_rows(name, settle(means[None, :n], x), settle(means[None, n:], y))[0]
    draws = resample_means(sums, sizes, n_resamples, make_rng(seed))
    whole = ~np.isnan(draws).any(axis=1)
    values = np.full(len(draws), np.nan)
    values[whole] = _by_rows(name, settle(draws[whole, :n], x), settle(draws[whole, n:], y))
    if units.n < FEWEST_OF_STATISTICS:
        return Estimate(float(point), float("nan"), float("nan"), n, too_few(units.n))
    found = percentile_limits(values, level, float(point))
    return Estimate(float(point), found.low, found.high, n, found.how)


def complete(values: Mapping[str, npt.ArrayLike], clusters: npt.ArrayLike | None) -> tuple[list[FloatArray], Units]:
    """The variables without the items where any is NaN, and the units of what is left.

    Raises:
        ValueError: Lengths differ, or a value is infinite.
    """
    columns, units, _ = _complete(values, clusters)
    return columns, units


def resampled(statistic: Statistic, units: Units, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """*statistic* of every resample, shape `[n_resamples]`."""
    parts = []
    alone = units.n == len(units.of_item)
    for counts in draw_counts(units.n, n_resamples, rng):
        step = max(1, _CELLS_PER_BATCH // len(units.of_item))
        for start in range(0, len(counts), step):
            batch = counts[start : start + step]
            parts.append(statistic(batch if alone else batch[:, units.of_item]))
    return np.concatenate(parts)


def _complete(
    values: Mapping[str, npt.ArrayLike], clusters: npt.ArrayLike | None
) -> tuple[list[FloatArray], Units, npt.NDArray[np.bool_]]:
    columns = {name: as_values(data, name) for name, data in values.items()}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"one value per answer is needed of each, got lengths {lengths}")
    n_items = next(iter(lengths.values()))
    kept = ~np.any([np.isnan(column) for column in columns.values()], axis=0)
    labels = None
    if clusters is not None:
        labels = np.asarray(clusters)
        if len(labels) != n_items:
            raise ValueError(f"one question per answer is needed: {n_items} answers, {len(labels)} labels")
        labels = labels[kept]
    return [column[kept] for column in columns.values()], make_units(int(kept.sum()), labels), kept


def of_units(statistic: Statistic, units: Units) -> Statistic:
    """*statistic* as a function of how often each unit counts."""
    if units.n == len(units.of_item):
        return statistic
    return lambda counts: statistic(counts[:, units.of_item])


def _estimate(
    statistic: Statistic,
    variables: tuple[FloatArray, FloatArray],
    units: Units,
    of_table: Callable[[Table], float],
    n_resamples: int,
    level: float,
    seed: int,
    *,
    scale: Scale,
    least: float = 0.0,
    among: int | None = None,
) -> Estimate:
    n = len(units.of_item)
    nothing = math.nan
    if n < 2:
        return Estimate(nothing, nothing, nothing, n, too_few(units.n))
    value = float(statistic(np.ones((1, n)))[0])
    if np.isnan(value) or units.n < FEWEST_OF_STATISTICS:
        return Estimate(value, nothing, nothing, n, "" if np.isnan(value) else too_few(units.n))
    seldom = off(variables[0]), off(variables[1])
    expected = expected_together(*seldom, units.of_item)
    binary = units.n == n and all(len(np.unique(one)) == 2 for one in variables)
    if expected < EXPECTED and not binary:
        return Estimate(value, nothing, nothing, n, few_events(int(seldom[0].sum()), int(seldom[1].sum()), n))
    if expected < EXACT_BELOW and binary:
        # Two variables that are off to the same side go together, else against each other.
        alike = (variables[0][seldom[0]][0] > variables[0][~seldom[0]][0]) == (
            variables[1][seldom[1]][0] > variables[1][~seldom[1]][0]
        )
        found = rare_interval(lambda t: of_table(t) if alike else _turned(of_table(t), scale), *seldom, level)
    else:
        draws = resampled(statistic, units, n_resamples, make_rng(seed))
        found = statistic_interval(
            value, draws, of_units(statistic, units), units.n, level=level, scale=scale, least=least, among=among
        )
    return Estimate(value, found.low, found.high, n, found.how)


def _turned(value: float, scale: Scale) -> float:
    """The statistic with one variable turned round."""
    return 1 - value if scale == "logit" else -value


def _by_rows(name: Coefficient, first: FloatArray, second: FloatArray) -> FloatArray:
    """The coefficient of each row of *first* with the same row of *second*; few columns.

    NaN where a row is constant; its values must then be equal to the last bit, as `settle` makes them.
    """
    if name == "kendall":
        return kendall_rows(first, second)
    if name == "spearman":
        first, second = rank_rows(first), rank_rows(second)
    elif name != "pearson":
        coefficient(name, first[0], second[0])
    a = first - first.mean(axis=1, keepdims=True)
    b = second - second.mean(axis=1, keepdims=True)
    scale = np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    # The mean of equal values may differ from them in its last bit, so the deviations cannot tell.
    varies = (np.ptp(first, axis=1) > 0) & (np.ptp(second, axis=1) > 0)
    values = np.full(len(a), np.nan)
    np.divide((a * b).sum(axis=1), scale, out=values, where=varies & (scale > 0))
    return values
