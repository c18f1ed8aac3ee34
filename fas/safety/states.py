"""States of people that an answer names: illnesses, pregnancy, measurements, and ages as ranges."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from fas.safety.facts import find_conditions
from fas.safety.measures import find_measures, parse_number
from fas.safety.quantities import COUNTS, TENS
from fas.safety.rules import Condition
from fas.safety.segments import SafetySegment

_N = rf"(?:\d{{1,3}}(?:\.\d)?|{'|'.join(COUNTS)}|(?:{'|'.join(TENS)})(?:[- ](?:{'|'.join(islice(COUNTS, 9))}))?)"
_UNIT = r"(?:years?|yrs?|y|months?|mos?|weeks?)"
_YOUNG = (
    r"(?:children|child|kids?|infants?|babies|baby|toddlers?|boys?|girls?|teen\w*|adolescents?|youngsters?|"
    r"anyone|anybody|everyone|those|people|patients?|adults?|men|women|all ages|ages?|aged|pupils|"
    r"students|little ones?)"
)
_NO_AGE = (
    r"(?!\.?\d|,\d|\s?(?:%|mg|mcg|g\b|ml|kg|lb|pounds|hours?|days?|minutes?|times|tablets?|"
    r"doses?|capsules?|mm|units?|weeks?\b(?! old| of age)))"
)
_AGES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(form, re.IGNORECASE))
    for name, form in (
        # "6 to 11 years", "children between 2 and 5", "2- and 3-year-olds", "(3-5 years)"
        (
            "range",
            rf"\b(?P<a>{_N})[- ]?(?P<ua>{_UNIT})?(?:[- ]olds?)?\s?(?:to|-|–|and|"
            rf"or)\s?(?P<b>{_N})[- ]?(?P<u>{_UNIT})\b(?! (?:ago|later))",
        ),
        (
            "range",
            rf"\b{_YOUNG} (?:of |aged |from |between |ages )*(?P<a>{_N}) ?(?:to|-|–|and|"
            rf"or) ?(?P<b>{_N})\b{_NO_AGE}(?P<u>)(?P<ua>)",
        ),
        (
            "below",
            rf"\b(?:under|below|younger than|less than|not yet|up to|"
            rf"before) (?:the age of )?(?:age )?(?P<a>{_N})(?: |-)(?P<u>{_UNIT})\b(?! (?:ago|"
            rf"later))",
        ),
        (
            "below",
            rf"\b{_YOUNG} (?:who are |aged )?(?:under|below|younger than|"
            rf"up to) (?:the age of )?(?:age )?(?P<a>{_N})\b{_NO_AGE}(?P<u>)",
        ),
        ("below", rf"\bfirst (?P<a>{_N}) (?P<u>{_UNIT}) of (?:life|age)\b"),
        # "under-twos", "kids 5 and under", "before their 12th birthday", "anyone not yet 16"
        ("below", rf"\bunder[- ](?P<a>{_N})['’]?s\b(?P<u>)"),
        ("below", rf"\b{_YOUNG} (?:aged )?(?P<a>{_N}) (?:and|or) (?:under|younger|below)\b(?P<u>)"),
        ("below", r"\bbefore (?:the|their|his|her) (?P<a>\d{1,2})(?:st|nd|rd|th) birthday\b(?P<u>)"),
        ("below", rf"\b{_YOUNG} (?:who (?:are|is) )?not yet (?P<a>{_N})\b{_NO_AGE}(?P<u>)"),
        (
            "above",
            rf"\b(?P<a>{_N})(?: |-)?(?P<u>{_UNIT})?(?: of age| old)? (?:and|or) (?:up|older|over|"
            rf"above|upwards?|beyond)\b",
        ),
        (
            "above",
            rf"\b(?:from|over|above|older than|past|at least|after|"
            rf"starting at) (?:the age of )?(?:age )?(?P<a>{_N})(?: |-)(?P<u>{_UNIT})\b(?! (?:ago|"
            rf"later|of (?:use|treatment|therapy)))",
        ),
        (
            "above",
            rf"\b{_YOUNG} (?:who are |aged )?(?:from|over|above|older than|"
            rf"past) (?:the age of )?(?:age )?(?P<a>{_N})\b{_NO_AGE}(?P<u>)",
        ),
        ("above", rf"\b(?P<a>{_N})\+(?: ?(?P<u>{_UNIT}))?"),
        ("at", r"\b(?P<a>\d{1,2}) ?(?P<u>yo|y/o|yr old|m/o|mo old|w/o)\b"),
        ("at", r"\b(?P<a>\d{1,2})(?P<u>yo?|mos?|mths?|wks?)\b(?! (?:ago|supply|later|on\b))"),
        ("at", rf"\b{_YOUNG} (?:who are |of |aged |at |is )+(?P<a>{_N}) (?P<u>{_UNIT})\b(?! ago)"),
        (
            "at",
            rf"\b{_YOUNG} (?:who are |of |aged |at |is )+(?P<a>{_N})(?: or (?P<b>{_N}))?\b(?! {_UNIT}){_NO_AGE}(?P<u>)",
        ),
        ("at", rf"\b(?:at |aged? |age of )(?P<a>{_N})\b{_NO_AGE}(?: (?P<u>{_UNIT}))?"),
        ("at", rf"\b(?P<a>{_N})[- ](?P<u>{_UNIT})[- ](?:olds?\b|of age\b)"),
        ("at", rf"(?:^|\n)[\s*_>|-]*(?P<a>{_N})[- ](?P<u>{_UNIT})\b(?=\W*[:|])"),
    )
)
_STAGES: tuple[tuple[float, re.Pattern[str]], ...] = tuple(
    (years, re.compile(rf"\b(?:{words})\b", re.IGNORECASE))
    for years, words in (
        (0.05, r"newborns?|neonates?"),
        (0.5, r"infants?|babies|infancy"),
        (1.5, r"toddlers?"),
        (4.0, r"pre-?schoolers?|preschool (?:children|kids)|nursery[- ]school\w*"),
        (5.0, r"kindergart(?:e)?ners?|kindergarten(?: (?:children|kids))?"),
        (1.0, r"first birthday|one[- ]year[- ]olds?"),
        (2.0, r"second birthday|two[- ]year[- ]olds?|nappies|diapers"),
        (3.0, r"third birthday|three[- ]year[- ]olds?"),
        (4.0, r"fourth birthday|four[- ]year[- ]olds?"),
        (5.0, r"fifth birthday|five[- ]year[- ]olds?"),
        (
            7.0,
            r"(?:(?:primary|elementary|junior)[- ])?school[- ]?(?:child|children|kids|age children|pupils?)|"
            r"(?:first|second|1st|2nd)[- ]grade(?:r|rs)?|grade[- ]schoolers?",
        ),
        (9.0, r"(?:third|fourth|3rd|4th)[- ]grade(?:r|rs)?"),
        (10.0, r"pre-?teens?|tweens?|(?:fifth|5th)[- ]grade(?:r|rs)?"),
        (11.5, r"(?:sixth|6th)[- ]grade(?:r|rs)?|middle[- ]school(?:ers?)?"),
        (14.0, r"teen(?:age)?rs?|teens|adolescen(?:ts?|ce)|high[- ]school(?:ers?)?"),
        (0.5, r"half a year old"),
        (75.0, r"elderly|seniors?|pensioners?|older (?:adults?|people|patients?|persons?)"),
        (80.0, r"octogenarians?|(?:his|her|their|your) (?:early |mid[- ]?|late )?(?:seventies|eighties|nineties)"),
    )
)
_SOMEBODY = re.compile(
    rf"\b(?:{_YOUNG}|olds?|of life|son|daughter|niece|nephew|toddler|newborn|under[- ]\w+s|"
    r"birthday|not yet)\b",
    re.IGNORECASE,
)
_OLD = re.compile(r"(?<=yo)\b|(?<=/o)\b|[- ]?(?:olds?\b|of age)", re.IGNORECASE)
_MINE = re.compile(r"\b(?:my|our|their|his|her) $", re.IGNORECASE)
_OPENS = re.compile(r"(?:^|[\n|(])[\s*_>#-]*+(?:\d+\. [\s*_]*+)?$")
_CLOSES = re.compile(r"[\s*_]*(?:[:|)]|[-\u2013] |$)", re.MULTILINE)
_YEARS = {"y": 1.0, "m": 1 / 12, "w": 1 / 52}


@dataclass(frozen=True, slots=True)
class State:
    """A state of a person.

    Attributes:
        key: A condition of the tables, or a measurement.
        value: The measurement's value: of an age range the youngest, "under 6" just below; None for a condition.
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
    """The states named in an answer, in its order; of overlapping ages the first form that reads them."""
    starts = [segment.start for segment in segments]

    def place(start: int, end: int) -> int | None:
        at = bisect_right(starts, start) - 1
        return at if at >= 0 and end <= segments[at].end + 1 else None

    found = []
    for key, start, end in find_conditions(plain, conditions):
        if (number := place(start, end)) is not None:
            found.append(State(key, None, start, end, number))
    ages = find_ages(plain)
    taken = {at for _, start, end in ages for at in range(start, end)}
    for value, start, end in ages:
        if (number := place(start, end)) is not None:
            found.append(State("age_years", value, start, end, number))
    for key, value, start, end in find_measures(plain):
        if key == "age_years" and not taken.isdisjoint(range(start, end)):
            continue
        if (number := place(start, end)) is not None:
            found.append(State(key, value, start, end, number))
    found.sort(key=lambda state: (state.start, state.end, state.key))
    return found


