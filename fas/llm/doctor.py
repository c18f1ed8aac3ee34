"""The abilities of a server of language models, found out by about thirty short calls."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx

from fas.core.errors import FasError
from fas.core.guards.reasoning import remove_reasoning
from fas.core.guards.redaction import redact_message
from fas.llm.endpoint import OPENAI_URL, normalize_address, require_package
from fas.llm.faults import read_error
from fas.llm.schema import find_violation

_AT_ONCE = (1, 4, 16)
_REASONING = "# It reasons first: give `max_tokens` room, or switch that off (docs/how-to/llm.md, Reasoning models)."
_LONG = "The patient takes aspirin, and the note says so once more. " * 60
_SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string", "enum": ["True", "False"]}},
    "required": ["verdict"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class ServerReport:
    """What a server can do: ability to what was *found*, None where the server does not say."""

    model: str
    url: str
    found: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """For programs, with the lines of a profile that suit the server."""
        return {**self.found, "profile": "\n".join(self._suggest_profile())}

    def as_text(self) -> str:
        """For people."""
        rows = [f"  {name.replace('_', ' '):<28} {_format(value)}" for name, value in self.found.items()]
        return "\n".join([f"{self.model} at {self.url}", *rows, "", *self._suggest_profile()])

    def _suggest_profile(self) -> list[str]:
        found = self.found
        n = found["best_concurrency"]
        # A verdict is a word; the longest replies are some hundred times as long as what was timed here.
        timeout_s = max(60, round(100 * found["seconds_a_call"].get(str(n), 1.0)))
        lines = ["[llm]", f"model = {json.dumps(self.model)}", f"base_url = {json.dumps(self.url)}"]
        lines += [f"concurrency = {n}", f"timeout_s = {timeout_s}"]
        advice = (
            (found["streaming"], "stream = true             # a slow reply is waited for as long as it goes on"),
            (not found["json_schema"], 'structured = "off"        # it ignores schemas; JSON is read out of the text'),
            (found["reasons_before_it_replies"], _REASONING),
            (not found["log_probabilities"], "# It gives no log-probabilities: verdicts go by the word alone."),
        )
        return [*lines, *(line for applies, line in advice if applies)]


def examine_server(model: str, base_url: str | None = None, *, timeout: float = 180.0) -> ServerReport:
    """Ask a server and report what it can do. The key is that of OPENAI_API_KEY.

    The address goes up to /v1; by default it is OPENAI_BASE_URL, else OpenAI's own.

    Raises:
        FasError: It does not reply.
        LookupError: The package `openai` is missing.
    """
    require_package()
    url = normalize_address(base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL)
    key = os.environ.get("OPENAI_API_KEY", "").strip()
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    with httpx.Client(base_url=url, headers=headers, timeout=httpx.Timeout(timeout, connect=10.0)) as client:

        def ask(text: str, **settings: Any) -> ProbeCall:
            messages = [{"role": "user", "content": text}]
            body = {"model": model, "messages": messages, "temperature": 0, **settings}
            return _send(client, "POST", "chat/completions", json=body)

        first = ask("Reply with the word True.", max_tokens=64)
        if not first.choice:
            body = first.body if isinstance(first.body, str) else read_error(json.dumps(first.body).encode())[0]
            why = redact_message(f"HTTP {first.status}: {body}" if first.status else body)
            raise FasError(f"{model} at {url} does not reply: {why}")
        return ServerReport(model, url, _find_abilities(client, model, ask, first))


@dataclass(frozen=True, slots=True)
class ProbeCall:
    """What came back for one request: HTTP status (0 without a connection or a reply in time), JSON or words."""

    status: int
    body: Any
    seconds: float

    @property
    def choice(self) -> dict[str, Any]:
        """The first choice; empty if there is none."""
        choices = self.body.get("choices") if isinstance(self.body, dict) else None
        return choices[0] if self.status == 200 and choices and isinstance(choices[0], dict) else {}

    @property
    def text(self) -> str:
        """What the model wrote."""
        return str((self.choice.get("message") or {}).get("content") or "")

    def read_usage(self, *names: str) -> Any:
        """A number of the reply's `usage`, None if the server does not count it."""
        value: Any = self.body.get("usage") if isinstance(self.body, dict) else None
        for name in names:
            value = value.get(name) if isinstance(value, dict) else None
        return value


