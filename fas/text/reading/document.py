"""One reading of a text for claims and safety flags: its blocks, and the sentences of each by rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from fas.text.reading.blocks import Block, read_blocks
from fas.text.reading.mapped import Mapped
from fas.text.reading.sentences import rough_sentences

_LONGEST_KEPT = 20_000
_KEPT = 256
"""Texts kept, of at most `_LONGEST_KEPT` characters each: a chunk of a run makes claims and flags of the same texts."""


@dataclass(frozen=True)
class ParsedDocument:
    """One text, read once.

    Attributes:
        text: The text; every place in a block is a place in it.
        blocks: Its blocks in order, code included.
    """

    text: str
    blocks: tuple[Block, ...]

    @cached_property
    def prose(self) -> list[Block]:
        """The blocks that may hold statements: all but code."""
        return [block for block in self.blocks if block.kind != "code"]


def read(text: str) -> ParsedDocument:
    """The reading of *text*; the same object if it was read recently."""
    return _kept(text) if len(text) <= _LONGEST_KEPT else _read(text)


def sentences(block: Block) -> Iterator[Mapped]:
    """The sentences of a block by the rules alone, without a parser; a heading, row or line of code is one."""
    if block.kind in ("heading", "row", "code"):
        yield block.text
        return
    yield from rough_sentences(block.text)


def _read(text: str) -> ParsedDocument:
    return ParsedDocument(text, tuple(read_blocks(text)))


_kept = lru_cache(_KEPT)(_read)
