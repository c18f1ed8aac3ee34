"""The HTTP service: scores, verdicts and safety flags, as JSON."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from fas.core.answers.schema import to_answer
from fas.core.errors import FasError, RunStopped
from fas.core.guards.redaction import redact, remember_secret
from fas.core.profile import Profile
from fas.core.records import Answer
from fas.integrations.service.batching import Batcher, ClosingError, QueueFullError, Scored, count_into_signature
from fas.integrations.service.limits import Limits, RefusedError, check_token, read_object
from fas.integrations.service.openapi import DOCUMENT, PAGE, ROUTES
from fas.integrations.service.workers import ServiceWorker, WorkerLostError, WorkLimits

_log = logging.getLogger(__name__)
Handler = Callable[[Request], Awaitable[Response]]


class Service:
    """The routes and their shared state."""

    def __init__(self, profile: Profile, limits: Limits, *, offline: bool = False) -> None:
        self.limits = limits
        if limits.token is not None:
            remember_secret(limits.token)
        self._batcher: Batcher | None = None
        self._profile, self._offline = profile, offline
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "fas_requests", "Requests by route and status", ["route", "status"], registry=self.registry
        )
        self._answers = Counter("fas_answers", "Answers scored", registry=self.registry)
        self._seconds = Histogram("fas_request_seconds", "Seconds a request took", ["route"], registry=self.registry)
        waiting = Gauge("fas_answers_waiting", "Answers that wait to be scored", registry=self.registry)
        waiting.set_function(lambda: self.batcher.n_waiting if self._batcher is not None else 0)

    @property
    def batcher(self) -> Batcher:
        """The batcher; raises `RefusedError` (503) before the service is ready."""
        if self._batcher is None:
            raise RefusedError(503, "unavailable", "the service is not ready")
        return self._batcher

    def app(self) -> Starlette:
        """The ASGI application."""
        return Starlette(
            routes=[
                self._route("/v1/score", self._score),
                self._route("/v1/verify", self._verify),
                self._route("/v1/safety", self._safety),
                Route("/healthz", self._health),
                Route("/metrics", self._metrics),
                Route("/openapi.json", lambda _: JSONResponse(DOCUMENT)),
                Route("/docs", lambda _: HTMLResponse(PAGE)),
            ],
            lifespan=self._lifespan,
            exception_handlers={HTTPException: _no_route},
        )

    @asynccontextmanager
    async def _lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        limits = WorkLimits(self.limits.text, self.limits.processor, self.limits.seconds)
        batcher = Batcher(ServiceWorker(self._profile, limits, offline=self._offline), most_waiting=self.limits.waiting)
        try:
            await batcher.start()
            self._batcher = batcher
            yield
        finally:
            await batcher.close()
            self._batcher = None

    def stop(self) -> None:
        """Fail unfinished work and begin nothing new, when a shutdown has waited long enough."""
        if self._batcher is not None:
            self._batcher.stop()

    def _route(self, path: str, handler: Handler) -> Route:
        async def served(request: Request) -> Response:
            began = time.perf_counter()
            try:
                check_token(request, self.limits.token)
                async with asyncio.timeout(self.limits.seconds):
                    response = await handler(request)
            except RefusedError as refusal:
                response = refusal.response()
            except TimeoutError:
                response = RefusedError(503, "timeout", f"not done within {self.limits.seconds:g} seconds").response()
            except (QueueFullError, ClosingError) as error:
                response = _busy(error).response()
            except ClientDisconnect:
                response = RefusedError(499, "gone", "the client went away before its request was complete").response()
            except (RunStopped, WorkerLostError) as error:
                response = RefusedError(503, type(error).__name__, redact(str(error))).response()
            except (FasError, ValueError, LookupError) as error:
                response = RefusedError(422, type(error).__name__, redact(str(error))).response()
            except Exception as error:
                _log.exception("a request failed")
                response = RefusedError(500, type(error).__name__, "the service failed; see its log").response()
            self._requests.labels(path, str(response.status_code)).inc()
            self._seconds.labels(path).observe(time.perf_counter() - began)
            return response

        return Route(path, served, methods=["POST"])

    async def _score(self, request: Request) -> Response:
        body = await read_object(request, self.limits.body)
        stream = body.pop("stream", False)
        if not isinstance(stream, bool):
            raise RefusedError(422, "field", "field 'stream': expected true or false")
        several = "answers" in body
        if several and len(body) > 1:
            other = next(name for name in body if name != "answers")
            raise RefusedError(422, "field", f"field {other!r}: only 'stream' is allowed beside 'answers'")
        answers = self._read(body["answers"] if several else [body])
        futures = self.batcher.submit(answers)
        if stream:
            return StreamingResponse(self._lines(answers, futures), media_type="application/x-ndjson")
        try:
            scored = await asyncio.gather(*futures)
        except BaseException:
            for future in futures:
                future.cancel()
            raise
        self._answers.inc(len(scored))
        records = [item.record for item in scored]
        signature = count_into_signature(scored[0].signature, len(scored))
        return JSONResponse(
            {"answers": records, "signature": signature} if several else {**records[0], "signature": signature}
        )

    async def _lines(
        self, answers: Sequence[Answer], futures: Sequence[asyncio.Future[Scored]]
    ) -> AsyncIterator[bytes]:
        """Each record when it is done; a failed or late answer becomes a line with its id and error."""
        until = asyncio.get_running_loop().time() + self.limits.seconds

        async def line(answer: Answer, future: asyncio.Future[Scored]) -> dict[str, Any]:
            try:
                async with asyncio.timeout_at(until):
                    scored = await future
            except TimeoutError:
                late = f"not done within {self.limits.seconds:g} seconds"
                return {"id": answer.id, "error": {"type": "timeout", "message": late}}
            except Exception as error:
                return {"id": answer.id, "error": {"type": type(error).__name__, "message": redact(str(error))}}
            self._answers.inc()
            return {**scored.record, "signature": count_into_signature(scored.signature, 1)}

        try:
            for done in asyncio.as_completed([line(*pair) for pair in zip(answers, futures, strict=True)]):
                yield json.dumps(await done, ensure_ascii=False).encode() + b"\n"
        finally:
            for future in futures:
                future.cancel()

    def _read(self, items: Any) -> list[Answer]:
        if not isinstance(items, list) or not items:
            raise RefusedError(422, "field", "field 'answers': expected a list of at least one answer")
        if len(items) > self.limits.answers:
            raise RefusedError(413, "too_many", f"{len(items)} answers; a request may have {self.limits.answers}")
        found = []
        for number, item in enumerate(items, 1):
            if not isinstance(item, dict):
                raise RefusedError(422, "field", f"answer {number}: expected an object, got {type(item).__name__}")
            found.append(to_answer(item, line=number, where=f"answer {number}"))
        return found

    async def _verify(self, request: Request) -> Response:
        body = await read_object(request, self.limits.body)
        unknown = sorted(set(body) - {"claim", "passages", "question"})
        if unknown or not isinstance(body.get("claim"), str) or not body["claim"].strip():
            name = unknown[0] if unknown else "claim"
            raise RefusedError(422, "field", f"field {name!r}: give 'claim', 'passages' and perhaps 'question'")
        answer = self._read([{**body, "prediction": body["claim"], "claims": [body.pop("claim")]}])[0]
        scored = await self.batcher.submit([answer])[0]
        if scored.record["error"] is not None:
            raise RefusedError(422, scored.record["error"]["type"], scored.record["error"]["message"])
        return JSONResponse({**scored.record["claims"][0], "signature": count_into_signature(scored.signature, 1)})

    async def _safety(self, request: Request) -> Response:
        body = await read_object(request, self.limits.body)
        if "answers" in body and len(body) > 1:
            raise RefusedError(422, "field", "no other field is allowed beside 'answers'")
        answers = self._read(body.get("answers", [body]))
        found = await self.batcher.safety(answers)
        return JSONResponse({"answers": found} if "answers" in body else found[0])

    async def _health(self, _request: Request) -> Response:
        if self._batcher is None:
            return JSONResponse({"status": "not ready"}, 503)
        worker = self._batcher.worker
        busy = worker.busy_seconds
        status = "ok" if worker.ready else "loading"
        # Nothing that is to be answered in time takes so long, and what comes meanwhile waits for it.
        if busy > self.limits.seconds / 2:
            status = "stuck"
        return JSONResponse(
            {
                "status": status,
                "busy_seconds": round(busy, 1),
                "waiting": self._batcher.n_waiting,
                "workers_ended": worker.n_ended,
            },
            200 if status == "ok" else 503,
        )

    async def _metrics(self, _request: Request) -> Response:
        return Response(generate_latest(self.registry), media_type=CONTENT_TYPE_LATEST)


def _no_route(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException), "registered for these"
    path = request.url.path
    if error.status_code == 404:
        message = f"no route {path}; available: {', '.join(ROUTES)}"
    elif error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "another method")
        message = f"{path} does not take {request.method}; send {allowed}"
    else:
        message = str(error.detail)
    kind = {404: "not_found", 405: "method"}.get(error.status_code, "http")
    return RefusedError(error.status_code, kind, message, headers=dict(error.headers or {})).response()


def _busy(error: Exception) -> RefusedError:
    if isinstance(error, ClosingError):
        return RefusedError(503, "closing", "the service goes down; try another one")
    return RefusedError(429, "busy", "too many answers are waiting; try again", headers={"Retry-After": "1"})
