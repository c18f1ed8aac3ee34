"""Text that remembers where each of its characters came from."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

Kept = tuple[int, int]
"""A range of the matched text that is kept."""


class TextSpan(NamedTuple):
    """Half-open range of code points in the prediction."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class Mapped:
    """A cleaned text with the source range of every character.

    Attributes:
        text: The text after cleaning.
        starts: For each character, the first code point of its source, or -1 for an inserted character.
        ends: For each character, one past the last code point of its source, or -1.
    """

    text: str
    starts: array[int]
    ends: array[int]

    @classmethod
    def whole(cls, text: str, start: int = 0) -> Mapped:
        """*text*, whose source begins at code point *start*."""
        return cls(
            text, array("q", range(start, start + len(text))), array("q", range(start + 1, start + len(text) + 1))
        )

    @classmethod
    def inserted(cls, text: str) -> Mapped:
        """*text* without a source."""
        nowhere = array("q", [-1]) * len(text)
        return cls(text, nowhere, nowhere)

    @classmethod
    def join(cls, parts: Iterable[Mapped | str]) -> Mapped:
        """The parts one after the other; plain strings count as inserted."""
        pieces = [part if isinstance(part, Mapped) else cls.inserted(part) for part in parts]
        starts, ends = array("q"), array("q")
        for piece in pieces:
            starts.extend(piece.starts)
            ends.extend(piece.ends)
        return cls("".join(piece.text for piece in pieces), starts, ends)

    def __len__(self) -> int:
        return len(self.text)

    def slice(self, start: int, end: int | None = None) -> Mapped:
        """The characters from *start* to *end* (Python slice rules)."""
        return Mapped(self.text[start:end], self.starts[start:end], self.ends[start:end])

    def strip(self, characters: str | None = None) -> Mapped:
        """Without leading and trailing *characters* (default: white space)."""
        start = len(self.text) - len(self.text.lstrip(characters))
        return self.slice(start, max(start, len(self.text.rstrip(characters))))

    def span(self, start: int = 0, end: int | None = None) -> TextSpan | None:
        """Smallest source range of the characters from *start* to *end*; None if all were inserted."""
        starts = [position for position in self.starts[start:end] if position >= 0]
        ends = [position for position in self.ends[start:end] if position >= 0]
        return TextSpan(min(starts), max(ends)) if starts else None

    def standing_for(self, text: str) -> Mapped:
        """*text*, with all of this one's source as the source of each character."""
        source = self.span() or TextSpan(-1, -1)
        return Mapped(text, array("q", [source.start]) * len(text), array("q", [source.end]) * len(text))

    def sub(self, pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str | Kept]) -> Mapped:
        """Replace every match of *pattern* by the range of it that *replace* gives, or by a string.

        The source of each character of the string is the whole match.
        """
        parts: list[Mapped] = []
        done = 0
        for match in pattern.finditer(self.text):
            kept = replace(match)
            if kept == match.span():
                continue
            parts.append(self.slice(done, match.start()))
            if isinstance(kept, str):
                parts.append(self.slice(*match.span()).standing_for(kept))
            else:
                parts.append(self.slice(*kept))
            done = match.end()
        if not done:
            return self
        parts.append(self.slice(done))
        return Mapped.join(parts)
