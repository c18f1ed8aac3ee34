"""Checks of arguments that many parts make, with one message each."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TypeGuard


def is_whole(value: object) -> TypeGuard[int]:
    """Whether *value* is a whole number; True and False are none.

    >>> is_whole(5), is_whole(True), is_whole(5.0)
    (True, False, False)
    """
    return isinstance(value, int) and not isinstance(value, bool)


def whole_number(name: str, value: object, *, least: int = 1) -> int:
    """*value*, if it is a whole number of at least *least*; True and False are none.

    >>> whole_number("k", 5)
    5

    Args:
        name: What the message calls it.
        value: What was given.
        least: The smallest number allowed.

    Raises:
        ValueError: It is something else.
    """
    if not is_whole(value) or value < least:
        raise ValueError(f"`{name}` must be a whole number of at least {least}, got {value!r}")
    return value


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """What stands in a message behind a *word* that is none of the *known* ones.

    >>> did_you_mean("treshold", ["threshold", "k"]), did_you_mean("x", ["threshold", "k"])
    ("; did you mean 'threshold'?", '')
    """
    close = get_close_matches(word, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
