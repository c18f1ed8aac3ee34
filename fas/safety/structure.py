"""What governs a place in an answer: the heading, lead-in, label, column and row above it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from fas.safety.segments import SafetySegment

Kind = Literal["heading", "lead", "label", "column", "row", "before"]
_LABEL = re.compile(r"[\s*_>\"'-]*([^\n:|.?!]{2,70}?)\s*(?::|\s[-\u2013]\s)[\s*_]*(?=\S)")
_DEEPEST = 3


@dataclass(frozen=True, slots=True)
class Governor:
    """A stretch that says of what hangs below it whom it is for, or whether it is to be taken.

    Attributes:
        kind: What it is; `before` is the sentence before in the same block.
        start: First character, in the plain answer.
        end: One past the last.
        segment: The segment that it stands in.
    """

    kind: Kind
    start: int
    end: int
    segment: int


class Structure:
    """The headings, lists and tables of one answer.

    Args:
        plain: The answer.
        segments: Its segments.
    """

    def __init__(self, plain: str, segments: Sequence[SafetySegment]) -> None:
        self.plain = plain
        self.segments = segments
        self._top: list[int] = []
        for number, segment in enumerate(segments):
            before = segments[number - 1] if number else None
            below = segment.kind == "row" and before is not None and before.kind == "row"
            self._top.append(self._top[-1] if below and before and before.block == segment.block else number)
        self._cells: dict[int, list[tuple[int, int]]] = {}

    def cells(self, number: int) -> list[tuple[int, int]]:
        """First and last-plus-one character of each cell of row *number*, empty ones at its ends left out."""
        if number not in self._cells:
            row = self.segments[number]
            bars = [row.start - 1, *(m.start() for m in re.finditer(r"\|", self.plain[row.start : row.end])), 0]
            bars = [bars[0], *(row.start + at for at in bars[1:-1]), row.end]
            found = [(left + 1, right) for left, right in pairwise(bars)]
            # A bar at the start or the end of a row makes no cell.
            if len(found) > 1 and not self.plain[slice(*found[0])].strip():
                found = found[1:]
            if len(found) > 1 and not self.plain[slice(*found[-1])].strip():
                found = found[:-1]
            self._cells[number] = found
        return self._cells[number]

    def cell(self, number: int, at: int) -> int | None:
        """Which cell of row *number* holds character *at*; None if it is no row."""
        if self.segments[number].kind != "row":
            return None
        return next((n for n, (start, end) in enumerate(self.cells(number)) if start <= at <= end), None)

    def top(self, number: int) -> int:
        """The first row of the table with row *number*."""
        return self._top[number]

    def label(self, number: int) -> tuple[int, int] | None:
        """The label that segment *number* begins with (`Under 2 years: ...`), in the plain answer."""
        segment = self.segments[number]
        if segment.kind == "row":
            return None
        match = _LABEL.match(self.plain, segment.start, min(segment.end, segment.start + 90))
        return match.span(1) if match else None

    def governors(self, number: int, at: int) -> Iterator[Governor]:
        """What governs character *at* of segment *number*, the nearest first."""
        segment = self.segments[number]
        column = self.cell(number, at)
        if column is not None:
            own, top = self.cells(number), self.top(number)
            if top != number and column < len(heads := self.cells(top)):
                yield Governor("column", *heads[column], top)
            if column > 0:
                yield Governor("row", *own[0], number)
        label = self.label(number)
        if label is not None and label[1] <= at:
            yield Governor("label", *label, number)
        head, depth = segment.head, 0
        while head is not None and depth < _DEEPEST:
            above = self.segments[head]
            yield Governor("heading" if above.kind == "heading" else "lead", above.start, above.end, head)
            head, depth = above.head, depth + 1
        if number and segment.kind == "sentence" and self.segments[number - 1].block == segment.block:
            before = self.segments[number - 1]
            yield Governor("before", before.start, before.end, number - 1)

    def read_out(self, number: int) -> tuple[str, list[tuple[int, int, int]]]:
        """Segment *number* as one sentence, what governs it in front, and where its own characters went.

        Returns:
            The sentence, and stretches of it as (place in the sentence, place in the plain answer, length).
        """
        segment = self.segments[number]
        parts: list[tuple[str, int | None]] = []
        head: int | None = segment.head
        above: list[str] = []
        while head is not None and len(above) < _DEEPEST:
            above.append(self.segments[head].text.strip(" :*_#"))
            head = self.segments[head].head
        parts += [(f"{text[-160:]}: ", None) for text in reversed(above) if text]
        if segment.kind != "row":
            parts.append((segment.text, segment.start))
        else:
            top = self.top(number)
            heads = self.cells(top) if top != number else []
            for n, (start, end) in enumerate(self.cells(number)):
                head_text = self.plain[slice(*heads[n])].strip(" *_") if 0 < n < len(heads) else ""
                parts.append((f"{head_text}: " if head_text else "", None))
                parts.append((self.plain[start:end], start))
                parts.append(("; ", None))
        text = ""
        places: list[tuple[int, int, int]] = []
        for part, origin in parts:
            if origin is not None:
                places.append((len(text), origin, len(part)))
            text += part
        return text, places
