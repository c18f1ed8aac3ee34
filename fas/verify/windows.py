"""Sentence windows of a passage, and which of them a claim should be judged against."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from fas.records import Passage
from fas.sentences import sentence_spans

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]
    Floats = npt.NDArray[np.floating[Any]]

# A passage without full stops (a table, a token dump) must not become one endless sentence.
MAX_SENTENCE_CHARS = 600

# A passage none of whose windows comes this near to the claim speaks of something else and is not read by
# the cross-encoder. Of 750 expert-labelled pairs with evidence (SciFact, Check-COVID, K-QA) the lowest stood at 0.29.
OFF_TOPIC = 0.25

# More than twice what rounding to bfloat16 moves a cosine.
RIVAL_MARGIN = 0.01


class Window(NamedTuple):
    """One or two neighbouring sentences.

    Attributes:
        text: What the verifier reads.
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
        for left, right in _pieces(passage.text, start, end):
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


class Nearest(NamedTuple):
    """The windows a claim is judged against.

    Attributes:
        windows: The nearest windows, best first.
        cosines: Their similarity to the claim.
        gap: The smallest difference between neighbours in this order, the first window left out
            included: how little it takes for other windows, or another order. Infinite for one window.
        rivals: The windows, and those that less than `RIVAL_MARGIN` kept from being among them.
    """

    windows: tuple[Window, ...]
    cosines: tuple[float, ...]
    gap: float
    rivals: tuple[Window, ...] = ()


NOTHING_TO_READ = Nearest((), (), math.inf)


def nearest(claim: Vectors, vectors: Vectors, candidates: Sequence[Window], n: int) -> Nearest:
    """The *n* windows most similar to the claim, best first.

    A pair's vector is the normalised mean of its sentences' vectors, so that each sentence
    is encoded once.

    Args:
        claim: Unit vector, shape `[dim]`.
        vectors: Unit vectors of the sentences, shape `[n_sentences, dim]`.
        candidates: The windows.
        n: How many to return at most.
    """
    import numpy as np

    if not candidates:
        return Nearest((), (), math.inf)
    sums = window_sums(vectors, candidates)
    norms = np.linalg.norm(sums, axis=1)
    cosines = sums @ claim / np.maximum(norms, 1e-12)
    # Rounded so that the last bits of a matrix product cannot decide between equals.
    order = sorted(range(len(candidates)), key=lambda i: (-round(float(cosines[i]), 5), i))
    gaps = [float(cosines[a] - cosines[b]) for a, b in pairwise(order[: n + 1])]
    taken = order[:n]
    least = float(cosines[taken[-1]]) - RIVAL_MARGIN
    return Nearest(
        tuple(candidates[i] for i in taken),
        tuple(float(cosines[i]) for i in taken),
        min(gaps, default=math.inf),
        tuple(window for window, cosine in zip(candidates, cosines, strict=True) if cosine >= least),
    )


def window_sums(vectors: Floats, candidates: Sequence[Window]) -> Floats:
    """The direction of each window: the sum of its sentences' vectors, shape `[n_candidates, dim]`, not normalised."""
    import numpy as np

    return np.stack([vectors[list(window.sentences)].sum(axis=0) for window in candidates])


def off_topic(near: Nearest) -> bool:
    """Whether even the nearest window is too far from the claim to be worth reading; never for a whole passage."""
    return bool(near.windows) and round(near.cosines[0], 5) < OFF_TOPIC


def _pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
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
