"""One attempt at one request to an OpenAI-compatible endpoint, over the `openai` package."""

from __future__ import annotations

import os
import sys
import threading
import time
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from fas.core.guards.redaction import redact_bytes, remember_secret
from fas.llm.faults import FaultError, make_exception_fault
from fas.llm.messages import Prompt
from fas.llm.shapes import Answered, read_completion, read_stream

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx
    import openai

OPENAI_URL = "https://api.openai.com/v1"
_CONNECT_S = 10.0
_LONGEST = 10  # times the time for one attempt, for a stream that goes on

REPLY_BYTES = 8 * 1024 * 1024
"""The longest body of a reply, in bytes after decompression; a longer one is no reply."""


def normalize_address(url: str) -> str:
    """*url* in one spelling, for keys of the cache and for messages.

    >>> normalize_address("HTTPS://API.openai.com:443/v1/")
    'https://api.openai.com/v1'

    Raises:
        ValueError: It is no http address, or it carries a password or a query, which may hold a key.
    """
    parts = urlsplit(url.strip())
    try:
        port = parts.port
    except ValueError as error:
        raise ValueError("the address of the endpoint has an impossible port") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("the address of the endpoint must begin with http:// or https:// and name a host")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError(
            "the address of the endpoint must not carry a user, a password or a query; "
            "keys are read from the environment (OPENAI_API_KEY)"
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    if port is not None and port != {"http": 80, "https": 443}[parts.scheme]:
        host += f":{port}"
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))


class Endpoint:
    """Sends requests for one model, from any thread."""

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key_env: str,
        timeout_s: float,
        stream: bool,
        extra: Mapping[str, Any],
        connections: int,
    ) -> None:
        self.url = normalize_address(url)
        self.model = model
        self._key_env = key_env
        self._timeout_s = timeout_s
        self._stream = stream
        self._extra = dict(extra)
        self._connections = connections
        self._clients: dict[tuple[int, str], openai.OpenAI] = {}
        self._lock = threading.Lock()
        self._own = threading.local()

    def send(self, prompt: Prompt, settings: Mapping[str, Any]) -> Answered:
        """The reply to one attempt, or a FaultError; *settings* depend on what the server understands."""
        client, headers = self._open_client()
        request: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": message.role, "content": message.content} for message in prompt.messages],
            "extra_body": self._extra or None,
            "extra_headers": headers,
            **settings,
        }
        end = time.monotonic() + _LONGEST * self._timeout_s
        self._own.deadline = time.monotonic() + self._timeout_s

        def alive() -> None:
            self._own.deadline = min(end, time.monotonic() + self._timeout_s)

        try:
            if self._stream:
                with client.chat.completions.create(stream=True, **request) as stream:
                    return read_stream(stream, prompt, alive)
            raw = client.chat.completions.with_raw_response.create(**request)
            return read_completion(redact_bytes(raw.http_response.content), prompt)
        except Exception as error:
            _mask(error)
            fault = make_exception_fault(error, timeout_s=self._timeout_s)
            if fault is None:
                raise
            raise fault from None

    def _open_client(self) -> tuple[openai.OpenAI, dict[str, Any]]:
        key = os.environ.get(self._key_env, "").strip()
        if not key and self.url == OPENAI_URL:
            raise FaultError(f"{self._key_env} is not set", kind="fatal")
        if not (key.isascii() and key.isprintable()):
            raise FaultError(f"{self._key_env} is not a key: it holds characters that cannot be sent", kind="fatal")
        import httpx
        import openai

        with self._lock:
            # A forked process has connections of its own.
            known = self._clients.get((os.getpid(), key))
            if known is None:
                remember_secret(key)
                timeout = httpx.Timeout(self._timeout_s, connect=_CONNECT_S)
                limits = httpx.Limits(max_connections=self._connections, max_keepalive_connections=self._connections)
                hooks: Any = {"request": [_withhold], "response": [_refuse_redirect, self._limit_body]}
                http = httpx.Client(timeout=timeout, limits=limits, event_hooks=hooks, follow_redirects=True)
                # Repeats are those of `fas.llm.retrying`: the client would not tell the pace of a time-out.
                known = openai.OpenAI(
                    api_key=key or "none", base_url=self.url, max_retries=0, timeout=timeout, http_client=http
                )
                weakref.finalize(self, known.close)
                self._clients[os.getpid(), key] = known
        # The client insists on a key; where there is none the header is left out.
        return known, {} if key else {"Authorization": openai.Omit()}

    def _limit_body(self, response: httpx.Response) -> None:
        """End the body with a fault at `REPLY_BYTES`, counted as it is unpacked, and at the end of the time."""
        import httpx

        packed = httpx.Response(response.status_code, headers=response.headers, stream=response.stream)
        own = self._own

        class Body(httpx.SyncByteStream):
            def __iter__(self) -> Iterator[bytes]:
                size = 0
                for piece in packed.iter_bytes():
                    size += len(piece)
                    if size > REPLY_BYTES:
                        why = f"the reply is too long: more than {REPLY_BYTES} bytes"
                        raise FaultError(why, kind="refused", own=True, sent=True)
                    if time.monotonic() > own.deadline:
                        raise httpx.ReadTimeout("the reply is too long", request=response.request)
                    yield piece

            def close(self) -> None:
                packed.close()

        response.stream = Body()
        response.headers.pop("content-encoding", None)


def _mask(error: Exception) -> None:
    """Take the key out of what the server sent back, before a message is made of it."""
    response = getattr(error, "response", None)
    content = getattr(response, "_content", None)
    if response is not None and isinstance(content, bytes):
        response._content = redact_bytes(content)


def _withhold(request: httpx.Request) -> None:
    # The client tells servers about this machine; they need not know. (It reads the one that stays itself.)
    for name in [name for name in request.headers if name.startswith("x-stainless-")]:
        if name != "x-stainless-raw-response":
            del request.headers[name]


def _refuse_redirect(response: httpx.Response) -> None:
    """Refuse to send a prompt on to a host that nobody named."""
    if not response.has_redirect_location:
        return
    here = response.request.url
    there = here.join(response.headers["location"])
    upgrade = here.copy_with(scheme="https") if here.port is None else here
    if (there.scheme, there.netloc) not in ((here.scheme, here.netloc), (upgrade.scheme, upgrade.netloc)):
        raise FaultError(
            f"{_origin(here)} redirects to {_origin(there)}, and prompts go only where they were sent; if they may go "
            "there, name it (--base-url, OPENAI_BASE_URL)",
            kind="fatal",
        )


def _origin(url: httpx.URL) -> str:
    return f"{url.scheme}://{url.netloc.decode('ascii', 'replace')}"


def require_package() -> None:
    """Raise a LookupError that says what to install where the package `openai` is missing."""
    from importlib.util import find_spec

    if "openai" not in sys.modules and find_spec("openai") is None:
        raise LookupError("language models over HTTP need the package openai: pip install 'fact-aligned-score[llm]'")
