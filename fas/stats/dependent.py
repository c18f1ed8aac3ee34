"""Whether one metric follows gold better than another on the same answers.

Sources: Williams, The comparison of regression variables (1959), in the form of Steiger, Tests for
comparing elements of a correlation matrix (1980), eq. 7; Steiger's Z with pooled estimates, eqs. 3
and 14 there (after Dunn and Clark, 1969).
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fas.stats.bootstrap import FloatArray, check_options, make_rng
from fas.stats.coefficients import Coefficient, coefficient
from fas.stats.correlation import complete, of_units, resampled
from fas.stats.intervals import nothing, statistic_interval, too_few
from fas.stats.rare import EXPECTED, expected_together, few_events, off


class Test(NamedTuple):
    """A test statistic and its two-sided p; both NaN where the test does not apply."""

    statistic: float
    p: float


@dataclass(frozen=True, slots=True)
class CorrelationDifference:
    """Two correlations with the same gold, and the difference between them.

    Attributes:
        first: Correlation of the first metric with gold.
        second: Correlation of the second.
        between: Correlation of the two metrics.
        difference: `first - second`.
        low: Lower limit of the difference; NaN where there is no interval.
        high: Upper limit.
        p: Two-sided p that belongs to the interval: it holds 0 where p is above 1 - level.
        williams: Williams's t test (n - 3 degrees of freedom).
        steiger: Steiger's Z test.
        n: Answers with all three values.
        n_units: Independent units among them.
        how: Kind of interval (`fas.stats.intervals`), or why there is none; then there is no p of any test.
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


def correlation_difference(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    gold: npt.ArrayLike,
    *,
    name: Coefficient = "spearman",
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
    clusters: npt.ArrayLike | None = None,
) -> CorrelationDifference:
    """How much better *first* correlates with *gold* than *second* does, on the same answers.

    The two analytic tests assume independent answers and are exact for Pearson's coefficient of
    normal data; for Spearman's they are the usual approximation. They are NaN for Kendall's tau
    and where several answers share a question.

    Args:
        first: Shape `[n_answers]`; answers with a NaN in any of the three are left out.
        second: Shape `[n_answers]`.
        gold: Shape `[n_answers]`.
        name: Coefficient.
        n_resamples: Resamples.
        level: Confidence level.
        seed: Seed.
        clusters: Question of each answer.

    Raises:
        ValueError: Lengths differ, a value is infinite, or an option is out of range.
    """
    check_options(n_resamples, level)
    (a, b, y), units = complete({"first": first, "second": second, "gold": gold}, clusters)
    n = len(y)
    nan = math.nan
    if n < 2:
        none = Test(nan, nan)
        return CorrelationDifference(nan, nan, nan, nan, nan, nan, nan, none, none, n, units.n, too_few(units.n))
    of_first, of_second = coefficient(name, a, y), coefficient(name, b, y)
    everything = np.ones((1, n))
    r_first, r_second = float(of_first(everything)[0]), float(of_second(everything)[0])
    between = float(coefficient(name, a, b)(everything)[0])

    def difference(counts: FloatArray) -> FloatArray:
        return of_first(counts) - of_second(counts)

    seldom = [off(one) for one in (a, b, y)]
    if min(expected_together(one, seldom[2], units.of_item) for one in seldom[:2]) < EXPECTED:
        found = nothing(few_events(min(int(one.sum()) for one in seldom[:2]), int(seldom[2].sum()), n))
    else:
        draws = resampled(difference, units, n_resamples, make_rng(seed))
        found = statistic_interval(
            r_first - r_second, draws, of_units(difference, units), units.n, level=level, scale="plain"
        )
    # Where too many draws have no value the coefficients hang on a few answers, and no test's p means anything.
    analytic = name != "kendall" and units.n == n and not math.isnan(found.p)
    return CorrelationDifference(
        first=r_first,
        second=r_second,
        between=between,
        difference=r_first - r_second,
        low=found.low,
        high=found.high,
        p=found.p,
        williams=williams_test(r_first, r_second, between, n) if analytic else Test(nan, nan),
        steiger=steiger_test(r_first, r_second, between, n) if analytic else Test(nan, nan),
        n=n,
        n_units=units.n,
        how=found.how,
    )


def williams_test(r_first: float, r_second: float, between: float, n: int) -> Test:
    """Williams's t for two correlations that share a variable.

    Args:
        r_first: Correlation of the first variable with the shared one.
        r_second: Correlation of the second with the shared one.
        between: Correlation of the first with the second.
        n: Number of items; the test needs at least 4.

    Returns:
        t with n - 3 degrees of freedom and its two-sided p; NaN where it is undefined
        (fewer than 4 items, the two variables equal up to scale, or a NaN among the arguments).
    """
    if n < 4 or math.isnan(r_first + r_second + between) or abs(between) >= 1 - 1e-12:
        return Test(math.nan, math.nan)
    determinant = 1 - r_first**2 - r_second**2 - between**2 + 2 * r_first * r_second * between
    mean = (r_first + r_second) / 2
    below = 2 * (n - 1) / (n - 3) * determinant + mean**2 * (1 - between) ** 3
    if below <= 0:
        return Test(math.nan, math.nan)
    from scipy.special import stdtr

    t = (r_first - r_second) * math.sqrt((n - 1) * (1 + between) / below)
    return Test(t, float(2 * stdtr(n - 3, -abs(t))))


def steiger_test(r_first: float, r_second: float, between: float, n: int) -> Test:
    """Steiger's Z for two correlations that share a variable; arguments as in `williams_test`."""
    if n < 4 or math.isnan(r_first + r_second + between) or max(abs(r_first), abs(r_second)) >= 1:
        return Test(math.nan, math.nan)
    pooled = ((r_first + r_second) / 2) ** 2
    # Covariance of the two correlations at their pooled value (Steiger, 1980, eqs. 3 and 11).
    covariance = between * (1 - 2 * pooled) - pooled * (1 - 2 * pooled - between**2) / 2
    covariance /= (1 - pooled) ** 2
    if covariance >= 1 - 1e-12:
        return Test(math.nan, math.nan)
    z = (math.atanh(r_first) - math.atanh(r_second)) * math.sqrt((n - 3) / (2 - 2 * covariance))
    return Test(z, math.erfc(abs(z) / math.sqrt(2)))
