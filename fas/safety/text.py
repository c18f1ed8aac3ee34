"""The form of a text that every pattern here is written for, with a way back to the original.

Compatibility forms are folded (NFKC), dashes, quotes and spaces are made plain, control
characters become spaces. What shows nothing or only how a word is set is taken out before anything is sought in the
text: default-ignorable characters, character references, tags of emphasis, marks within a word, the hyphen of a word
divided at a line's end, and line ends within a sentence become spaces. A cross before a word (`❌ Take aspirin`) reads
"Do not", unless the words forbid by themselves. Case is kept; `Text.lower` has the same length as `Text.plain`.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache

from fas.safety.dictionary import is_english

_TABLE: dict[str, str | None] = {
    **dict.fromkeys("‐‑‒–—―−﹣-", "-"),
    **dict.fromkeys("‘’‚‛′`´", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("™®©℠", " "),
    **dict.fromkeys("½¼¾⅓⅔", None),
    **dict.fromkeys("\r\u2028\u2029", "\n"),
    "µ": "μ",
}
_PLAIN: dict[str, str] = {character: plain or character for character, plain in _TABLE.items()}
_ODD = re.compile(r"[^\n\x20-\x5f\x61-\x7e]")  # all but printable ASCII; the grave accent is a quote
# Unicode's Default_Ignorable_Code_Point, as ranges.
IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_TAG = r"</?(?:b|i|u|s|em|strong|span|sup|sub|mark|small|big|code|font|a|wbr|ins|del|q|abbr|tt)(?:\s[^<>\n]{0,200})?/?>"
_REFERENCE = r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});"
_SET = re.compile(
    rf"(?P<ignorable>[{IGNORABLE}]+)|(?P<tag>{_TAG})|(?P<reference>{_REFERENCE})|"
    r"(?P<mark>(?<=[a-z])(?:\*{1,3}|~~|`{1,3}|__)(?=[a-z])|(?<=\d)(?:\*{2,3}|~~|`{1,3}|__)(?=\d))|"
    r"(?P<hyphen>(?<=[a-z])[-\u2010\u2011][ \t]*\r?\n[ \t]*(?=[a-z]))|"
    r"(?P<wrap>(?<=[A-Za-z\d,;])[ \t]*\r?\n[ \t]*(?=[a-z]))|"
    r"(?P<dose>(?<=[A-Za-z,;])[ \t]*\r?\n[ \t]*(?=\d[\d.,]*\s?(?:mg|mcg|g|ml|units?)\b))|(?P<return>\r(?=\n))"
)
_WRAPPED = re.compile(
    r"(\b(?i:of|an|to|or|is|at|in|by|the|and|for|per|are|not|take|with|than|your|give|each|every|start|about|mg),?|,)"
    r"\n(?=[\dA-Z])"
)
_HALF = re.compile(r"[a-z]*$"), re.compile(r"[a-z]*")
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


def normalise_text(text: str) -> Text:
    """The plain form of *text*.

    >>> normalise_text("0.5\u2009µg twice\u2011daily").plain
    '0.5 μg twice-daily'
    >>> normalise_text("ibu\u00adpro<b>fen</b> 400&nbsp;mg").plain
    'ibuprofen 400 mg'
    """
    pieces: list[str] = []
    origin: list[int] = []
    crosses = {match.start() for match in _CROSS.finditer(text)}
    done = 0
    for match in _SET.finditer(text):
        if match.start() in crosses or match.start() < done:
            continue
        _copy(text, done, match.start(), crosses, pieces, origin)
        put = _replace_set(text, match)
        pieces.append(put)
        origin += [match.start()] * len(put)
        done = match.end()
    _copy(text, done, len(text), crosses, pieces, origin)
    plain = _WRAPPED.sub(r"\1 ", "".join(pieces))
    lower = plain.lower()
    if len(lower) != len(plain):
        lower = "".join(_lower(character) for character in plain)
    return Text(text, plain, lower, None if origin == list(range(len(text))) else tuple(origin))


def _copy(text: str, start: int, end: int, crosses: set[int], pieces: list[str], origin: list[int]) -> None:
    """Put the characters from *start* to *end* in plain form behind *pieces*."""
    if not _ODD.search(text, start, end):
        pieces.append(text[start:end])
        origin += range(start, end)
        return
    for at in range(start, end):
        put = "Do not" if at in crosses else _plain_character(text[at]) if _ODD.match(text[at]) else text[at]
        pieces.append(put)
        origin += [at] * len(put)


def _replace_set(text: str, match: re.Match[str]) -> str:
    """What takes the place of something that is only set so."""
    if match.lastgroup in ("wrap", "dose"):
        return " "
    if match.lastgroup == "reference":
        shown = html.unescape(match.group())
        if shown == match.group():
            return shown
        return "".join(_plain_character(c) if _ODD.match(c) else c for c in shown if not _IGNORED.match(c))
    if match.lastgroup == "hyphen":
        left, right = (
            _HALF[0].search(text, max(0, match.start() - 30), match.start()),
            _HALF[1].match(text, match.end()),
        )
        words = [found.group() for found in (left, right) if found is not None]
        return "-" if all(map(is_english, words)) and not is_english("".join(words)) else ""
    return ""


_IGNORED = re.compile(f"[{IGNORABLE}]")


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
