"""Checks of arguments that many parts make, with one message each."""

from __future__ import annotations

import math
from collections.abc import Iterable
from difflib import get_close_matches
from typing import TypeGuard


def is_whole(value: object) -> TypeGuard[int]:
    """Whether *value* is a whole number; True and False are none.

    >>> is_whole(5), is_whole(True), is_whole(5.0)
    (True, False, False)
    """
    return isinstance(value, int) and not isinstance(value, bool)


def plain_number(value: object) -> object:
    """Return a float without a fraction that holds its number exactly as an integer, and anything else unchanged.

    pandas makes floats of a column of whole numbers where one of them is missing.

    >>> plain_number(2020.0), plain_number(0.5), plain_number("2020.0"), plain_number(1e400)
    (2020, 0.5, '2020.0', inf)
    """
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def plain_cell(text: str) -> str:
    """A cell of a table without what pandas writes behind a whole number: `12345678.0` as `12345678`.

    >>> plain_cell("12345678.0"), plain_cell("1.50"), plain_cell("v1.0")
    ('12345678', '1.50', 'v1.0')
    """
    whole, point, fraction = text.strip().partition(".")
    return whole if point and fraction == "0" and whole.isdecimal() else text


def whole_value(value: object) -> object:
    """A number, or the text of one, without what pandas adds to a whole number; anything else unchanged.

    >>> whole_value(2020.0), whole_value("2020.0"), whole_value("v1.0")
    (2020, '2020', 'v1.0')
    """
    return plain_cell(value) if isinstance(value, str) else plain_number(value)


def parse_finite(value: object) -> float | None:
    """*value* as a float; None if it is no number, not finite, or larger than a float can be.

    >>> parse_finite(2), parse_finite(True), parse_finite(10**400), parse_finite("2")
    (2.0, 1.0, None, None)
    """
    if not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


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


def count_of(n: int, noun: str) -> str:
    """*n* and the noun, in the plural but for 1.

    >>> count_of(1, "claim"), count_of(0, "claim"), count_of(2, "reply")
    ('1 claim', '0 claims', '2 replies')
    """
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{n} {noun if n == 1 else plural}"


def agree(n: int, one: str, several: str) -> str:
    """The word that agrees with *n* things.

    >>> agree(1, "is", "are"), agree(0, "is", "are")
    ('is', 'are')
    """
    return one if n == 1 else several


def suggest_word(word: str, known: Iterable[str]) -> str:
    """Return the hint that a message adds after a *word* that is not among the *known* ones.

    >>> suggest_word("treshold", ["threshold", "k"]), suggest_word("x", ["threshold", "k"])
    ("; did you mean 'threshold'?", '')
    """
    close = get_close_matches(word, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
