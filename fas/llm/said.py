"""The answer in a reply, without reasoning; every reader of replies starts here."""

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

LOOKED_AT = 1600
"""Characters at the end of a reply in which a loop shows."""
_SPANS = (LOOKED_AT // 4, LOOKED_AT // 2, LOOKED_AT)


class AnswerText(NamedTuple):
    """The text of an answer, or the reason why there is none.

    Attributes:
        text: What the model answers, without reasoning; empty if there is a failure.
        failure: Why there is no answer, None if there is one. The part before its first colon is its kind.
    """

    text: str = ""
    failure: str | None = None


def extract_answer_text(reply: Reply, *, cut_off: bool = False) -> AnswerText:
    """The answer in *reply*.

    Args:
        reply: What came back.
        cut_off: Take a reply that was cut off at `max_tokens`, too: what it holds may be whole.
    """
    if reply.failure is not None:
        return AnswerText(failure=reply.failure)
    if reply.finish == "content_filter":
        return AnswerText(failure="the server's content filter withheld the reply")
    if reply.finish == "length" and not cut_off:
        why = "repeats itself without end" if loops(reply.text) else "was cut off (raise max_tokens)"
        return AnswerText(failure=f"the reply {why}: {shorten_reply(reply.text)}")
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


def loops(text: str) -> bool:
    """Whether *text* ends in one passage repeated at least four times, over more than 400 characters.

    A model that starts to repeat itself does not stop, and the reply uses all its tokens.

    >>> loops("Aspirin thins blood. " * 30), loops("Aspirin thins blood. " * 3)
    (True, False)
    """
    return any(len(text) >= span and _find_period(text[-span:]) <= span // 4 for span in _SPANS)


def _find_period(text: str) -> int:
    """The shortest period of *text*, in characters (Knuth, Morris and Pratt)."""
    border = [0] * len(text)
    for i in range(1, len(text)):
        k = border[i - 1]
        while k and text[i] != text[k]:
            k = border[k - 1]
        border[i] = k + (text[i] == text[k])
    return len(text) - border[-1]


def is_refusal(text: str) -> bool:
    """Whether *text* begins like a refusal; for replies that state nothing else."""
    return _REFUSED.search(text.replace("’", "'")) is not None


def shorten_reply(text: str, most: int = 80) -> str:
    """The beginning of *text* for a message."""
    line = " ".join(text.split())
    return repr(line if len(line) <= most else f"{line[:most]}...")
