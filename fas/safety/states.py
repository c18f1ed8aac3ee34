"""States of people that a text names: conditions, measurements by the rows of `measures.tsv`, and ages (`ages.py`).

A row of measures is a pattern with the number in a group `n` (or `m`), what one of its units is in the measurement's
own, and an example with the value it gives. In a pattern `{count}` stands for a small number in digits or words.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from re import _parser as parser
from typing import Any, NamedTuple

from fas.safety.ages import find_ages
from fas.safety.quantities import COUNTS
from fas.safety.rules import Condition
from fas.safety.scope import MEASURES
from fas.safety.segments import SafetySegment
from fas.safety.tables import SafetyColumn, read_table

TABLE = Path(__file__).with_name("measures.tsv")
COLUMNS = (
    SafetyColumn("measure", required=True, allowed=MEASURES),
    SafetyColumn("factor", required=True, pattern=r"\d+(?:\.\d+)?(?:/\d+)?", example="1/12"),
    SafetyColumn("pattern", required=True),
    SafetyColumn("example", required=True),
    SafetyColumn("value", required=True, pattern=r"\d+(?:\.\d+)?"),
)
_COUNT = rf"(?:\d{{1,2}}|{'|'.join(COUNTS)})"
_SINCE_THEN = re.compile(
    r"(?:[^\d?;]{0,90}?\b(?:(?:now|today|since then|currently|repeat(?:ed)?|latest|recheck(?:ed)?)\b[^\d.?;]{0,25}|"
    r"it(?:'s| is| has)(?: now)?(?: been)?(?: back)?(?: to| at)?\s+)(?P<m>\d{1,3}(?:\.\d)?)\b"
    r"(?! ?(?:weeks|months|years|days|mg)))|"
    r"(?:[^.;?\d]{0,45}|[^.;?\d]{0,60}\. (?:it|that|the (?:level|value|last (?:one|value)))[^.;?\d]{0,15})"
    r"\b(?:is|'s|now|(?:has|have) been|back (?:up )?to|down to|up to|risen to|fallen to|recovered to)\s+"
    r"(?:now |at |about |around |back |normal |stable |between )*"
    r"(?P<n>\d{1,3}(?:\.\d)?)\b(?! ?(?:weeks|months|years|days|mg))",
    re.IGNORECASE,
)
_BELOW = re.compile(r"\b(?:below|under|(?:less|lower) than)\b|<", re.IGNORECASE)
_PAST = re.compile(r"\b(?:was|were|used to be|had been|dropped to|fell to)\b", re.IGNORECASE)
_LEAST = 3
"""Length from which a literal of an expression is searched for first."""


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


def find_conditions(plain: str, conditions: Mapping[str, Condition]) -> list[tuple[str, int, int]]:
    """Every condition named in *plain*: key, start and end, in the order of the text."""
    found = []
    lower = plain.lower()
    for condition in conditions.values():
        for pattern in condition.patterns:
            needs = find_needed_words(pattern)
            if needs is None or any(word in lower for word in needs):
                found += [(condition.key, match.start(), match.end()) for match in pattern.finditer(plain)]
    return sorted(found, key=lambda item: (item[1], item[0]))


@cache
def find_needed_words(pattern: re.Pattern[str]) -> frozenset[str] | None:
    """Words in lower case, one of which is in every match of *pattern*; None if there are no such words.

    Searching for them first is ten times as fast as trying hundreds of expressions at every character.
    """
    return _find_needed(parser.parse(pattern.pattern, pattern.flags))


def _find_needed(parsed: Iterable[tuple[Any, Any]]) -> frozenset[str] | None:
    found: list[frozenset[str]] = []
    run = ""
    for kind, value in [*parsed, (None, None)]:
        if kind is parser.LITERAL:
            run += chr(value).lower()
            continue
        if len(run) >= _LEAST:
            found.append(frozenset({run}))
        run = ""
        inside: frozenset[str] | None = None
        if kind is parser.SUBPATTERN or (
            kind in (parser.MAX_REPEAT, parser.MIN_REPEAT, parser.POSSESSIVE_REPEAT) and value[0] > 0
        ):
            inside = _find_needed(value[-1])
        elif kind is parser.BRANCH:
            own = [_find_needed(branch) for branch in value[1]]
            inside = frozenset().union(*(n for n in own if n)) if all(own) else None
        if inside:
            found.append(inside)
    # Of several, those that are rarest: the longest.
    return max(found, key=lambda words: min(map(len, words)), default=None)


class Measure(NamedTuple):
    """One row: what is measured, how it is written, and what one of its units is in the measurement's own."""

    name: str
    pattern: re.Pattern[str]
    factor: float
    example: str
    value: float


@cache
def load_measures() -> tuple[Measure, ...]:
    """The rows of `measures.tsv`, in its order, which says whose value counts where several do."""
    found = []
    for row in read_table(TABLE, COLUMNS):
        pattern = re.compile(row["pattern"].replace("{count}", _COUNT), re.IGNORECASE)
        factor, value = float(Fraction(row["factor"])), float(row["value"])
        found.append(Measure(row["measure"], pattern, factor, row["example"], value))
    return tuple(found)


def find_measures(plain: str) -> list[tuple[str, float, int, int]]:
    """Every measurement in *plain*: name, value, start and end; of "below 30" the greatest number below 30."""
    found = []
    for measure in load_measures():
        for match in measure.pattern.finditer(plain):
            digits = next(text for text in match.groupdict().values() if text).lower()
            value, end = COUNTS.get(digits) or float(digits), match.end()
            later = _SINCE_THEN.match(plain, end) if _PAST.search(match.group()) else None
            if later is not None:  # "was 24 before the transplant and is 71 now"
                value, end = float(later["n"] or later["m"]), later.end()
            value *= measure.factor
            if later is None and _BELOW.search(match.group()):
                value = math.nextafter(value, 0.0)
            found.append((measure.name, value, match.start(), end))
    return found
