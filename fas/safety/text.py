"""The form of a text that every pattern here is written for, with a way back to the original.

Compatibility forms are folded (NFKC), dashes, quotes and spaces are made plain, control
characters become spaces. A cross before a word (`❌ Take aspirin`) reads "Do not", unless the words forbid
by themselves. Case is kept; `Text.lower` has the same length as `Text.plain`.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache

_TABLE: dict[str, str | None] = {
    **dict.fromkeys("‐‑‒–—―−﹣-", "-"),
    **dict.fromkeys("‘’‚‛′`´", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("™®©℠\ufeff\u200b\u200c\u200d\u2060\u00ad", " "),
    **dict.fromkeys("½¼¾⅓⅔", None),
    **dict.fromkeys("\r\u2028\u2029", "\n"),
    "µ": "μ",
}
_PLAIN: dict[str, str] = {character: plain or character for character, plain in _TABLE.items()}
_ODD = re.compile(r"[^\n\x20-\x5f\x61-\x7e]")  # all but printable ASCII; the grave accent is a quote
_CROSS = re.compile(
    r"[❌🚫⛔✗✘✖]\ufe0f?(?=[ \t*_]*(?!don['’]?t|do not|never|avoid|not?\b|stop|contra)[A-Za-z])", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Text:
    """A text in plain form.

    Attributes:
        original: What was given.
        plain: The plain form.
        lower: The plain form in lower case; same length.
        origin: Where each character of `plain` comes from in `original`; None if the two
            have the same length, character by character.
    """

    original: str
    plain: str
    lower: str
    origin: tuple[int, ...] | None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span of `original`, half open, that the span of `plain` was made from."""
        if self.origin is None:
            return start, end
        if start >= end:
            at = self.origin[start] if start < len(self.origin) else len(self.original)
            return at, at
        return self.origin[start], self.origin[end - 1] + 1

    def position(self, offset: int) -> int:
        """Where the character of `original` at *offset* begins in `plain`."""
        return offset if self.origin is None else max(bisect_right(self.origin, offset) - 1, 0)


def plain_text(text: str) -> Text:
    """The plain form of *text*.

    >>> plain_text("0.5\u2009µg twice\u2011daily").plain
    '0.5 μg twice-daily'
    """
    plain = _ODD.sub(lambda match: _plain_character(match.group()), text)
    origin: tuple[int, ...] | None = None
    crosses = {match.start() for match in _CROSS.finditer(text)}
    # No character becomes nothing, so equal lengths mean one for one.
    if crosses or len(plain) != len(text):
        pieces = [
            "Do not" if at in crosses else _plain_character(c) if _ODD.match(c) else c for at, c in enumerate(text)
        ]
        plain = "".join(pieces)
        origin = tuple(at for at, piece in enumerate(pieces) for _ in piece)
    lower = plain.lower()
    if len(lower) != len(plain):
        lower = "".join(_lower(character) for character in plain)
    return Text(text, plain, lower, origin)


@cache
def _plain_character(character: str) -> str:
    if character in _PLAIN:
        return _PLAIN[character]
    category = unicodedata.category(character)
    if category[0] == "Z" or category in ("Cc", "Cs"):
        return " "
    return unicodedata.normalize("NFKC", character) or " "


def _lower(character: str) -> str:
    lowered = character.lower()
    return lowered if len(lowered) == 1 else character
