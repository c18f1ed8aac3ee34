"""The tokens of a conversation, as a local model reads it when it replies, and when it learns from its replies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fas.llm.messages import Message


def tokenize_conversation(tokenizer: Any, messages: Sequence[Message]) -> list[int]:
    """The tokens of *messages*, up to where the reply begins.

    A chat template is used where the tokenizer has one; a system message goes into the first user message where the
    template knows no system role. Without a template the messages are joined by empty lines.
    """
    if not getattr(tokenizer, "chat_template", None):
        text = "\n\n".join(message.content for message in messages)
        return list(tokenizer(text, verbose=False)["input_ids"])
    turns = [{"role": message.role, "content": message.content} for message in messages]
    try:
        text = _apply_template(tokenizer, turns)
    except Exception:
        if turns[0]["role"] != "system" or len(turns) < 2:
            raise
        first = {"role": turns[1]["role"], "content": f"{turns[0]['content']}\n\n{turns[1]['content']}"}
        text = _apply_template(tokenizer, [first, *turns[2:]])
    # The template writes the special tokens itself.
    return list(tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])


def _apply_template(tokenizer: Any, turns: list[dict[str, str]]) -> str:
    return str(tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True))
