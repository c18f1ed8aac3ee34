"""Checks of arguments that many parts make, with one message each."""

from __future__ import annotations


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
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"`{name}` must be a whole number of at least {least}, got {value!r}")
    return value
