"""Replies as servers send them, read without trusting their shape."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, Mapping
from dataclasses import dataclass
from typing import Any

from fas.checks import is_whole
from fas.guards.characters import valid_text
from fas.guards.redaction import redact
from fas.llm.faults import FaultError, error_of, status_fault
from fas.llm.messages import Prompt, Reply
from fas.llm.tokens import estimate_prompt_tokens, estimate_tokens

REPLY = "a reply of a language model"


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
        raise _without_choices(value, body)
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise FaultError("the reply's choice has no message", sent=True)
    text, refusal = _text(message.get("content")), message.get("refusal")
    return _answered(text, refusal, choice.get("finish_reason"), value.get("usage"), prompt)


async def read_stream(chunks: AsyncIterable[Any], prompt: Prompt) -> Answered:
    """The reply in the pieces of a stream.

    Raises:
        FaultError: The stream ended before it said why it stopped, so the reply may not be whole.
    """
    pieces: list[str] = []
    refusals: list[str] = []
    finish: Any = None
    usage: Any = None
    async for chunk in chunks:
        value = chunk.to_dict(mode="json") if hasattr(chunk, "to_dict") else chunk
        if not isinstance(value, dict):
            raise FaultError("a piece of the stream has no known shape", sent=True)
        usage = value.get("usage") or usage
        for choice in value.get("choices") or ():
            delta = choice.get("delta") or {}
            pieces.append(_text(delta.get("content")))
            refusals.append(delta.get("refusal") or "")
            finish = choice.get("finish_reason") or finish
    if finish is None:
        raise FaultError("the stream ended without a finish reason", sent=True)
    return _answered("".join(pieces), "".join(refusals), finish, usage, prompt)


def _answered(text: str, refusal: Any, finish: Any, usage: Any, prompt: Prompt) -> Answered:
    if isinstance(refusal, str) and refusal and not text:
        text, finish = refusal, "refusal"
    # A server may echo what it was sent, also in the escapes of JSON; and JSON can spell what is no character.
    text = redact(valid_text(text, REPLY))
    finish = redact(valid_text(finish, REPLY)) if isinstance(finish, str) else finish
    reason = finish if isinstance(finish, str) and finish else None
    counts = usage if isinstance(usage, dict) else {}
    prompt_tokens, completion_tokens = _count(counts, "prompt_tokens"), _count(counts, "completion_tokens")
    if prompt_tokens is None or completion_tokens is None:
        guessed = (estimate_prompt_tokens(prompt), estimate_tokens(text))
        return Answered(Reply(text, reason, None, *guessed), estimated=True)
    details = counts.get("prompt_tokens_details")
    cached = _count(details, "cached_tokens") if isinstance(details, dict) else None
    return Answered(Reply(text, reason, None, prompt_tokens, completion_tokens), cached or 0)


def _text(content: Any) -> str:
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


def _without_choices(value: Any, body: bytes) -> FaultError:
    """Gateways send some errors with status 200."""
    if isinstance(value, dict) and value.get("error"):
        error = value["error"]
        code = error.get("code") if isinstance(error, dict) else None
        if isinstance(code, int) and 400 <= code < 600:
            return status_fault(code, body, {})
        return FaultError(f"the server sent an error: {error_of(body)[0]}", sent=True)
    return FaultError("the reply has no choices", sent=True)


def _count(values: Mapping[str, Any], name: str) -> int | None:
    value = values.get(name)
    return value if is_whole(value) and value >= 0 else None
