"""What a PubMed record is: article, withdrawal or fault, with its status, design and versions worked out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from fas.core.records import Passage
from fas.evidence.designs import design_of

Status = Literal["retracted", "concern"]
Later = Literal["republished", "updated"]
EXCLUDED = frozenset({"retracted", "concern"})
"""Marks of evidence that is used only on request."""

# Publication types of notices about another article: they state no finding of their own.
_NOTICES = frozenset({"retraction of publication", "retraction notice", "expression of concern", "published erratum"})
_RETRACTED_TYPES = frozenset({"retracted publication"})
_MARKS: dict[str, Status] = {
    "RetractionIn": "retracted",
    "RetractedandRepublishedIn": "retracted",
    "PartialRetractionIn": "concern",
    "ExpressionOfConcernIn": "concern",
}
_NOTICE_MARKS: dict[str, Status] = {
    "RetractionOf": "retracted",
    "PartialRetractionOf": "concern",
    "ExpressionOfConcernFor": "concern",
}
# Versions of one work: where the later one is, and which it replaces.
_LATER: dict[str, Later] = {
    "RepublishedIn": "republished",
    "CorrectedandRepublishedIn": "republished",
    "RetractedandRepublishedIn": "republished",
    "ReprintIn": "republished",
    "UpdateIn": "updated",
}
_EARLIER: dict[str, Later] = {
    "RepublishedFrom": "republished",
    "CorrectedandRepublishedFrom": "republished",
    "RetractedandRepublishedFrom": "republished",
    "ReprintOf": "republished",
    "UpdateOf": "updated",
}
_RETRACTED_TITLE = re.compile(r"\s*(?:RETRACTED|WITHDRAWN)\b(?:\s+(?:ARTICLE|PAPER|CHAPTER))?\s*:", re.IGNORECASE)
_PMID = re.compile(r"[0-9]{1,10}")


def is_pmid(text: str) -> bool:
    """Whether *text* is a number as PubMed gives them: digits of ASCII, at most ten, and nothing else."""
    return _PMID.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Article:
    """One record.

    Attributes:
        pmid: PubMed identifier.
        version: Version of the record; almost always 1.
        title: Title, in English where PubMed has one.
        abstract: English abstract with its section labels; empty if there is none.
        years: Year of the issue first, then of the electronic publication where it differs.
        languages: MEDLINE codes, e.g. `("eng",)`.
        status: How the record or a notice in the same reply marks it, or None.
        is_notice: A retraction, concern or erratum notice about another article.
        marks: Other articles that this notice marks, with the mark.
        design: The study's design (`fas.evidence.designs`), or None where its publication types tell none.
        later: PMIDs of later versions of the work.
        earlier: PMIDs of the versions that this one replaces.
        replaced: How a later version came to be (`republished` or `updated`), or None.
    """

    pmid: str
    version: int
    title: str
    abstract: str
    years: tuple[int, ...]
    languages: tuple[str, ...]
    status: Status | None
    is_notice: bool
    marks: tuple[tuple[str, Status], ...]
    design: str | None = None
    later: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    replaced: Later | None = None

    @property
    def year(self) -> int | None:
        """The year of publication, or None where the record names none."""
        return self.years[0] if self.years else None

    def passage(self) -> Passage:
        """The record as evidence."""
        return Passage(
            text=self.abstract,
            id=self.pmid,
            title=self.title or None,
            year=self.year,
            status=self.status or self.replaced,
            design=self.design,
        )


class Parts(NamedTuple):
    """What a record says, whatever form it came in.

    Attributes:
        pmid: PubMed identifier.
        version: Version of the record.
        title: Title.
        abstract: English abstract.
        years: As for `Article`.
        languages: MEDLINE codes.
        types: Publication types.
        links: Kind (the XML's RefType) and PMID of related records.
        marks_only: Kinds of related records, also of those without a PMID.
    """

    pmid: str
    version: int
    title: str
    abstract: str
    years: tuple[int, ...]
    languages: tuple[str, ...]
    types: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    marks_only: tuple[str, ...]


class Deletion(NamedTuple):
    """A record that PubMed has withdrawn."""

    pmid: str
    version: int


class BadRecord(NamedTuple):
    """A record that could not be read, and why."""

    pmid: str | None
    reason: str


def attach_status(article: Article, status: Status | None) -> Article:
    """*article* marked with *status* unless it is already retracted."""
    if status is None or article.status == "retracted" or article.status == status:
        return article
    return replace(article, status=status)


def parse_article(parts: Parts) -> Article:
    """The article that a record's *parts* make: its status, design and versions worked out."""
    types = {kind.lower() for kind in parts.types}
    is_notice = bool(types & _NOTICES)
    later = [(kind, other) for kind, other in parts.links if kind in _LATER and other != parts.pmid]
    return Article(
        pmid=parts.pmid,
        version=parts.version,
        title=parts.title,
        abstract=parts.abstract,
        years=parts.years,
        languages=parts.languages,
        status=_status(types, parts.title, parts.marks_only),
        is_notice=is_notice,
        marks=tuple((other, _NOTICE_MARKS[kind]) for kind, other in parts.links if kind in _NOTICE_MARKS)
        if is_notice
        else (),
        design=design_of(parts.types),
        later=tuple(dict.fromkeys(other for _, other in later)),
        earlier=tuple(dict.fromkeys(other for kind, other in parts.links if kind in _EARLIER and other != parts.pmid)),
        replaced=_LATER[later[-1][0]] if later else None,
    )


def _status(types: set[str], title: str, kinds: Iterable[str]) -> Status | None:
    if types & _RETRACTED_TYPES or _RETRACTED_TITLE.match(title):
        return "retracted"
    marks = {_MARKS[kind] for kind in kinds if kind in _MARKS}
    return "retracted" if "retracted" in marks else "concern" if marks else None


def drop_earlier_versions(articles: Sequence[Article]) -> list[Article]:
    """*articles* without those that another of them is a later version of.

    One work is one piece of evidence, whichever of the two records says that they are versions.
    """
    there = {article.pmid for article in articles}
    replaced = {article.pmid for article in articles if there.intersection(article.later)}
    replaced |= {other for article in articles for other in article.earlier if other in there}
    # Two records that each call the other the later one must not both go.
    return [article for article in articles if article.pmid not in replaced] or list(articles[:1])
