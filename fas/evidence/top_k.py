"""Which passages take the k places of a claim: different texts only, and no more than k of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from fas.core.records import Passage, Retrieval


class RankedPassages(NamedTuple):
    """What is left of a retrieval.

    Attributes:
        retrieval: At most k passages, no two of them equal, in their order.
        n_same: Passages left out because they repeat one before them.
        n_over: Passages left out because the source gave more than k.
    """

    retrieval: Retrieval
    n_same: int
    n_over: int


def text_key(passage: Passage) -> str:
    """What equal passages share: title and text, with their white space evened out.

    >>> text_key(Passage("  Rest  helps.")) == text_key(Passage("Rest helps.", id="7"))
    True
    """
    return f"{' '.join((passage.title or '').split())}\0{' '.join(passage.text.split())}"


def drop_repeated_passages(passages: Iterable[Passage]) -> tuple[Passage, ...]:
    """Of passages that are equal, the first; the order stays."""
    found: dict[str, Passage] = {}
    for passage in passages:
        found.setdefault(text_key(passage), passage)
    return tuple(found.values())


def dedupe_top_k(retrieval: Retrieval, k: int) -> RankedPassages:
    """*retrieval* cut to k different passages: what a source of one's own gives beyond that is not read."""
    passages = retrieval.passages
    different = drop_repeated_passages(passages)
    n_same, n_over = len(passages) - len(different), max(0, len(different) - k)
    if n_same or n_over:
        scores: tuple[float, ...] = ()
        if retrieval.scores:
            by_text: dict[str, float] = {}
            for passage, score in zip(passages, retrieval.scores, strict=True):
                by_text.setdefault(text_key(passage), score)
            scores = tuple(by_text[text_key(passage)] for passage in different[:k])
        retrieval = replace(retrieval, passages=different[:k], scores=scores)
    return RankedPassages(retrieval, n_same, n_over)
