"""Commands, by their words alone: what the readers of blocks, of claims and of advice go by.

Nobody is asked for a parse here: a cross before a command forbids it, and a label before one is no subject.
"""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

import re
from collections.abc import Callable

from fas.reading.command_words import ADVICE_VERBS, NOUNS_TOO

# By themselves, as in the cell of a table.
_ALONE = frozenset("continue stop avoid discontinue start hold withhold wait".split())
_ADVERBS = r"(?:(?:please|always|also|just|simply|then|kindly|instead|immediately|first|next|finally|gently|slowly|carefully|regularly|try to|aim to|remember to|be sure to|make sure (?:that you|you|to)|be certain to|make certain to|ensure (?:that )?you|ensure to|be careful to|take care to|strive to|do your best to)(?:\s*+,\s++|\s++)){0,3}"
_NEGATIVE = r"(?:(?:don't|do not|never) forget to\s+|(?:do not|don't|dont|never|do n't|try not to|be careful not to|make sure not to|be sure not to)\s+(?:ever\s+|just\s+|also\s+|try to\s+)?)"
_COMMAND = re.compile(rf"^({_ADVERBS})({_NEGATIVE})?([A-Za-z]+)\b(?!\s?[:.'’-](?:\w|\s*$))", re.IGNORECASE)
# "when they cough, talk, or breathe, masks help": the rest of a list, and then a clause.
_LIST_BEFORE_CLAUSE = re.compile(r"^\s*+,?\s*+(?:or|and)\s++\w+\s*+,\s++(?!and\b|or\b|then\b|but\b)\w+\s+\w+")
_APPOSED = re.compile(r"^[^,]{1,60},[^,]{3,80},\s+(?:is|are|was|were|can|may|should|has|have)\b")
_FINITE_NEXT = re.compile(
    r"^\s+(?:been|is|are|was|were|can|may|might|will|would|should|could|must|has|have|had|does|did|helps?|causes?|refers|often|usually|generally|typically)\b"
)
_NO_FORGETTING = re.compile(r"forget to\s+$", re.IGNORECASE)


def command_at(text: str, start: int, declarative: Callable[[str], bool] | None) -> tuple[int, bool] | None:
    """Where the verb of a command begins and whether it is negated; None if no command stands at *start*.

    Args:
        text: A sentence.
        start: Where the command would begin.
        declarative: Whether a parser reads the words as a statement, given the verb; None if it was not asked, and what
            may be a noun is then none.
    """
    match = _COMMAND.match(text[start:])
    if match is None or match.group(3).lower() not in ADVICE_VERBS:
        return None
    verb = match.group(3).lower()
    rest = text[start + match.end() :]
    if start and _LIST_BEFORE_CLAUSE.match(rest):
        return None
    negated = match.group(2) is not None and not _NO_FORGETTING.search(match.group(2))
    if not match.group(2) and not match.group(1).strip():
        if _FINITE_NEXT.match(rest) or _APPOSED.match(rest) or not rest.strip(" .!"):
            return None
        if declarative is None and verb in NOUNS_TOO - {
            "call",
            "contact",
            "stop",
            "use",
            "limit",
            "visit",
            "talk",
            "check",
            "rest",
            "start",
            "stay",
        }:
            return None
        if declarative is not None and declarative(verb):
            return None
    return start + match.start(3), negated


def is_command(text: str) -> bool:
    """Whether *text* begins with a command, by its words (`Use acetaminophen`, `Stop`; not `Use of acetaminophen`).

    For what stands where a label, a cell or an item does; `commands` judges running text, and takes what may be a noun for one.
    """
    if text.strip(" .!").lower() in _ALONE:
        return True
    return command_at(text, 0, None) is not None and not re.match(r"\w+ (?:of|in|for|and|or)\b", text)


def commands(text: str) -> bool:
    """Whether the words of *text* by themselves look like an imperative (no parser is asked)."""
    match = _COMMAND.match(text)
    if match is None or match.group(3).lower() not in ADVICE_VERBS:
        return False
    if match.group(2):
        return True
    rest = text[match.end() :]
    if _FINITE_NEXT.match(rest) or match.group(3).lower() in NOUNS_TOO:
        return False
    return bool(rest.strip(" .!"))
