"""Measurements named in a text: age, weeks of pregnancy, kidney function and others, by the rows of `measures.tsv`.

A row is a pattern with the number in a group `n` (or `m`), what one of its units is in the measurement's own, and an
example with the value it gives. In a pattern `{count}` stands for a small number in digits or words, `{numbers}` for
one below twenty in words and `{tens}` for a larger one, `{young}` for a child, `{adult}` for somebody who is none,
`{people}` for a group, and `{no_unit}` for the lack of what would make the number before it no age.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

from fas.safety.quantities import COUNTS, TENS
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
_STANDS_FOR = {
    "{count}": rf"(?:\d{{1,2}}|{'|'.join(COUNTS)})",
    "{numbers}": "|".join(COUNTS),
    "{tens}": rf"(?:{'|'.join(TENS)})(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?",
    "{young}": "(?:baby|babies|infant|newborn|toddler|child|kid|son|daughter|boy|girl|grandson|granddaughter|"
    "niece|nephew|godson|goddaughter|grandchild|stepson|stepdaughter|little one)",
    "{adult}": "(?:patient|man|woman|lady|gentleman|aunt|uncle|grandmother|grandfather|grandma|grandpa|gran|granny|nan|"
    "grandad|mother|father|mum|mom|dad|wife|husband|partner|brother|sister)",
    "{people}": "(?:people|patients|adults|men|women|ladies|gentlemen|residents|those|anyone|anybody|everyone)",
    "{no_unit}": r"(?! ?(?:%|/|\.\d|percent|per\b|weeks?|months?|days?|hours?|minutes?|kg|mg|mcg|g\b|ml|mm|cm|lbs?|"
    r"pounds|stone|feet|units|tablets|pills|times|points|over\b))",
}
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
        written = row["pattern"]
        for short, long in _STANDS_FOR.items():
            written = written.replace(short, long)
        factor = float(Fraction(row["factor"]))
        found.append(
            Measure(row["measure"], re.compile(written, re.IGNORECASE), factor, row["example"], float(row["value"]))
        )
    return tuple(found)


def find_measures(plain: str) -> list[tuple[str, float, int, int]]:
    """Every measurement in *plain*: name, value, start and end."""
    found = []
    for measure in load_measures():
        for match in measure.pattern.finditer(plain):
            digits = next(text for text in match.groupdict().values() if text)
            value, end = parse_number(digits.lower()), match.end()
            value -= 0.01 * (_BELOW.search(match.group()) is not None)
            later = _SINCE_THEN.match(plain, end) if _PAST.search(match.group()) else None
            if later is not None:  # "was 24 before the transplant and is 71 now"
                value, end = float(later["n"] or later["m"]), later.end()
            found.append((measure.name, value * measure.factor, match.start(), end))
    return found


def parse_number(digits: str) -> float:
    """A number in digits or in words, in lower case."""
    tens, _, ones = digits.replace("-", " ").partition(" ")
    return TENS[tens] + COUNTS.get(ones, 0.0) if tens in TENS else COUNTS.get(digits) or float(digits)
