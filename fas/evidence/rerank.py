"""Second opinions on a ranking, and how they are put together with BM25's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fas.core.records import Passage
from fas.evidence.terms import searchable, terms
from fas.text.bm25 import BM25
from fas.text.windows import Sentences, split_passage, window_sums, windows

Scores = NDArray[np.float64]


@runtime_checkable
class Embedder(Protocol):
    """Maps texts to vectors whose inner product says how alike the texts are."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape `[n_texts, n_dimensions]`."""


@runtime_checkable
class Reranker(Protocol):
    """Scores candidates for queries; `fused` combines its scores with BM25's."""

    @property
    def signature(self) -> str:
        """Names the model; no `|`, `:` or line break."""

    def scores(
        self, queries: Sequence[str], candidates: Sequence[Sequence[Passage]], first: Sequence[Scores]
    ) -> list[Scores]:
        """One score per candidate of each query; higher is better.

        Args:
            queries: The claims.
            candidates: The passages found for each.
            first: Their BM25 scores.
        """


RerankOption: TypeAlias = "Reranker | Embedder | str | None"
"""What the option `rerank` of an evidence source may be."""


SECOND_WEIGHT = 2.5
"""Weight of the reranker beside BM25; chosen, like the next, on claims of SciFact (benchmarks/retrieval)."""
WHOLE_WEIGHT = 0.5
"""Weight of a candidate as a whole beside its best sentence window."""


class EmbeddingReranker:
    """Scores candidates by how near their best sentence window, and they as a whole, are to the query.

    A claim is one sentence, and so is what settles it: the best window of one or two sentences says more about an
    abstract than a vector of all of it. Both are standardised over the candidates of a query and added, the whole (the
    mean of its sentences' vectors) with *whole_weight*. Sentences are the unit that the verifier reads too, so no text
    is encoded in two ways.
    """

    def __init__(self, embedder: Embedder, *, name: str = "encoder", whole_weight: float = WHOLE_WEIGHT) -> None:
        self._embedder = embedder
        self.signature = name
        self._whole_weight = whole_weight

    def scores(
        self, queries: Sequence[str], candidates: Sequence[Sequence[Passage]], first: Sequence[Scores]
    ) -> list[Scores]:
        """Sums of standardised cosines, mean 0 over a query's candidates; *first* is not looked at.

        Each different sentence is embedded once per call. A passage without text has cosine 0.
        """
        passages = list(dict.fromkeys(passage for found in candidates for passage in found))
        split = {passage: split_passage(passage) for passage in passages}
        texts = list(dict.fromkeys([*queries, *(text for sentences in split.values() for text in sentences.texts)]))
        if not texts:
            return []
        rows = {text: row for row, text in enumerate(texts)}
        vectors = np.asarray(self._embedder.embed(texts), dtype=float)
        read = {
            passage: _read(passage, sentences, vectors[[rows[text] for text in sentences.texts]])
            for passage, sentences in split.items()
        }
        return [
            self._score_passages(vectors[rows[query]], [read[passage] for passage in found])
            for query, found in zip(queries, candidates, strict=True)
        ]

    def _score_passages(self, query: Scores, found: Sequence[_Read]) -> Scores:
        best = np.array([(windows @ query).max(initial=-1.0) if len(windows) else 0.0 for windows, _ in found])
        whole = np.array([float(mean @ query) for _, mean in found])
        return _standardise(best) + self._whole_weight * _standardise(whole)


class _Read(NamedTuple):
    """Unit vectors of a passage's windows, shape `[n_windows, dimensions]`, and of all of it."""

    windows: Scores
    whole: Scores


def _read(passage: Passage, sentences: Sentences, vectors: Scores) -> _Read:
    if not len(vectors):
        return _Read(np.zeros((0, vectors.shape[1])), np.zeros(vectors.shape[1]))
    sums = np.asarray(window_sums(vectors, windows(passage, sentences)), dtype=float)
    return _Read(_normalise_rows(sums), _normalise_rows(vectors.sum(axis=0)[None])[0])


def _normalise_rows(vectors: Scores) -> Scores:
    units: Scores = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return units


def make_reranker(rerank: RerankOption, *, precision: str = "auto") -> Reranker | None:
    """*rerank* as a `Reranker`; an encoder is wrapped, None stays None.

    The names `"none"`, `"encoder"` (the embedded encoder, in *precision*, with its vectors kept on disk) and
    `"colbert:NAME"` (`fas.evidence.colbert`) are for profiles.

    Raises:
        ValueError: It is another name.
        TypeError: It has another type.
    """
    if rerank is None or rerank == "none":
        return None
    if isinstance(rerank, str) and rerank.startswith("colbert:") and rerank != "colbert:":
        from fas.evidence.colbert import ColBERT

        return ColBERT(rerank.removeprefix("colbert:"))
    if isinstance(rerank, str):
        if rerank != "encoder":
            raise ValueError(f"`rerank` must be 'none', 'encoder' or 'colbert:NAME', got {rerank!r}")
        from fas.evidence.vectors import KeptVectors
        from fas.models.encoder import load_encoder
        from fas.models.precision import resolve_precision

        encoder = load_encoder(precision=precision)
        rerank = KeptVectors(encoder, str(resolve_precision(precision, encoder.device)))
    if isinstance(rerank, Reranker):
        return rerank
    if isinstance(rerank, Embedder):
        return EmbeddingReranker(rerank, name=getattr(rerank, "signature", None) or "encoder")
    raise TypeError(f"`rerank` must have a method `scores` or `embed`, got {type(rerank).__name__}")


def fuse_ranks(first: Scores, second: Scores | None, *, weight: float = SECOND_WEIGHT) -> list[int]:
    """Positions of the candidates, best first: the sum of both scores, standardised over the candidates.

    Like ranks, standardised scores compare what is measured in different units, but they keep a clear winner clear: on
    SciFact this finds more than reciprocal rank fusion. *first* are BM25 scores, *second* the reranker's, which have
    *weight*, or None. Candidates that come out equal keep the order of *first*, then the given order.
    """
    by_first = np.argsort(-first, kind="stable")
    if second is None:
        return [int(position) for position in by_first]
    total = np.round(_standardise(first) + weight * _standardise(second), 9)
    return [int(position) for position in by_first[np.argsort(-total[by_first], kind="stable")]]


def rank_by_words(passages: Sequence[Passage]) -> BM25:
    """BM25 over the titles and texts of *passages*."""
    return BM25([searchable(passage) for passage in passages], analyse=terms)


def rank_candidates(
    queries: Sequence[str], candidates: Sequence[Sequence[Passage]], first: Sequence[Scores], reranker: Reranker | None
) -> list[list[int]]:
    """Positions of each query's candidates, best first, by *first* and the reranker, if there is one."""
    if reranker is None:
        return [fuse_ranks(scores, None) for scores in first]
    second = reranker.scores(queries, candidates, first)
    return [fuse_ranks(one, other) for one, other in zip(first, second, strict=True)]


def _standardise(scores: Scores) -> Scores:
    if not len(scores):
        return scores
    spread = scores.std()
    standardised: Scores = (scores - scores.mean()) / (spread if spread > 1e-9 else 1.0)
    return standardised
