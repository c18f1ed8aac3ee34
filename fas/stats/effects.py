"""Effect sizes, and how many answers a comparison needs.

Sources: Cohen, Statistical Power Analysis for the Behavioral Sciences (1988); Hedges (1981) for
the correction of small samples; Cliff (1993) for delta. Power is that of the two-sided t test,
from the noncentral t distribution.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from fas.stats.bootstrap import as_values

_MOST = 10**9  # beyond this many answers the honest reply is "no number will do"


def cohen_dz(differences: npt.ArrayLike) -> float:
    """Mean of paired differences in units of their standard deviation; NaN skipped.

    NaN for fewer than two differences; infinite where all differences are equal and not 0,
    0 where all are 0.
    """
    kept = as_values(differences, "differences")
    kept = kept[~np.isnan(kept)]
    if len(kept) < 2:
        return math.nan
    return _ratio(float(kept.mean()), float(kept.std(ddof=1)))


def cohen_d(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Difference of two independent means in units of their pooled standard deviation; NaN skipped.

    NaN where either group has fewer than two values.
    """
    a, b = _group(first, "first"), _group(second, "second")
    if len(a) < 2 or len(b) < 2:
        return math.nan
    within = (len(a) - 1) * a.var(ddof=1) + (len(b) - 1) * b.var(ddof=1)
    return _ratio(float(a.mean() - b.mean()), math.sqrt(within / (len(a) + len(b) - 2)))


def hedges_g(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Cohen's d times the exact factor that removes its bias in small samples (Hedges, 1981, eq. 6e)."""
    d = cohen_d(first, second)
    if math.isnan(d):
        return d
    df = len(_group(first, "first")) + len(_group(second, "second")) - 2
    return d * math.exp(math.lgamma(df / 2) - math.lgamma((df - 1) / 2)) / math.sqrt(df / 2) if df > 1 else math.nan


def cliffs_delta(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """P(a value of *first* is the larger) minus P(it is the smaller), in [-1, 1]; NaN skipped.

    NaN where either group is empty.
    """
    a, b = _group(first, "first"), np.sort(_group(second, "second"))
    if len(a) == 0 or len(b) == 0:
        return math.nan
    below = np.searchsorted(b, a, side="left").sum()
    above = (len(b) - np.searchsorted(b, a, side="right")).sum()
    return float(below - above) / (len(a) * len(b))


def power_paired(effect_size: float, n: int, *, alpha: float = 0.05) -> float:
    """Chance that a paired comparison of *n* answers finds an effect of that size.

    Args:
        effect_size: Mean difference in units of the differences' standard deviation (d_z).
        n: Number of answers (of questions, where the comparison is clustered); at least 2.
        alpha: Two-sided level of the test.
    """
    _check_alpha(alpha)
    if n < 2:
        raise ValueError(f"`n` must be at least 2, got {n}")
    return _t_power(effect_size * math.sqrt(n), n - 1, alpha)


def power_independent(effect_size: float, n_first: int, n_second: int, *, alpha: float = 0.05) -> float:
    """Chance that a comparison of two independent groups finds an effect of that size (Cohen's d)."""
    _check_alpha(alpha)
    if n_first < 2 or n_second < 2:
        raise ValueError(f"each group needs at least 2 answers, got {n_first} and {n_second}")
    shift = effect_size * math.sqrt(n_first * n_second / (n_first + n_second))
    return _t_power(shift, n_first + n_second - 2, alpha)


def needed_paired(effect_size: float, *, power: float = 0.8, alpha: float = 0.05) -> int:
    """Fewest answers with which a paired comparison reaches *power*.

    >>> needed_paired(0.5)
    34

    Args:
        effect_size: Mean difference in units of the differences' standard deviation (d_z).
        power: Wanted chance to find the effect, in the open interval (0, 1).
        alpha: Two-sided level of the test.

    Raises:
        ValueError: The effect is 0 or not finite, or an option is out of range.
    """
    return _fewest(effect_size, power, lambda n: power_paired(effect_size, n, alpha=alpha))


def needed_independent(effect_size: float, *, power: float = 0.8, alpha: float = 0.05) -> int:
    """Fewest answers in each of two independent groups of equal size; see `needed_paired`.

    >>> needed_independent(0.5)
    64
    """
    return _fewest(effect_size, power, lambda n: power_independent(effect_size, n, n, alpha=alpha))


def answers_needed(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    difference: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
) -> int:
    """How many answers two systems must share for their difference to be found.

    Args:
        first: Scores of one system, shape `[n_answers]`; NaN skipped.
        second: Scores of the other on the same answers.
        difference: The smallest difference of means worth finding; the observed one by default.
        power: Wanted chance to find it.
        alpha: Two-sided level of the test.

    Raises:
        ValueError: Lengths differ, the differences do not vary, the difference is 0, or an option is out of range.
    """
    a, b = as_values(first, "first"), as_values(second, "second")
    if len(a) != len(b):
        raise ValueError(f"both systems need the same answers, got {len(a)} and {len(b)}")
    deltas = a - b
    deltas = deltas[~np.isnan(deltas)]
    spread = float(deltas.std(ddof=1)) if len(deltas) > 1 else math.nan
    if not spread > 0:
        raise ValueError(f"the differences of {len(deltas)} answers do not vary; power cannot be judged from them")
    wanted = float(deltas.mean()) if difference is None else difference
    return needed_paired(wanted / spread, power=power, alpha=alpha)


def _group(data: npt.ArrayLike, name: str) -> npt.NDArray[np.float64]:
    values = as_values(data, name)
    return values[~np.isnan(values)]


def _ratio(difference: float, spread: float) -> float:
    if spread > 0:
        return difference / spread
    return 0.0 if difference == 0 else math.copysign(math.inf, difference)


def _check_alpha(alpha: float) -> None:
    if not 0 < alpha < 1:
        raise ValueError(f"`alpha` must be in the open interval (0, 1), got {alpha}")


def _t_power(shift: float, df: int, alpha: float) -> float:
    from scipy.special import stdtrit
    from scipy.stats import nct

    critical = stdtrit(df, 1 - alpha / 2)
    upper = float(nct.sf(critical, df, abs(shift)))
    # P(T <= -critical) is at most P(Z <= -shift). Far out in that tail scipy gives NaN instead of a number near 0.
    lower = float(nct.cdf(-critical, df, abs(shift))) if abs(shift) <= 6 else 0.0
    return upper if math.isnan(lower) else upper + lower


def _fewest(effect_size: float, power: float, at: Callable[[int], float]) -> int:
    if effect_size == 0 or not math.isfinite(effect_size):
        raise ValueError(f"`effect_size` must be finite and not 0, got {effect_size}")
    if not 0 < power < 1:
        raise ValueError(f"`power` must be in the open interval (0, 1), got {power}")
    high = 2
    while at(high) < power:
        high *= 2
        if high > _MOST:
            raise ValueError(f"an effect of {effect_size} needs more than {_MOST:,} answers")
    low = max(2, high // 2)
    while low < high:
        middle = (low + high) // 2
        if at(middle) < power:
            low = middle + 1
        else:
            high = middle
    return high
