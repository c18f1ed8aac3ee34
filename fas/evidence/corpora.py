"""Several indexes searched as one: by words, by vectors, or by both joined.

By words, the candidates of several indexes are scored anew by BM25 with document frequencies and numbers of documents
added up, as one index of all would weigh terms; the average length is that of the candidates. Vectors of one encoder
compare across indexes as they are. Two rankings are joined by reciprocal ranks (Cormack, Clarke and Buettcher, 2009).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fas.core.checks import parse_pairs
from fas.core.errors import ProfileError
from fas.core.records import Passage
from fas.evidence.index import SearchHit, TextIndex
from fas.evidence.options import Years
from fas.evidence.terms import searchable, terms
from fas.evidence.top_k import drop_repeated, text_key
from fas.text.bm25 import K1, B

if TYPE_CHECKING:
    from fas.evidence.dense import VectorIndex
    from fas.models.bi_encoder import BiEncoder

RANK_CONSTANT = 60
"""Added to every rank before it is inverted; Cormack et al.'s value."""
_NAME = re.compile(r"[\w.-]+")


class Corpora:
    """The indexes of one source of evidence: a folder, or `NAME=DIR,NAME=DIR,...`.

    Only documents of *years* are found; retracted ones and those under concern only with *include_retracted*, marked.
    *candidates* documents of either search are joined; without *words* vectors search alone.

    Raises:
        InputError: A folder holds no index that can be used.
        ProfileError: Names are missing, repeated, or hold other than letters, digits, `_`, `.` and `-`.
    """

    def __init__(
        self, argument: str, *, years: Years | None, include_retracted: bool, candidates: int, words: bool = True
    ) -> None:
        self._corpora = {name: TextIndex(folder) for name, folder in parse_folders(argument).items()}
        self._years = years
        self._include_retracted = include_retracted
        self._candidates = candidates
        self._words = words
        self._encoder: BiEncoder | None = None
        self._vectors: dict[str | None, VectorIndex] = {}

    def use_vectors(self, encoder: BiEncoder) -> None:
        """Search by the vectors of *encoder*, too.

        Raises:
            InputError: An index has none.
        """
        from fas.evidence.dense import VectorIndex

        self._vectors = {name: VectorIndex(index, encoder) for name, index in self._corpora.items()}
        self._encoder = encoder

    @property
    def indexes(self) -> list[TextIndex]:
        """The indexes, in the order in which they were named."""
        return list(self._corpora.values())

    @property
    def is_pubmed(self) -> bool:
        """Whether all ids are PMIDs."""
        return all(index.is_pubmed for index in self.indexes)

    @property
    def content(self) -> str:
        """The first 12 digits of each content hash, with the index's name if there are several indexes."""
        parts = [(name, index.content_hash[:12]) for name, index in self._corpora.items()]
        return "+".join(content if name is None else f"{name}@{content}" for name, content in parts)

    @property
    def settings(self) -> list[str]:
        """The settings of vectors for the signature; empty without vectors."""
        if self._encoder is None:
            return []
        parts = [f"dense={self._encoder.signature}"]
        if any(vectors.precision != "fp32" for vectors in self._vectors.values()):
            parts.append("vectors=bf16")
        return [*parts, f"rrf={self._candidates}" if self._words else "words=no"]

    @property
    def n_cut_queries(self) -> int:
        """Number of queries so far that the encoder truncated."""
        return 0 if self._encoder is None else self._encoder.n_cut_queries

    def get(self, identifier: str) -> Passage | None:
        """The document of this id, of the first index that has one."""
        for name, index in self._corpora.items():
            passage = index.get(identifier)
            if passage is not None:
                return replace(passage, corpus=name)
        return None

    def page(self, title: str) -> list[SearchHit]:
        """The documents of this title, by index and id, as far as they may be evidence."""
        found = []
        for name, index in self._corpora.items():
            ranked = [(str(one.id), 0.0) for one in index.find_by_title(title)]
            found += self._select_usable(name, ranked, len(ranked))
        return found

    def search_many(self, queries: Sequence[str], limit: int) -> list[list[SearchHit]]:
        """The best *limit* different documents for each query, with the score that ranked them."""
        if self._encoder is None:
            return self._search_words(queries, limit)
        room = limit if not self._words else max(limit, self._candidates)
        dense = self._search_vectors(queries, room)
        if not self._words:
            return dense
        return [join_corpora(pair, limit) for pair in zip(self._search_words(queries, room), dense, strict=True)]

    def _search_words(self, queries: Sequence[str], limit: int) -> list[list[SearchHit]]:
        several = len(self._corpora) > 1
        room = max(limit, self._candidates) if several else limit
        found: list[list[SearchHit]] = [[] for _ in queries]
        for name, index in self._corpora.items():
            own = index.search_many(
                queries, limit=room, years=self._years, include_retracted=self._include_retracted, different=True
            )
            for joined, hits in zip(found, own, strict=True):
                joined += _name_corpus(name, hits)
        if not several:
            return found
        return [self._score_alike(query, hits, limit) for query, hits in zip(queries, found, strict=True)]

    def _score_alike(self, query: str, hits: Sequence[SearchHit], limit: int) -> list[SearchHit]:
        """Hits of several indexes, scored alike."""
        words = list(dict.fromkeys(terms(query)))
        n = sum(len(index) for index in self.indexes)
        frequencies = Counter[str]()
        for index in self.indexes:
            frequencies.update(index.frequencies(words))
        read = [Counter(terms(searchable(hit.passage))) for hit in hits]
        average = float(np.mean([one.total() for one in read])) if read else 1.0
        idf = {word: math.log(1 + (n - frequencies[word] + 0.5) / (frequencies[word] + 0.5)) for word in words}
        scored = [
            SearchHit(hit.passage, _score_bm25(counts, idf, average)) for hit, counts in zip(hits, read, strict=True)
        ]
        return _take_best(scored, limit)

    def _search_vectors(self, queries: Sequence[str], limit: int) -> list[list[SearchHit]]:
        assert self._encoder is not None
        vectors = self._encoder.queries(queries)
        found: list[list[SearchHit]] = [[] for _ in queries]
        for name, index in self._vectors.items():
            for joined, hits in zip(found, self._search_nearest(name, index, vectors, limit), strict=True):
                joined += hits
        return [_take_best(hits, limit) for hits in found]

    def _search_nearest(
        self, name: str | None, index: VectorIndex, vectors: np.ndarray, limit: int
    ) -> list[list[SearchHit]]:
        """The best *limit* usable documents of one index; more are read until there are enough."""
        found: list[list[SearchHit]] = [[] for _ in vectors]
        todo, wanted = list(range(len(vectors))), limit + 10
        while todo:
            for i, ranked in zip(todo, index.best(vectors[todo], wanted), strict=True):
                found[i] = self._select_usable(name, ranked, limit)
            if wanted >= len(index):
                break
            todo = [i for i in todo if len(found[i]) < limit]
            wanted *= 4
        return found

    def _select_usable(self, name: str | None, ranked: Sequence[tuple[str, float]], limit: int) -> list[SearchHit]:
        options: dict[str, Any] = {"limit": limit, "years": self._years, "include_retracted": self._include_retracted}
        return _name_corpus(name, self._corpora[name].usable(ranked, **options))


