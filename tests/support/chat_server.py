"""A chat-completions server on 127.0.0.1: the real protocol, scripted replies, real faults, a log of every request.

    with ChatServer(lambda request: "Paris") as server:          # a text, or any answer below
        model = chat_model("test-model", base_url=server.url)
        ...
    with ChatServer([Status(429, retry_after="1"), "Paris"]) as server:   # in order; the last one stays
        ...

A script is a function of the request, a list, or one answer. An answer is a str (the text of an
ordinary reply) or one of `Text`, `Status`, `Raw`, `Silence`, `Hangup`, `Broken`. Streaming follows
what the client asked for.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from local_server import LocalServer, hang_up, reset, send


@dataclass(frozen=True)
class Text:
    """An ordinary reply; `content=None` with a `refusal` is how refusals come."""

    content: Any = ""
    finish: str | None = "stop"
    refusal: str | None = None
    usage: bool = True
    delay_s: float = 0.0
    cached_tokens: int | None = None
    final_chunk: bool = True  # streaming only: whether the chunk with the finish reason is sent
    extra: dict[str, Any] = field(default_factory=dict)  # more keys of the message
    logprobs: dict[str, float] | None = None  # of the alternatives at the first token, which is the likeliest


@dataclass(frozen=True)
class Status:
    """An HTTP error with OpenAI's error body; `body` replaces it."""

    code: int
    message: str = "scripted fault"
    error_code: str | None = None
    retry_after: str | None = None
    body: bytes | None = None
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Raw:
    """Status 200 with these bytes, whatever they are."""

    body: bytes
    content_type: str = "application/json"


@dataclass(frozen=True)
class Silence:
    """Nothing for so long, then the connection is closed."""

    seconds: float = 1.0


@dataclass(frozen=True)
class Hangup:
    """The connection is reset (`reset`) or closed before any reply."""

    reset: bool = False


@dataclass(frozen=True)
class Broken:
    """Half of an ordinary reply, then the connection closes."""

    content: str = "half of this text never arrives"


Answer = str | Text | Status | Raw | Silence | Hangup | Broken


class HoldBack:
    """A script that answers the first *n* requests by *reply* at once, and the others once `release` was called."""

    def __init__(self, reply: Callable[[Request], Answer], n: int) -> None:
        self._reply = reply
        self._n = n
        self._released = threading.Event()

    def __call__(self, request: Request) -> Answer:
        if request.number >= self._n:
            assert self._released.wait(120), "nobody released what was held back"
        return self._reply(request)

    def release(self) -> None:
        """Let everything pass from now on."""
        self._released.set()


Script = Callable[["Request"], Answer] | Sequence[Answer] | Answer


