"""Evidence from PubMed over the E-utilities."""

from __future__ import annotations

import json
import logging
import os
import re
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Any

from fas.core.cache import Cache, content_key
from fas.core.records import Answer, Claim, Passage, Retrieval
from fas.core.records.cited import CitedDocument, Identifier
from fas.core.records.signature import PartSignature
from fas.evidence.client import EntrezClient, RequestFailedError
from fas.evidence.options import check_k, check_years
from fas.evidence.pubmed import Article, attach_status, drop_earlier_versions
from fas.evidence.query import concepts, relax_query, tag_term
from fas.evidence.replies import SearchReply, parse_fetch, parse_search, parse_spelling
from fas.evidence.rerank import RerankOption, fuse_ranks, make_reranker
from fas.evidence.terms import searchable, terms
from fas.text.bm25 import BM25

logger = logging.getLogger(__name__)

BASE_URL = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
LADDER = "q1"
"""Version of the query building, in the signature."""

_BATCH = 100
_CANDIDATES = 30
_ENOUGH = 10
_IN_MEMORY = 20_000
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
        enough: Stop widening the search with so many candidates.
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
        self._client = EntrezClient(
            base_url or os.environ.get("FAS_ENTREZ_URL") or BASE_URL,
            rate=rate if rate is not None else 10 if api_key else 3,
            api_key=api_key,
            email=email,
            **(client_options or {}),
        )
        self._threads = max(1, threads)
        self._cache = cache if cache is not None else Cache("entrez")
        self._articles: OrderedDict[str, Article] = OrderedDict()
        self._absent: set[str] = set()
        self._lock = threading.Lock()
        self._requests = [threading.Lock() for _ in range(256)]
        self._counts: Counter[str] = Counter()
        self._counted: set[str] = set()

    @property
    def signature(self) -> str:
        """E.g. `entrez[2014-2024,k=5,q1]`; `candidates` and `enough` follow where they are not the defaults."""
        parts = [str(self._years) if self._years else "all", f"k={self.k}", LADDER]
        if self._include_retracted:
            parts.append("retracted")
        if self._order != "rank":
            parts.append(f"order={self._order}")
        if self._rerank is not None:
            parts.append(f"rerank={self._rerank.signature}")
        # Compared as they are used: at least k.
        if self._candidates != max(_CANDIDATES, self.k):
            parts.append(f"candidates={self._candidates}")
        if self._enough != max(_ENOUGH, self.k):
            parts.append(f"enough={self._enough}")
        return PartSignature("entrez", *parts)

    def notes(self) -> tuple[str, ...]:
        """What was left out, for the report."""
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
        self._client.close()
        self._cache.close()

    def retrieve(self, claims: Sequence[Claim], answers: Sequence[Answer]) -> list[Retrieval]:
        """The best k abstracts for each claim.

        A claim of which a search or a record failed has a `failure` beside what was found.

        Raises:
            EvidenceUnavailable: Nothing at all has worked for the budget.
        """
        searches = {claim.text: self._begin(claim.text) for claim in claims}
        failed: dict[str, str] = {}
        with ThreadPoolExecutor(max_workers=self._threads, thread_name_prefix="entrez") as pool:
            unfinished = list(searches.values())
            while unfinished:
                # Each search continues; fetching shows which of its finds are usable.
                list(pool.map(self._advance, unfinished))
                self._fetch([i for search in unfinished for i in search.ids], pool, failed)
                unfinished = [
                    search
                    for search in unfinished
                    if not search.exhausted and not search.failures and len(self._select_usable(search)) < self._enough
                ]
        ranked = self._rank_candidates(searches)
        results = [self._make_retrieval(searches[claim.text], ranked[claim.text], failed) for claim in claims]
        self._trim()
        return results

    def documents(self, identifiers: Sequence[Identifier]) -> dict[Identifier, CitedDocument]:
        """The records that citations name: PMIDs by number, DOIs and PMC ids by a search for the identifier.

        A PMID without a record does not exist; a DOI that PubMed does not know may.

        Raises:
            EvidenceUnavailable: Nothing at all has worked for the budget.
        """
        failed: dict[str, str] = {}
        pmids: dict[Identifier, str] = {}
        found: dict[Identifier, CitedDocument] = {}
        for identifier in identifiers:
            if identifier.kind == "pmid":
                pmids[identifier] = identifier.value
                continue
            try:
                ids = self._search(f"{identifier.value}[aid]").ids
            except RequestFailedError as error:
                found[identifier] = CitedDocument(None, None, str(error))
                continue
            if len(ids) == 1:
                pmids[identifier] = ids[0]
            else:
                found[identifier] = CitedDocument(None, None, "PubMed has no unique record with this identifier")
        with ThreadPoolExecutor(max_workers=self._threads, thread_name_prefix="entrez") as pool:
            self._fetch(list(pmids.values()), pool, failed)
        for identifier, pmid in pmids.items():
            article = self._articles.get(pmid)
            if article is not None:
                found[identifier] = CitedDocument(article.passage(), True)
            elif pmid in self._absent:
                found[identifier] = CitedDocument(None, False, f"PubMed has no record {pmid}")
            else:
                found[identifier] = CitedDocument(None, None, failed.get(pmid, "the record could not be fetched"))
        self._trim()
        return found

    def _begin(self, text: str) -> _Search:
        named = concepts(text)
        return _Search(named, relax_query(named), exhausted=not named)

    def _advance(self, search: _Search) -> None:
        """Take rungs until there are more candidates than before, enough of them if possible."""
        known = len(search.ids)
        while not search.exhausted and (len(search.ids) < self._enough or len(search.ids) == known):
            query = next(search.rungs, None)
            if query is None:
                search.exhausted = True
                return
            try:
                reply = self._search(query)
                if reply.not_found and self._replace(search, reply.not_found):
                    continue
                if any(mark in reply.translation for mark in _MISREAD):
                    query = tag_term(query)
                    reply = self._search(query)
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
            spelled = self._ask_spelling(concept)
            corrected = next(iter(concepts(spelled)), None) if spelled else None
        if corrected is None or corrected == concept:
            corrected = " ".join(word for word in concept.split() if word not in unknown) or None
            corrected = None if corrected == concept else corrected
        if corrected:
            search.spelled.add(corrected)
        return corrected

    def _ask_spelling(self, concept: str) -> str | None:
        key = content_key("spelling", self._client.base_url, concept)
        with self._lock_query(key):
            stored = self._cache.get(key)
            if stored is not None:
                return stored.decode() or None
            try:
                spelled = self._client.request("espell.fcgi", {"term": concept}, parse_spelling, max_attempts=4)
            except RequestFailedError:
                # Only a help: the search goes on without it.
                return None
            self._cache.put(key, (spelled or "").encode())
            return spelled

    def _search(self, query: str) -> SearchReply:
        parameters = {"term": query, "retmax": str(self._candidates), "retmode": "xml", "sort": "relevance"}
        if self._years is not None:
            parameters |= {"datetype": "pdat", "mindate": str(self._years.first), "maxdate": str(self._years.last)}
        key = content_key("search", self._client.base_url, json.dumps(parameters, sort_keys=True))
        with self._lock_query(key):
            stored = self._cache.get(key)
            if stored is not None:
                fields: dict[str, Any] = json.loads(stored)
                fields |= {name: tuple(fields[name]) for name in ("ids", "not_found", "messages")}
                return SearchReply(**fields)
            reply = self._client.request("esearch.fcgi", parameters, parse_search)
            self._cache.put(key, json.dumps(asdict(reply)).encode())
            return reply

    def _lock_query(self, key: str) -> threading.Lock:
        """Held while a request is on its way, so that two claims with one query send it once."""
        return self._requests[int(key[:4], 16) % len(self._requests)]

    def _fetch(self, ids: Sequence[str], pool: ThreadPoolExecutor, failed: dict[str, str]) -> None:
        """See that the records of *ids* are in memory; reasons for those that cannot be had go to *failed*."""
        known = (self._articles, self._absent, failed)
        wanted = [i for i in dict.fromkeys(ids) if not any(i in place for place in known)]
        keys = {self._record_key(i): i for i in wanted}
        for key, value in self._cache.get_many(list(keys)).items():
            self._remember(keys[key], _load_article(value))
        missing = [i for i in wanted if i not in self._articles]
        batches = [missing[start : start + _BATCH] for start in range(0, len(missing), _BATCH)]
        for reasons in pool.map(self._fetch_batch, batches):
            failed.update(reasons)
            self._counts["failed"] += len(reasons)
        with self._lock:
            for identifier in ids:
                if identifier in self._articles:
                    self._articles.move_to_end(identifier)

    def _trim(self) -> None:
        """Keep the records used last; only after a call, whose own records may be more than memory is to hold."""
        with self._lock:
            while len(self._articles) > _IN_MEMORY:
                self._articles.popitem(last=False)

    def _fetch_batch(self, ids: list[str], *, again: bool = False) -> dict[str, str]:
        parameters = {"id": ",".join(ids), "retmode": "xml", "rettype": "abstract"}
        try:
            articles, bad = self._client.request("efetch.fcgi", parameters, parse_fetch)
        except RequestFailedError as error:
            if not error.refused or len(ids) == 1:
                return dict.fromkeys(ids, str(error))
            # One id can make the server refuse them all.
            half = len(ids) // 2
            return self._fetch_batch(ids[:half]) | self._fetch_batch(ids[half:])
        wanted = set(ids)
        got = {article.pmid: article for article in articles if article.pmid in wanted}
        self._cache.put_many((self._record_key(i), json.dumps(asdict(article)).encode()) for i, article in got.items())
        for identifier, article in got.items():
            self._remember(identifier, article)
        missing = [i for i in ids if i not in got]
        if not missing:
            return {}
        if not again:
            # Left out once may be an accident of the reply.
            return self._fetch_batch(missing, again=True)
        unreadable = {record.pmid: record.reason for record in bad if record.pmid}
        with self._lock:
            for identifier in missing:
                if identifier not in unreadable and not any(record.pmid is None for record in bad):
                    self._absent.add(identifier)
                    self._counts["absent"] += 1
        return {i: unreadable.get(i, "the record has no PMID") for i in missing if i not in self._absent}

    def _record_key(self, identifier: str) -> str:
        return content_key("record", "2", self._client.base_url, identifier)

    def _remember(self, identifier: str, article: Article) -> None:
        with self._lock:
            self._articles[identifier] = article

    def _select_usable(self, search: _Search) -> list[Article]:
        """The candidates that may serve as evidence, in the order they were found."""
        found = [article for i in search.ids if (article := self._articles.get(i)) is not None]
        marks = dict(mark for article in found for mark in article.marks)
        usable = []
        for article in found:
            article = attach_status(article, marks.get(article.pmid))
            if article.is_notice or not article.abstract:
                continue
            if self._years is not None and article.years and not any(y in self._years for y in article.years):
                continue
            if article.status is not None and not self._include_retracted:
                if article.pmid not in self._counted:
                    self._counted.add(article.pmid)
                    self._counts[article.status] += 1
                continue
            usable.append(article)
        kept, _ = drop_earlier_versions(usable)
        there = {article.pmid for article in kept}
        for article in usable:
            if article.pmid not in there and article.pmid not in self._counted:
                self._counted.add(article.pmid)
                self._counts["earlier"] += 1
        return kept

    def _rank_candidates(self, searches: dict[str, _Search]) -> dict[str, list[Passage]]:
        texts = list(searches)
        if self._order == "pubmed":
            return {
                text: [article.passage() for article in self._select_usable(search)[: self.k]]
                for text, search in searches.items()
            }
        candidates = [[article.passage() for article in self._select_usable(search)] for search in searches.values()]
        first = [
            BM25([searchable(passage) for passage in passages], analyse=terms).scores(text)
            for text, passages in zip(texts, candidates, strict=True)
        ]
        second = None if self._rerank is None else self._rerank.scores(texts, candidates, first)
        ranked = {}
        for position, (text, passages) in enumerate(zip(texts, candidates, strict=True)):
            order = fuse_ranks(first[position], None if second is None else second[position])
            ranked[text] = [passages[index] for index in order[: self.k]]
        return ranked

    def _make_retrieval(self, search: _Search, passages: Sequence[Passage], failed: dict[str, str]) -> Retrieval:
        reasons = list(search.failures)
        # A second call at the same time may have trimmed what this one needs: not to be taken for no evidence.
        seen = (self._articles, self._absent)
        lost = [
            failed.get(i, "dropped from memory by another search")
            for i in search.ids
            if i in failed or not any(i in place for place in seen)
        ]
        if lost:
            reasons.append(f"{len(lost)} of {len(search.ids)} records could not be fetched ({lost[0]})")
        return Retrieval(tuple(passages), failure="; ".join(reasons) or None, query=" ; ".join(search.queries) or None)


def _load_article(value: bytes) -> Article:
    fields = json.loads(value)
    for name in ("years", "languages", "later", "earlier"):
        fields[name] = tuple(fields[name])
    fields["marks"] = tuple((pmid, status) for pmid, status in fields["marks"])
    return Article(**fields)