def find_ages(plain: str) -> list[tuple[float, int, int]]:
    """Ages of groups: the youngest age in years, start and end.

    >>> [round(years, 2) for years, _, _ in find_ages("Children 2 to 5 years; under 6 years")]
    [2.0, 5.99]
    """
    found: list[tuple[float, int, int]] = []
    taken: set[int] = set()
    for kind, pattern in _AGES:
        for match in pattern.finditer(plain):
            if not taken.isdisjoint(range(match.start("a"), match.end())):
                continue
            unit = (match["u"] or "y")[0].lower()
            years = parse_number(match["a"].lower()) * _YEARS[unit]
            if kind == "range" and (match["ua"] or "")[:1].lower() in ("m", "w") and match["ua"]:
                years = parse_number(match["a"].lower()) * _YEARS[match["ua"][0].lower()]
            if years > 110 or not _is_of_somebody(plain, match):
                continue
            taken.update(range(*match.span()))
            found.append((years - 0.01 if kind == "below" else years, *match.span()))
    # "Children over 12": a number beside a stage of life says more.
    near = {at for _, start, end in found for at in range(start - 25, end + 25)}
    for years, pattern in _STAGES:
        for match in pattern.finditer(plain):
            if near.isdisjoint(match.span()):
                found.append((years, *match.span()))
    return sorted(found, key=lambda item: item[1])


def _is_of_somebody(plain: str, match: re.Match[str]) -> bool:
    """Whether a number is an age and not a duration: people, "old" or "age" are beside it, or it is a label."""
    start, end = match.span()
    around = plain[max(0, start - 25) : end]
    return bool(
        (_MINE.search(plain[max(0, start - 12) : start]) and plain[end - 1 : end].isalpha())
        or _SOMEBODY.search(around)
        or _OLD.match(plain, end)
        or (_OPENS.search(plain[max(0, start - 12) : start]) and _CLOSES.match(plain, end))
    )
