"""Cutting an answer into sentences, list items and table rows, each with its heading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from fas.safety.cues import ALLOWING, ALLOWING_DEGREE

SegmentKind = Literal["sentence", "item", "row", "heading"]

_ITEM = re.compile(r"[ \t]*(?:[-*•·‣▪◦+]|\(?\d{1,2}[.)]|\(?[a-hA-H]\))[ \t]+(?=\S)")
_MAX_HEADING = 120  # characters; a longer line that is marked as a heading is a paragraph
_HASH = re.compile(r"[ \t]*#{1,6}[ \t]*(?=\S)")
_BOLD = re.compile(r"[ \t]*(?:\*\*|__)[^*_]{2,90}(?:\*\*|__):?[ \t]*")
_BOLD_SENTENCE = re.compile(r"[a-z]{3}[.!][ \t]*(?:\*\*|__)[ \t]*$")
# A line under a heading or between the rows of a table. What one part has taken no other may try again (`*+`, `?+`):
# else every dash more would double the ways to share out a row of them.
_RULE = re.compile(r"[ \t]*+(?:\|[ \t]*+)?(?::?+-{2,}+:?+[ \t]*+(?:\|[ \t]*+)?)+")
_END = re.compile(
    r"(?<=[a-z]{3})[.!?](?=[A-Z][a-z])|(?<![.!?])[.!?]++[\"')\]*_]*+(?=[ \t]++[\"'(\[*_]*[A-Z0-9•]|[ \t]*$)|"
    r"[.!?][\"')]*(?=\n)"
)
_INLINE_ITEM = re.compile(r"(?<=[:;.,a-z)])[ \t]+(?=\(?\d{1,2}[.)] [A-Z])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|prof|st|vs|e\.g|i\.e|eg|ie|etc|approx|no|fig|inc|max|min|wk|hr|hrs|tab|tabs|cap|caps|"
    r"b\.i\.d|t\.i\.d|q\.i\.d|q\.d|p\.o|p\.r\.n|i\.v|i\.m|o\.d|u\.s|a\.m|p\.m)|\b[A-Za-z])\.$",
    re.IGNORECASE,
)
_FORBIDDING_LABEL = re.compile(r"^\W*(?:please )?(?:don'?t|do not|never)\s*:", re.IGNORECASE)
# A dash before a verdict stands for a colon; for a parser it would begin another clause.
_DASH_BEFORE_VERDICT = re.compile(
    rf"(?<=\s)(?:[-–—→⇒]|->)(?=\s+{ALLOWING_DEGREE}{ALLOWING} (?:to|in|during|for|with|while|if)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of text that is judged on its own.

    Attributes:
        start: First character, in the plain form of the text.
        end: One past the last.
        text: The stretch, markup replaced by spaces; same length as the span.
        kind: sentence, item (of a list), row (of a table) or heading.
        heading: Text of the heading or lead-in it stands under, or "".
        block: Number of the paragraph, list or table it belongs to.
        head: Index of the heading among the segments, or None.
    """

    start: int
    end: int
    text: str
    kind: SegmentKind
    heading: str = ""
    block: int = 0
    head: int | None = None


def segments(plain: str) -> list[Segment]:
    """The segments of *plain*, in order.

    A heading ends with the next heading; a lead-in (a line that ends with a colon) ends with
    the first line of prose after its list.
    """
    found: list[Segment] = []
    section: int | None = None
    lead: int | None = None
    block = 0
    after_blank = True
    for start, end, kind, prose in _lines(plain):
        if kind == "blank":
            after_blank = True
            continue
        if kind == "heading":
            block += 1
            section, lead = len(found), None
            found.append(_segment(plain, start, end, "heading", found, None, block))
            after_blank = True
            continue
        if kind == "prose":
            if after_blank:
                block += 1
            if lead is not None:
                lead = None
            for piece_start, piece_end, numbered in _sentences(plain, start, end):
                head = lead if numbered and lead is not None else section
                found.append(
                    _segment(plain, piece_start, piece_end, "item" if numbered else "sentence", found, head, block)
                )
                if plain[piece_start:piece_end].rstrip(" *_").endswith(":"):
                    lead = len(found) - 1
        else:
            if after_blank and (not found or found[-1].kind != prose):
                block += 1
                # A table after a list is not part of what led into the list.
                lead = lead if found and found[-1].kind == "sentence" else None
            for piece_start, piece_end, _ in _sentences(plain, start, end) if kind == "item" else [(start, end, False)]:
                head = lead if lead is not None else section
                found.append(_segment(plain, piece_start, piece_end, prose, found, head, block))
        after_blank = False
    return found


