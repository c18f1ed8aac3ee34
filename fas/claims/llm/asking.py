"""Many requests to a model, a slice at a time, each reply read at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import TypeVar

from fas.claims.llm.replies import ReplyFailure, read
from fas.llm.messages import ChatModel, Prompt

T = TypeVar("T")

# A long answer has thousands of sentences, and each request repeats instructions and context.
_AT_ONCE = 1024


def ask(model: ChatModel, prompts: Iterable[Prompt], parse: Callable[[str], T]) -> list[T | ReplyFailure]:
    """What *parse* makes of the reply to each prompt, in order, or why it could not be read.

    Prompts are made and kept only while they are under way.

    Raises:
        RunStopped: The model cannot be reached at all, or the budget is spent.
    """
    waiting = iter(prompts)
    outcomes: list[T | ReplyFailure] = []
    while part := list(islice(waiting, _AT_ONCE)):
        replies = model.complete(part)
        outcomes.extend(read(reply, parse, prompt) for reply, prompt in zip(replies, part, strict=True))
    return outcomes
