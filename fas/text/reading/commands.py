"""Commands, found by their words alone, without a parse; for the readers of blocks, of claims and of advice."""

from __future__ import annotations

import re
from collections.abc import Callable

from fas.text.reading.command_words import ADVICE_VERBS, NOUNS_TOO
from fas.text.reading.pattern_tables import load_patterns

# Commands of one word, as in the cell of a table.
_ALONE = frozenset("continue stop avoid discontinue start hold withhold wait".split())
# Verbs that are rarely nouns at the beginning of a sentence.
_MOSTLY_VERBS = frozenset("call contact stop use limit visit talk check rest start stay".split())
COMMANDS = load_patterns(__file__)


def command_at(text: str, start: int, declarative: Callable[[str], bool] | None) -> tuple[int, bool] | None:
    """Where the verb of a command begins and whether it is negated; None if no command begins at *start*.

    *declarative* is a parser's answer, for a verb, whether the words are a statement. Without a parser, a verb that may
    be a noun begins no command.
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
        if verb in NOUNS_TOO - _MOSTLY_VERBS if declarative is None else declarative(verb):
            return None
    return start + match.start(3), negated


def is_command(text: str) -> bool:
    """Whether *text* begins with a command, by its words (`Use acetaminophen`, `Stop`; not `Use of acetaminophen`).

    For labels, cells and items; `commands` is for running text, and takes a verb that may be a noun for one.
    """
    if text.strip(" .!").lower() in _ALONE:
        return True
    return command_at(text, 0, None) is not None and not re.match(r"\w+ (?:of|in|for|and|or)\b", text)


def commands(text: str) -> bool:
    """Whether the words of *text* alone, without a parse, form an imperative."""
    match = COMMANDS.command.match(text)
    if match is None or match.group(3).lower() not in ADVICE_VERBS:
        return False
    if match.group(2):
        return True
    rest = text[match.end() :]
    if COMMANDS.finite_next.match(rest) or match.group(3).lower() in NOUNS_TOO:
        return False
    return bool(rest.strip(" .!"))
