"""Checks of arguments that many parts make, with one message each."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, TypeGuard, TypeVar

T = TypeVar("T")

_BASIC = (str, int, bool, type(None))
# pandas' marks of a missing value beside NaN; known by name, so that pandas is not imported to recognise them.
_MISSING = ("NAType", "NaTType")
_DEEPEST = 110  # deeper values stay as they are; the reader of the record refuses them for their depth
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60
_SHORT.maxlevel = 2


def format_value(value: object) -> str:
    """*value* for a message: its type and its beginning; `null` for None."""
    return "null" if value is None else f"{type(value).__name__} {_SHORT.repr(value)}"


def plain_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """*record* from pandas, numpy or datasets as JSON would have given it.

    Arrays become lists, numpy's numbers Python's, and NaN, NaT and NA None.
    """
    return {key: value if type(value) in _BASIC else _to_plain(value, 1) for key, value in record.items()}


def _to_plain(value: Any, depth: int) -> Any:
    if type(value) in _BASIC or depth > _DEEPEST:
        return value
    if (isinstance(value, float) and math.isnan(value)) or type(value).__name__ in _MISSING:
        return None
    if hasattr(value, "dtype") and callable(getattr(value, "tolist", None)):
        return _to_plain(value.tolist(), depth + 1)
    if isinstance(value, list | tuple):
        return [_to_plain(inner, depth + 1) for inner in value]
    if isinstance(value, Mapping):
        return {key: _to_plain(inner, depth + 1) for key, inner in value.items()}
    return value


def is_whole(value: object) -> TypeGuard[int]:
    """Whether *value* is a whole number; True and False are not.

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
    """*value*, if it is a whole number (not True or False) of at least *least*; else a ValueError that has *name*."""
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


def parse_pairs(text: str, expected: str, convert: Callable[[str], T]) -> dict[str, T]:
    """The values of `NAME=VALUE,NAME=VALUE`, each name once; a ValueError that names the form *expected* otherwise.

    >>> parse_pairs("a=1, b=2", "NAME=NUMBER", int)
    {'a': 1, 'b': 2}
    """
    found: dict[str, T] = {}
    for item in text.split(","):
        name, _, value = (part.strip() for part in item.partition("="))
        try:
            if not name or not value or name in found:
                raise ValueError(item)
            found[name] = convert(value)
        except ValueError:
            raise ValueError(f"expected {expected}, separated by commas, each name once, got {text!r}") from None
    return found
