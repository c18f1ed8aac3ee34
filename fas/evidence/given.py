"""The passages that came with an answer, and no evidence at all."""

from __future__ import annotations

from collections.abc import Sequence

from fas.core.records import Answer, Claim, Retrieval
from fas.core.records.signature import PartSignature
from fas.evidence.options import check_k
from fas.evidence.rerank import RerankOption, make_reranker, rank_by_words, rank_candidates
from fas.evidence.top_k import drop_repeated_passages


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
        # Claims of one answer share its tuple of passages.
        passages_of = {id(answer.passages): answer.passages or () for answer in answers}
        different = {key: drop_repeated_passages(passages) for key, passages in passages_of.items()}
        rankers = {key: rank_by_words(passages) for key, passages in different.items()}
        keys = [id(answer.passages) for answer in answers]
        texts = [claim.text for claim in claims]
        first = [rankers[key].scores(text) for key, text in zip(keys, texts, strict=True)]
        results = []
        ranked = rank_candidates(texts, [different[key] for key in keys], first, self._rerank)
        for key, own, order in zip(keys, first, ranked, strict=True):
            passages, best = different[key], order[: self.k]
            kept = tuple(passages[i] for i in (best if self._order == "rank" else sorted(best)))
            n_same = len(passages_of[key]) - len(passages)
            scores = tuple(float(own[i]) for i in best)
            results.append(Retrieval(kept, n_cut=len(passages) - len(kept), n_same=n_same, scores=scores))
        return results


class NoEvidence:
    """Finds nothing for any claim, honestly: for verifiers that judge from their own knowledge.

    It takes no *argument*; *k* has no effect.
    """

    signature = "none"

    def __init__(self, *, argument: str | None = None, k: int = 5) -> None:
        if argument is not None:
            raise ValueError(f"evidence `none` takes no argument, got {argument!r}")
        self.k = k

    def retrieve(self, claims: Sequence[Claim], answers: Sequence[Answer]) -> list[Retrieval]:
        """An empty, honest result for every claim."""
        return [Retrieval() for _ in claims]
