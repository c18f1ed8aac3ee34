"""Evidence from a search server that a team already runs: OpenSearch or Elasticsearch, by BM25."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from fas.core.checks import is_whole
from fas.core.errors import EvidenceUnavailable, InputError
from fas.core.records import Answer, Claim, Passage, Retrieval
from fas.core.records.signature import PartSignature
from fas.evidence.client import RequestFailedError
from fas.evidence.options import check_k, check_years
from fas.evidence.pubmed import EXCLUDED
from fas.evidence.search_server import SearchServer
from fas.evidence.top_k import drop_repeated_passages

FIELDS: Mapping[str, str] = {"text": "text", "title": "title", "year": "year", "status": "status"}
"""Names of the fields that `fas index push` fills; the id is the document's own."""
_BATCH = 64
_KEEP = "10m"
_SPARE = 10


class OpenSearchRetriever:
    """Searches an index of a server for each claim, by the server's own BM25 over title and text.

    All searches of a run see the index as it was when the run began (a point in time), where the server has that. A
    part of a search that fails (a shard, a time-out) makes the claim unverified, never one without evidence.

    Args:
        argument: `URL/INDEX`. A user's name and password in it are sent and neither shown nor kept; so are
            `FAS_OPENSEARCH_USER` and `FAS_OPENSEARCH_PASSWORD`, or `FAS_OPENSEARCH_API_KEY`.
        k: Passages per claim.
        years: Years of publication, `"2014-2024"`, `"2024"`, a pair or None for all; documents without a year are
            then left out.
        include_retracted: Also use documents whose status field says retracted or concern, marked.
        fields: Names of the fields `text`, `title`, `year` and `status` in the index, those that differ from these.
        server_options: Time-outs and tries, see `SearchServer`.

    Raises:
        ValueError: An option has an impossible value.
        InputError: There is no such index, or it has no field for the text.
        EvidenceUnavailable: The server cannot be reached, or does not let this user in.
    """

    def __init__(
        self,
        *,
        argument: str | None = None,
        k: int = 5,
        years: str | tuple[int, int] | None = None,
        include_retracted: bool = False,
        fields: Mapping[str, str] | None = None,
        server_options: Mapping[str, Any] | None = None,
    ) -> None:
        if not argument:
            raise ValueError("evidence `opensearch` needs opensearch:URL/INDEX")
        unknown = sorted(set(fields or ()) - set(FIELDS))
        if unknown:
            raise ValueError(f"evidence `opensearch`: no field {unknown[0]!r}; allowed: {', '.join(FIELDS)}")
        self.k = check_k(k)
        self._years = check_years(years)
        self._include_retracted = include_retracted
        self._fields = {**FIELDS, **(fields or {})}
        self._server = SearchServer(argument, **(server_options or {}))
        self._uuid, self._count = self._describe_index()
        self._point: dict[str, Any] | None = None
        self._opened = False
        self._note: str | None = None

    @property
    def signature(self) -> str:
        """E.g. `opensearch[pubmed,uuid=3f0c9a21,n=1000,2014-2024,k=5]`: the index, its identity and its size."""
        parts = [self._server.name, f"uuid={self._uuid}", f"n={self._count}"]
        parts += [str(self._years)] if self._years is not None else []
        parts.append(f"k={self.k}")
        parts += [f"{name}={own}" for name, own in self._fields.items() if own != FIELDS[name]]
        parts += ["retracted"] if self._include_retracted else []
        return PartSignature("opensearch", *(part.replace(",", ";").replace(":", ";") for part in parts))

    def notes(self) -> tuple[str, ...]:
        """Notes on the source for the report."""
        return () if self._note is None else (self._note,)

    def recount(self) -> bool:
        """False, so that it is opened anew: a point in time ends by itself when nobody asks for a while."""
        return False

    def retrieve(self, claims: Sequence[Claim], answers: Sequence[Answer]) -> list[Retrieval]:
        """The best k documents for each claim; an honest empty result where the server finds none."""
        found: list[Retrieval] = []
        for start in range(0, len(claims), _BATCH):
            found += self._search([claim.text for claim in claims[start : start + _BATCH]])
        return found

    def close(self) -> None:
        """Give the point in time back and close all connections."""
        if self._point is not None:
            path = "_search/point_in_time" if "pit_id" in self._point else "_pit"
            value = self._point.get("pit_id") or self._point.get("id")
            body = {"pit_id": [value]} if "pit_id" in self._point else {"id": value}
            with contextlib.suppress(RequestFailedError, EvidenceUnavailable):  # it ends by itself
                self._server.request("DELETE", path, body=body, missing=None)
            self._point, self._opened = None, False
        self._server.close()

    def _describe_index(self) -> tuple[str, int]:
        """Identity and size of the index; an alias of several has a digest of theirs."""
        described = self._server.request("GET", self._server.path, missing=None)
        if not described:
            raise InputError(f"{self._server.shown}: no such index", kind="index")
        text = self._fields["text"]
        named = {name for one in described.values() for name in one.get("mappings", {}).get("properties", {})}
        if text not in named:
            there = ", ".join(sorted(named)) or "none"
            raise InputError(
                f"{self._server.shown}: no field {text!r} for the text; available: {there}. "
                "Name it with the option `fields` of the profile's [evidence] table",
                kind="index",
            )
        uuids = sorted(str(one["settings"]["index"]["uuid"]) for one in described.values())
        identity = uuids[0] if len(uuids) == 1 else hashlib.sha256(" ".join(uuids).encode()).hexdigest()
        count = self._server.request("GET", f"{self._server.path}/_count")["count"]
        return "".join(c for c in identity if c.isalnum() or c in "-_")[:12], int(count)

    def _open_point(self) -> None:
        """A point in time by OpenSearch's way, else by Elasticsearch's."""
        self._opened = True
        for path in (f"_search/point_in_time?keep_alive={_KEEP}", f"_pit?keep_alive={_KEEP}"):
            reply = self._server.request("POST", f"{self._server.path}/{path}", missing=None)
            if reply and (reply.get("pit_id") or reply.get("id")):
                self._point = reply
                return
        self._note = (
            f"{self._server.shown}: the server has no points in time; the run may have found documents "
            "written to the index meanwhile"
        )

    def _search(self, texts: Sequence[str]) -> list[Retrieval]:
        if not self._opened:
            self._open_point()
        header: dict[str, Any] = {}
        if self._point is None:
            header["index"] = self._server.name
        lines = "".join(f"{json.dumps(header)}\n{json.dumps(self._make_body(text))}\n" for text in texts)
        try:
            replies = self._server.request("POST", "_msearch", lines=lines)["responses"]
        except RequestFailedError as error:
            return [Retrieval(failure=f"search server: {error}")] * len(texts)
        if not isinstance(replies, list) or len(replies) != len(texts):
            return [
                Retrieval(failure="search server: the number of replies differs from the number of searches")
            ] * len(texts)
        return [self._make_retrieval(reply) for reply in replies]

    def _make_body(self, text: str) -> dict[str, Any]:
        fields = [self._fields["text"], self._fields["title"]]
        query: dict[str, Any] = {"multi_match": {"query": text, "fields": fields, "type": "most_fields"}}
        filters: list[dict[str, Any]] = []
        if self._years is not None:
            within = {"gte": self._years.first, "lte": self._years.last}
            filters.append({"range": {self._fields["year"]: within}})
        without = [] if self._include_retracted else [{"terms": {self._fields["status"]: sorted(EXCLUDED)}}]
        body: dict[str, Any] = {
            "query": {"bool": {"must": [query], "filter": filters, "must_not": without}},
            "size": self.k + _SPARE,  # room for equal scores at the end and for equal passages
            "track_total_hits": False,
        }
        if self._point is not None:
            body["pit"] = {"id": self._point.get("pit_id") or self._point.get("id"), "keep_alive": _KEEP}
        return body

    def _make_retrieval(self, reply: Mapping[str, Any]) -> Retrieval:
        shards = reply.get("_shards", {})
        if reply.get("error") or int(reply.get("status", 200)) >= 300:
            error = reply.get("error")
            reason = error.get("reason") if isinstance(error, Mapping) else error
            return Retrieval(failure=f"search server: {str(reason or reply.get('status'))[:300]}")
        if reply.get("timed_out") or shards.get("failed"):
            return Retrieval(failure=f"search server: {shards.get('failed', 0)} of its shards failed or timed out")
        hits = [(self._make_passage(hit), float(hit["_score"])) for hit in reply["hits"]["hits"]]
        hits = [(passage, score) for passage, score in hits if passage.text.strip()]
        hits.sort(key=lambda hit: (-round(hit[1], 4), hit[0].id or ""))
        scores = dict(reversed(hits))
        kept = drop_repeated_passages(passage for passage, _ in hits)[: self.k]
        return Retrieval(kept, scores=tuple(scores[passage] for passage in kept))

    def _make_passage(self, hit: Mapping[str, Any]) -> Passage:
        source = hit.get("_source", {})
        title, year, status = (source.get(self._fields[name]) for name in ("title", "year", "status"))
        return Passage(
            str(source.get(self._fields["text"]) or ""),
            id=str(hit["_id"]),
            title=str(title) if title else None,
            year=year if is_whole(year) else None,
            status=status if status in EXCLUDED else None,
        )