def _segment(
    plain: str, start: int, end: int, kind: SegmentKind, before: list[Segment], head: int | None, block: int
) -> Segment:
    text = re.sub(r"[*_#|]|(?<=\s)>", " ", plain[start:end])
    # "Don't: take aspirin" forbids as "Don't take aspirin" does.
    text = _FORBIDDING_LABEL.sub(lambda match: f"{match.group()[:-1]} ", text)
    text = _DASH_BEFORE_VERDICT.sub(lambda match: ":".ljust(len(match.group())), text)
    heading = before[head].text.strip(" :") if head is not None else ""
    return Segment(start, end, text, kind, heading, block, head)


def _lines(plain: str) -> Iterator[tuple[int, int, str, SegmentKind]]:
    """Logical lines: prose that goes on after a line break is one line."""
    at = 0
    pending: tuple[int, int] | None = None
    for raw in plain.split("\n"):
        start, end = at, at + len(raw)
        at = end + 1
        kind = _kind(raw)
        if kind == "prose" and pending is not None and _goes_on(plain[pending[0] : pending[1]], raw):
            pending = (pending[0], end)
            continue
        if pending is not None:
            yield (*pending, "prose", "sentence")
            pending = None
        if kind == "prose":
            pending = (start, end)
        elif kind == "blank":
            yield start, end, "blank", "sentence"
        elif kind == "heading":
            yield start, end, "heading", "heading"
        elif kind == "row":
            yield start, end, "row", "row"
        else:
            marker = _ITEM.match(raw)
            yield start + (marker.end() if marker else 0), end, "item", "item"
    if pending is not None:
        yield (*pending, "prose", "sentence")


def _kind(line: str) -> str:
    if not line.strip() or _RULE.fullmatch(line):
        return "blank"
    if (_HASH.match(line) and len(line) <= _MAX_HEADING) or (_BOLD.fullmatch(line) and not _BOLD_SENTENCE.search(line)):
        return "heading"
    if line.count("|") >= 2:
        return "row"
    return "item" if _ITEM.match(line) else "prose"


def _goes_on(before: str, line: str) -> bool:
    last = before.rstrip()[-1:]
    return last not in ".!?:" and line.lstrip()[:1].islower()


def _sentences(plain: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """Spans of the sentences between *start* and *end*, and whether each is an inline list item."""
    cuts: list[tuple[int, bool]] = []
    for match in _END.finditer(plain, start, end):
        # "1. Take" is a number of a list, "b.i.d." an abbreviation: neither ends a sentence.
        before = plain[max(start, match.start() - 12) : match.start() + 1]
        if _ABBREVIATION.search(before) and match.end() < end and not plain[match.end() :].lstrip()[:1].isupper():
            continue
        if re.search(r"(?:^|[\s:;.])\(?\d{1,2}\.$", before) and match.end() < end:
            continue
        if re.search(r"\b(?:Dr|Mr|Mrs|Ms|St|vs|e\.g|i\.e)\.$", before):
            continue
        cuts.append((match.end(), False))
    cuts += [(match.end(), True) for match in _INLINE_ITEM.finditer(plain, start, end)]
    cuts.append((end, False))
    at = start
    numbered = False
    for cut, opens_item in sorted(set(cuts)):
        left, right = at, cut
        while left < right and plain[left].isspace():
            left += 1
        while right > left and plain[right - 1].isspace():
            right -= 1
        inline = re.match(r"\(?\d{1,2}[.)] (?=[A-Z])", plain[left:right])
        if right > left:
            yield left + (inline.end() if inline else 0), right, numbered or inline is not None
        at, numbered = cut, opens_item
