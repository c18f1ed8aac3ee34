"""Correlation of scores with gold, with intervals: by answer, by pair, by system, and of one metric against another.

Sources: Williams, The comparison of regression variables (1959), in the form of Steiger, Tests for comparing elements
of a correlation matrix (1980), eq. 7; Steiger's Z with pooled estimates, eqs. 3 and 14 there (after Dunn and Clark,
1969).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from fas.stats.bootstrap import BootstrapOptions, Estimate, FloatArray, Resampling, Units, make_units, stack, unit_sums
from fas.stats.coefficients import COEFFICIENTS, Coefficient, Statistic, auroc, coefficient
from fas.stats.intervals import (
    FEWEST_OF_STATISTICS,
    NONE,
    Interval,
    Scale,
    describe_too_few,
    make_empty_interval,
    mean_draws,
    percentile_limits,
    share_limits,
    statistic_interval,
)
from fas.stats.ranking import equalise_rounding, kendall_rows, rank_rows
from fas.stats.rare import (
    EXPECTED,
    Table,
    area,
    describe_few_events,
    differs_from_mode,
    expected_together,
    guard_interval,
    phi,
)

FEWEST_OF_A_CLASS = 10
"""Fewer answers of a class have no interval of the area under the curve, unless the score has two values."""
_CELLS_PER_BATCH = 1_000_000  # resamples times items that a coefficient unfolds at once


@dataclass(frozen=True, slots=True)
class PairwiseAccuracy:
    """Share of pairs of answers to a question that a score orders as gold does; NaN without a pair.

    `n_questions` have at least one pair; in `n_tied` of the pairs the scores are equal.
    """

    value: float
    low: float
    high: float
    n_pairs: int
    n_tied: int
    n_questions: int
    how: str = ""

    as_dict = asdict


class Test(NamedTuple):
    """A test statistic and its two-sided p; both NaN where the test does not apply."""

    statistic: float = math.nan
    p: float = math.nan


@dataclass(frozen=True, slots=True)
class CorrelationDifference:
    """Two correlations with the same gold, `between` of the two metrics, and `first - second` with its limits.

    `p` is two-sided and belongs to the interval: it holds 0 where p is above 1 - level. `williams` is a t test (n - 3
    degrees of freedom), `steiger` a Z test; no test has a p where there is no interval.
    """

    first: float
    second: float
    between: float
    difference: float
    low: float
    high: float
    p: float
    williams: Test
    steiger: Test
    n: int
    n_units: int = 0
    how: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The fields by name; the tests as `{statistic, p}`."""
        return asdict(self) | {"williams": self.williams._asdict(), "steiger": self.steiger._asdict()}


def correlation(
    scores: npt.ArrayLike, gold: npt.ArrayLike, *, name: Coefficient = "spearman", **options: Unpack[BootstrapOptions]
) -> Estimate:
    """Answer-level correlation of *scores* with *gold*, with its interval (`fas.stats.intervals`, `fas.stats.rare`).

    >>> correlation([0.1, 0.4, 0.3, 0.9], [1, 2, 3, 4], n_resamples=200).value
    0.8

    Answers where either is NaN are left out; `n` counts the others. NaN where a variable is constant; where one is in
    more than 2% of the resamples there is no interval.

    Raises:
        ValueError: Lengths differ, a value is infinite, or an option is out of range.
    """
    how = Resampling(**options)
    (x, y), units, _ = complete({"scores": scores, "gold": gold}, how.clusters)
    # Fisher's own error: with skewed scores the jackknife's of Pearson's r is too small below 100 answers.
    least = 1 / math.sqrt(len(x) - 3) if name == "pearson" and units.single and units.n > 3 else 0.0
    among = units.n // 3 if least else None
    return _estimate(coefficient(name, x, y), (x, y), units, phi, how, scale="fisher", least=least, among=among)


