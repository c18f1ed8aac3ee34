"""Replies on disk, so that no reply is paid for twice."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal, get_args

from fas.core.cache import Cache, content_key
from fas.core.guards.characters import check_text
from fas.core.guards.redaction import redact
from fas.llm.messages import Prompt, Reply
from fas.llm.schema import format_schema
from fas.llm.shapes import BROKEN_OFF, REPLY

CacheMode = Literal["greedy", "off"]
_FORMAT = "1"


class ReplyStore:
    """The replies of one model with one set of settings.

    Replies that were cut off or withheld are kept as such; failures are not replies and are
    never kept.

    Args:
        identity: Everything besides the prompt that decides a reply: the back end, the endpoint or
            the weights, the model's name, settings. Never a key.
        mode: `greedy` keeps replies at temperature 0 and numbered draws, `off` none.
    """

    def __init__(self, identity: Sequence[str], *, mode: CacheMode = "greedy") -> None:
        if mode not in get_args(CacheMode):
            raise ValueError(f"`cache` must be one of {', '.join(get_args(CacheMode))}, got {mode!r}")
        self._identity = tuple(identity)
        self._mode = mode
        self._cache = Cache("llm")

    def key(self, prompt: Prompt) -> str:
        """The cache key of *prompt*; a TypeError or ValueError where its schema is not JSON."""
        messages = json.dumps([[message.role, message.content] for message in prompt.messages])
        schema = format_schema(prompt.schema)
        # Without a sample number the key is that of versions before numbered draws.
        drawn: list[Any] = [] if prompt.sample is None else [int(prompt.sample)]
        chosen = [list(map(list, prompt.choices))] if prompt.choices else []
        settings = json.dumps([int(prompt.max_tokens), float(prompt.temperature), *drawn, *chosen])
        return content_key("chat", _FORMAT, *self._identity, settings, messages, schema)

    def keeps(self, prompt: Prompt) -> bool:
        """Whether a reply to *prompt* is kept."""
        return self._mode == "greedy" and (prompt.temperature == 0 or prompt.sample is not None)

    def shares(self, prompt: Prompt) -> bool:
        """Whether equal prompts get one reply; drawn replies differ unless they are kept."""
        return prompt.temperature == 0 or self.keeps(prompt)

    def get_many(self, keys: Sequence[str]) -> dict[str, Reply]:
        """The replies kept under *keys*, marked as cached."""
        if self._mode == "off":
            return {}
        read = {key: _decode(value) for key, value in self._cache.get_many(keys).items()}
        return {key: reply for key, reply in read.items() if reply is not None}

    def put(self, key: str, reply: Reply) -> None:
        """Keep *reply*; it is on disk when this returns."""
        if reply.failure is None and self._mode != "off":
            self._cache.put(key, _encode(reply))


def _encode(reply: Reply) -> bytes:
    more = [reply.logprobs] if reply.logprobs else []
    return json.dumps([reply.text, reply.finish, reply.prompt_tokens, reply.completion_tokens, *more]).encode()


def _decode(value: bytes) -> Reply | None:
    """The reply, or None for a damaged entry, which is then requested again."""
    try:
        entry: Any = json.loads(value)
        text, finish, prompt_tokens, completion_tokens, *more = entry
        logprobs = tuple((str(name), float(value)) for name, value in (more[0] if more else ()))
    except (ValueError, TypeError):
        return None
    sound = isinstance(text, str) and (finish is None or isinstance(finish, str)) and finish not in BROKEN_OFF
    if not sound or not isinstance(prompt_tokens, int) or not isinstance(completion_tokens, int):
        return None
    text, finish = redact(check_text(text, REPLY)), finish and redact(check_text(finish, REPLY))
    return Reply(text, finish, None, prompt_tokens, completion_tokens, cached=True, logprobs=logprobs)
