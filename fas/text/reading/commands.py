"""Commands, by their words alone: what the readers of blocks, of claims and of advice go by.

Nobody is asked for a parse here: a cross before a command forbids it, and a label before one is no subject.
"""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

import re
from collections.abc import Callable

from fas.text.reading.command_words import ADVICE_VERBS, NOUNS_TOO
from fas.text.reading.pattern_tables import load_patterns

# By themselves, as in the cell of a table.
_ALONE = frozenset("continue stop avoid discontinue start hold withhold wait".split())
COMMANDS = load_patterns(__file__)


def command_at(text: str, start: int, declarative: Callable[[str], bool] | None) -> tuple[int, bool] | None:
    """Where the verb of a command begins and whether it is negated; None if no command stands at *start*.

    Args:
        text: A sentence.
        start: Where the command would begin.
        declarative: Whether a parser reads the words as a statement, given the verb; None if it was not asked, and what
            may be a noun is then none.
    """
    match = COMMANDS.command.match(text[start:])
    if match is None or match.group(3).lower() not in ADVICE_VERBS:
        return None
    verb = match.group(3).lower()
    rest = text[start + match.end() :]
    if start and COMMANDS.list_before_clause.match(rest):
        return None
    negated = match.group(2) is not None and not COMMANDS.no_forgetting.search(match.group(2))
    if not match.group(2) and not match.group(1).strip():
        if COMMANDS.finite_next.match(rest) or COMMANDS.apposed.match(rest) or not rest.strip(" .!"):
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
    match = COMMANDS.command.match(text)
    if match is None or match.group(3).lower() not in ADVICE_VERBS:
        return False
    if match.group(2):
        return True
    rest = text[match.end() :]
    if COMMANDS.finite_next.match(rest) or match.group(3).lower() in NOUNS_TOO:
        return False
    return bool(rest.strip(" .!"))
