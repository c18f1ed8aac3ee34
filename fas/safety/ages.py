"""Ages named in a text: of a person, of a group as a range or a limit, and by words for a stage of life.

A number is an age where something beside it says so, by the rows of `patterns/ages.tsv`: "old", the word "age", a
person; with a unit also a child behind it, a person near a limit, or a place of its own (a label, a cell, a bracket).
"""

from __future__ import annotations

import math
import re
from itertools import islice

from fas.safety.quantities import COUNTS, TENS
from fas.text.reading.pattern_tables import load_patterns

_N = (
    rf"(?:\d{{1,3}}(?:\.\d|½)?|(?:(?:{'|'.join(TENS)})(?:[- ](?:{'|'.join(islice(COUNTS, 9))}))?|"
    rf"{'|'.join(COUNTS)})(?![a-z]))(?:[- ]and[- ]a[- ]half\b)?"
)
AGES = load_patterns(__file__, N=_N)
_YEARS = {"y": 1.0, "m": 1 / 12, "w": 1 / 52, "d": 1 / 365}
_OLDEST = 110
_CHILD = 12
_INFANT = 0.5
_NEAR = 25
"""Characters before a limit in which a person makes it one of age; so near to an age a stage of life says less."""
_STAGES = (
    (0.05, AGES.newborn),
    (0.5, AGES.infant),
    (1.5, AGES.toddler),
    (4.0, AGES.preschool),
    (5.0, AGES.kindergarten),
    (7.0, AGES.school),
    (10.5, AGES.middle_school),
    (14.0, AGES.teen),
    (75.0, AGES.old_age),
    (80.0, AGES.very_old),
)


def find_ages(plain: str) -> list[tuple[float, int, int]]:
    """Ages in years, with start and end: of a range the least, of "under 6" the greatest number below 6.

    >>> [round(years, 2) for years, _, _ in find_ages("Children 2 to 5 years; infants under 6 months")]
    [2.0, 0.5]
    """
    found: list[tuple[float, int, int]] = []
    reached = 0
    for match in AGES.number.finditer(plain):
        if match.start() >= reached and (age := _read_age(plain, match)) is not None:
            found.append(age)
            reached = age[2]
    near = {at for _, start, end in found for at in range(start - _NEAR, end + _NEAR)}
    for years, pattern in _STAGES:
        found += [(years, *match.span()) for match in pattern.finditer(plain) if near.isdisjoint(match.span())]
    return sorted(found, key=lambda item: item[1])


def _read_age(plain: str, first: re.Match[str]) -> tuple[float, int, int] | None:
    """The age that a number is, alone or as the first of two; None if it is none."""
    start = first.start()
    before = plain[max(0, start - 70) : start]
    limit = AGES.below.search(before) or AGES.above.search(before)
    left = before[: limit.start()] if limit else before
    for match in (AGES.second.match(plain, first.end()), first):
        if match is None:
            continue
        unit, end = (match["u"] or "").lower(), match.end()
        old = AGES.old.match(plain, end) or (limit and AGES.plural.match(plain, end))
        end = old.end() if old else end
        tail = AGES.younger.match(plain, end) or AGES.older.match(plain, end)
        end = tail.end() if tail else end
        years = _parse(first["a"].lower()) * _YEARS[(first["u"] or unit or "y")[0].lower()]
        several = bool(limit or tail or match is not first)
        named = limit is not None and _is_limit_of_age(limit, left, unit) and not AGES.none.match(plain, end)
        if years <= _OLDEST and (old or named or _is_of_somebody(plain, left, end, unit, years, several)):
            told = limit or tail
            is_below = told is not None and told.re in (AGES.below, AGES.younger)
            return math.nextafter(years, 0.0) if is_below else years, start - len(before) + len(left), end
    return None


def _is_limit_of_age(limit: re.Match[str], left: str, unit: str) -> bool:
    words = limit.group().lower()
    return "age" in words or left.endswith("those ") or (unit[:1] == "y" and AGES.young_below.match(words) is not None)


def _is_of_somebody(plain: str, left: str, end: int, unit: str, years: float, several: bool) -> bool:
    """Whether the words on both sides of a number, or of a range or limit, make it somebody's age."""
    if AGES.sex.match(plain, end) and (unit[:1] == "y" or (not unit and AGES.article.search(left))):
        return True
    aged = AGES.aged.search(left) is not None
    told = aged or AGES.told.search(left) or ((several or years > _CHILD) and AGES.grown.search(left))
    if not unit:
        is_count = years == 1 and not several and not left.endswith((" of ", "aged "))
        return bool(told) and not is_count and not AGES.none.match(plain, end)
    if AGES.child_behind.match(plain, end) and AGES.article.search(left):
        return True
    if unit[0] in "ym" and AGES.closes.match(plain, end) and (AGES.cell if several else AGES.opens).search(left):
        return True
    if (
        unit[0] == "y"
        and AGES.listed.search(left)
        and (AGES.stops if unit[1:2] == "e" else AGES.ends).match(plain, end)
    ):
        return True
    if AGES.born.search(left) or AGES.weight.match(plain, end):
        return True
    if AGES.lasts.match(plain, end):
        return False
    if unit[0] in "ym" and several and AGES.somebody.search(f"{left[-_NEAR:]} {plain[end : end + 10]}"):
        return True
    if unit[0] in "wd" and years > _INFANT:
        return False
    return (
        aged or bool(told and unit[0] == "y") or (AGES.young if unit[0] in "ym" else AGES.baby).search(left) is not None
    )


def _parse(number: str) -> float:
    """A number in digits or in words, in lower case."""
    whole = re.sub(r"[- ]and[- ]a[- ]half$|½$", "", number)
    tens, _, ones = whole.replace("-", " ").partition(" ")
    value = TENS[tens] + COUNTS.get(ones, 0.0) if tens in TENS else COUNTS.get(whole) or float(whole)
    return value + 0.5 * (whole != number)
