"""What a reply says once everything around it is taken away; every reader of replies begins here."""

from __future__ import annotations

import re
from typing import NamedTuple

from fas.core.guards.reasoning import remove_reasoning
from fas.llm.messages import Reply

_REFUSED = re.compile(
    r"^\W*(?:i(?:'?m| am)(?: very| so| really)? sorry|sorry\b|i apologi[sz]e|unfortunately|as an ai\b|"
    r"i(?: am|'m) (?:not able|unable)|i (?:can ?not|can't|won't|will not|do not|don't|must decline))",
    re.IGNORECASE,
)


LONGEST = 1_000_000
"""Characters of a reply that are read; no prompt asks for a hundredth of it."""


class AnswerText(NamedTuple):
    """The words of a reply, or why it says nothing.

    Attributes:
        text: What the model answers, without reasoning; empty if there is a failure.
        failure: Why there is no answer, None if there is one. What stands before its first colon is its kind.
    """

    text: str = ""
    failure: str | None = None


def extract_answer_text(reply: Reply, *, cut_off: bool = False) -> AnswerText:
    """What *reply* says.

    Args:
        reply: What came back.
        cut_off: Take a reply that was cut off at `max_tokens`, too: what it holds may be whole.
    """
    if reply.failure is not None:
        return AnswerText(failure=reply.failure)
    if reply.finish == "content_filter":
        return AnswerText(failure="the server's content filter withheld the reply")
    if reply.finish == "length" and not cut_off:
        return AnswerText(failure=f"the reply was cut off (raise max_tokens): {shorten_reply(reply.text)}")
    if len(reply.text) > LONGEST:
        return AnswerText(failure=f"the reply is too long: {len(reply.text)} characters, at most {LONGEST}")
    outside = remove_reasoning(reply.text)
    if outside.cut_off:
        why = "the reply was cut off while the model was thinking (raise max_tokens)"
        return AnswerText(failure=f"{why}: {shorten_reply(reply.text)}")
    text = outside.text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
    if reply.finish == "refusal":
        return AnswerText(failure=f"the model refused: {shorten_reply(text)}")
    if not text.strip():
        return AnswerText(failure="the reply is empty")
    return AnswerText(text)


def is_refusal(text: str) -> bool:
    """Whether *text* begins as a refusal does; asked only of what says nothing else."""
    return _REFUSED.search(text.replace("’", "'")) is not None


def shorten_reply(text: str, most: int = 80) -> str:
    """The beginning of *text* for a message."""
    line = " ".join(text.split())
    return repr(line if len(line) <= most else f"{line[:most]}...")
