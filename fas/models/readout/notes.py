"""A few words to be put into a text."""

from __future__ import annotations

from typing import NamedTuple


class Note(NamedTuple):
    """Words and the character of the text before which they belong."""

    place: int
    words: str

    def shift(self, by: int) -> Note:
        """The note in a text in which its own begins at *by*."""
        return Note(self.place + by, self.words)
