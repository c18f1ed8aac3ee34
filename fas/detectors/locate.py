"""The place of a quoted snippet in an answer, and the sentences that a span touches."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from fas.text.sentences import SentenceSpan, sentence_spans

LEAST_ALIKE = 90.0
"""Least similarity (rapidfuzz's partial ratio, 0 to 100) of a window."""
_QUOTES = str.maketrans("’‘‛′“”„‟″", '\'\'\'\'"""""')
_MARKUP = frozenset("*_#`")

Taken = Collection[tuple[int, int]]


class _Folded(NamedTuple):
    """A text without markup, in one spelling, and where each character came from."""

    text: str
    origin: list[int]


def locate(snippet: str, text: str, *, taken: Taken = ()) -> tuple[int, int] | None:
    """The span of *snippet* in *text*, or None if it is not there, even roughly.

    Searches verbatim, then with case, white space, quotes and markup folded, then for the most similar window. Of
    several places it takes the first that is not in *taken*, else the first.

    >>> locate("It “helps”.", 'First. It "helps".')
    (7, 18)
    """
    snippet = snippet.strip()
    if not snippet:
        return None
    places = _find_places(snippet, text)
    if not places:
        whole, part = _fold(text), _fold(snippet).text.strip()
        if not part:
            return None
        places = [_span(whole, start, end) for start, end in _find_places(part, whole.text)]
        if not places:
            return _find_similar(part, whole)
    return next((span for span in places if span not in taken), places[0])


def _find_places(part: str, text: str) -> list[tuple[int, int]]:
    return [found.span() for found in re.finditer(re.escape(part), text)]


def _find_similar(part: str, whole: _Folded) -> tuple[int, int] | None:
    from rapidfuzz import fuzz

    if len(part) > len(whole.text):
        # The other way round a short text would be found in any long snippet.
        return _span(whole, 0, len(whole.text)) if fuzz.ratio(part, whole.text) >= LEAST_ALIKE else None
    best = fuzz.partial_ratio_alignment(part, whole.text, score_cutoff=LEAST_ALIKE)
    if best is None or best.dest_start >= best.dest_end:
        return None
    return _span(whole, best.dest_start, best.dest_end)


def _span(whole: _Folded, start: int, end: int) -> tuple[int, int]:
    return whole.origin[start], whole.origin[end - 1] + 1


def _fold(text: str) -> _Folded:
    characters: list[str] = []
    origin: list[int] = []
    for i, character in enumerate(text):
        if character in _MARKUP:
            continue
        if character.isspace():
            if characters and characters[-1] == " ":
                continue
            folded = " "
        else:
            folded = unicodedata.normalize("NFKC", character).translate(_QUOTES).casefold()
        for one in folded:
            characters.append(one)
            origin.append(i)
    return _Folded("".join(characters), origin)


def find_touched_spans(sentences: Sequence[SentenceSpan], spans: Iterable[tuple[int, int]]) -> set[int]:
    """Positions of the sentences that share a character with one of *spans*."""
    found = list(spans)
    return {i for i, (start, end) in enumerate(sentences) if any(a < end and start < b for a, b in found)}


def expand_to_sentences(text: str, start: int, end: int) -> tuple[int, int]:
    """From the beginning of the first sentence that the span touches to the end of the last; itself if it touches none.

    >>> text = "It helps. It may hurt. Ask."
    >>> text[slice(*expand_to_sentences(text, 13, 17))]
    'It may hurt.'
    """
    sentences = sentence_spans(text)
    inside = find_touched_spans(sentences, [(start, end)])
    if not inside:
        return start, end
    return min(start, sentences[min(inside)].start), max(end, sentences[max(inside)].end)


def token_overlap(text: str, a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Whether both spans share a token: a character that is a letter or digit."""
    start, end = max(a[0], b[0]), min(a[1], b[1])
    return start < end and any(character.isalnum() for character in text[start:end])
