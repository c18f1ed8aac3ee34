"""The passages that came with an answer, and no evidence at all."""

from __future__ import annotations

from collections.abc import Sequence

from fas.core.records import Answer, Claim, Retrieval
from fas.core.records.signature import PartSignature
from fas.evidence.options import check_k
from fas.evidence.rerank import RerankOption, fuse_ranks, make_reranker
from fas.evidence.terms import searchable, terms
from fas.evidence.top_k import drop_repeated_passages
from fas.text.bm25 import BM25


class GivenPassages:
    """Ranks the passages of a claim's own answer and keeps the best k.

    Passages whose title and text are equal up to white space are one. An answer without passages has an
    honest empty result. Nothing is left out because no word matches: with at most k passages the verifier
    reads them all, best first.

    Args:
        argument: Must be None; `passages` takes no argument.
        k: Passages per claim.
        rerank: `"encoder"`, an encoder, cross-encoder or `Reranker` whose opinion is fused with BM25's.
        precision: Number format of `"encoder"`.
        order: `rank` gives the best first; `given` the same passages in the order in which they came, for a text that
            was cut into pieces.

    Raises:
        ValueError: An argument was given, or `k` is not a whole number of at least 1.
    """

    def __init__(
        self,
        *,
        argument: str | None = None,
        k: int = 5,
        rerank: RerankOption = None,
        precision: str = "auto",
        order: str = "rank",
    ) -> None:
        if order not in ("rank", "given"):
            raise ValueError(f"evidence `passages`: `order` must be 'rank' or 'given', got {order!r}")
        self._order = order
        if argument is not None:
            raise ValueError(f"evidence `passages` takes no argument, got {argument!r}")
        self.k = check_k(k)
        self._rerank = make_reranker(rerank, precision=precision)

    @property
    def signature(self) -> str:
        """E.g. `passages[k=5]`."""
        reranked = () if self._rerank is None else (f"rerank={self._rerank.signature}",)
        ordered = () if self._order == "rank" else (f"order={self._order}",)
        return PartSignature("passages", f"k={self.k}", *reranked, *ordered)

    def retrieve(self, claims: Sequence[Claim], answers: Sequence[Answer]) -> list[Retrieval]:
        """The best k passages of each claim's answer; `n_cut` says how many were left out."""
        collections: dict[int, BM25] = {}
        # Claims of one answer share its tuple of passages.
        different = {id(answer.passages): drop_repeated_passages(answer.passages or ()) for answer in answers}
        given = [different[id(answer.passages)] for answer in answers]
        first = []
        for claim, passages in zip(claims, given, strict=True):
            if id(passages) not in collections:
                collections[id(passages)] = BM25([searchable(passage) for passage in passages], analyse=terms)
            first.append(collections[id(passages)].scores(claim.text))
        second = None
        if self._rerank is not None:
            second = self._rerank.scores([claim.text for claim in claims], given, first)
        results = []
        for position, passages in enumerate(given):
            order = fuse_ranks(first[position], None if second is None else second[position])
            chosen = order[: self.k] if self._order == "rank" else sorted(order[: self.k])
            kept = tuple(passages[index] for index in chosen)
            n_same = len(answers[position].passages or ()) - len(passages)
            scores = tuple(float(first[position][index]) for index in order[: self.k])
            results.append(Retrieval(kept, n_cut=len(passages) - len(kept), n_same=n_same, scores=scores))
        return results


class NoEvidence:
    """Finds nothing for any claim, honestly: for verifiers that judge from their own knowledge.

    Args:
        argument: Must be None; `none` takes no argument.
        k: Accepted because every evidence source takes it; without effect.

    Raises:
        ValueError: An argument was given.
    """

    signature = "none"

    def __init__(self, *, argument: str | None = None, k: int = 5) -> None:
        if argument is not None:
            raise ValueError(f"evidence `none` takes no argument, got {argument!r}")
        self.k = k

    def retrieve(self, claims: Sequence[Claim], answers: Sequence[Answer]) -> list[Retrieval]:
        """An empty, honest result for every claim."""
        return [Retrieval() for _ in claims]