def parse_folders(argument: str) -> Mapping[str | None, Path]:
    """Name to folder of `NAME=DIR,NAME=DIR,...`; None to the folder of an argument that is one.

    >>> [str(folder) for folder in parse_folders("pubmed=a/b,books=c").values()]
    ['a/b', 'c']

    Raises:
        ProfileError: A name is missing, repeated, or cannot be one.
    """
    if "=" not in argument or Path(argument).is_dir():
        return {None: Path(argument)}
    expected = "NAME=DIR with names of letters, digits, '_', '.' and '-'"
    try:
        found = parse_pairs(argument, expected, Path)
        if not all(map(_NAME.fullmatch, found)):
            raise ValueError(f"expected {expected}, got {argument!r}")
    except ValueError as error:
        raise ProfileError(f"evidence `index`: {error}") from None
    return dict[str | None, Path](found.items())


def join_corpora(rankings: Sequence[Sequence[SearchHit]], limit: int) -> list[SearchHit]:
    """Rankings joined by the sum of 1 / (60 + rank), ranks counted from 1; equal sums in the order of the first."""
    sums: dict[str, float] = {}
    passages: dict[str, Passage] = {}
    for hits in rankings:
        for rank, hit in enumerate(hits, start=1):
            key = text_key(hit.passage)
            passages.setdefault(key, hit.passage)
            sums[key] = sums.get(key, 0.0) + 1 / (RANK_CONSTANT + rank)
    order = sorted(sums, key=lambda key: -round(sums[key], 12))
    return [SearchHit(passages[key], sums[key]) for key in order[:limit]]


def _score_bm25(counts: Mapping[str, int], idf: Mapping[str, float], average: float) -> float:
    norm = K1 * (1 - B + B * sum(counts.values()) / average)
    return sum(
        weight * counts[word] * (K1 + 1) / (counts[word] + norm) for word, weight in idf.items() if counts.get(word)
    )


def _take_best(hits: Sequence[SearchHit], limit: int) -> list[SearchHit]:
    """The best different ones; equal scores in the order of the indexes, then of ids."""
    return drop_repeated(sorted(hits, key=lambda hit: -round(hit.score, 4)), lambda hit: hit.passage)[:limit]


def _name_corpus(name: str | None, hits: Sequence[SearchHit]) -> list[SearchHit]:
    return [SearchHit(replace(hit.passage, corpus=name), hit.score) for hit in hits]
