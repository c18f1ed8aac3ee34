"""Tables in an answer: which column a cell stands in, and what the head of that column asks for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from fas.reading.pattern_tables import patterns_of
from fas.safety.cues import CUES
from fas.safety.segments import Segment

CELLS = patterns_of(__file__)


def column_head(plain: str, segments: Sequence[Segment], number: int, at: int) -> str:
    """The head of the column that holds character *at*, if it tells the reader to take or to avoid; else "".

    Args:
        plain: The answer.
        segments: Its segments.
        number: The segment that holds *at*; "" if it is no row, or the first row of its table.
        at: A place in the answer.
    """
    head = head_of(plain, segments, number, at)
    told = CUES.heading_strong.search(head) or CUES.heading_negative.search(head)
    return head if told else ""


def is_most(plain: str, segments: Sequence[Segment], number: int, at: int) -> tuple[bool, bool]:
    """Whether the column that holds character *at* is headed as the most allowed, and whether as the most of a day."""
    head = head_of(plain, segments, number, at)
    return CELLS.most.search(head) is not None, CELLS.of_a_day.search(head) is not None


def is_for_another(plain: str, segments: Sequence[Segment], number: int, at: int) -> bool:
    """Whether the column that holds character *at* is headed with somebody else than the reader ("Your colleague")."""
    return CELLS.another.search(head_of(plain, segments, number, at)) is not None


def cells(plain: str, row: Segment) -> list[tuple[int, int]]:
    """First and last-plus-one character, in *plain*, of each cell; what stands before the first bar counts as one."""
    bars = [row.start - 1, *(at for at in range(row.start, row.end) if plain[at] == "|"), row.end]
    return [(left + 1, right) for left, right in pairwise(bars)]


def top_row(segments: Sequence[Segment], number: int) -> int:
    """The first row of the table that row *number* stands in."""
    while number and segments[number - 1].kind == "row" and segments[number - 1].block == segments[number].block:
        number -= 1
    return number


def head_of(plain: str, segments: Sequence[Segment], number: int, at: int) -> str:
    """The head of the column that holds character *at*; "" if that is in no row below another."""
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
