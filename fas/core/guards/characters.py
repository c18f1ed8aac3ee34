"""Text of foreign origin made valid Unicode for storage, and free of control characters for display."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, TypeVar

logger = logging.getLogger(__name__)

T = TypeVar("T")

_SURROGATE = re.compile("[\ud800-\udfff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
# C0 and C1 but for tab and line feed, marks that turn the direction of text round, and line ends of other kinds.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def check_text(text: str, origin: str) -> str:
    """*text* with U+FFFD for every half of a surrogate pair, which JSON can spell and UTF-8 cannot.

    Two halves that belong together become their character. The first replacement for each *origin*, e.g. `a reply of
    the language model`, is a warning.
    """
    if text.isascii() or not _SURROGATE.search(text):
        return text
    whole = _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
    valid = _SURROGATE.sub("\ufffd", whole)
    if valid != whole:
        _warn_once(origin)
    return valid


def check_value(value: T, origin: str) -> T:
    """*value*, as JSON gives it, with every text in it made valid by `check_text`."""
    return map_texts(value, lambda text: check_text(text, origin))


def map_texts(value: T, convert: Callable[[str], str]) -> T:
    """*value* with every text in it converted: JSON, keys included, dataclasses and tuples of such."""
    found: Any = value
    if isinstance(value, str):
        found = convert(value)
    elif isinstance(value, Mapping):
        found = {map_texts(key, convert): map_texts(inner, convert) for key, inner in value.items()}
    elif isinstance(value, tuple):
        inside = (map_texts(inner, convert) for inner in value)
        found = type(value)(*inside) if hasattr(value, "_fields") else tuple(inside)
    elif isinstance(value, list):
        found = [map_texts(inner, convert) for inner in value]
    elif is_dataclass(value) and not isinstance(value, type):
        found = replace(value, **{one.name: map_texts(getattr(value, one.name), convert) for one in fields(value)})
    return found  # type: ignore[no-any-return]


def show_controls(text: str) -> str:
    r"""*text* with control characters written out, so that a terminal obeys none of them.

    Tabs and line feeds stay. Inside JSON the result is the same JSON.

    >>> show_controls("red \x1b[31m")
    'red \\u001b[31m'
    """
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def collapse_to_line(text: str) -> str:
    """Apply `show_controls` and escape line breaks and tabs, so that foreign text cannot start a line of its own."""
    return show_controls(text).replace("\n", "\\n").replace("\t", " ")


@cache
def _warn_once(origin: str) -> None:
    logger.warning("%s contains unpaired surrogates; U+FFFD replaces them", origin)
