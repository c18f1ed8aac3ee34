"""The faults of a request, classified by the remedy."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from fas.core.guards.hosts import is_unresolved
from fas.core.guards.redaction import redact_message

Kind = Literal["transient", "refused", "fatal"]

_AGAIN = frozenset({408, 409, 425, 429})
_BUSY = frozenset({408, 425, 429, 503, 529})
_NO_CREDIT = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_TOO_LONG = re.compile(r"context.{0,10}(length|window|size)|maximum context|too many tokens|prompt is too long", re.I)


@dataclass(eq=False, repr=False)
class FaultError(Exception):
    """A request that brought no reply.

    Attributes:
        kind: `transient`: the same request may work later. `refused`: the server understood it and will
            not do it. `fatal`: nothing will work until the user changes something.
        code: The server's own code, e.g. `context_length_exceeded`.
        retry_after_s: How long the server asks to wait; 0 if it does not say.
        own: The prompt itself is the cause (too long); other prompts are not affected.
        sent: The request may have been billed.
        filtered: The server withheld the reply because of the prompt's content.
        timed_out: No reply arrived within the time of one attempt.
        unresolved: The host's name cannot be resolved.
        crowded: It timed out while other requests were under way; fewer at once may help.
    """

    message: str
    _: KW_ONLY
    kind: Kind = "transient"
    status: int | None = None
    code: str | None = None
    retry_after_s: float = 0.0
    own: bool = False
    sent: bool = False
    filtered: bool = False
    timed_out: bool = False
    unresolved: bool = False
    crowded: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.message = redact_message(self.message)
        self.code = None if self.code is None else redact_message(self.code)
        super().__init__(self.message)

    @property
    def busy(self) -> bool:
        """Whether the server may only need time: it is slow, has too many requests, or is loading the model."""
        return self.timed_out or self.retry_after_s > 0 or self.status in _BUSY


def make_status_fault(status: int, body: bytes, headers: Mapping[str, str]) -> FaultError:
    """The fault for an HTTP error."""
    message, code = read_error(body)
    text = f"HTTP {status}" + (f": {message}" if message else "")
    retry_after_s = read_wait(headers)
    if status == 401 or status == 402 or code in _NO_CREDIT:
        return FaultError(text, kind="fatal", status=status, code=code)
    if status in _AGAIN or status >= 500:
        return FaultError(text, status=status, code=code, retry_after_s=retry_after_s)
    own = code == "context_length_exceeded" or status == 413 or bool(_TOO_LONG.search(message))
    filtered = code in ("content_filter", "content_policy_violation")
    return FaultError(text, kind="refused", status=status, code=code, own=own, filtered=filtered)


def make_exception_fault(error: BaseException, *, timeout_s: float) -> FaultError | None:
    """The fault for an exception of the client; None for any other exception."""
    import httpx
    import openai

    if isinstance(error, FaultError):
        return error
    if isinstance(error.__cause__, FaultError):  # one of ours that came through the client
        return error.__cause__
    if isinstance(error, openai.APIStatusError):
        return make_status_fault(error.response.status_code, error.response.content, error.response.headers)
    if isinstance(error, TimeoutError | openai.APITimeoutError | httpx.TimeoutException):
        unconnected = isinstance(error.__cause__, httpx.ConnectTimeout | httpx.PoolTimeout)
        message = "no connection in time" if unconnected else f"no reply within {timeout_s:g} s"
        return FaultError(message, sent=not unconnected, timed_out=True)
    if isinstance(error, openai.APIConnectionError | httpx.HTTPError | httpx.StreamError | OSError):
        cause = error.__cause__ or error
        if isinstance(cause, httpx.ConnectError):
            return FaultError(f"no connection ({cause})", unresolved=is_unresolved(cause))
        return FaultError(f"connection broken ({type(cause).__name__})", sent=True)
    if isinstance(error, openai.APIError):  # an error event in a stream
        message, code = read_error(json.dumps({"error": error.body or error.message}, default=str).encode())
        return FaultError(f"the server broke off: {message}", code=code, sent=True)
    if isinstance(error, json.JSONDecodeError):
        return FaultError("a piece of the stream is not JSON", sent=True)
    return None


def read_error(body: bytes) -> tuple[str, str | None]:
    """Message and code in the body of an error, in the shapes that servers use; keys are masked."""
    try:
        value: Any = json.loads(body)
    except ValueError:
        value = body.decode("utf-8", "replace")
        if "<html" in value.lower():
            value = ""
    if isinstance(value, dict):
        value = value.get("error", value.get("detail", value.get("message", value)))
    code: Any = None
    if isinstance(value, dict):
        code = value.get("code") or value.get("type")
        value = value.get("message", value)
    text = value if isinstance(value, str) else json.dumps(value)
    text = " ".join(redact_message(text).split())
    return (text[:300] + "..." if len(text) > 300 else text), str(code) if code is not None else None


def read_wait(headers: Mapping[str, str]) -> float:
    """The wait that `Retry-After` (seconds or a date) or `retry-after-ms` requests; 0 if neither can be read."""
    try:
        return max(0.0, float(headers["retry-after-ms"]) / 1000)
    except (KeyError, ValueError):
        pass
    value = headers.get("retry-after", "").strip()
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, TypeError, IndexError):
            return 0.0
    return seconds if 0 < seconds < float("inf") else 0.0
