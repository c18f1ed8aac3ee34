"""Places in an answer: the sentences it has, and those that a span touches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fas.text.sentences import SentenceSpan, sentence_spans


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