def _send(client: httpx.Client, method: str, path: str, **request: Any) -> ProbeCall:
    began = time.perf_counter()
    try:
        response = client.request(method, path, **request)
        try:
            body: Any = response.json()
        except ValueError:
            body = response.text[:200]
        return ProbeCall(response.status_code, body, time.perf_counter() - began)
    except httpx.HTTPError as error:
        return ProbeCall(0, f"{type(error).__name__}: {error}", time.perf_counter() - began)


def _streams(client: httpx.Client, model: str) -> bool:
    """Whether replies come in pieces."""
    asked = [{"role": "user", "content": "Say yes."}]
    body = {"model": model, "messages": asked, "max_tokens": 16, "stream": True}
    try:
        with client.stream("POST", "chat/completions", json=body) as response:
            return response.status_code == 200 and any(line.startswith("data:") for line in response.iter_lines())
    except httpx.HTTPError:
        return False


def _find_window(listed: Any, model: str) -> int | None:
    """Tokens of the model's window, if the list of models says."""
    entries = listed.get("data") if isinstance(listed, dict) else None
    entries = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    for entry in entries:
        if entry.get("id") == model or len(entries) == 1:
            meta: Any = entry.get("meta") if isinstance(entry.get("meta"), dict) else {}
            sizes = (entry.get("max_model_len"), meta.get("n_ctx"), meta.get("n_ctx_train"))
            return next((size for size in sizes if isinstance(size, int)), None)
    return None


def _find_abilities(
    client: httpx.Client, model: str, ask: Callable[..., ProbeCall], first: ProbeCall
) -> dict[str, Any]:
    """What the server's replies show, by name; None where it does not say."""
    form = {"type": "json_schema", "json_schema": {"name": "reply", "schema": _SCHEMA, "strict": True}}
    as_schema = ask("Is the sky green? Reply in JSON.", max_tokens=64, response_format=form)
    probable = ask("Reply with one word: True.", max_tokens=16, logprobs=True, top_logprobs=20)
    drawn = ask("Name a colour.", max_tokens=16, n=2, temperature=1)
    ask(_LONG + "Say A.", max_tokens=4)
    again = ask(_LONG + "Say B.", max_tokens=4)
    said = (probable.choice.get("logprobs") or {}).get("content") or [{}]
    message = first.choice.get("message") or {}
    seconds, rates = {}, {}
    for n in _AT_ONCE:
        began = time.perf_counter()
        with ThreadPoolExecutor(n) as pool:
            calls = list(pool.map(lambda i: ask(f"Say the number {i}.", max_tokens=8), range(n)))
        if all(call.choice for call in calls):
            seconds[str(n)] = sum(call.seconds for call in calls) / n
            rates[n] = n / (time.perf_counter() - began)
    return {
        "json_schema": _is_valid(as_schema.text),
        "log_probabilities": bool(said[0].get("top_logprobs")),
        "streaming": _streams(client, model),
        "prefix_tokens_reused": again.read_usage("prompt_tokens_details", "cached_tokens"),
        "counts_tokens": first.read_usage("prompt_tokens") is not None,
        "several_draws_a_call": drawn.status == 200 and len(drawn.body.get("choices", ())) == 2,
        "context_length": _find_window(_send(client, "GET", "models").body, model),
        "reasons_before_it_replies": bool(message.get("reasoning_content") or message.get("reasoning"))
        or remove_reasoning(first.text).text != first.text,
        "seconds_a_call": seconds,
        "best_concurrency": max(rates, key=lambda n: rates[n]) if rates else 1,
    }


def _is_valid(text: str) -> bool:
    try:
        return find_violation(json.loads(text), _SCHEMA) is None
    except ValueError:
        return False


def _format(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{n} at once: {seconds:.2f}" for n, seconds in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "the server does not say" if value is None else str(value)
