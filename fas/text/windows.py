"""Sentence windows of a passage, and which of them a claim should be judged against.

Windows are ranked by the cosine between claim and window and three smaller things: the share of the claim's words
that the window holds, how late in the passage it stands (authors say at the end of an abstract what they found), and
whether it is two sentences. Windows that are taken do not overlap.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from fas.records import Passage
from fas.text.sentences import sentence_spans

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

# What counts beside the cosine, in its units. Chosen on Check-COVID, for 883 abstracts of which the sentence with the
# evidence is known: among two windows it is in 76 of a hundred, in 62 with the cosine alone and overlapping windows
# (`benchmarks/embedded_models/README.md`).
SHARED_WORDS = 0.3
LATE = 0.12
SECOND_SENTENCE = 0.04

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
    # A token stands for one character at least, so that short texts need no tokenizer.
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


class Nearest(NamedTuple):
    """The windows a claim is judged against.

    Attributes:
        windows: The windows to be read, best first.
        cosines: Their similarity to the claim.
        closest: The highest cosine of all candidates, one of those that are read or not.
        gap: The smallest difference in rank value by which a window was taken before another: how little it takes for
            other windows, or another order. Infinite where nothing else could have been taken.
        rivals: The windows that could have been taken if no value moved by more than half of `RIVAL_MARGIN` (and
            perhaps a few that could not), and those that could have been the closest.
    """

    windows: tuple[Window, ...]
    cosines: tuple[float, ...]
    closest: float
    gap: float
    rivals: tuple[Window, ...] = ()


NOTHING_TO_READ = Nearest((), (), math.nan, math.inf)


def nearest(claim: Vectors, vectors: Vectors, candidates: Sequence[Window], n: int, *, shared: Floats) -> Nearest:
    """The *n* windows that are most likely to settle the claim, best first, none overlapping another.

    A pair's vector is the normalised mean of its sentences' vectors, so that each sentence
    is encoded once.

    Args:
        claim: Unit vector, shape `[dim]`.
        vectors: Unit vectors of all sentences of the passage, shape `[n_sentences, dim]`.
        candidates: The windows.
        n: How many to return at most.
        shared: For each candidate the share of the claim's words that it holds, 0 to 1, shape `[n_candidates]`.
    """
    import numpy as np

    if not candidates:
        return NOTHING_TO_READ
    sums = window_sums(vectors, candidates)
    norms = np.linalg.norm(sums, axis=1)
    cosines = sums @ claim / np.maximum(norms, 1e-12)
    last = max(1, len(vectors) - 1)
    late = np.array([window.sentences[-1] / last for window in candidates])
    two = np.array([len(window.sentences) - 1 for window in candidates])
    values = cosines + SHARED_WORDS * shared + LATE * late + SECOND_SENTENCE * two
    # Rounded so that the last bits of a matrix product cannot decide between equals.
    order = sorted(range(len(candidates)), key=lambda i: (-round(float(values[i]), 5), i))
    taken: list[int] = []
    left, gap = order, math.inf
    while left and len(taken) < n:
        best = left[0]
        if len(left) > 1:
            gap = min(gap, float(values[best] - values[left[1]]))
        taken.append(best)
        left = [i for i in left if not _overlap(candidates[i], candidates[best])]
    # A window overlaps with at most five, itself included. So whatever was taken before, one of the first
    # 5 (n - 1) + 1 is still there, and nothing below the last of them is taken.
    least = float(values[order[min(5 * (n - 1), len(order) - 1)]]) - RIVAL_MARGIN
    closest = float(cosines.max())
    return Nearest(
        tuple(candidates[i] for i in taken),
        tuple(float(cosines[i]) for i in taken),
        closest,
        gap,
        tuple(
            window
            for window, value, cosine in zip(candidates, values, cosines, strict=True)
            if value >= least or cosine >= closest - RIVAL_MARGIN
        ),
    )


def _overlap(one: Window, other: Window) -> bool:
    return one.sentences[0] <= other.sentences[-1] and other.sentences[0] <= one.sentences[-1]


def window_sums(vectors: Floats, candidates: Sequence[Window]) -> Floats:
    """The direction of each window: the sum of its sentences' vectors, shape `[n_candidates, dim]`, not normalised."""
    import numpy as np

    return np.stack([vectors[list(window.sentences)].sum(axis=0) for window in candidates])


def off_topic(near: Nearest) -> bool:
    """Whether even the closest window is too far from the claim to be worth reading; never for a whole passage."""
    return bool(near.windows) and round(near.closest, 5) < OFF_TOPIC


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
