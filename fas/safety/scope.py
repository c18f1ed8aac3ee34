"""When a rule applies, in machine-readable form.

A scope is conditions and measurements joined by `&` (all) and `|` (any), for example
`egfr<30`, `gestation_weeks>=38 & gestation_weeks<=42`, `diabetes`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fas.safety.tables import SafetyRow

MEASURES = frozenset(
    {"egfr", "age_years", "gestation_weeks", "potassium", "qtc", "weight_kg", "smoker", "systolic", "pulse"}
)
_COMPARISON = re.compile(r"(?P<name>[a-z_]+)\s*(?P<sign><=|>=|<|>)\s*(?P<value>\d+(?:\.\d+)?)")


@dataclass(frozen=True, slots=True)
class Scope:
    """When a rule applies: every group must hold, a group holds if any of its tests does."""

    groups: tuple[tuple[str, ...], ...] = ()

    def holds(self, has: Callable[[str], bool], measure: Callable[[str], float | None]) -> bool:
        """Whether the scope is met by a patient.

        Args:
            has: Whether the patient has a condition.
            measure: A measurement of the patient, or None if it is not known (then no test
                on it holds).
        """
        return all(any(_holds(test, has, measure) for test in group) for group in self.groups)


ALWAYS = Scope()


def _holds(test: str, has: Callable[[str], bool], measure: Callable[[str], float | None]) -> bool:
    match = _COMPARISON.fullmatch(test)
    if match is None:
        return has(test)
    value, limit = measure(match["name"]), float(match["value"])
    if value is None:
        return False
    return {"<": value < limit, "<=": value <= limit, ">": value > limit, ">=": value >= limit}[match["sign"]]


def read_scope(row: SafetyRow, column: str, keys: Iterable[str]) -> Scope:
    """The scope in cell *column* of *row*.

    Raises:
        InputError: It names no measurement and none of the conditions *keys*.
    """
    groups = tuple(
        tuple(test.strip() for test in group.split("|")) for group in row[column].split("&") if group.strip()
    )
    known = set(keys)
    for group in groups:
        for test in group:
            match = _COMPARISON.fullmatch(test)
            if match and match["name"] not in MEASURES:
                raise row.error(
                    column, f"no measurement is called {match['name']!r}; there are {', '.join(sorted(MEASURES))}"
                )
            if not match and test not in known:
                raise row.error(column, f"{test!r} is neither a comparison such as egfr<30 nor a key of conditions.tsv")
    return Scope(groups)
