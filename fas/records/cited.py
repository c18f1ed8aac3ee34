"""What a citation names, and what a source of evidence has under it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from fas.records import Passage

Kind = Literal["number", "pmid", "pmc", "doi", "url"]


class Identifier(NamedTuple):
    """What names a source: a number, PMID, PMC id, DOI or address; numbers as text without leading zeros."""

    kind: Kind
    value: str


class Document(NamedTuple):
    """What a library has under an identifier: a passage, or why it has none.

    `exists` is False where the library is complete and has none, None where nothing can be told.
    """

    passage: Passage | None
    exists: bool | None
    reason: str | None = None


@runtime_checkable
class Library(Protocol):
    """A source of evidence that can be asked for documents by PMID, PMC id or DOI."""

    def documents(self, identifiers: Sequence[Identifier]) -> Mapping[Identifier, Document]:
        """Each of *identifiers* with what there is."""
