"""Evidence from PubMed over the E-utilities."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from fas.core.cache import Cache
from fas.core.records import Answer, Claim, Passage, Retrieval
from fas.core.records.cited import CitedDocument, Identifier
from fas.core.records.signature import PartSignature
from fas.evidence.client import EntrezClient, RequestFailedError
from fas.evidence.options import check_k, check_years
from fas.evidence.pubmed import Article, attach_status, drop_earlier_versions
from fas.evidence.pubmed_cache import CachedPubMed, Records
from fas.evidence.query import concepts, relax_query, tag_term
from fas.evidence.rerank import RerankOption, make_reranker, rank_by_words, rank_candidates

logger = logging.getLogger(__name__)

BASE_URL = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
LADDER = "q1"
"""Version of the query building, in the signature."""

_CANDIDATES = 30
_ENOUGH = 10
_MISREAD = ("[Author]", "[Author - ", "[Full Author Name]", "[Journal]", "[Investigator]")


@dataclass(slots=True)
class _Search:
    """How far the search for one claim has come."""

    concepts: list[str]
    rungs: Iterator[str]
    ids: dict[str, None] = field(default_factory=dict)
    queries: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    spelled: set[str] = field(default_factory=set)
    exhausted: bool = False


class EntrezRetriever:
    """Searches PubMed for each claim and ranks what it finds against the claim.

    The key concepts of a claim are searched together, then ever more loosely until there
    are enough candidates. Requests and records are kept in the cache for good.

    Args:
        argument: Must be None; `entrez` takes no argument.
        k: Passages per claim.
        years: Years of publication, `"2014-2024"`, `"2024"`, a pair or None for all.
        include_retracted: Also use retracted records and those under concern, marked.
        rerank: As for `IndexRetriever`.
        precision: As for `IndexRetriever`.
        order: `rank` orders what was found against the claim (BM25, and the reranker); `pubmed` keeps PubMed's own
            order of relevance, search by search.
        candidates: Records fetched per search.
        enough: Number of candidates at which the search stops widening.
        base_url: Address up to and including `entrez/eutils`; `FAS_ENTREZ_URL` by default.
        api_key: `NCBI_API_KEY` by default.
        email: `NCBI_EMAIL` by default.
        rate: Requests a second; by default 10 with a key and 3 without.
        threads: Requests on the way at once.
        cache: Where replies are kept; the cache `entrez` by default.
        client_options: Time-outs and retries, see `EntrezClient`.

    Raises:
        ValueError: An option has an impossible value.
    """

    def __init__(
        self,
        *,
        argument: str | None = None,
        k: int = 5,
        years: str | tuple[int, int] | None = None,
        include_retracted: bool = False,
        rerank: RerankOption = None,
        precision: str = "auto",
        order: str = "rank",
        candidates: int = _CANDIDATES,
        enough: int = _ENOUGH,
        base_url: str | None = None,
        api_key: str | None = None,
        email: str | None = None,
        rate: float | None = None,
        threads: int = 6,
        cache: Cache | None = None,
        client_options: dict[str, Any] | None = None,
    ) -> None:
        if argument is not None:
            raise ValueError(f"evidence `entrez` takes no argument, got {argument!r}")
        if order not in ("rank", "pubmed"):
            raise ValueError(f"evidence `entrez`: `order` must be 'rank' or 'pubmed', got {order!r}")
        if order == "pubmed" and rerank not in (None, "none"):
            raise ValueError("evidence `entrez`: `rerank` has no effect if `order` is 'pubmed'")
        self._order = order
        self.k = check_k(k)
        self._years = check_years(years)
        self._include_retracted = include_retracted
        self._rerank = make_reranker(rerank, precision=precision)
        self._candidates = max(check_k(candidates), self.k)
        self._enough = max(check_k(enough), self.k)
        api_key = api_key or os.environ.get("NCBI_API_KEY") or None
        email = email or os.environ.get("NCBI_EMAIL") or None
        if email is None:
            logger.warning("NCBI asks for a contact: set NCBI_EMAIL to your address")
        client = EntrezClient(
            base_url or os.environ.get("FAS_ENTREZ_URL") or BASE_URL,
            rate=rate if rate is not None else 10 if api_key else 3,
            api_key=api_key,
            email=email,
            **(client_options or {}),
        )
        self._threads = max(1, threads)
        cache = cache if cache is not None else Cache("entrez")
        self._pubmed = CachedPubMed(client, cache, candidates=self._candidates, years=self._years)
        self._counts = self._pubmed.counts
        self._counted: set[str] = set()

    @property
    def signature(self) -> str:
        """E.g. `entrez[2014-2024,k=5,q1]`; `candidates` and `enough` follow where they are not the defaults."""
        parts = [str(self._years) if self._years else "all", f"k={self.k}", LADDER]
        parts += ["retracted"] if self._include_retracted else []
        parts += [f"order={self._order}"] if self._order != "rank" else []
        parts += [f"rerank={self._rerank.signature}"] if self._rerank is not None else []
        # Compared as they are used: at least k.
        parts += [f"candidates={self._candidates}"] if self._candidates != max(_CANDIDATES, self.k) else []
        parts += [f"enough={self._enough}"] if self._enough != max(_ENOUGH, self.k) else []
        return PartSignature("entrez", *parts)

    def notes(self) -> tuple[str, ...]:
        """Notes for the report on the records that were left out."""
        texts = {
            "retracted": "{} retracted PubMed records were left out",
            "concern": "{} PubMed records under an expression of concern were left out",
            "earlier": "{} PubMed records were left out because a later version of the same work was found",
            "absent": "{} PubMed records that a search listed do not exist",
            "failed": "{} PubMed records could not be fetched or read; their claims are unverified",
        }
        return tuple(text.format(self._counts[name]) for name, text in texts.items() if self._counts[name])

    def recount(self) -> None:
        """Forget what was counted."""
        self._counts.clear()

    def close(self) -> None:
        """Close connections and the cache."""
        self._pubmed.close()

    def retrieve(self, claims: Sequence[Claim], answers: Sequence[Answer]) -> list[Retrieval]:
        """The best k abstracts for each claim.

        A claim of which a search or a record failed has a `failure` beside what was found.

        Raises:
            EvidenceUnavailable: Nothing at all has worked for the budget.
        """
        searches = {claim.text: _Search(named := concepts(claim.text), relax_query(named)) for claim in claims}
        records: Records = {}
        with self._make_pool() as pool:
            unfinished = list(searches.values())
            while unfinished:
                # Each search continues; fetching shows which of its finds are usable.
                list(pool.map(self._advance, unfinished))
                self._pubmed.fetch([i for search in unfinished for i in search.ids], pool, records)
                unfinished = [
                    search
                    for search in unfinished
                    if not search.exhausted
                    and not search.failures
                    and len(self._select_usable(search, records)) < self._enough
                ]
        candidates = [
            [article.passage() for article in self._select_usable(search, records)] for search in searches.values()
        ]
        if self._order == "pubmed":
            best = [passages[: self.k] for passages in candidates]
        else:
            first = [rank_by_words(passages).scores(text) for text, passages in zip(searches, candidates, strict=True)]
            ranked = rank_candidates(list(searches), candidates, first, self._rerank)
            best = [[own[i] for i in order[: self.k]] for own, order in zip(candidates, ranked, strict=True)]
        made = {
            text: _make_retrieval(search, passages, records)
            for (text, search), passages in zip(searches.items(), best, strict=True)
        }
        return [made[claim.text] for claim in claims]

    def documents(self, identifiers: Sequence[Identifier]) -> dict[Identifier, CitedDocument]:
        """The records that citations name: PMIDs by number, DOIs and PMC ids by a search for the identifier.

        A PMID without a record does not exist; a DOI that PubMed does not know may.

        Raises:
            EvidenceUnavailable: Nothing at all has worked for the budget.
        """
        pmids: dict[Identifier, str] = {}
        found: dict[Identifier, CitedDocument] = {}
        for identifier in identifiers:
            if identifier.kind == "pmid":
                pmids[identifier] = identifier.value
                continue
            try:
                ids = self._pubmed.search(f"{identifier.value}[aid]").ids
            except RequestFailedError as error:
                found[identifier] = CitedDocument(None, None, str(error))
                continue
            if len(ids) == 1:
                pmids[identifier] = ids[0]
            else:
                found[identifier] = CitedDocument(None, None, "PubMed has no unique record with this identifier")
        records: Records = {}
        with self._make_pool() as pool:
            self._pubmed.fetch(list(pmids.values()), pool, records)
        for identifier, pmid in pmids.items():
            record = records[pmid]
            if isinstance(record, Article):
                found[identifier] = CitedDocument(record.passage(), True)
            elif record is None:
                found[identifier] = CitedDocument(None, False, f"PubMed has no record {pmid}")
            else:
                found[identifier] = CitedDocument(None, None, record)
        return found

    def _make_pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(max_workers=self._threads, thread_name_prefix="entrez")

    def _advance(self, search: _Search) -> None:
        """Take rungs until there are more candidates than before, enough of them if possible."""
        known = len(search.ids)
        while not search.exhausted and (len(search.ids) < self._enough or len(search.ids) == known):
            query = next(search.rungs, None)
            if query is None:
                search.exhausted = True
                return
            try:
                reply = self._pubmed.search(query)
                if reply.not_found and self._replace(search, reply.not_found):
                    continue
                if any(mark in reply.translation for mark in _MISREAD):
                    query = tag_term(query)
                    reply = self._pubmed.search(query)
            except RequestFailedError as error:
                search.failures.append(str(error))
                return
            search.queries.append(query)
            search.ids.update(dict.fromkeys(reply.ids))

    def _replace(self, search: _Search, not_found: Sequence[str]) -> bool:
        """Correct or drop concepts that PubMed does not know; what it found without them is about something else.

        Returns:
            Whether the ladder was begun again with other concepts.
        """
        unknown = {word for phrase in not_found for word in re.sub(r"\[[^\]]*\]|[\"()]", "", phrase).lower().split()}
        named = []
        for concept in search.concepts:
            parts = {concept, *concept.split(), *concept.replace("-", " ").split()}
            known = self._correct_concept(concept, unknown, search) if unknown & parts else concept
            if known and known not in named:
                named.append(known)
        if named == search.concepts:
            return False
        search.concepts = named
        search.rungs = relax_query(named)
        return True

    def _correct_concept(self, concept: str, unknown: set[str], search: _Search) -> str | None:
        """PubMed's spelling of *concept*, else what of it is known; None if there is neither."""
        corrected = None
        # Asked once: a correction that is not found either must not be corrected in turn.
        if concept not in search.spelled:
            spelled = self._pubmed.spell(concept)
            corrected = next(iter(concepts(spelled)), None) if spelled else None
        if corrected is None or corrected == concept:
            corrected = " ".join(word for word in concept.split() if word not in unknown) or None
            corrected = None if corrected == concept else corrected
        if corrected:
            search.spelled.add(corrected)
        return corrected

    def _select_usable(self, search: _Search, records: Records) -> list[Article]:
        """The candidates that may serve as evidence, in the order they were found."""
        found = [article for i in search.ids if isinstance(article := records[i], Article)]
        marks = dict(mark for article in found for mark in article.marks)
        usable = []
        for article in found:
            article = attach_status(article, marks.get(article.pmid))
            if article.is_notice or not article.abstract:
                continue
            if self._years is not None and article.years and not any(y in self._years for y in article.years):
                continue
            if article.status is not None and not self._include_retracted:
                self._count_left_out(article, article.status)
            else:
                usable.append(article)
        kept = drop_earlier_versions(usable)
        for article in usable:
            if article not in kept:
                self._count_left_out(article, "earlier")
        return kept

    def _count_left_out(self, article: Article, reason: str) -> None:
        if article.pmid not in self._counted:
            self._counted.add(article.pmid)
            self._counts[reason] += 1


def _make_retrieval(search: _Search, passages: Sequence[Passage], records: Records) -> Retrieval:
    reasons = list(search.failures)
    lost = [reason for i in search.ids if isinstance(reason := records[i], str)]
    if lost:
        reasons.append(f"{len(lost)} of {len(search.ids)} records could not be fetched ({lost[0]})")
    return Retrieval(tuple(passages), failure="; ".join(reasons) or None, query=" ; ".join(search.queries) or None)