def auroc_estimate(scores: npt.ArrayLike, gold: npt.ArrayLike, **options: Unpack[BootstrapOptions]) -> Estimate:
    """Area under the ROC curve of *scores* for binary *gold*, with its interval (`fas.stats.intervals`, `.rare`).

    Gold is 0 or 1 (else a ValueError); 1 (or True) is what a high score should mean. NaN where gold has one class only.
    """
    how = Resampling(**options)
    (x, y), units, _ = complete({"scores": scores, "gold": gold}, how.clusters)
    odd = y[(y != 0) & (y != 1)]
    if len(odd):
        raise ValueError(f"`gold` must be 0 or 1 for the area under the ROC curve, got {odd[0]}")
    smaller = int(min((y == 1).sum(), (y == 0).sum()))
    if 0 < smaller < FEWEST_OF_A_CLASS and len(np.unique(x)) > 2:
        value = auroc(x, y == 1)(np.ones((1, len(y))))[0]
        return Estimate.of(value, len(y), f"{NONE}too few of one class ({smaller})")
    return _estimate(auroc(x, y == 1), (x, y), units, area, how, scale="logit", among=smaller)


def pairwise_accuracy(
    scores: npt.ArrayLike, gold: npt.ArrayLike, questions: npt.ArrayLike, *, level: float = 0.95
) -> PairwiseAccuracy:
    """Share of pairs of answers to the same question that *scores* order as *gold* does.

    Pairs equal in gold do not count; equal scores earn half a point, as a coin would. Answers where either is NaN are
    left out.
    """
    Resampling(level=level)
    (x, y), units, _ = complete({"scores": scores, "gold": gold}, questions)
    credit, pairs, tied = (np.zeros(units.n) for _ in range(3))
    order = np.argsort(units.of_item, kind="stable")
    for members in np.split(order, np.searchsorted(units.of_item[order], np.arange(1, units.n))):
        first, second = members[np.array(np.triu_indices(len(members), 1))]
        by_score, by_gold = np.sign(x[first] - x[second]), np.sign(y[first] - y[second])
        unit, counted = units.of_item[members[:1]], by_gold != 0
        pairs[unit], tied[unit] = counted.sum(), (counted & (by_score == 0)).sum()
        credit[unit] = (counted & (by_score == by_gold)).sum() + tied[unit] / 2
    n_pairs = int(pairs.sum())
    value = float(credit.sum() / n_pairs) if n_pairs else math.nan
    found = share_limits(credit, pairs, level)
    return PairwiseAccuracy(value, found.low, found.high, n_pairs, int(tied.sum()), int((pairs > 0).sum()), found.how)


def system_correlation(
    scores: npt.ArrayLike,
    gold: npt.ArrayLike,
    systems: npt.ArrayLike,
    *,
    name: Coefficient = "spearman",
    **options: Unpack[BootstrapOptions],
) -> Estimate:
    """System-level correlation: of the systems' mean scores with their mean gold.

    The systems are fixed and the answers (or questions, with the answers of all systems) are resampled, so the
    interval holds for other answers by the same systems, not for other systems.

    *systems* says who gave each answer. The coefficient is NaN where the means of all systems are equal; `n` counts
    systems. Where a system has no answer in more than 2% of the resamples there is no interval.
    """
    how = Resampling(**options)
    labels = np.asarray(systems)
    (x, y), units, kept = complete({"scores": scores, "gold": gold}, how.clusters)
    if len(labels) != len(kept):
        raise ValueError(f"`systems` needs one name per answer: {len(kept)} answers, {len(labels)} names")
    if name not in COEFFICIENTS:
        raise ValueError(f"`name` must be one of {', '.join(COEFFICIENTS)}, got {name!r}")
    owner, n = make_units(len(x), labels[kept])
    matrix = np.full((len(x), 2 * n), np.nan)
    rows = np.arange(len(x))
    matrix[rows, owner], matrix[rows, n + owner] = x, y
    if n < 2:
        return Estimate.of(math.nan, n)
    sums, sizes = unit_sums(matrix, units)
    draws = np.vstack([sums.sum(axis=0) / sizes.sum(axis=0), mean_draws(sums, sizes, how)[0]])
    whole = ~np.isnan(draws).any(axis=1)
    values = np.full(len(draws), np.nan)
    means = (equalise_rounding(draws[whole, :n], x), equalise_rounding(draws[whole, n:], y))
    values[whole] = _correlate_rows(name, *means)
    if units.n < FEWEST_OF_STATISTICS:
        return Estimate.of(values[0], n, describe_too_few(units.n))
    return Estimate.of(values[0], n, percentile_limits(values[1:], how.level, float(values[0])))


