"""Replies as servers send them, read without trusting their shape."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fas.core.checks import is_whole
from fas.core.guards.characters import check_text
from fas.core.guards.redaction import redact
from fas.llm.faults import FaultError, make_status_fault, read_error
from fas.llm.logprobs import find_choice_logprobs
from fas.llm.messages import Prompt, Reply
from fas.llm.said import LOOKED_AT, loops
from fas.llm.tokens import estimate_prompt_tokens, estimate_tokens

REPLY = "a reply of a language model"

_LOOK = 32
"""Pieces of a stream from one look for a loop to the next."""

BROKEN_OFF = frozenset(
    {"error", "abort", "aborted", "cancelled", "canceled", "timeout", "insufficient_system_resource"}
)
"""Finish reasons by which servers and gateways say that the reply is none (OpenRouter, vLLM, SGLang, DeepSeek)."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply and how it was counted.

    Attributes:
        reply: The reply.
        cached_prompt_tokens: Tokens of the prompt that the server had cached, which may be cheaper.
        estimated: The server did not count, so the tokens are estimates.
    """

    reply: Reply
    cached_prompt_tokens: int = 0
    estimated: bool = False


def read_completion(body: bytes, prompt: Prompt) -> Answered:
    """The reply in the body of a `chat.completion`.

    Raises:
        FaultError: It holds none.
    """
    try:
        value: Any = json.loads(body)
    except ValueError as error:
        raise FaultError("the reply is not JSON" if body else "the reply is empty", sent=True) from error
    choices = value.get("choices") if isinstance(value, dict) else None
    if not isinstance(choices, list) or not choices:
        raise _explain_no_choices(value, body)
    choice = choices[0]
    _check_choice(choice, sent=body)
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise FaultError("the reply's choice has no message", sent=True)
    text, refusal = _read_text(message.get("content")), message.get("refusal")
    return _make_answered(text, refusal, choice.get("finish_reason"), value.get("usage"), prompt, _read_tokens(choice))


def read_stream(chunks: Iterable[Any], prompt: Prompt, alive: Callable[[], None] = lambda: None) -> Answered:
    """The reply in the pieces of a stream; one that runs in a loop is cut off there, as if it had reached its length.

    Args:
        chunks: The pieces.
        prompt: What was asked.
        alive: Called for each piece that brings words.

    Raises:
        FaultError: The stream ended before it said why it stopped, so the reply may not be whole.
    """
    pieces: list[str] = []
    heard: list[str] = []
    refusals: list[str] = []
    finish: Any = None
    usage: Any = None
    tokens: list[Any] = []
    for chunk in chunks:
        value = chunk.to_dict(mode="json") if hasattr(chunk, "to_dict") else chunk
        if not isinstance(value, dict):
            raise FaultError("a piece of the stream has no known shape", sent=True)
        usage = value.get("usage") or usage
        if value.get("error"):
            raise _explain_no_choices(value, json.dumps(value).encode())
        for choice in value.get("choices") or ():
            _check_choice(choice, sent=json.dumps(choice).encode())
            delta = choice.get("delta") or {}
            pieces.append(_read_text(delta.get("content")))
            if piece := pieces[-1] or delta.get("reasoning_content") or delta.get("reasoning"):
                alive()
                heard.append(str(piece))
            tokens += _read_tokens(choice)
            refusals.append(delta.get("refusal") or "")
            finish = choice.get("finish_reason") or finish
        if finish is None and len(heard) % _LOOK == 0 and loops("".join(heard[-LOOKED_AT:])):
            finish = "length"
            break
    if finish is None:
        raise FaultError("the stream ended without a finish reason", sent=True)
    return _make_answered("".join(pieces), "".join(refusals), finish, usage, prompt, tokens)


def _check_choice(choice: Any, *, sent: bytes) -> None:
    """Refuse a choice that a gateway broke off half-way: its text is not the model's reply.

    Raises:
        FaultError: It carries an error, or its finish reason is one.
    """
    if not isinstance(choice, dict):
        return
    if choice.get("error"):
        raise _explain_no_choices(choice, json.dumps({"error": choice["error"]}).encode())
    if str(choice.get("finish_reason") or choice.get("native_finish_reason")).lower() in BROKEN_OFF:
        raise FaultError(f"the server broke off: finish reason {choice['finish_reason']!r}", sent=bool(sent))


def _read_tokens(choice: dict[str, Any]) -> list[Any]:
    """What a choice says of its tokens."""
    said = choice.get("logprobs")
    content = said.get("content") if isinstance(said, dict) else None
    return content if isinstance(content, list) else []


def _make_answered(text: str, refusal: Any, finish: Any, usage: Any, prompt: Prompt, tokens: list[Any]) -> Answered:
    logprobs = find_choice_logprobs(text, tokens, prompt.choices) if prompt.choices else ()
    if isinstance(refusal, str) and refusal and not text:
        text, finish = refusal, "refusal"
    # A server may echo what it was sent, also in the escapes of JSON; and JSON can spell what is no character.
    text = redact(check_text(text, REPLY))
    finish = redact(check_text(finish, REPLY)) if isinstance(finish, str) else finish
    reason = finish if isinstance(finish, str) and finish else None
    counts = usage if isinstance(usage, dict) else {}
    prompt_tokens, completion_tokens = _count(counts, "prompt_tokens"), _count(counts, "completion_tokens")
    if prompt_tokens is None or completion_tokens is None:
        guessed = (estimate_prompt_tokens(prompt), estimate_tokens(text))
        return Answered(Reply(text, reason, None, *guessed, logprobs=logprobs), estimated=True)
    details = counts.get("prompt_tokens_details")
    cached = _count(details, "cached_tokens") if isinstance(details, dict) else None
    return Answered(Reply(text, reason, None, prompt_tokens, completion_tokens, logprobs=logprobs), cached or 0)


def _read_text(content: Any) -> str:
    """The words of a message: a text, nothing, or a list of parts of which some are text.

    Raises:
        FaultError: It is something else.
    """
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(part, dict) for part in content):
        return "".join(part["text"] for part in content if isinstance(part.get("text"), str))
    raise FaultError(f"the reply's content is neither text nor parts, but {type(content).__name__}", sent=True)


def _explain_no_choices(value: Any, body: bytes) -> FaultError:
    """Gateways send some errors with status 200."""
    if isinstance(value, dict) and value.get("error"):
        error = value["error"]
        code = error.get("code") if isinstance(error, dict) else None
        if isinstance(code, int) and 400 <= code < 600:
            return make_status_fault(code, body, {})
        return FaultError(f"the server sent an error: {read_error(body)[0]}", sent=True)
    return FaultError("the reply has no choices", sent=True)


def _count(values: Mapping[str, Any], name: str) -> int | None:
    value = values.get(name)
    return value if is_whole(value) and value >= 0 else None
