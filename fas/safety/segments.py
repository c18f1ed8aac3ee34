"""What an answer is judged by: its sentences, list items and table rows, each with its heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from fas.text.reading.blocks import Block
from fas.text.reading.document import read, sentences
from fas.text.reading.mapped import TextSpan
from fas.text.reading.pattern_tables import load_patterns

SegmentKind = Literal["sentence", "item", "row", "heading"]

_KINDS: dict[str, SegmentKind] = {
    "paragraph": "sentence",
    "heading": "sentence",
    "code": "sentence",
    "item": "item",
    "row": "row",
}
SEGMENTS = load_patterns(__file__)
_ENGLISH = frozenset(
    "the a an of to and in is are for with on or be it that this as you your by at from if can should not may have has "
    "will do does was were when which they their but i my we he she his her there what how so no than then also more "
    "any all into about it's don't one some such most each other these those after before".split()
)


@dataclass(frozen=True, slots=True)
class SafetySegment:
    """A stretch of text that is judged on its own.

    Attributes:
        start: First character, in the plain form of the text.
        end: One past the last.
        text: The stretch, markup replaced by spaces; same length as the span.
        kind: sentence, item (of a list), row (of a table) or heading.
        block: Number of the paragraph, list or table it belongs to.
        head: Index of the heading among the segments, or None.
    """

    start: int
    end: int
    text: str
    kind: SegmentKind
    block: int = 0
    head: int | None = None


def split_segments(plain: str) -> list[SafetySegment]:
    """The segments of *plain*, in order, from the blocks that claims are read from too (`fas.text.reading`).

    A heading ends with the next heading; a lead-in (a sentence that ends with a colon) ends with the first prose after
    its list.
    """
    found: list[SafetySegment] = []
    section: int | None = None
    lead: int | None = None
    number = 0
    head_row: object = None
    blocks = read(plain).blocks
    for block in blocks:
        if block.kind == "heading" and len(blocks) > 1:  # a name alone is an answer
            number += 1
            section, lead = len(found), None
            _append(found, plain, block.text.span(), "heading", None, number)
            continue
        kind = _KINDS[block.kind]
        if kind == "sentence":
            number += block.apart
            lead = None
            for span, numbered in _pieces(plain, block):
                _append(
                    found,
                    plain,
                    span,
                    "item" if numbered else "sentence",
                    lead if numbered and lead is not None else section,
                    number,
                )
                if plain[span.start : span.end].rstrip(" *_").endswith(":"):
                    lead = len(found) - 1
            continue
        if block.apart and (not found or found[-1].kind != kind):
            number += 1
            # A table after a list is not part of what led into the list.
            lead = lead if found and found[-1].kind == "sentence" else None
        under = lead if lead is not None else section
        if kind == "item":
            for span, _ in _pieces(plain, block):
                _append(found, plain, span, "item", under, number)
            continue
        if block.head is not None and block.head is not head_row:
            head_row = block.head
            _append(found, plain, block.head.span(), "row", under, number)
        _append(found, plain, block.line.span() if block.line else None, "row", under, number)
    return found


def _append(
    found: list[SafetySegment], plain: str, span: TextSpan | None, kind: SegmentKind, head: int | None, block: int
) -> None:
    if span is None or (found and span.start < found[-1].end):
        return
    text = re.sub(r"[*_#|]|(?<=\s)>", " ", plain[span.start : span.end])
    # "Don't: take aspirin" forbids as "Don't take aspirin" does.
    text = SEGMENTS.forbidding_label.sub(lambda match: f"{match.group()[:-1]} ", text)
    found.append(SafetySegment(span.start, span.end, text, kind, block, head))


def _pieces(plain: str, block: Block) -> Iterator[tuple[TextSpan, bool]]:
    """Places of the sentences of a block, and whether each is an item of a list within a line."""
    for sentence in sentences(block):
        span = sentence.span()
        if span is None:
            continue
        cuts = [match.end() for match in SEGMENTS.inline_item.finditer(plain, span.start, span.end)]
        for left, right in zip([span.start, *cuts], [*cuts, span.end], strict=True):
            mark = SEGMENTS.number.match(plain, left, right)
            numbered = left != span.start or mark is not None
            start = mark.end() if mark else left
            while right > start and plain[right - 1].isspace():
                right -= 1
            if right > start:
                yield TextSpan(start, right), numbered


def find_stories(segments: Sequence[SafetySegment]) -> frozenset[int]:
    """The segments in which the writer tells what they take or took, and neither addresses nor asks anybody."""
    return frozenset(
        number
        for number, segment in enumerate(segments)
        if SEGMENTS.tells.search(segment.text)
        and not SEGMENTS.speaks_to.search(segment.text)
        and not SEGMENTS.ends_asking.search(segment.text)
    )


def find_other_questions(segments: Sequence[SafetySegment], question: str) -> frozenset[int]:
    """The segments of other people's questions, with all behind them: some models run on after their answer.

    Without a question there are none. A marked question ("Question 3:") that does not open the answer is another one;
    so are two questions by a first person, or three of any kind, that share no word with the question; of the last,
    only those that share none with the answer before them either.
    """
    if not question.strip():
        return frozenset()
    asked = _list_stems(question)
    foreign: list[int] = []
    personal: list[int] = []
    marked: list[int] = []
    spoken: set[str] = set()
    words = 0
    for number, segment in enumerate(segments):
        text = segment.text
        if words and (SEGMENTS.marked_question.search(text) or (SEGMENTS.marked_answer.search(text) and words > 12)):
            marked.append(number)
        elif words and segment.kind == "sentence" and text.rstrip(" \"'*_)").endswith("?"):
            stems = _list_stems(text)
            if stems and not stems & asked:
                # A question about what was spoken of before is a heading of a kind ("Is fruit forbidden?").
                if not stems & spoken:
                    foreign.append(number)
                if SEGMENTS.one_asks.search(text):
                    personal.append(number)
        words += len(SEGMENTS.word.findall(text))
        spoken |= _list_stems(text)
    found = [numbers[0] for numbers, least in ((marked, 1), (personal, 2), (foreign, 3)) if len(numbers) >= least]
    return frozenset(range(min(found), len(segments))) if found else frozenset()


def _list_stems(text: str) -> set[str]:
    return {word.lower()[:5] for word in SEGMENTS.word.findall(text) if len(word) > 3 and word.lower() not in _ENGLISH}
