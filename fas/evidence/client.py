"""Requests to the E-utilities: paced, with time-outs and retries; separates kinds of failure.

Biopython's transport has a fixed address, no time-out, no back-off and a pace that threads
break, so requests go over httpx.
"""

from __future__ import annotations

import logging
import random
import re
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from fas.core.errors import EvidenceUnavailable, FasError
from fas.core.guards.hosts import PATIENCE_S, explain_unresolved, is_unresolved
from fas.core.guards.redaction import redact_bytes, redact_value, remember_address, remember_secret, strip_user_info

if TYPE_CHECKING:
    import httpx

logger = logging.getLogger(__name__)

T = TypeVar("T")

MIN_ATTEMPTS = 8
_LARGEST_REPLY = 64 << 20
_WITHOUT = "score without the network, with passages in the answers, --evidence index:DIR or --evidence snapshot:FILE"
# The server says that it understood and will not do it; anything else may be the network's fault.
_REFUSALS = frozenset({400, 404, 410, 413, 414, 422})


class BadReplyError(ValueError):
    """A reply that arrived and cannot be used.

    Attributes:
        refused: The server understood the request and declined it, so the server is alive.
        lasting: Number of such replies in a row after which every request like this one is taken to fail (a missing
            database, a web page instead of XML); 0 for faults that may pass.
    """

    def __init__(self, message: str, *, refused: bool = False, lasting: int = 0) -> None:
        super().__init__(message)
        self.refused = refused
        self.lasting = lasting


class RequestFailedError(FasError):
    """One request failed for good while the server answers others.

    Attributes:
        refused: The last reply declined the request itself.
    """

    def __init__(self, message: str, *, refused: bool) -> None:
        super().__init__(message)
        self.refused = refused


class RequestRateLimiter:
    """Lets requests start at least 1 / *rate* + *slack_s* seconds apart, over all threads; delays on the way differ.

    A turn lasts until its request has left, so that a thread put to sleep between its turn and its request cannot come
    too close to the next one.
    """

    def __init__(self, rate: float, *, slack_s: float = 0.01) -> None:
        if not rate > 0:
            raise ValueError(f"`rate` must be above 0 requests a second, got {rate!r}")
        self.interval_s = 1 / rate + slack_s
        self._turn = threading.Lock()
        self._last = -float("inf")

    def take_turn(self) -> Callable[[], None]:
        """Wait for a turn; returns what must be called, once or more, when the request has left."""
        self._turn.acquire()
        try:
            wait = self._last + self.interval_s - time.monotonic()
            if wait > 0:
                time.sleep(wait)
        except BaseException:
            self._turn.release()
            raise
        over = threading.Event()

        def done() -> None:
            if not over.is_set():
                over.set()
                self._last = time.monotonic()
                self._turn.release()

        return done


