"""Second opinions on a ranking, and how they are put together with BM25's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fas.evidence.bm25 import searchable
from fas.records import Passage

Scores = NDArray[np.float64]


@runtime_checkable
class Embedder(Protocol):
    """Maps texts to vectors whose inner product says how alike the texts are."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape `[n_texts, n_dimensions]`."""


@runtime_checkable
class CrossEncoder(Protocol):
    """Reads a query and a text together."""

    def relevance(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        """How well the second text of each pair answers the first; higher is better."""


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


RerankOption: TypeAlias = "Reranker | Embedder | CrossEncoder | str | None"
"""What the option `rerank` of an evidence source may be."""


SECOND_WEIGHT = 1.5
"""Weight of the reranker beside BM25; chosen, like the two below, on claims of SciFact (benchmarks/retrieval)."""
FEEDBACK = 2
"""Candidates whose vectors are mixed into the query's."""
FEEDBACK_WEIGHT = 0.5
"""Weight of their mean beside the query's vector of length 1."""


class EmbeddingReranker:
    """Scores candidates by the cosine between the query and the candidate's title and text.

    The query is first moved towards the best candidates, as Rocchio (1971) does with terms:
    abstracts of one topic resemble each other more than a short claim resembles any of them.

    Args:
        embedder: The encoder.
        name: Its name in the signature.
        feedback: How many candidates the query is moved towards.
        feedback_weight: Weight of their mean beside the query's vector of length 1.
        second_weight: Weight of the cosine beside BM25 in choosing them.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        name: str = "encoder",
        feedback: int = FEEDBACK,
        feedback_weight: float = FEEDBACK_WEIGHT,
        second_weight: float = SECOND_WEIGHT,
    ) -> None:
        self._embedder = embedder
        self.signature = name
        self._feedback = feedback
        self._feedback_weight = feedback_weight
        self._second_weight = second_weight

    def scores(
        self, queries: Sequence[str], candidates: Sequence[Sequence[Passage]], first: Sequence[Scores]
    ) -> list[Scores]:
        """Cosines in [-1, 1]; each different text is embedded once per call."""
        texts = [[searchable(passage) for passage in found] for found in candidates]
        rows = {text: row for row, text in enumerate(dict.fromkeys([*queries, *(t for found in texts for t in found)]))}
        if not rows:
            return []
        vectors = np.asarray(self._embedder.embed(list(rows)), dtype=float)
        return [
            self._cosines(vectors[rows[query]], vectors[[rows[text] for text in found]], scores)
            if found
            else np.zeros(0)
            for query, found, scores in zip(queries, texts, first, strict=True)
        ]

    def _cosines(self, query: Scores, documents: Scores, first: Scores) -> Scores:
        """Cosines of *documents*, shape `[n, dimensions]`, with the moved *query*."""
        best = fused(first, documents @ query, weight=self._second_weight)[: self._feedback]
        moved = query + self._feedback_weight * documents[best].mean(axis=0) if best else query
        cosines: Scores = documents @ (moved / np.linalg.norm(moved))
        return cosines


class CrossEncoderReranker:
    """Scores candidates with a model that reads query and candidate together.

    Args:
        model: The model.
        name: Its name in the signature.
    """

    def __init__(self, model: CrossEncoder, *, name: str = "cross-encoder") -> None:
        self._model = model
        self.signature = name

    def scores(
        self, queries: Sequence[str], candidates: Sequence[Sequence[Passage]], first: Sequence[Scores]
    ) -> list[Scores]:
        """The model's relevance scores; *first* is not looked at."""
        pairs = [
            (query, searchable(passage)) for query, found in zip(queries, candidates, strict=True) for passage in found
        ]
        flat = np.asarray(self._model.relevance(pairs), dtype=float) if pairs else np.zeros(0)
        return np.split(flat, np.cumsum([len(found) for found in candidates])[:-1]) if candidates else []


def as_reranker(rerank: RerankOption, *, precision: str = "auto") -> Reranker | None:
    """*rerank* as a `Reranker`; an encoder or a cross-encoder is wrapped, None stays None.

    The names `"none"` and `"encoder"` (the embedded encoder, in *precision*, with its vectors kept
    on disk) are for profiles.

    Raises:
        ValueError: It is another name.
        TypeError: It is none of these.
    """
    if rerank is None or rerank == "none":
        return None
    if isinstance(rerank, str):
        if rerank != "encoder":
            raise ValueError(f"`rerank` must be 'none' or 'encoder', got {rerank!r}")
        from fas.evidence.vectors import KeptVectors
        from fas.models.encoder import load_encoder
        from fas.models.precision import resolve_precision

        encoder = load_encoder(precision=precision)
        rerank = KeptVectors(encoder, str(resolve_precision(precision, encoder.device)))
    if isinstance(rerank, Reranker):
        return rerank
    name = getattr(rerank, "signature", None)
    if isinstance(rerank, Embedder):
        return EmbeddingReranker(rerank, name=name or "encoder")
    if isinstance(rerank, CrossEncoder):
        return CrossEncoderReranker(rerank, name=name or "cross-encoder")
    raise TypeError(f"`rerank` must have a method `scores`, `embed` or `relevance`, got {type(rerank).__name__}")


def fused(first: Scores, second: Scores | None, *, weight: float = SECOND_WEIGHT) -> list[int]:
    """Positions of the candidates, best first: the sum of both scores, standardised over the candidates.

    Like ranks, standardised scores compare what is measured in different units, but they
    keep a clear winner clear: on SciFact this finds more than reciprocal rank fusion.

    Args:
        first: BM25 scores, one per candidate.
        second: The reranker's scores, or None to rank by BM25 alone.
        weight: Weight of *second*.

    Returns:
        Positions; candidates that come out equal keep the order of *first*, then the given order.
    """
    by_first = np.argsort(-first, kind="stable")
    if second is None:
        return [int(position) for position in by_first]
    total = np.round(_standardised(first) + weight * _standardised(second), 9)
    return [int(position) for position in by_first[np.argsort(-total[by_first], kind="stable")]]


def _standardised(scores: Scores) -> Scores:
    if not len(scores):
        return scores
    spread = scores.std()
    standardised: Scores = (scores - scores.mean()) / (spread if spread > 1e-9 else 1.0)
    return standardised
