"""Measurements named in a text: weeks of pregnancy, kidney function and others, by the rows of `measures.tsv`.

A row is a pattern with the number in a group `n` (or `m`), what one of its units is in the measurement's own, and an
example with the value it gives. In a pattern `{count}` stands for a small number in digits or words.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

from fas.safety.quantities import COUNTS
from fas.safety.scope import MEASURES
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
