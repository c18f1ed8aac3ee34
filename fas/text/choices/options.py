"""The options of a multiple-choice question."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import ascii_uppercase
from typing import Any

from fas.core.errors import InputError

_LETTER = re.compile(r"[A-J]")


def read_options(value: Any, where: str) -> dict[str, str]:
    """Letter to text, from the value in a file: an object by letter, or a list in order.

    >>> read_options(["yes", "no"], "x")
    {'A': 'yes', 'B': 'no'}

    An InputError, which begins with *where*, refuses anything else: fewer than two or more than ten options, a letter
    that is not A to J, or a text that is empty or repeated.
    """
    if isinstance(value, list):
        value = dict(zip(ascii_uppercase, value, strict=False))
    if not isinstance(value, Mapping) or not 2 <= len(value) <= 10:
        raise InputError(
            f"{where}: field 'options': expected two to ten options, by letter or in a list", kind="options"
        )
    options: dict[str, str] = {}
    for letter, text in value.items():
        if not isinstance(letter, str) or not _LETTER.fullmatch(letter):
            raise InputError(f"{where}: field 'options': letters are A to J, got {letter!r}", kind="options")
        if not isinstance(text, str | int | float) or isinstance(text, bool) or not str(text).strip():
            raise InputError(
                f"{where}: field 'options': the text of {letter} must be a string, got {text!r}", kind="options"
            )
        options[letter] = str(text).strip()
    if len({text.casefold() for text in options.values()}) < len(options):
        raise InputError(f"{where}: field 'options': two options have the same text", kind="options")
    return options


def options_text(options: Mapping[str, str]) -> str:
    """One option a line.

    >>> print(options_text({"A": "yes", "B": "no"}))
    (A) yes
    (B) no
    """
    return "\n".join(f"({letter}) {text}" for letter, text in options.items())


def append_options(question: str, options: Mapping[str, str] | None) -> str:
    """The question as its reader sees it, with its options below if it has any."""
    return f"{question.strip()}\n\nOptions:\n{options_text(options)}" if options else question.strip()
