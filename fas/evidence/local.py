"""Evidence from local indexes: one or several, searched by words, by vectors, or by both."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fas.core.errors import ProfileError
from fas.core.records import Answer, Claim, Retrieval
from fas.core.records.cited import CitedDocument, Identifier
from fas.core.records.signature import PartSignature
from fas.evidence.corpora import Corpora
from fas.evidence.index import SearchHit
from fas.evidence.options import PMID, check_k, check_years
from fas.evidence.rerank import RerankOption, make_reranker, rank_by_words, rank_candidates
from fas.text.bm25 import BM25

if TYPE_CHECKING:
    from fas.models.bi_encoder import Pooling

CANDIDATES = 40
"""Documents that the first search hands to the reranker, and each of two searches to their fusion."""


class IndexRetriever:
    """Evidence from a local index, or from several of them.

    Args:
        argument: Folder of the index; or `NAME=DIR,NAME=DIR,...`, whose passages then carry the name as `corpus`.
        k: Passages per claim.
        years: `"2014-2024"`, `"2024"` or a pair; documents without a year are then left out.
        include_retracted: Also use retracted documents and those under concern, marked.
        dense: Encoder of documents whose vectors `fas index embed` wrote: `encoder` (the embedded one), a hub name
            (`ncbi/MedCPT-Article-Encoder`) or a folder. None searches by words alone.
        query_encoder: Another encoder for claims; the published one's own by default, else the same.
        pooling: `cls` or `mean`, where nothing says it.
        words: Whether BM25 searches beside the vectors; reciprocal ranks join both rankings.
        topic: Field of the answers with the title of a page: only documents of that title are evidence, ranked
            against the claim (FActScore's knowledge source). An answer without the field, or without such a page, has
            an honest empty result.
        rerank: `"encoder"`, an encoder, a cross-encoder or a `Reranker`, whose opinion on the best candidates is fused
            with the first search's.
        precision: Number format of the encoders.
        candidates: How many candidates are reranked, and how many of either search are joined.

    Raises:
        InputError: There is no index in a folder, its first build has not finished, or it has no vectors.
        ProfileError: Options do not go together.
        ValueError: An option has an impossible value.
    """

    def __init__(
        self,
        *,
        argument: str | None = None,
        k: int = 5,
        years: str | tuple[int, int] | None = None,
        include_retracted: bool = False,
        dense: str | None = None,
        query_encoder: str | None = None,
        pooling: Pooling | None = None,
        words: bool = True,
        topic: str | None = None,
        rerank: RerankOption = None,
        precision: str = "auto",
        candidates: int = CANDIDATES,
    ) -> None:
        if not argument:
            raise ValueError("evidence `index` needs the folder of an index: index:DIR")
        if dense is None and (query_encoder is not None or pooling is not None or not words):
            raise ProfileError("evidence `index`: `query_encoder`, `pooling` and `words` need `dense = NAME`")
        if topic is not None and (not isinstance(topic, str) or not topic or dense is not None):
            raise ProfileError("evidence `index`: `topic` must name a field, and excludes `dense`")
        self.k = check_k(k)
        self._years = check_years(years)
        self._include_retracted = include_retracted
        self._candidates = max(check_k(candidates), self.k)
        self._topic = topic
        self._corpora = Corpora(
            argument, years=self._years, include_retracted=include_retracted, candidates=self._candidates, words=words
        )
        if dense is not None:
            from fas.models.bi_encoder import BiEncoder

            self._corpora.use_vectors(BiEncoder(dense, query_encoder, pooling=pooling, precision=precision))
        self._rerank = make_reranker(rerank, precision=precision)
        self._n_without_page = self._cut_before = 0

    @property
    def signature(self) -> str:
        """E.g. `index[3f0c9a21b7de,2014-2024,k=5,pmid]`; the first part is the beginning of the content hash.

        `pmid` says that all documents came from PubMed's files.
        """
        years = [str(self._years)] if self._years is not None else []
        parts = [self._corpora.content, *years, f"k={self.k}"]
        parts += ["retracted"] if self._include_retracted else []
        parts += self._corpora.settings
        parts += [f"topic={self._topic}"] if self._topic is not None else []
        parts += [f"rerank={self._rerank.signature},n={self._candidates}"] if self._rerank is not None else []
        parts += [PMID] if self._corpora.is_pubmed else []
        return PartSignature("index", *parts)

    def documents(self, identifiers: Sequence[Identifier]) -> dict[Identifier, CitedDocument]:
        """The documents that citations name, by PMID or id; whether others exist an index cannot tell."""
        found = {}
        for identifier in identifiers:
            passages = map(self._corpora.get, identifier.spellings())
            passage = next((one for one in passages if one is not None), None)
            reason = None if passage is not None else "not in the index"
            found[identifier] = CitedDocument(passage, None if passage is None else True, reason)
        return found

    def notes(self) -> tuple[str, ...]:
        """Notes on the source for the report."""
        found = []
        for index in self._corpora.indexes:
            if index.pending:
                missing = ", ".join(Path(path).name for path in index.pending[:3])
                more = len(index.pending) - 3
                found.append(
                    f"the index {index.directory} is incomplete: {missing}{f' and {more} more' if more > 0 else ''} "
                    "had not been applied when it was opened"
                )
        if self._n_without_page:
            found.append(
                f"{self._n_without_page} claims belong to answers without a page: no {self._topic!r}, or no document "
                "of that title"
            )
        cut = self._corpora.n_cut_queries - self._cut_before
        if cut:
            found.append(f"{cut} claims are longer than the query encoder's input; it read their beginning")
        return tuple(found)

    def recount(self) -> None:
        """Reset the counts of claims without a page and of truncated claims."""
        self._n_without_page, self._cut_before = 0, self._corpora.n_cut_queries

    def retrieve(self, claims: Sequence[Claim], answers: Sequence[Answer]) -> list[Retrieval]:
        """The best k documents for each claim; an honest empty result where no term is found."""
        queries = [claim.text for claim in claims]
        limit = self.k if self._rerank is None else self._candidates
        if self._topic is None:
            found = self._corpora.search_many(queries, limit)
        else:
            found = self._search_page(queries, answers, limit)
        if self._rerank is not None:  # else they are in order, with equal scores (to four decimals) by id
            first = [np.array([hit.score for hit in hits]) for hits in found]
            passages = [[hit.passage for hit in hits] for hits in found]
            ranked = rank_candidates(queries, passages, first, self._rerank)
            found = [[hits[i] for i in order[: self.k]] for hits, order in zip(found, ranked, strict=True)]
        return [
            Retrieval(tuple(hit.passage for hit in hits), scores=tuple(float(hit.score) for hit in hits))
            for hits in found
        ]

    def _search_page(self, queries: Sequence[str], answers: Sequence[Answer], limit: int) -> list[list[SearchHit]]:
        """The documents of each answer's page that rank best for the claim, also where no word matches."""
        assert self._topic is not None
        pages: dict[str, tuple[list[SearchHit], BM25]] = {}
        found = []
        for query, answer in zip(queries, answers, strict=True):
            title = answer.meta.get(self._topic)
            name = "" if title is None else str(title)
            if name not in pages:
                hits = self._corpora.page(name)
                pages[name] = hits, rank_by_words([hit.passage for hit in hits])
            hits, ranker = pages[name]
            self._n_without_page += not hits
            scores = ranker.scores(query)
            order = np.argsort(-np.round(scores, 9), kind="stable")[:limit]
            found.append([SearchHit(hits[i].passage, float(scores[i])) for i in order])
        return found
