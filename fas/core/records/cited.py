"""Identifiers in citations, and the documents that a source of evidence has for them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import unescape
from typing import Literal, NamedTuple, Protocol, runtime_checkable
from urllib.parse import unquote

from fas.core.records import Passage

Kind = Literal["number", "pmid", "pmc", "doi", "url", "mark"]

DOI = r"10\.\d{4,9}/[^\s\"]+"
"""The longest text that may be a DOI; `doi_end` finds its end."""
DOI_MARK = rf"(?:https?://(?:www\.|dx\.)?doi\.org/|\bdoi\s*+[:=]?\s*+)?(?P<doi>{DOI})"
"""A DOI in running text. Here and below repeats that meet are possessive: each blank is looked at once."""
PMC_MARK = r"\b(?:PMCID\s*+[:#]?\s*+)?PMC\s?(?P<pmc>\d{4,9})\b"
PMID_MARK = (
    r"\bPMIDs?+\s*+[:#]?\s*+(?P<pmids>\d{4,9}(?:\s*+(?:,|;|and|&)\s*+\d{4,9}(?!\d*+-))*+)|"
    r"\[(?P<bare>\d{6,8}(?:\s*+[,;]\s*+\d{6,8})*+)\](?!\()"
)
# PubMed's and PMC's addresses, of today and of before, and those of Europe PMC.
_PMID_ADDRESS = re.compile(
    r"https?://(?:(?:www\.|m\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/(?:m/)?pubmed|pubmed\.gov)"
    r"|(?:www\.)?europepmc\.org/(?:article|abstract)/med)/(?:\?term=)?(\d{1,9})(?!\d)",
    re.IGNORECASE,
)
_PMC_ADDRESS = re.compile(
    r"https?://(?:(?:www\.)?pmc\.ncbi\.nlm\.nih\.gov/articles|(?:www\.)?ncbi\.nlm\.nih\.gov/(?:labs/)?pmc/articles"
    r"|(?:www\.)?europepmc\.org/(?:articles?|abstract)(?:/pmc)?)/(?:pmc)?(\d{1,9})(?!\d)",
    re.IGNORECASE,
)
_DOI_ADDRESS = re.compile(r"https?://(?:www\.|dx\.)?doi\.org/(?:doi:)?(?=10\.)", re.IGNORECASE)
_PMID = re.compile(r"(?:pmid\s*[:#]?\s*)?(\d{1,9})", re.IGNORECASE)
_PMC = re.compile(r"(?:pmcid\s*[:#]?\s*)?pmc\s?[:#]?\s?(\d{1,9})", re.IGNORECASE)
_DOI = re.compile(rf"(?:doi\s*[:=]?\s*)?({DOI})", re.IGNORECASE)
_OPENS = {")": "(", "]": "[", ">": "<", "}": "{"}
_TAG = re.compile(r"</?[a-z][a-z0-9]*(?:\s|/?>)", re.IGNORECASE)
_ANOTHER = re.compile(r"[,;](?:https?://|doi:?|10\.\d{4,9}/)", re.IGNORECASE)


class Identifier(NamedTuple):
    """An identifier of a source: a number, PMID, PMC id, DOI or address, in the one spelling that is compared.

    Numbers and PMIDs are text without leading zeros, PMC ids begin with `PMC`, DOIs are in lower case. The source of a
    `mark` is unknown.
    """

    kind: Kind
    value: str

    def spellings(self) -> tuple[str, ...]:
        """The ids under which a collection of documents may have it."""
        if self.kind == "pmid":
            return self.value, f"PMID:{self.value}", f"https://pubmed.ncbi.nlm.nih.gov/{self.value}/"
        if self.kind == "pmc":
            return self.value, self.value.lower(), f"https://pmc.ncbi.nlm.nih.gov/articles/{self.value}/"
        if self.kind == "doi":
            both = self.value, self.value.upper()
            return *both, *(f"doi:{one}" for one in both), *(f"https://doi.org/{one}" for one in both)
        return (self.value,)


def read_identifier(text: str) -> Identifier | None:
    """The identifier that *text* as a whole is; None for any other text.

    >>> [read_identifier(text) for text in ("pmc123", "PMID: 0123", "https://doi.org/10.1000/AB", "trial 7")]
    [Identifier(kind='pmc', value='PMC123'), Identifier(kind='pmid', value='123'), \
Identifier(kind='doi', value='10.1000/ab'), None]
    """
    text = text.strip()
    if found := _PMID.fullmatch(text):
        return Identifier("pmid", str(int(found[1])))
    if found := _PMC.fullmatch(text):
        return Identifier("pmc", f"PMC{int(found[1])}")
    if found := _DOI.fullmatch(text):
        return Identifier("doi", normalise_doi(found[1]))
    return read_address(text) if re.match(r"https?://\S+$", text, re.IGNORECASE) else None


def read_address(url: str) -> Identifier:
    """The PMID, PMC id or DOI that an address holds; the address itself where it holds none."""
    if found := _PMID_ADDRESS.match(url):
        return Identifier("pmid", str(int(found[1])))
    if found := _PMC_ADDRESS.match(url):
        return Identifier("pmc", f"PMC{int(found[1])}")
    if found := _DOI_ADDRESS.match(url):
        return Identifier("doi", normalise_doi(url[found.end() :]))
    return Identifier("url", url)


def normalise_doi(text: str) -> str:
    """The DOI that *text* spells in an address or in HTML, in lower case.

    >>> normalise_doi("10.1000/A%281%29"), normalise_doi("10.1000/a&lt;1&gt;2")
    ('10.1000/a(1)', '10.1000/a<1>2')
    """
    return unescape(unquote(text)).lower()


def doi_end(text: str) -> int:
    """Where the DOI at the beginning of *text*, a match of `DOI`, ends.

    A DOI may hold brackets of every kind in pairs: an unmatched closing bracket ends it, and so does a tag or
    a second DOI after a comma. Punctuation at its end is not part of it.

    >>> [text[: doi_end(text)] for text in ("10.1000/a(b)<1:c>2;d).", "10.1000/a</b>", "10.1000/a,10.1000/b")]
    ['10.1000/a(b)<1:c>2;d', '10.1000/a', '10.1000/a']
    """
    end, opened = len(text), []
    for pattern in (_TAG, _ANOTHER):
        if found := pattern.search(text):
            end = min(end, found.start())
    for place, character in enumerate(text[:end]):
        if character in _OPENS.values():
            opened.append(character)
        elif character in _OPENS and (not opened or opened.pop() != _OPENS[character]):
            end = place
            break
    return len(text[:end].rstrip(".,;:!?'*_([<{"))


class CitedDocument(NamedTuple):
    """The document of a library for an identifier: a passage, or the reason why it has none.

    `exists` is False where the library is complete and has none, None where the library cannot know.
    """

    passage: Passage | None
    exists: bool | None
    reason: str | None = None


@runtime_checkable
class Library(Protocol):
    """A source of evidence that looks up documents by PMID, PMC id or DOI."""

    def documents(self, identifiers: Sequence[Identifier]) -> Mapping[Identifier, CitedDocument]:
        """Each of *identifiers* with its document."""
