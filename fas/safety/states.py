"""States of people that an answer names: illnesses, pregnancy, measurements, and ages as ranges."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fas.safety.ages import find_ages
from fas.safety.facts import find_conditions
from fas.safety.measures import find_measures
from fas.safety.rules import Condition
from fas.safety.segments import SafetySegment


@dataclass(frozen=True, slots=True)
class State:
    """A state of a person.

    Attributes:
        key: A condition of the tables, or a measurement.
        value: The measurement's value: of a range of ages the least, of "under 6" the greatest below 6; None for a
            condition.
        start: First character, in the plain answer.
        end: One past the last.
        segment: The segment that it stands in.
    """

    key: str
    value: float | None
    start: int
    end: int
    segment: int


def find_states(plain: str, segments: Sequence[SafetySegment], conditions: Mapping[str, Condition]) -> list[State]:
    """The states named in an answer, in its order."""
    starts = [segment.start for segment in segments]

    def place(start: int, end: int) -> int | None:
        at = bisect_right(starts, start) - 1
        return at if at >= 0 and end <= segments[at].end + 1 else None

    found = []
    for key, start, end in find_conditions(plain, conditions):
        if (number := place(start, end)) is not None:
            found.append(State(key, None, start, end, number))
    numbers = [("age_years", *age) for age in find_ages(plain)] + find_measures(plain)
    for key, value, start, end in numbers:
        if (number := place(start, end)) is not None:
            found.append(State(key, value, start, end, number))
    found.sort(key=lambda state: (state.start, state.end, state.key))
    return found