class LazyClient:
    """An `httpx.Client` with the options that *options* returns, made when it is first needed; threads share it."""

    def __init__(self, options: Callable[[], dict[str, Any]]) -> None:
        self._options = options
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None

    def open(self) -> httpx.Client:
        """The client, which follows no redirect."""
        import httpx

        with self._lock:
            if self._client is None:
                self._client = httpx.Client(follow_redirects=False, **self._options())
            return self._client

    def close(self) -> None:
        """Close all connections; `open` makes new ones."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None


class EntrezClient:
    """Posts requests to the E-utilities.

    A request is repeated after any fault with exponential back-off and jitter. It fails for good after `max_attempts`,
    or after `budget_s` once it was tried eight times, provided that the server answered some other request meanwhile.
    If nothing at all has worked for `budget_s`, everything stops. A fault that will last (see `BadReplyError`) stops
    everything sooner, while the endpoint has answered nothing yet.

    *base_url* goes up to and including `entrez/eutils`; a user's name and password in it are sent, and neither shown
    nor kept. *rate* counts starts a second over all threads. *timeout_s* is the longest silence of the server,
    *backoff_s* the first pause, doubled after each try and halved at random, up to *backoff_cap_s* unless the server
    asks for more.
    """

    def __init__(
        self,
        base_url: str,
        *,
        rate: float,
        api_key: str | None = None,
        email: str | None = None,
        timeout_s: float = 10.0,
        max_attempts: int = 12,
        budget_s: float = 120.0,
        backoff_s: float = 0.5,
        backoff_cap_s: float = 8.0,
        slack_s: float = 0.01,
    ) -> None:
        remember_secret(api_key)
        remember_address(base_url)
        shown = strip_user_info(base_url)
        if not _is_address(base_url):
            raise ValueError(
                f"the address of the E-utilities must begin with http:// or https:// and name a host, got {shown!r}; "
                "percent-encode special characters in a password"
            )
        if max_attempts < 1:
            raise ValueError(f"`max_attempts` must be at least 1, got {max_attempts!r}")
        for name, value in (("timeout_s", timeout_s), ("budget_s", budget_s)):
            if not value > 0:
                raise ValueError(f"`{name}` must be above 0 seconds, got {value!r}")
        self.base_url = shown.rstrip("/")
        self._address = base_url.rstrip("/")
        self._fixed = {"db": "pubmed", "tool": "fas"}
        if email:
            self._fixed["email"] = email
        if api_key:
            self._fixed["api_key"] = api_key
        self._limiter = RequestRateLimiter(rate, slack_s=slack_s)
        self._timeout_s = timeout_s
        self._max_attempts = max_attempts
        self._budget_s = budget_s
        self._backoff_s = backoff_s
        self._backoff_cap_s = backoff_cap_s
        # Only spreads pauses; no result depends on it.
        self._random = random.Random()
        self._lock = threading.Lock()
        self._client = LazyClient(lambda: {"timeout": timeout_s})
        self._last_success: float | None = None
        self._refused_requests = 0
        self._answered: set[str] = set()
        self._stopped = threading.Event()
        self._stop_message = ""

    def request(
        self,
        endpoint: str,
        parameters: Mapping[str, str],
        parse: Callable[[bytes], T],
        *,
        max_attempts: int | None = None,
    ) -> T:
        """The result of *parse* for the reply to a POST to *endpoint*, e.g. `esearch.fcgi`.

        *parse* raises `BadReplyError` for a reply that cannot be used. *max_attempts* limits the attempts at an
        optional request.

        Raises:
            RequestFailedError: This request failed for good.
            EvidenceUnavailable: Nothing at all has worked for the budget.
        """
        began = time.monotonic()
        limit = max_attempts or self._max_attempts
        attempt = 0
        while True:
            self._check_stopped()
            attempt += 1
            fault, refused, lasting, retry_after, unknown = "", False, 0, 0.0, False
            try:
                reply = self._post(endpoint, parameters)
                if reply.status_code == 200:
                    # Servers echo what they are sent; before it is read, and again where it was escaped.
                    result = redact_value(parse(redact_bytes(reply.content)))
                    self._last_success = time.monotonic()
                    self._answered.add(endpoint)
                    return result
                fault, refused, retry_after = self._describe_status(reply)
            except BadReplyError as error:
                fault, refused, lasting = str(error), error.refused, error.lasting
            except network_errors() as error:
                fault, unknown = self._describe_network_error(error), is_unresolved(error)
            logger.debug("%s, attempt %d: %s", endpoint, attempt, fault)
            if lasting and attempt >= min(lasting, limit) and endpoint not in self._answered:
                self._stop_for_good(f"{endpoint} at {self.base_url} answers with {fault}")
            now = time.monotonic()
            alive = self._last_success is not None and self._last_success >= began
            if not alive and not refused and now - began >= self._budget_s:
                if not self._probe_server():
                    self._stop(fault)
                self._give_up(endpoint, fault, attempt, refused=refused)
            tired = attempt >= limit or (now - began >= self._budget_s and attempt >= min(MIN_ATTEMPTS, limit))
            if tired and (alive or refused or limit < self._max_attempts):
                self._give_up(endpoint, fault, attempt, refused=refused)
            pause = min(self._backoff_cap_s, self._backoff_s * 2 ** min(attempt - 1, 30))
            if unknown and self._last_success is None and now - began + pause >= PATIENCE_S:
                self._stop_for_good(explain_unresolved(self.base_url, "FAS_ENTREZ_URL"))
            pause = max(pause * self._random.uniform(0.5, 1.0), min(retry_after, self._budget_s / 2))
            self._stopped.wait(pause)

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def _post(self, endpoint: str, parameters: Mapping[str, str]) -> Any:
        import httpx

        client = self._client.open()
        done = self._limiter.take_turn()

        def trace(event: str, _: Mapping[str, Any]) -> None:
            if event.endswith("send_request_body.complete"):
                done()

        try:
            self._check_stopped()
            request = client.build_request(
                "POST",
                f"{self._address}/{endpoint}",
                data={**self._fixed, **parameters},
                extensions={"trace": trace, "timeout": httpx.Timeout(self._timeout_s).as_dict()},
            )
            reply = client.send(request, stream=True)
            try:
                body = bytearray()
                # A server that drips a byte at a time never exceeds the time-out of a single read.
                deadline = time.monotonic() + 6 * self._timeout_s
                for chunk in reply.iter_bytes():
                    body += chunk
                    if len(body) > _LARGEST_REPLY:
                        raise BadReplyError(f"the reply is larger than {_LARGEST_REPLY >> 20} MB")
                    if time.monotonic() > deadline:
                        raise BadReplyError(f"the reply was not complete after {6 * self._timeout_s:g} s")
            finally:
                reply.close()
            # The body has been decoded already.
            headers = [(k, v) for k, v in reply.headers.items() if k not in ("content-encoding", "content-length")]
            return httpx.Response(reply.status_code, headers=headers, content=bytes(body))
        finally:
            done()

    def _probe_server(self) -> bool:
        """Whether the server answers the simplest search: then a lasting fault is this request's own."""
        faults: tuple[type[Exception], ...] = (BadReplyError, *network_errors())
        for _ in range(3):
            try:
                reply = self._post("esearch.fcgi", {"term": "medicine", "retmax": "0"})
            except faults:
                continue
            if reply.status_code == 200 and b"<eSearchResult" in reply.content and b"<ERROR" not in reply.content:
                self._last_success = time.monotonic()
                return True
        return False

    def _describe_status(self, reply: httpx.Response) -> tuple[str, bool, float]:
        status = reply.status_code
        if status == 400 and b"api key" in reply.content.lower():
            self._stop_for_good("HTTP 400: the API key is not valid; correct or unset NCBI_API_KEY")
        after = reply.headers.get("retry-after", "")
        return f"HTTP {status}", status in _REFUSALS, float(after) if after.isascii() and after.isdigit() else 0.0

    def _describe_network_error(self, error: Exception) -> str:
        import httpx

        if isinstance(error, httpx.TimeoutException):
            return f"no answer within {self._timeout_s:g} s"
        if isinstance(error, httpx.ConnectError):
            return f"no connection ({error})"
        return f"connection broken ({type(error).__name__})"

    def _give_up(self, endpoint: str, fault: str, attempts: int, *, refused: bool) -> None:
        with self._lock:
            self._refused_requests += refused
            hopeless = self._last_success is None and self._refused_requests >= 3
        if hopeless:
            self._stop_for_good(f"every request is refused: {fault}")
        raise RequestFailedError(f"{endpoint} failed {attempts} times, last with: {fault}", refused=refused)

    def _stop(self, fault: str) -> None:
        self._end(
            f"PubMed cannot be reached: nothing at {self.base_url} has worked for {self._budget_s:g} s "
            f"(last: {fault}). Finished work is kept: run the same command again later, or {_WITHOUT}"
        )

    def _stop_for_good(self, fault: str) -> None:
        """Stop because of a fault that waiting does not remove."""
        self._end(
            f"PubMed cannot be used: {fault}. Fix this before you try again (FAS_ENTREZ_URL, a "
            f"proxy or login page, NCBI_API_KEY); finished work is kept. Or {_WITHOUT}"
        )

    def _end(self, message: str) -> None:
        with self._lock:
            if not self._stopped.is_set():
                self._stop_message = message
                self._stopped.set()
        self._check_stopped()

    def _check_stopped(self) -> None:
        if self._stopped.is_set():
            raise EvidenceUnavailable(self._stop_message)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        named = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return named and not re.search(r"\s", url)


def network_errors() -> tuple[type[Exception], ...]:
    """The exceptions of httpx for a request or a reply that was lost."""
    import httpx

    return (httpx.HTTPError, httpx.StreamError, OSError)
