"""How many tokens a text will be, roughly, before a tokenizer has seen it."""

from __future__ import annotations

import math

from fas.llm.messages import Prompt
from fas.llm.schema import format_schema

# English runs at about four bytes a token with the vocabularies in use; scripts that take two or
# three bytes a letter also take more tokens a letter, so bytes follow them better than letters.
_BYTES_PER_TOKEN = 4
# Role and separators of each message, and the beginning of the reply.
_PER_MESSAGE = 4
_PER_PROMPT = 3


def estimate_tokens(text: str) -> int:
    """About how many tokens *text* is; true counts differ by a third either way.

    >>> estimate_tokens("Aspirin inhibits platelets.")
    7
    """
    return math.ceil(len(text.encode("utf-8", "surrogatepass")) / _BYTES_PER_TOKEN)


def estimate_prompt_tokens(prompt: Prompt) -> int:
    """About how many tokens a server will count for *prompt*, its schema included."""
    total = _PER_PROMPT + sum(_PER_MESSAGE + estimate_tokens(message.content) for message in prompt.messages)
    return total + (estimate_tokens(format_schema(prompt.schema)) if prompt.schema is not None else 0)
