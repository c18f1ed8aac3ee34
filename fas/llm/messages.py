"""Prompts to language models, and their replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

__all__ = ["ChatModel", "Message", "Prompt", "Reply", "Role"]

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request.

    Attributes:
        messages: The conversation so far, at least one message.
        schema: JSON schema of the reply. A server that can enforces it; others never see it, so the
            messages must ask for the shape in words too, and the reply must be parsed tolerantly
            (`fas.llm.parsing`).
        max_tokens: The reply is cut off after so many tokens (then `Reply.finish` is `length`); above 0.
        temperature: 0 for the likeliest reply, which is cached; above, replies are drawn and not cached, unless
            `sample` tells draws apart.
        choices: Words of which the reply is to be one, each as a group of spellings whose first one names it: their
            log-probabilities are asked for, too. Empty for any other reply.
        sample: Number of the draw, from 0: the same number gives the same reply for ever, from the cache; it is sent
            as `seed` to a server that takes one. None for a reply that nobody asks for again.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    max_tokens: int = 1024
    temperature: float = 0.0
    sample: int | None = None
    choices: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for one prompt.

    Attributes:
        text: The words; empty where the model said nothing.
        finish: Why the model stopped: `stop`, `length` (cut off at `max_tokens`), `content_filter`
            (withheld, the text may be empty or partial), `refusal` (the text is the refusal), or
            whatever else the server says; None where it does not say.
        failure: Why there is no reply; then the text is empty.
        prompt_tokens: Tokens of the prompt; estimated where the server does not count.
        completion_tokens: Tokens of the reply; estimated where the server does not count.
        logprobs: Natural log-probability of each of the prompt's `choices` where the reply decides between them, all
            spellings together; the one that was written comes first. Empty where the server gave none.
        cached: It came from the cache or from an equal prompt of the batch and cost nothing.
    """

    text: str = ""
    finish: str | None = None
    failure: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached: bool = False
    logprobs: tuple[tuple[str, float], ...] = ()


@runtime_checkable
class ChatModel(Protocol):
    """Anything that answers prompts."""

    @property
    def signature(self) -> str:
        """What pins the replies, e.g. `gpt-4o-mini`; no `|`, `:`, `,`, `[`, `]` or blank."""

    def complete(self, prompts: Sequence[Prompt]) -> list[Reply]:
        """One reply per prompt, in order; what cannot be answered gives a reply with a `failure`.

        Raises:
            RunStopped: Nothing works at all, or the budget is spent; what was finished is kept in
                the cache, and the same call resumes from there.
        """
