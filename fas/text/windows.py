"""Sentences of a passage, and the parts of it that are read at once: windows of sentences, and pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from fas.core.records import Passage
from fas.text.sentences import sentence_spans

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.floating[Any]]

# A passage without full stops (a table, a token dump) must not become one endless sentence.
MAX_SENTENCE_CHARS = 600


class Window(NamedTuple):
    """Neighbouring sentences.

    Attributes:
        text: What a model reads.
        start: First character in the passage's text; None for the title.
        end: One past the last character; None for the title.
        sentences: Indices of the sentences it is made of.
    """

    text: str
    start: int | None
    end: int | None
    sentences: tuple[int, ...]


class Sentences(NamedTuple):
    """A passage cut into sentences; the title, if any, comes first."""

    texts: tuple[str, ...]
    spans: tuple[tuple[int, int] | None, ...]


def split_passage(passage: Passage) -> Sentences:
    """The sentences of *passage*; empty for a blank text without a title."""
    texts: list[str] = []
    spans: list[tuple[int, int] | None] = []
    if passage.title and passage.title.strip():
        texts.append(passage.title.strip())
        spans.append(None)
    for start, end in sentence_spans(passage.text):
        for left, right in _cut_sentence(passage.text, start, end):
            texts.append(passage.text[left:right])
            spans.append((left, right))
    return Sentences(tuple(texts), tuple(spans))


def windows(passage: Passage, sentences: Sentences) -> list[Window]:
    """Every single sentence and every pair of neighbours (the title stands alone), in text order."""
    result: list[Window] = []
    for i, (text, span) in enumerate(zip(*sentences, strict=True)):
        start, end = span or (None, None)
        result.append(Window(text, start, end, (i,)))
        following = sentences.spans[i + 1] if i + 1 < len(sentences.spans) else None
        if span is not None and following is not None:
            result.append(Window(passage.text[span[0] : following[1]], span[0], following[1], (i, i + 1)))
    return result


def pieces(passage: Passage, most: int, count: Callable[[str], int]) -> Iterator[Window]:
    """*passage* whole, or, where it has more than *most* tokens, pieces at sentence ends that share one sentence.

    Each begins with the title, if there is one. A sentence of more than *most* tokens is a piece of its own, cut where
    `split_passage` cuts it.

    Args:
        passage: The passage; one with a blank text has no piece.
        most: Tokens of a piece, without its title.
        count: How many tokens a text has.
    """
    title = f"{passage.title.strip()} " if passage.title and passage.title.strip() else ""
    sentences = split_passage(passage)
    # A token has at least one character, so that short texts need no tokenizer.
    if len(passage.text) <= most or count(passage.text) <= most:
        own = tuple(range(len(sentences.texts)))
        if passage.text.strip():
            yield Window(title + passage.text, 0, len(passage.text), own)
        return
    chosen = [(i, span, count(text)) for i, (text, span) in enumerate(zip(*sentences, strict=True)) if span is not None]
    first = 0
    while first < len(chosen):
        last, total = first, chosen[first][2]
        while last + 1 < len(chosen) and total + chosen[last + 1][2] <= most:
            last += 1
            total += chosen[last][2]
        start, end = chosen[first][1][0], chosen[last][1][1]
        yield Window(title + passage.text[start:end], start, end, tuple(i for i, _, _ in chosen[first : last + 1]))
        if last + 1 == len(chosen):
            return
        # The next piece repeats the last sentence where the one behind it fits beside it; else it would add nothing.
        repeats = last > first and chosen[last][2] + chosen[last + 1][2] <= most
        first = last if repeats else last + 1


def window_sums(vectors: Floats, candidates: Sequence[Window]) -> Floats:
    """The direction of each window: the sum of its sentences' vectors, shape `[n_candidates, dim]`, not normalised."""
    import numpy as np

    return np.stack([vectors[list(window.sentences)].sum(axis=0) for window in candidates])


def _cut_sentence(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The span itself, or pieces of at most `MAX_SENTENCE_CHARS` broken at white space."""
    pieces = []
    while end - start > MAX_SENTENCE_CHARS:
        limit = start + MAX_SENTENCE_CHARS
        cut = next((i for i in range(limit, limit - MAX_SENTENCE_CHARS // 2, -1) if text[i].isspace()), limit)
        pieces.append((start, cut))
        start = cut
        while start < end and text[start].isspace():
            start += 1
    if end > start:
        pieces.append((start, end))
    return pieces