def correlation_difference(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    gold: npt.ArrayLike,
    *,
    name: Coefficient = "spearman",
    **options: Unpack[BootstrapOptions],
) -> CorrelationDifference:
    """Correlation of *first* with *gold* minus that of *second*, on the same answers.

    The two analytic tests assume independent answers and are exact for Pearson's coefficient of
    normal data; for Spearman's they are the usual approximation. They are NaN for Kendall's tau
    and where several answers share a question. Answers with a NaN in any of the three are left out.
    """
    how = Resampling(**options)
    (a, b, y), units, _ = complete({"first": first, "second": second, "gold": gold}, how.clusters)
    n = len(y)
    if n < 2:
        nan, why = math.nan, describe_too_few(units.n)
        return CorrelationDifference(nan, nan, nan, nan, nan, nan, nan, Test(), Test(), n, units.n, why)
    statistics = [coefficient(name, *pair) for pair in ((a, y), (b, y), (a, b))]
    r_first, r_second, between = (float(one(np.ones((1, n)))[0]) for one in statistics)

    def difference(counts: FloatArray) -> FloatArray:
        return statistics[0](counts) - statistics[1](counts)

    apart = r_first - r_second
    seldom = [differs_from_mode(one) for one in (a, b, y)]
    if min(expected_together(one, seldom[2], units.of_item) for one in seldom[:2]) < EXPECTED:
        found = make_empty_interval(describe_few_events(min(seldom[:2], key=np.sum), seldom[2]))
    else:
        draws, by_unit = resample_statistic(difference, units, how), weigh_units(difference, units)
        found = statistic_interval(apart, draws, by_unit, units.n, level=how.level, scale="plain")
    # Where too many draws have no value the coefficients hang on a few answers, and no test's p means anything.
    analytic = name != "kendall" and units.single and not math.isnan(found.p)
    williams, steiger = (
        test(r_first, r_second, between, n) if analytic else Test() for test in (williams_test, steiger_test)
    )
    low, high, kind, p = found
    return CorrelationDifference(r_first, r_second, between, apart, low, high, p, williams, steiger, n, units.n, kind)


def williams_test(r_first: float, r_second: float, between: float, n: int) -> Test:
    """Williams's t for two correlations that share a variable.

    *r_first* and *r_second* are their correlations with it, *between* that of the two, all of *n* items. NaN where the
    test is undefined: fewer than 4 items, the two variables equal up to scale, or a NaN among the arguments.
    """
    if n < 4 or math.isnan(r_first + r_second + between) or abs(between) >= 1 - 1e-12:
        return Test()
    determinant = 1 - r_first**2 - r_second**2 - between**2 + 2 * r_first * r_second * between
    mean = (r_first + r_second) / 2
    below = 2 * (n - 1) / (n - 3) * determinant + mean**2 * (1 - between) ** 3
    if below <= 0:
        return Test()
    from scipy.special import stdtr

    t = (r_first - r_second) * math.sqrt((n - 1) * (1 + between) / below)
    return Test(t, float(2 * stdtr(n - 3, -abs(t))))


def steiger_test(r_first: float, r_second: float, between: float, n: int) -> Test:
    """Steiger's Z for two correlations that share a variable; arguments as in `williams_test`."""
    if n < 4 or math.isnan(r_first + r_second + between) or max(abs(r_first), abs(r_second)) >= 1:
        return Test()
    pooled = ((r_first + r_second) / 2) ** 2
    # Covariance of the two correlations at their pooled value (Steiger, 1980, eqs. 3 and 11).
    covariance = between * (1 - 2 * pooled) - pooled * (1 - 2 * pooled - between**2) / 2
    covariance /= (1 - pooled) ** 2
    if covariance >= 1 - 1e-12:
        return Test()
    z = (math.atanh(r_first) - math.atanh(r_second)) * math.sqrt((n - 3) / (2 - 2 * covariance))
    return Test(z, math.erfc(abs(z) / math.sqrt(2)))


