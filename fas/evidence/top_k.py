"""Which passages take the k places of a claim: different texts only, and no more than k of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple, TypeVar

from fas.core.records import Passage, Retrieval

Item = TypeVar("Item")


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


def drop_repeated(items: Iterable[Item], passage_of: Callable[[Item], Passage]) -> list[Item]:
    """Of items whose passages are equal, the first; the order stays."""
    found: dict[str, Item] = {}
    for item in items:
        found.setdefault(text_key(passage_of(item)), item)
    return list(found.values())


def drop_repeated_passages(passages: Iterable[Passage]) -> tuple[Passage, ...]:
    """Of passages that are equal, the first; the order stays."""
    return tuple(drop_repeated(passages, lambda passage: passage))


def dedupe_top_k(retrieval: Retrieval, k: int) -> RankedPassages:
    """*retrieval* cut to k different passages: what a source of one's own gives beyond that is not read."""
    passages = retrieval.passages
    different = drop_repeated_passages(passages)
    n_same, n_over = len(passages) - len(different), max(0, len(different) - k)
    if n_same or n_over:
        pairs = zip(passages, retrieval.scores, strict=True) if retrieval.scores else ()
        scores = tuple(score for _, score in drop_repeated(pairs, lambda pair: pair[0])[:k])
        retrieval = replace(retrieval, passages=different[:k], scores=scores)
    return RankedPassages(retrieval, n_same, n_over)