@dataclass
class Request:
    """One logged request.

    Attributes:
        number: Counted from 0 over the server's life.
        begun: `time.monotonic()` when the server read its first line.
        body: What was sent.
        headers: By lower-case name.
        attempt: How often the same body came before.
        answer: What the script decided.
        answered: Whether a whole reply of status 200 left the server.
        tokens: What the reply's usage said, prompt and completion together.
    """

    number: int
    begun: float
    body: dict[str, Any]
    headers: dict[str, str]
    attempt: int = 0
    answer: Answer = ""
    answered: bool = False
    tokens: int = 0

    @property
    def messages(self) -> list[dict[str, str]]:
        return self.body.get("messages", [])

    @property
    def text(self) -> str:
        """The last message."""
        return self.messages[-1]["content"] if self.messages else ""

    @property
    def everything(self) -> str:
        """All messages, joined by newlines."""
        return "\n".join(message["content"] for message in self.messages)

    @property
    def stream(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON schema asked for, if any."""
        wanted = self.body.get("response_format") or {}
        return wanted.get("json_schema", {}).get("schema") if wanted.get("type") == "json_schema" else None


class ChatServer(LocalServer):
    """The server; use as a context manager.

    Args:
        script: What to answer.
        models: What `GET /v1/models` lists.
        structured: Which `response_format` types are understood; others get a 400, as from a server
            without them.
        key: If given, any other bearer token gets a 401.
        port: 0 for any free one.
        logprobs: Say of the first token that it is True, with False beside it, when asked for log-probabilities.

    Attributes:
        probes: How often it was asked whether it gives log-probabilities; these requests are in no log and no script.
        log: Every chat request, in order of arrival.
        most_at_once: The most chat requests that were ever open together.
    """

    def __init__(
        self,
        script: Script = "ok",
        *,
        models: Sequence[str] = ("test-model",),
        structured: Sequence[str] = ("json_schema", "json_object"),
        key: str | None = None,
        port: int = 0,
        logprobs: bool = False,
    ) -> None:
        super().__init__(port=port)
        self.script = script
        self.models = tuple(models)
        self.structured = tuple(structured)
        self.key = key
        self.logprobs = logprobs
        self.probes = 0
        self.log: list[Request] = []
        self.most_at_once = 0
        self._open = 0
        self._seen: dict[str, int] = {}
        self._position = 0

    @property
    def url(self) -> str:
        """What goes into `base_url`."""
        return f"{self.address}/v1"

    @property
    def answered(self) -> list[Request]:
        """The requests that got a whole reply: what a real server would bill."""
        with self.lock:
            return [request for request in self.log if request.answered]

    def wait_until(self, condition: Callable[[], bool], seconds: float = 120.0) -> None:
        """Return when *condition* holds; fail after that many seconds."""
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, f"after {seconds} s: {len(self.log)} requests, {self.n_open} open"
            time.sleep(0.005)

    @property
    def n_open(self) -> int:
        """How many chat requests are being answered now."""
        with self.lock:
            return self._open

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        if handler.command == "POST":
            self._post(handler)
        else:
            self._get(handler)

    def _get(self, handler: BaseHTTPRequestHandler) -> None:
        if handler.path.partition("?")[0] != "/v1/models":
            self._json(handler, 404, {"error": {"message": "not found"}})
            return
        data = [{"id": name, "object": "model", "created": 0, "owned_by": "test"} for name in self.models]
        self._json(handler, 200, {"object": "list", "data": data})

    def _post(self, handler: BaseHTTPRequestHandler) -> None:
        begun = time.monotonic()
        text = handler.rfile.read(int(handler.headers.get("Content-Length") or 0)).decode()
        if handler.path.partition("?")[0] != "/v1/chat/completions":
            self._json(handler, 404, {"error": {"message": "not found"}})
            return
        body = json.loads(text)
        request = Request(0, begun, body, {name.lower(): value for name, value in handler.headers.items()})
        if request.messages == [{"role": "user", "content": "Reply with one word, and nothing else: True."}] and (
            self.key is None or request.headers.get("authorization") == f"Bearer {self.key}"
        ):
            with self.lock:
                self.probes += 1
            said = {"True": -0.1, "False": -2.4} if self.logprobs and request.body.get("logprobs") else None
            self._json(handler, 200, self._completion(request, Text("True", logprobs=said)))
            return
        with self.lock:
            request.number = len(self.log)
            request.attempt = self._seen.get(text, 0)
            self._seen[text] = request.attempt + 1
            self.log.append(request)
            self._open += 1
            self.most_at_once = max(self.most_at_once, self._open)
        try:
            request.answer = self._decide(request)
            self._answer(handler, request)
        finally:
            with self.lock:
                self._open -= 1

    def _decide(self, request: Request) -> Answer:
        if self.key is not None and request.headers.get("authorization") != f"Bearer {self.key}":
            shown = request.headers.get("authorization", "").removeprefix("Bearer ")
            return Status(401, f"Incorrect API key provided: {shown}.", "invalid_api_key")
        wanted = (request.body.get("response_format") or {}).get("type")
        if wanted is not None and wanted not in self.structured:
            return Status(400, f"'response_format' of type '{wanted}' is not supported by this server")
        if callable(self.script):
            return self.script(request)
        if isinstance(self.script, str) or not isinstance(self.script, Sequence):
            return self.script
        with self.lock:
            answer = self.script[min(self._position, len(self.script) - 1)]
            self._position += 1
        return answer

    def _answer(self, handler: BaseHTTPRequestHandler, request: Request) -> None:
        answer = request.answer
        if isinstance(answer, str):
            answer = Text(answer)
        if isinstance(answer, Text):
            self.closing.wait(answer.delay_s)
            # Billed even if the client has gone, as with a real server.
            with self.lock:
                request.answered, request.tokens = True, sum(self._usage(request, answer).values())
            if request.stream:
                self._stream(handler, request, answer)
            else:
                self._json(handler, 200, self._completion(request, answer))
        elif isinstance(answer, Status):
            headers = list(answer.headers)
            if answer.retry_after is not None:
                headers.append(("Retry-After", answer.retry_after))
            error = {"message": answer.message, "type": "scripted", "param": None, "code": answer.error_code}
            body = json.dumps({"error": error}).encode() if answer.body is None else answer.body
            send(handler, answer.code, body, "application/json", headers)
        elif isinstance(answer, Raw):
            send(handler, 200, answer.body, answer.content_type)
        elif isinstance(answer, Silence):
            self.closing.wait(answer.seconds)
            handler.close_connection = True
        elif isinstance(answer, Hangup):
            if answer.reset:
                reset(handler)
            else:
                hang_up(handler)
        elif isinstance(answer, Broken):
            self._break(handler, request, answer)
        else:
            raise TypeError(answer)

    def _usage(self, request: Request, answer: Text) -> dict[str, int]:
        prompt = len(request.everything.encode()) // 4 + 1
        return {"prompt_tokens": prompt, "completion_tokens": len(str(answer.content or "").encode()) // 4 + 1}

    def _full_usage(self, request: Request, answer: Text) -> dict[str, Any]:
        usage: dict[str, Any] = self._usage(request, answer)
        usage["total_tokens"] = sum(usage.values())
        if answer.cached_tokens is not None:
            usage["prompt_tokens_details"] = {"cached_tokens": answer.cached_tokens}
        return usage

    def _completion(self, request: Request, answer: Text) -> dict[str, Any]:
        message = {"role": "assistant", "content": answer.content, "refusal": answer.refusal, **answer.extra}
        whole: dict[str, Any] = {
            "id": f"chatcmpl-{request.number}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": request.body.get("model"),
            "choices": [
                {"index": 0, "message": message, "logprobs": self._logprobs(answer), "finish_reason": answer.finish}
            ],
        }
        if answer.usage:
            whole["usage"] = self._full_usage(request, answer)
        return whole

    @staticmethod
    def _logprobs(answer: Text) -> dict[str, Any] | None:
        if answer.logprobs is None:
            return None
        top = [{"token": token, "logprob": value, "bytes": None} for token, value in answer.logprobs.items()]
        return {"content": [{**max(top, key=lambda one: one["logprob"]), "top_logprobs": top}]}

    def _stream(self, handler: BaseHTTPRequestHandler, request: Request, answer: Text) -> None:
        self._open_stream(handler)
        for delta in [{"role": "assistant", "content": ""}, *self._deltas(answer)]:
            said = self._logprobs(answer) if delta.get("content") and self._deltas(answer)[0] == delta else None
            choice = {"index": 0, "delta": delta, "logprobs": said, "finish_reason": None}
            self._chunk(handler, self._event(request, [choice]))
        if answer.final_chunk:
            self._chunk(handler, self._event(request, [{"index": 0, "delta": {}, "finish_reason": answer.finish}]))
        if answer.usage and (request.body.get("stream_options") or {}).get("include_usage"):
            self._chunk(handler, {**self._event(request, []), "usage": self._full_usage(request, answer)})
        handler.wfile.write(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")

    def _deltas(self, answer: Text) -> list[dict[str, Any]]:
        content = answer.content or ""
        pieces = [content[start : start + 7] for start in range(0, len(content), 7)]
        deltas: list[dict[str, Any]] = [{"content": piece} for piece in pieces]
        return deltas + ([{"refusal": answer.refusal}] if answer.refusal else [])

    def _event(self, request: Request, choices: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "id": f"chatcmpl-{request.number}",
            "object": "chat.completion.chunk",
            "created": int(time.time()),
            "model": request.body.get("model"),
            "choices": choices,
        }

    def _break(self, handler: BaseHTTPRequestHandler, request: Request, answer: Broken) -> None:
        half = answer.content[: len(answer.content) // 2]
        if request.stream:
            self._open_stream(handler)
            self._chunk(
                handler, self._event(request, [{"index": 0, "delta": {"content": half}, "finish_reason": None}])
            )
        else:
            body = json.dumps(self._completion(request, Text(answer.content))).encode()
            send(handler, 200, body, "application/json", only=len(body) // 2)
        handler.wfile.flush()
        handler.close_connection = True

    def _open_stream(self, handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream; charset=utf-8")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()

    def _chunk(self, handler: BaseHTTPRequestHandler, event: dict[str, Any]) -> None:
        data = f"data: {json.dumps(event)}\n\n".encode()
        handler.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        handler.wfile.flush()

    def _json(self, handler: BaseHTTPRequestHandler, status: int, value: dict[str, Any]) -> None:
        send(handler, status, json.dumps(value).encode(), "application/json")
