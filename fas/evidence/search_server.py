"""Requests to an OpenSearch or Elasticsearch server over plain HTTP, with time-outs and retries."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from fas.core.errors import EvidenceUnavailable
from fas.core.guards.hosts import explain_unresolved, is_unresolved
from fas.core.guards.redaction import redact_bytes, remember_address, remember_secret, strip_user_info
from fas.evidence.client import LazyClient, RequestFailedError, network_errors

if TYPE_CHECKING:
    import httpx

USER, PASSWORD, API_KEY = "FAS_OPENSEARCH_USER", "FAS_OPENSEARCH_PASSWORD", "FAS_OPENSEARCH_API_KEY"
_AGAIN = frozenset({408, 429, 500, 502, 503, 504})
_LARGEST_REPLY = 256 << 20


class SearchServer:
    """One index of a server at *place*, `URL/INDEX`, e.g. `http://127.0.0.1:9200/pubmed`; INDEX may be an alias.

    A request is repeated after a fault of the network or of a busy server, at most *max_attempts* times, with
    exponential back-off from *backoff_s* and jitter. If nothing has ever worked, or the server refuses the key,
    everything stops.

    Raises:
        ValueError: *place* is no address with the name of an index.
    """

    def __init__(self, place: str, *, timeout_s: float = 30.0, max_attempts: int = 6, backoff_s: float = 0.25) -> None:
        remember_address(place)
        shown = strip_user_info(place)
        address, _, name = place.rstrip("/").rpartition("/")
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname or not name:
            raise ValueError(
                f"evidence `opensearch` needs the address of a server and the name of an index, "
                f"opensearch:http://HOST:9200/INDEX, got {shown!r}"
            )
        self.name = name
        self.shown = shown
        self._address = address
        self._max_attempts, self._backoff_s = max_attempts, backoff_s
        self._client = LazyClient(lambda: {"timeout": timeout_s, **_read_credentials()})
        self._worked = False
        self._random = random.Random()  # only spreads pauses

    @property
    def path(self) -> str:
        """The index in an address."""
        return quote(self.name, safe="*,-_.")

    def request(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        lines: str | None = None,
        missing: Any = ...,
    ) -> Any:
        """The JSON that the server answers with.

        The request has a JSON *body* or *lines* of JSON (`_msearch`, `_bulk`). *missing* is returned for the status
        400, 404 or 405, which are an error by default.

        Raises:
            RequestFailedError: This request failed for good.
            EvidenceUnavailable: The server refuses the key, or nothing has ever worked.
        """
        content = (json.dumps(body) if body is not None else lines or "").encode("utf-8", "replace")
        kind = "application/x-ndjson" if lines is not None else "application/json"
        fault = ""
        for attempt in range(self._max_attempts):
            if attempt:
                pause = self._backoff_s * 2 ** (attempt - 1)
                time.sleep(pause * self._random.uniform(0.5, 1.0))
            try:
                reply = self._send(method, path, content, kind)
            except network_errors() as error:
                fault = f"no connection, or a broken one ({type(error).__name__})"
                if is_unresolved(error):
                    fault = explain_unresolved(self._address, "the evidence's address")
                continue
            if reply.status_code in (401, 403):
                raise EvidenceUnavailable(
                    f"{self.shown}: HTTP {reply.status_code}: the server refuses this user; set {API_KEY}, or "
                    f"{USER} and {PASSWORD}"
                )
            if missing is not ... and reply.status_code in (400, 404, 405):
                return missing
            if reply.status_code in _AGAIN:
                fault = f"HTTP {reply.status_code}"
                continue
            if reply.status_code >= 300:
                raise RequestFailedError(f"HTTP {reply.status_code}: {_extract_reason(reply)}", refused=True)
            try:
                value = json.loads(redact_bytes(reply.content))
            except ValueError:
                fault = "a reply that is not JSON"
                continue
            self._worked = True
            return value
        if not self._worked:
            raise EvidenceUnavailable(
                f"{self.shown} cannot be used: {fault}, {self._max_attempts} times. Finished work is kept: run "
                "the same command again later"
            )
        raise RequestFailedError(f"failed {self._max_attempts} times, last with: {fault}", refused=False)

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def _send(self, method: str, path: str, content: bytes, kind: str) -> httpx.Response:
        reply = self._client.open().request(
            method,
            f"{self._address}/{path}",
            content=content,
            headers={"Content-Type": kind, "Accept": "application/json"},
        )
        if len(reply.content) > _LARGEST_REPLY:
            raise RequestFailedError(f"the reply is larger than {_LARGEST_REPLY >> 20} MB", refused=True)
        return reply


def _read_credentials() -> dict[str, Any]:
    key = os.environ.get(API_KEY, "").strip()
    user, password = os.environ.get(USER, ""), os.environ.get(PASSWORD, "")
    remember_secret(key, password)
    if key:
        return {"headers": {"Authorization": f"ApiKey {key}"}}
    return {"auth": (user, password)} if user else {}


def _extract_reason(reply: httpx.Response) -> str:
    """The server's reason for a refusal."""
    try:
        error = json.loads(redact_bytes(reply.content)).get("error")
    except (ValueError, AttributeError):
        return "no reason given"
    reason = error.get("reason") if isinstance(error, dict) else error
    return str(reason)[:300]
