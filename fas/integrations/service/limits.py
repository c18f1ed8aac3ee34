"""Limits of the service, refusals, and the reading of requests."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse

from fas.core.answers.strict_json import find_repeated_key, load_strict_json
from fas.core.guards.characters import check_value, show_controls


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one service.

    Attributes:
        body: Bytes of a request.
        answers: Answers of a request.
        waiting: Answers that wait for being scored, over all clients.
        seconds: Time a request may take by the clock, and a piece of work of the worker.
        text: Seconds of each stage that works on one text alone; then the text is an error.
        processor: Seconds of processor time of a piece of work.
        header: Seconds until the header of a request is complete.
        shutdown: Seconds in which what was begun may be finished when the service goes down.
        token: What clients must send as `Authorization: Bearer TOKEN`; None for no such need.
    """

    body: int = 8 << 20
    answers: int = 256
    waiting: int = 512
    seconds: float = 120.0
    text: float = 10.0
    processor: float = 60.0
    header: float = 10.0
    shutdown: float = 25.0
    token: str | None = None


class RefusedError(Exception):
    """A refused request: HTTP status, machine-readable kind, message, and headers of the response."""

    def __init__(self, status: int, kind: str, message: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.kind, self.headers = status, kind, dict(headers or {})

    def response(self) -> JSONResponse:
        """The response to the client."""
        return JSONResponse(
            {"error": {"type": self.kind, "message": show_controls(str(self))}}, self.status, headers=self.headers
        )


def check_token(request: Request, token: str | None) -> None:
    """Raise `RefusedError` (401) unless the request carries *token*."""
    if token is None:
        return
    given = request.headers.get("authorization", "").encode("utf-8", "surrogateescape")
    if not hmac.compare_digest(given, f"Bearer {token}".encode()):
        raise RefusedError(401, "unauthorized", "a bearer token is needed", headers={"WWW-Authenticate": "Bearer"})


async def read_object(request: Request, most: int) -> dict[str, Any]:
    """The JSON object in the body of *request*.

    Raises:
        RefusedError: The body is larger than *most* bytes (413), or no JSON object without repeated keys (422).
    """
    too_large = RefusedError(413, "body_too_large", f"the body has more than {most} bytes")
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared[:20]) > most:
        raise too_large
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > most:
            raise too_large
    return await asyncio.to_thread(_object, bytes(body))


def _object(body: bytes) -> dict[str, Any]:
    try:
        value = load_strict_json(body.decode("utf-8"))
        repeated = find_repeated_key(value)
        value = check_value(value, "a request")
    except (ValueError, RecursionError) as error:
        raise RefusedError(422, "json", f"the body is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise RefusedError(422, "json", f"the body must be a JSON object, got {type(value).__name__}")
    if repeated is not None:
        raise RefusedError(422, "json", f"the key {repeated[-1]!r} is given more than once")
    return value
