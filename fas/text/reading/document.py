"""The reading of a text that claims and safety flags start from: its blocks, and the sentences of each by rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from fas.text.reading.blocks import Block, read_blocks
from fas.text.reading.mapped import Mapped
from fas.text.reading.sentences import rough_sentences

_LONGEST_KEPT = 20_000
_KEPT = 256
"""Texts kept, of at most so many characters each: claims and flags of one answer are made within one chunk of a run."""


@dataclass(frozen=True)
class ParsedDocument:
    """One text, read once.

    Attributes:
        text: What was read; every place in a block is one in it.
        blocks: Its blocks in order, code included.
    """

    text: str
    blocks: tuple[Block, ...]

    @cached_property
    def prose(self) -> list[Block]:
        """The blocks that an answer states something in: all but code."""
        return [block for block in self.blocks if block.kind != "code"]


def read(text: str) -> ParsedDocument:
    """The reading of *text*; of one that was read lately, the same object."""
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
