"""Conditions named in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from re import _parser as parser
from typing import Any

from fas.safety.rules import Condition

_LEAST = 3
"""Length from which a literal of an expression is searched for first."""
_KEPT = 64
_found: dict[str, tuple[Mapping[str, Condition], tuple[tuple[str, int, int], ...]]] = {}


def find_conditions(plain: str, conditions: Mapping[str, Condition]) -> list[tuple[str, int, int]]:
    """Every condition named in *plain*: key, start and end, in the order of the text."""
    # A sentence is asked of each of its drugs; what was found is kept with the table it was found by.
    kept = _found.get(plain)
    if kept is not None and kept[0] is conditions:
        return list(kept[1])
    found = []
    lower = plain.lower()
    for condition in conditions.values():
        for pattern in condition.patterns:
            needs = find_needed_words(pattern)
            if needs is None or any(word in lower for word in needs):
                found += [(condition.key, match.start(), match.end()) for match in pattern.finditer(plain)]
    found.sort(key=lambda item: (item[1], item[0]))
    if len(_found) >= _KEPT:
        _found.clear()
    _found[plain] = (conditions, tuple(found))
    return found


@cache
def find_needed_words(pattern: re.Pattern[str]) -> frozenset[str] | None:
    """Words in lower case, one of which is in every match of *pattern*; None if there are no such words.

    Searching for them first is ten times as fast as trying hundreds of expressions at every character.
    """
    return _find_needed(parser.parse(pattern.pattern, pattern.flags))


def _find_needed(parsed: Iterable[tuple[Any, Any]]) -> frozenset[str] | None:
    found: list[frozenset[str]] = []
    run = ""
    for kind, value in [*parsed, (None, None)]:
        if kind is parser.LITERAL:
            run += chr(value).lower()
            continue
        if len(run) >= _LEAST:
            found.append(frozenset({run}))
        run = ""
        inside: frozenset[str] | None = None
        if kind is parser.SUBPATTERN or (
            kind in (parser.MAX_REPEAT, parser.MIN_REPEAT, parser.POSSESSIVE_REPEAT) and value[0] > 0
        ):
            inside = _find_needed(value[-1])
        elif kind is parser.BRANCH:
            own = [_find_needed(branch) for branch in value[1]]
            inside = frozenset().union(*(n for n in own if n)) if all(own) else None
        if inside:
            found.append(inside)
    # Of several, those that are rarest: the longest.
    return max(found, key=lambda words: min(map(len, words)), default=None)
