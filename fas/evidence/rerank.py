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

    def scores(self, queries: Sequence[str], candidates: Sequence[Sequence[Passage]]) -> list[Scores]:
        """One score per candidate of each query; higher is better."""


RerankOption: TypeAlias = "Reranker | Embedder | CrossEncoder | str | None"
"""What the option `rerank` of an evidence source may be."""


class EmbeddingReranker:
    """Scores candidates by the cosine between the query and the candidate's title and text.

    Args:
        embedder: The encoder.
        name: Its name in the signature.
    """

    def __init__(self, embedder: Embedder, *, name: str = "encoder") -> None:
        self._embedder = embedder
        self.signature = name

    def scores(self, queries: Sequence[str], candidates: Sequence[Sequence[Passage]]) -> list[Scores]:
        """Cosines in [-1, 1]; each different text is embedded once per call."""
        texts = [[searchable(passage) for passage in found] for found in candidates]
        rows = {text: row for row, text in enumerate(dict.fromkeys([*queries, *(t for found in texts for t in found)]))}
        if not rows:
            return []
        vectors = np.asarray(self._embedder.embed(list(rows)), dtype=float)
        return [
            vectors[[rows[text] for text in found]] @ vectors[rows[query]] if found else np.zeros(0)
            for query, found in zip(queries, texts, strict=True)
        ]


class CrossEncoderReranker:
    """Scores candidates with a model that reads query and candidate together.

    Args:
        model: The model.
        name: Its name in the signature.
    """

    def __init__(self, model: CrossEncoder, *, name: str = "cross-encoder") -> None:
        self._model = model
        self.signature = name

    def scores(self, queries: Sequence[str], candidates: Sequence[Sequence[Passage]]) -> list[Scores]:
        """The model's relevance scores."""
        pairs = [
            (query, searchable(passage))
            for query, found in zip(queries, candidates, strict=True)
            for passage in found
        ]
        flat = np.asarray(self._model.relevance(pairs), dtype=float) if pairs else np.zeros(0)
        return np.split(flat, np.cumsum([len(found) for found in candidates])[:-1]) if candidates else []


def as_reranker(rerank: RerankOption) -> Reranker | None:
    """*rerank* as a `Reranker`; an encoder or a cross-encoder is wrapped, None stays None.

    The names `"none"` and `"encoder"` (the embedded encoder) are for profiles.

    Raises:
        ValueError: It is another name.
        TypeError: It is none of these.
    """
    if rerank is None or rerank == "none":
        return None
    if isinstance(rerank, str):
        if rerank != "encoder":
            raise ValueError(f"`rerank` must be 'none' or 'encoder', got {rerank!r}")
        from fas.models.encoder import load_encoder

        rerank = load_encoder()
    if isinstance(rerank, Reranker):
        return rerank
    name = getattr(rerank, "signature", None)
    if isinstance(rerank, Embedder):
        return EmbeddingReranker(rerank, name=name or "encoder")
    if isinstance(rerank, CrossEncoder):
        return CrossEncoderReranker(rerank, name=name or "cross-encoder")
    raise TypeError(f"`rerank` must have a method `scores`, `embed` or `relevance`, got {type(rerank).__name__}")


RRF_CONSTANT = 60


def fused(first: Scores, second: Scores | None) -> list[int]:
    """Positions of the candidates, best first, by reciprocal rank fusion (Cormack et al., 2009).

    Args:
        first: BM25 scores, one per candidate.
        second: The reranker's scores, or None to rank by BM25 alone.

    Returns:
        Positions; candidates that come out equal keep the order of *first*, then the given order.
    """
    by_first = np.argsort(-first, kind="stable")
    if second is None:
        return [int(position) for position in by_first]
    total = 1 / (RRF_CONSTANT + _ranks(first)) + 1 / (RRF_CONSTANT + _ranks(second))
    return [int(position) for position in by_first[np.argsort(-total[by_first], kind="stable")]]


def _ranks(scores: Scores) -> Scores:
    ranks = np.empty(len(scores))
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return ranks
