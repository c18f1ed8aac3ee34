"""The sources of citations: among the passages given with the answer, in an index, or in PubMed.

A source whose existence is unknown (an address, a DOI that PubMed does not have, a record that an index lacks, a failed
request) is `unchecked`, never `missing`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from fas.core.records import Answer, Passage
from fas.core.records.cited import CitedDocument, Identifier, Library, read_identifier
from fas.detectors.citations.parsing import Citation

State = Literal["found", "missing", "unchecked"]


class CitedSource(NamedTuple):
    """A cited source: *passage* if it was found, else the *reason* why it is missing or unchecked."""

    state: State
    passage: Passage | None = None
    reason: str | None = None


def look_up(
    answers: Sequence[Answer], citations: Sequence[Sequence[Citation]], library: Library | None
) -> list[list[CitedSource]]:
    """The source of every citation of every answer.

    `[n]` without an entry in the answer's own list of references is the n-th passage given with the answer. A PMID
    (or other id) of a given passage is that passage. Everything else is looked up in *library*.
    """
    given = [_by_identifier(answer) for answer in answers]
    wanted = dict.fromkeys(
        citation.resolved
        for answer, several, named in zip(answers, citations, given, strict=True)
        for citation in several
        if citation.resolved.kind in ("pmid", "pmc", "doi") and _find_given(answer, citation, named) is None
    )
    found = library.documents(list(wanted)) if library is not None and wanted else {}
    return [
        [_source(answer, citation, _find_given(answer, citation, named), found, library) for citation in several]
        for answer, several, named in zip(answers, citations, given, strict=True)
    ]


def _source(
    answer: Answer,
    citation: Citation,
    given: Passage | None,
    found: Mapping[Identifier, CitedDocument],
    library: Library | None,
) -> CitedSource:
    resolved = citation.resolved
    if given is not None:
        return CitedSource("found", given)
    if resolved.kind == "number":
        if citation.reference is not None:
            return CitedSource("unchecked", reason="the entry of the list of references names no PMID, DOI or address")
        if answer.passages is None:
            return CitedSource("unchecked", reason="the answer has no list of references, and no passages were given")
        n = len(answer.passages)
        return CitedSource("missing", reason=f"{n} passages were given" if n != 1 else "one passage was given")
    if resolved.kind == "mark":
        return CitedSource("unchecked", reason="the mark does not say which passage it means")
    if resolved.kind == "url":
        return CitedSource("unchecked", reason="addresses are not opened")
    if library is None:
        return CitedSource("unchecked", reason="not among the given passages, and there is no other place to look")
    document = found[resolved]
    if document.passage is not None:
        return CitedSource("found", document.passage)
    return CitedSource("missing" if document.exists is False else "unchecked", reason=document.reason)


def _find_given(answer: Answer, citation: Citation, named: Mapping[Identifier, Passage]) -> Passage | None:
    passages = answer.passages or ()
    resolved = citation.resolved
    if resolved.kind == "number":
        place = int(resolved.value) - 1
        return passages[place] if citation.reference is None and 0 <= place < len(passages) else None
    return named.get(resolved)


def _by_identifier(answer: Answer) -> dict[Identifier, Passage]:
    """The given passages by what their ids name; of two with one id, the first."""
    found: dict[Identifier, Passage] = {}
    for passage in answer.passages or ():
        identifier = None if passage.id is None else read_identifier(passage.id)
        if identifier is not None:
            found.setdefault(identifier, passage)
    return found