def resample_statistic(statistic: Statistic, units: Units, options: Resampling) -> FloatArray:
    """*statistic* of every resample, shape `[n_resamples]`."""
    parts, of_counts = [], weigh_units(statistic, units)
    step = max(1, _CELLS_PER_BATCH // len(units.of_item))
    for counts in options.counts(units.n):
        parts += [of_counts(counts[start : start + step]) for start in range(0, len(counts), step)]
    return np.concatenate(parts)


def complete(
    values: Mapping[str, npt.ArrayLike], clusters: npt.ArrayLike | None
) -> tuple[list[FloatArray], Units, npt.NDArray[np.bool_]]:
    """The variables without the items where any is NaN, the units of what is left, and which items are left."""
    matrix = stack(values)
    kept: npt.NDArray[np.bool_] = np.asarray(~np.isnan(matrix).any(axis=1))
    labels = None if clusters is None else np.asarray(clusters)
    if labels is not None and len(labels) != len(kept):
        raise ValueError(f"each answer needs a question: {len(kept)} answers, {len(labels)} labels")
    units = make_units(int(kept.sum()), None if labels is None else labels[kept])
    return list(matrix[kept].T), units, kept


def weigh_units(statistic: Statistic, units: Units) -> Statistic:
    """*statistic* as a function of how often each unit counts."""
    return statistic if units.single else lambda counts: statistic(counts[:, units.of_item])


def _estimate(
    statistic: Statistic,
    variables: tuple[FloatArray, FloatArray],
    units: Units,
    of_table: Callable[[Table], float],
    how: Resampling,
    *,
    scale: Scale,
    least: float = 0.0,
    among: int | None = None,
) -> Estimate:
    n = len(units.of_item)
    if n < 2:
        return Estimate.of(math.nan, n, describe_too_few(units.n))
    value = float(statistic(np.ones((1, n)))[0])
    if math.isnan(value):
        return Estimate.of(value, n)
    seldom = differs_from_mode(variables[0]), differs_from_mode(variables[1])
    # Two variables that are off to the same side go together, else against each other.
    sides = [one[rare].min(initial=math.inf) > one[~rare].min() for one, rare in zip(variables, seldom, strict=True)]

    def turned(table: Table) -> float:
        found = of_table(table)
        return found if sides[0] == sides[1] else 1 - found if scale == "logit" else -found

    def usual() -> Interval:
        draws, by_unit = resample_statistic(statistic, units, how), weigh_units(statistic, units)
        return statistic_interval(
            value, draws, by_unit, units.n, level=how.level, scale=scale, least=least, among=among
        )

    of_binary = turned if units.single and all(len(np.unique(one)) == 2 for one in variables) else None
    expected = expected_together(*seldom, units.of_item)
    return Estimate.of(value, n, guard_interval(value, seldom, expected, of_binary, usual, how.level, units.n))


def _correlate_rows(name: Coefficient, first: FloatArray, second: FloatArray) -> FloatArray:
    """The coefficient of each row of *first* with the same row of *second*; few columns.

    NaN where a row is constant; its values must then be equal to the last bit, as `equalise_rounding` makes them.
    """
    if name == "kendall":
        return kendall_rows(first, second)
    from scipy.stats import pearsonr

    if name == "spearman":
        first, second = rank_rows(first), rank_rows(second)
    values = np.full(len(first), np.nan)
    varies = (np.ptp(first, axis=1) > 0) & (np.ptp(second, axis=1) > 0)
    values[varies] = pearsonr(first[varies], second[varies], axis=1).statistic if varies.any() else np.nan
    return values
