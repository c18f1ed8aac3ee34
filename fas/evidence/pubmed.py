"""A PubMed record: an article with its status, design and versions, a withdrawal, or a fault."""

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
        version: Version of the record; almost always 1.
        title: Title, in English where PubMed has one.
        abstract: English abstract with its section labels; empty if there is none.
        years: Year of the issue first, then of the electronic publication where it differs.
        languages: MEDLINE codes, e.g. `("eng",)`.
        status: The mark of the record or of a notice in the same reply, or None.
        is_notice: A retraction, concern or erratum notice about another article.
        marks: Other articles that this notice marks, with the mark.
        design: The study's design (`fas.evidence.designs`), or None if no publication type names one.
        later: PMIDs of later versions of the work; `earlier` those of the versions that it replaces.
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


def parse_article(
    *,
    pmid: str,
    version: int,
    title: str,
    abstract: str,
    years: Sequence[int],
    languages: Sequence[str],
    types: Sequence[str],
    links: Sequence[tuple[str, str]] = (),
    marks_only: Iterable[str] = (),
) -> Article:
    """The article of a record of any format, with its status, design and versions.

    *types* are publication types, *links* kind (the XML's RefType) and PMID of related records, and *marks_only* the
    kinds alone, also of records without a PMID.
    """
    kinds = {kind.lower() for kind in types}
    is_notice = bool(kinds & _NOTICES)
    others = [(kind, other) for kind, other in links if other != pmid]
    later = [(kind, other) for kind, other in others if kind in _LATER]
    marks = [(other, _NOTICE_MARKS[kind]) for kind, other in links if kind in _NOTICE_MARKS]
    return Article(
        pmid=pmid,
        version=version,
        title=title,
        abstract=abstract,
        years=tuple(dict.fromkeys(years)),
        languages=tuple(languages),
        status=_find_status(kinds, title, marks_only),
        is_notice=is_notice,
        marks=tuple(marks) if is_notice else (),
        design=design_of(types),
        later=tuple(dict.fromkeys(other for _, other in later)),
        earlier=tuple(dict.fromkeys(other for kind, other in others if kind in _EARLIER)),
        replaced=_LATER[later[-1][0]] if later else None,
    )


def _find_status(types: set[str], title: str, kinds: Iterable[str]) -> Status | None:
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
