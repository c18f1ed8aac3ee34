"""Words, numbers and negations of a text, as verifiers compare those of claim and passage."""

from __future__ import annotations

import math
import re

_WORD = re.compile(r"[a-z][a-z-]{2,}|\d+(?:[.,]\d+)*")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?")
_NEGATION = re.compile(
    r"\b(?:no|not|never|none|neither|nor|without|cannot|lack(?:s|ed|ing)?|fail(?:s|ed)? to|absence of|unlikely|"
    r"ineffective|contraindicated|avoid(?:s|ed)?)\b|n['’]t\b"
)
_STOP = frozenset(
    """
    the and for with that this are was were has have had been being from into than then their its his her our your
    you they them which who whom whose what when where while also can may might could should would will shall must
    not nor but such these those there here about above after before between during through over under more most
    some any each other only own same too very just does did done doing both all because until against among
    """.split()
)


def content_words(text: str) -> frozenset[str]:
    """Lower-cased words of at least three letters and numbers, crudely stemmed, without stop words."""
    return frozenset(_stem(word) for word in _WORD.findall(text.lower()) if word not in _STOP)


def has_negation(text: str) -> bool:
    """Whether *text* holds a word of negation or refusal."""
    return _NEGATION.search(text.lower()) is not None


def numbers_in(text: str) -> list[str]:
    """Numbers of *text* in one form: no thousands separators, no trailing zeros.

    >>> numbers_in("1,000 patients, 5.0 mg, 0.50")
    ['1000', '5', '0.5']
    """
    return [_normalize_number(match) for match in _NUMBER.findall(text)]


def _normalize_number(number: str) -> str:
    number = number.replace(",", "")
    return number.rstrip("0").rstrip(".") if "." in number else number


def _stem(word: str) -> str:
    # Cutting to a prefix joins inflections ("reduce", "reduces", "reduction") well enough for a share.
    return word if word[0].isdigit() else word[: max(4, math.ceil(len(word) * 0.7))]
