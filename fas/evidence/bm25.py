"""BM25 over a handful of passages in memory, by the terms of the index on disk: passages given, and candidates."""

from __future__ import annotations

from collections.abc import Sequence

from fas.core.records import Passage
from fas.evidence.terms import terms
from fas.text import bm25
from fas.text.bm25 import K1, B

__all__ = ["K1", "B", "BM25Retriever", "searchable"]


class BM25Retriever(bm25.BM25):
    """Ranks *texts* for queries, by the terms of `fas.evidence.terms`.

    Args:
        texts: The collection; its document frequencies are the weights of the terms.
        k1: How soon repetitions of a term stop counting; tantivy's value.
        b: How much long texts are held back, in [0, 1]; tantivy's value.
    """

    def __init__(self, texts: Sequence[str], *, k1: float = K1, b: float = B) -> None:
        super().__init__(texts, analyse=terms, k1=k1, b=b)


def searchable(passage: Passage) -> str:
    """What of a passage is searched: its title, if it has one, and its text."""
    return f"{passage.title}\n{passage.text}" if passage.title else passage.text
