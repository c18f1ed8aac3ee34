"""Two variables that are seldom off their commonest value: when an agreement or correlation has an interval, and which.

Of two raters who call 10 of 100 items positive each, one item is expected to be called so by both by chance.
Bootstrap and jackknife intervals then hang on that one count and cover as little as 30%
(`benchmarks/coverage/README.md`). They are read where at least `EXPECTED` such units are expected. Two variables of two
values have an exact interval below `EXACT_BELOW`: of the m items that are off for either, a are for both, which gives
Clopper and Pearson's limits of a of m; the statistic is taken of the table at each limit, with m at its own limit
where that is the farther. Other variables have none.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from fas.stats.intervals import (
    FEWEST_OF_STATISTICS,
    NONE,
    Interval,
    clopper_pearson,
    describe_too_few,
    make_empty_interval,
)

EXPECTED = 5.0
"""So many units that are off in both variables must be expected by chance for any but the exact interval."""
EXACT_BELOW = 8.0
"""Two variables of two values have the exact interval where fewer are expected."""
MOST_UNEQUAL = 4.0
"""The exact interval is not given where one variable is off so many times as often as the other."""
Table = tuple[float, float, float, float]
"""Items that are off in both, in the first alone, in the second alone, and in neither."""
Flags = npt.NDArray[np.bool_]


def phi(table: Table) -> float:
    """Pearson's, Spearman's and Kendall's (tau-b) coefficient of a table; NaN where a variable does not vary.

    >>> round(phi((8, 2, 2, 88)), 3)
    0.778
    """
    both, one, other, neither = table
    below = (both + one) * (both + other) * (one + neither) * (other + neither)
    return (both * neither - one * other) / math.sqrt(below) if below > 0 else math.nan


def area(table: Table) -> float:
    """Area under the ROC curve of the first variable for the second; NaN where that does not vary.

    >>> area((5, 10, 0, 10))
    0.75
    """
    both, one, other, neither = table
    if both + other <= 0 or one + neither <= 0:
        return math.nan
    return 0.5 + (both / (both + other) - one / (one + neither)) / 2


def expected_together(first: Flags, second: Flags, of_item: npt.NDArray[np.intp]) -> float:
    """The expected number of units with an item off in both variables, if independent; *of_item*: unit of each item."""
    n_units = int(of_item.max()) + 1 if len(of_item) else 0
    return len(np.unique(of_item[first])) * len(np.unique(of_item[second])) / n_units if n_units else 0.0


def differs_from_mode(values: npt.NDArray[np.generic]) -> Flags:
    """Items with another value than the commonest one."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    found: Flags = place.reshape(-1) != int(counts.argmax()) if len(counts) else np.zeros(0, dtype=bool)
    return found


def guard_interval(
    value: float,
    seldom: tuple[Flags, Flags],
    expected: float,
    of_table: Callable[[Table], float] | None,
    usual: Callable[[], Interval],
    level: float,
    n_units: int,
) -> Interval:
    """The *usual* interval where events are many enough, the exact one of a table where there is one, else none.

    *seldom* says which items are off the commonest value of each variable, *expected* how many units are off in both by
    chance. *of_table* is None where the variables have more than two values or items share units.
    """
    if n_units < FEWEST_OF_STATISTICS:
        return make_empty_interval(describe_too_few(n_units))
    if of_table is not None and not math.isnan(value) and expected < EXACT_BELOW:
        return rare_interval(of_table, *seldom, level)
    return usual() if expected >= EXPECTED else make_empty_interval(describe_few_events(*seldom))


def rare_interval(statistic: Callable[[Table], float], first: Flags, second: Flags, level: float) -> Interval:
    """The exact interval of a statistic of two variables of two values, items being independent.

    *statistic* takes a table of counts, which need not be whole, and rises (or falls) with the first of them.
    """
    n = len(first)
    both, one, other = int((first & second).sum()), int((first & ~second).sum()), int((~first & second).sum())
    smaller, larger = sorted((both + one, both + other))
    if not smaller or larger > MOST_UNEQUAL * smaller:
        return make_empty_interval(describe_few_events(first, second))
    m = both + one + other
    shares = clopper_pearson(both, m, level)
    sizes = [n * limit for limit in clopper_pearson(m, n, level)]
    split = (one + 0.5) / (one + other + 1)

    def at(share: float, size: float) -> float:
        rest = (1 - share) * size
        return statistic((share * size, rest * split, rest * (1 - split), n - size))

    ends = [at(shares[0], m), at(shares[0], sizes[1]), at(shares[1], m), at(shares[1], sizes[0])]
    ends.append(statistic((both, one, other, n - m)))
    return Interval(float(np.nanmin(ends)), float(np.nanmax(ends)), "exact")


def describe_few_events(first: Flags, second: Flags) -> str:
    """`how` of a statistic without an interval."""
    return f"{NONE}few events ({first.sum()} and {second.sum()} of {len(first)} differ from the most common value)"
