"""The sentences of an answer that a language model is asked about, and the windows around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fas.core.records import Answer, Claim
from fas.text.reading.blocks import Block
from fas.text.reading.document import read
from fas.text.reading.mapped import Mapped
from fas.text.sentences import sentence_spans

BEFORE = 3
AFTER = 1
_LEAD_FROM = 6
_REACH = 10_000
_STATES = re.compile(r"[.!…][\"')\]*_»”’]*\s*$")


class Unit(NamedTuple):
    """A sentence of an answer.

    Attributes:
        text: The sentence without markup; a table row names the columns (`Drug: X; Dose: Y`).
        start: Where it begins in the prediction (code points).
        end: One past its last character.
    """

    text: str
    start: int
    end: int


def answer_units(prediction: str) -> list[Unit]:
    r"""The sentences of an answer in the order of the text.

    Markdown is taken apart first, so that list items and table rows are sentences of their own.
    Left out are code, rules and headings: a line set as a heading counts as one if other text
    follows it and it does not end like a sentence.

    >>> [unit.text for unit in answer_units("# Fever\nIt helps. *It* may hurt.\n- nausea")]
    ['It helps.', 'It may hurt.', 'nausea']
    """
    blocks = read(prediction).prose
    last = max((i for i, block in enumerate(blocks) if block.kind != "heading"), default=-1)
    units = []
    for i, block in enumerate(blocks):
        if block.kind == "heading" and i < last and not _STATES.search(block.text.text):
            continue
        for text, source in _split_sentences(block):
            span = source.span()
            if span is not None and any(character.isalpha() for character in text):
                units.append(Unit(text, span.start, span.end))
    return units


def _split_sentences(block: Block) -> Iterator[tuple[str, Mapped]]:
    if block.kind == "row":
        cells = [(cell.header.strip(" :"), cell.text.text.strip()) for cell in block.cells]
        yield "; ".join(f"{header}: {text}" if header else text for header, text in cells if text), block.text
        return
    for start, end in sentence_spans(block.text.text):
        piece = block.text.slice(start, end)
        yield piece.text, piece


def window(texts: Sequence[str], place: int, question: str | None, *, wording: str | None = None) -> str:
    """The sentence at *place* between <SOS> and <EOS>, with three sentences before and one after (VeriScore).

    Its *wording*, if given, takes its place. In front stands the question where there is one, else
    the first sentence of an answer of more than five sentences, unless the window holds it anyway.
    """
    first = max(0, place - BEFORE)
    marked = f"<SOS>{texts[place] if wording is None else wording}<EOS>"
    shown = " ".join([*texts[first:place], marked, *texts[place + 1 : place + 1 + AFTER]])
    if question:
        return f"Question: {question} Response: {shown}"
    if first > 0 and len(texts) >= _LEAD_FROM:
        return f"{texts[0]} {shown}"
    return shown


def surroundings(prediction: str, start: int, end: int) -> str:
    """The answer as context of what stands from *start* to *end*: all of it, up to 20,000 characters.

    Of a longer answer, 10,000 characters before and after, cut between words and marked with `[...]`:
    every sentence of it is asked about with its context, and nothing that far away explains a pronoun.
    """
    if len(prediction) <= 2 * _REACH:
        return prediction
    low, high = max(0, start - _REACH), min(len(prediction), end + _REACH)
    before = re.sub(r"^\S*\s+", "[...] ", prediction[low:start]) if low else prediction[:start]
    after = re.sub(r"\s+\S*$", " [...]", prediction[end:high]) if high < len(prediction) else prediction[end:]
    return before + prediction[start:end] + after


def source_sentences(answer: Answer, claims: Sequence[Claim], *, before: int = 0) -> list[str | None]:
    """For each claim the sentences of the answer that its span touches; None without a span.

    Args:
        answer: Where the claims come from.
        claims: Its claims.
        before: How many sentences that stand before them are added.
    """
    units = answer_units(answer.prediction)
    found: list[str | None] = []
    for claim in claims:
        if claim.start is None or claim.end is None:
            found.append(None)
            continue
        touched = [i for i, unit in enumerate(units) if unit.start < claim.end and claim.start < unit.end]
        first = max(0, touched[0] - before) if touched else 0
        shown = [unit.text for unit in units[first : touched[-1] + 1]] if touched else []
        found.append(" ".join(shown) or answer.prediction[claim.start : claim.end])
    return found
