"""Tables in an answer: which column a cell stands in, and what the head of that column asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from fas.safety.cues import HEADING_NEGATIVE, HEADING_STRONG
from fas.safety.segments import Segment

_TELLS_A_USE = re.compile(r"\W*(?:common |main |typical )?uses?\W*", re.IGNORECASE)
_PREFERRED = re.compile(
    r"\W*(?:(?:what to )?(?:prefer|choose|use)(?: instead)?|(?:preferred|recommended|safer?|better|best)"
    r"(?: (?:alternatives?|options?|choices?|drugs?|medications?|medicines?))?|alternatives?|instead)\W*",
    re.IGNORECASE,
)
_TIMES = r"(?:breakfast|lunch|dinner|supper|morning|noon|midday|afternoon|evening|night|bed(?:time)?)"
TIME_OF_DAY = re.compile(rf"\b{_TIMES}\b", re.IGNORECASE)
# A first cell that says at which time of the day: "| With breakfast | ...".
OPENS_WITH_TIME = re.compile(rf"\W*(?:with |at |after |before |in the )?{_TIMES}\b", re.IGNORECASE)
_ANOTHER = re.compile(
    r"\b(?:(?:your|his|her|the) (?:colleague|friend|neighbou?r|sister|brother|cousin|aunt|uncle|co-?worker|boss|"
    r"roommate)|"
    r"other people|others|somebody else|someone else)\b",
    re.IGNORECASE,
)


def column_head(plain: str, segments: Sequence[Segment], number: int, at: int) -> str:
    """The head of the column that holds character *at*, if it tells the reader to take or to avoid; else "".

    Args:
        plain: The answer.
        segments: Its segments.
        number: The segment that holds *at*; "" if it is no row, or the first row of its table.
        at: A place in the answer.
    """
    head = _head(plain, segments, number, at)
    if _TELLS_A_USE.fullmatch(head):
        return ""
    told = HEADING_STRONG.search(head) or HEADING_NEGATIVE.search(head) or _PREFERRED.fullmatch(head)
    return head if told else ""


def is_for_another(plain: str, segments: Sequence[Segment], number: int, at: int) -> bool:
    """Whether the column that holds character *at* is headed with somebody else than the reader ("Your colleague")."""
    return _ANOTHER.search(_head(plain, segments, number, at)) is not None


def cells(plain: str, row: Segment) -> list[tuple[int, int]]:
    """First and last-plus-one character, in *plain*, of each cell; what stands before the first bar counts as one."""
    bars = [row.start - 1, *(at for at in range(row.start, row.end) if plain[at] == "|"), row.end]
    return [(left + 1, right) for left, right in pairwise(bars)]


def top_row(segments: Sequence[Segment], number: int) -> int:
    """The first row of the table that row *number* stands in."""
    while number and segments[number - 1].kind == "row" and segments[number - 1].block == segments[number].block:
        number -= 1
    return number


def _head(plain: str, segments: Sequence[Segment], number: int, at: int) -> str:
    row = segments[number]
    if row.kind != "row":
        return ""
    first = top_row(segments, number)
    if first == number:
        return ""
    top = segments[first]
    heads = plain[top.start : top.end].split("|")
    column = plain[row.start : at].count("|")
    return heads[column].strip(" *_") if column < len(heads) else ""
