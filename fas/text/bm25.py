"""BM25 over a handful of texts in memory.

The weighting is that of Robertson and Zaragoza (2009), "The Probabilistic Relevance Framework", with the inverse
document frequency that Lucene and tantivy use, which is never negative.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

K1 = 1.2
B = 0.75


class BM25:
    """Ranks *texts* for queries.

    Args:
        texts: The collection; its document frequencies are the weights of the terms.
        analyse: Gives the terms of a text or a query, in order, with repetitions.
        k1: How soon repetitions of a term stop counting; tantivy's value.
        b: How much long texts are held back, in [0, 1]; tantivy's value.
    """

    def __init__(
        self, texts: Sequence[str], *, analyse: Callable[[str], Sequence[str]], k1: float = K1, b: float = B
    ) -> None:
        self._analyse = analyse
        self._n = len(texts)
        analysed = [analyse(text) for text in texts]
        lengths = np.array([len(found) for found in analysed], dtype=float)
        average = lengths.mean() if self._n and lengths.any() else 1.0
        norm = k1 * (1 - b + b * lengths / average)
        postings: dict[str, tuple[list[int], list[int]]] = {}
        for document, found in enumerate(analysed):
            for term, frequency in Counter(found).items():
                documents, frequencies = postings.setdefault(term, ([], []))
                documents.append(document)
                frequencies.append(frequency)
        self._weights: dict[str, tuple[NDArray[np.intp], NDArray[np.float64]]] = {}
        for term, (documents, frequencies) in postings.items():
            rows = np.array(documents, dtype=np.intp)
            counts = np.array(frequencies, dtype=float)
            idf = math.log(1 + (self._n - len(rows) + 0.5) / (len(rows) + 0.5))
            self._weights[term] = (rows, idf * counts * (k1 + 1) / (counts + norm[rows]))

    def scores(self, query: str) -> NDArray[np.float64]:
        """The score of every text; a term counts once however often the query repeats it."""
        totals = np.zeros(self._n)
        for term in dict.fromkeys(self._analyse(query)):
            if term in self._weights:
                rows, weights = self._weights[term]
                totals[rows] += weights
        return totals

    def ranking(self, query: str) -> list[int]:
        """Positions of all texts, best first; equal scores keep the given order."""
        return [int(position) for position in np.argsort(-self.scores(query), kind="stable")]
