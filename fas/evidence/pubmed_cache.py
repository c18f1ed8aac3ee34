"""PubMed's replies, kept for good: searches, spellings and records."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict

from fas.core.cache import Cache, content_key
from fas.evidence.client import EntrezClient, RequestFailedError
from fas.evidence.options import Years
from fas.evidence.pubmed import Article
from fas.evidence.replies import SearchReply, parse_fetch, parse_search, parse_spelling

_BATCH = 100

Records = dict[str, Article | str | None]
"""By id: the record, the reason why it could not be fetched or read, or None if PubMed has no such record."""


class CachedPubMed:
    """Asks the cache first, then PubMed; failures are not kept.

    Searches list *candidates* records, of *years* only. `counts` has the records that are `absent` from PubMed, and
    those that `failed` to be fetched or read.
    """

    def __init__(self, client: EntrezClient, cache: Cache, *, candidates: int, years: Years | None) -> None:
        self._client, self._cache = client, cache
        self._candidates, self._years = candidates, years
        self._absent: set[str] = set()
        self._requests = [threading.Lock() for _ in range(256)]
        self.counts: Counter[str] = Counter()

    def close(self) -> None:
        """Close connections and the cache."""
        self._client.close()
        self._cache.close()

    def spell(self, concept: str) -> str | None:
        """PubMed's spelling of *concept*; None if it has no other, or cannot be asked."""
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

    def search(self, query: str) -> SearchReply:
        """The reply to a search; a `RequestFailedError` where there is none."""
        parameters = {"term": query, "retmax": str(self._candidates), "retmode": "xml", "sort": "relevance"}
        if self._years is not None:
            parameters |= {"datetype": "pdat", "mindate": str(self._years.first), "maxdate": str(self._years.last)}
        key = content_key("search", self._client.base_url, json.dumps(parameters, sort_keys=True))
        with self._lock_query(key):
            stored = self._cache.get(key)
            if stored is not None:
                fields = json.loads(stored)
                return SearchReply(tuple(fields["ids"]), fields["translation"], tuple(fields["not_found"]))
            reply = self._client.request("esearch.fcgi", parameters, parse_search)
            self._cache.put(key, json.dumps(reply._asdict()).encode())
            return reply

    def _lock_query(self, key: str) -> threading.Lock:
        """Held while a request is on its way, so that two claims with one query send it once."""
        return self._requests[int(key[:4], 16) % len(self._requests)]

    def fetch(self, ids: Sequence[str], pool: ThreadPoolExecutor, records: Records) -> None:
        """Add to *records* the record of each of *ids*, or the reason why there is none."""
        wanted = [i for i in dict.fromkeys(ids) if i not in records]
        records |= dict.fromkeys(self._absent.intersection(wanted))
        keys = {self._make_record_key(i): i for i in wanted}
        records |= {keys[key]: _load_article(value) for key, value in self._cache.get_many(list(keys)).items()}
        missing = [i for i in wanted if i not in records]
        batches = [missing[start : start + _BATCH] for start in range(0, len(missing), _BATCH)]
        for found in pool.map(self._fetch_batch, batches):
            records |= found
            absent = [i for i, record in found.items() if record is None]
            self._absent.update(absent)
            self.counts["absent"] += len(absent)
            self.counts["failed"] += sum(isinstance(record, str) for record in found.values())

    def _fetch_batch(self, ids: list[str], *, again: bool = False) -> Records:
        parameters = {"id": ",".join(ids), "retmode": "xml", "rettype": "abstract"}
        try:
            articles, bad = self._client.request("efetch.fcgi", parameters, parse_fetch)
        except RequestFailedError as error:
            if not error.refused or len(ids) == 1:
                return dict.fromkeys(ids, str(error))
            # One id can make the server refuse them all.
            half = len(ids) // 2
            return self._fetch_batch(ids[:half]) | self._fetch_batch(ids[half:])
        found = {one.pmid: one for one in articles if one.pmid in ids}
        self._cache.put_many((self._make_record_key(i), json.dumps(asdict(one)).encode()) for i, one in found.items())
        got: Records = dict(found)
        missing = [i for i in ids if i not in got]
        if missing and not again:
            # Left out once may be an accident of the reply.
            return got | self._fetch_batch(missing, again=True)
        unreadable = {record.pmid: record.reason for record in bad}
        nameless = "the record has no PMID" if None in unreadable else None
        return got | {i: unreadable.get(i, nameless) for i in missing}

    def _make_record_key(self, identifier: str) -> str:
        return content_key("record", "2", self._client.base_url, identifier)


def _load_article(value: bytes) -> Article:
    fields = json.loads(value)
    for name in ("years", "languages", "later", "earlier"):
        fields[name] = tuple(fields[name])
    fields["marks"] = tuple((pmid, status) for pmid, status in fields["marks"])
    return Article(**fields)
