"""PubMed records from XML, as the E-utilities and the yearly files deliver them.

Parsed with expat through `xml.etree`, which reads a file in constant memory, ten times as
fast as a parser driven by the DTD, and never fetches one. Declared entities are refused
before anything is expanded.

Element names: https://www.nlm.nih.gov/bsd/licensee/elements_descriptions.html
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html.entities import html5
from typing import Any, BinaryIO, Literal, NamedTuple
from xml.etree import ElementTree as ET
from xml.parsers import expat

from fas.records import Passage

Status = Literal["retracted", "concern"]

_CHUNK = 1 << 20
_PROLOG_LIMIT = 1 << 16
_ROOTS = ("PubmedArticleSet", "PubmedBookArticleSet")

# Publication types of notices about another article: they state no finding of their own.
_NOTICES = frozenset({"retraction of publication", "retraction notice", "expression of concern", "published erratum"})
_RETRACTED_TYPES = frozenset({"retracted publication"})
_MARKS: dict[str, Status] = {
    "RetractionIn": "retracted",
    "ExpressionOfConcernIn": "concern",
}
_NOTICE_MARKS: dict[str, Status] = {
    "RetractionOf": "retracted",
    "ExpressionOfConcernFor": "concern",
}
_RETRACTED_TITLE = re.compile(r"\s*(?:RETRACTED|WITHDRAWN)\b(?:\s+(?:ARTICLE|PAPER|CHAPTER))?\s*:", re.IGNORECASE)
_UNTITLED = re.compile(r"\[?\s*not available\.?\s*\]?\.?", re.IGNORECASE)
_UNLABELLED = frozenset({"UNLABELLED", "UNLABELED", "UNASSIGNED", "UNSPECIFIED"})
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
_NAMED_ENTITY = re.compile(rb"&([A-Za-z][A-Za-z0-9]*);")
_XML_ENTITIES = frozenset({b"amp", b"lt", b"gt", b"quot", b"apos"})


class MalformedXMLError(ValueError):
    """The reply or file is not a complete, well-formed PubMed document."""


class ForbiddenXMLError(MalformedXMLError):
    """The document declares entities, which PubMed never does and attackers do."""


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

    @property
    def year(self) -> int | None:
        """The year of publication, or None where the record names none."""
        return self.years[0] if self.years else None

    def passage(self) -> Passage:
        """The record as evidence."""
        return Passage(text=self.abstract, id=self.pmid, title=self.title or None, year=self.year, status=self.status)


class Deletion(NamedTuple):
    """A record that PubMed has withdrawn."""

    pmid: str
    version: int


class BadRecord(NamedTuple):
    """A record that could not be read, and why."""

    pmid: str | None
    reason: str


def parse_reply(data: bytes) -> tuple[list[Article], list[BadRecord]]:
    """The articles of an efetch reply; marks made by notices in it are carried over.

    Raises:
        MalformedXMLError: It is truncated, not XML, not a PubMed article set, or declares entities.
    """
    # A reply may name HTML entities that only a DTD would define.
    data = _NAMED_ENTITY.sub(_decoded_entity, data)
    articles, bad, marked = [], [], {}
    for item in _items([data]):
        if isinstance(item, Article):
            articles.append(item)
            marked.update(dict(item.marks))
        elif isinstance(item, BadRecord):
            bad.append(item)
    return [with_status(article, marked.get(article.pmid)) for article in articles], bad


def parse_document(data: bytes) -> ET.Element:
    """The root of any other small reply of the E-utilities, under the same precautions.

    Raises:
        MalformedXMLError: It is truncated, not XML, or declares entities.
    """
    _Guard().feed(data)
    try:
        return ET.fromstring(data)
    except ET.ParseError as error:
        raise MalformedXMLError(f"the XML is broken or incomplete ({error})") from error


def with_status(article: Article, status: Status | None) -> Article:
    """*article* marked with *status* unless it is already retracted."""
    if status is None or article.status == "retracted" or article.status == status:
        return article
    fields = {name: getattr(article, name) for name in Article.__slots__}
    return Article(**fields | {"status": status})


def read_articles(stream: BinaryIO) -> Iterator[Article | Deletion | BadRecord]:
    """The records of a baseline or update file, in order, in constant memory.

    Raises:
        MalformedXMLError: As for `parse_reply`; raised when the fault is reached.
        OSError: The stream cannot be read; EOFError for a cut gzip file, zlib.error for a damaged one.
    """
    return _items(iter(lambda: stream.read(_CHUNK), b""))


def _items(chunks: Iterable[bytes]) -> Iterator[Article | Deletion | BadRecord]:
    guard = _Guard()
    # Typed loosely: the events asked for always carry an element.
    parser: ET.XMLPullParser[Any] = ET.XMLPullParser(("start", "end"))
    events: Any
    depth = 0
    root: ET.Element | None = None
    try:
        for chunk in chunks:
            guard.feed(chunk)
            parser.feed(chunk)
            events = parser.read_events()
            for event, element in events:
                if event == "start":
                    depth += 1
                    if root is None:
                        root = element
                        if root.tag not in _ROOTS:
                            raise MalformedXMLError(f"the document is <{root.tag}>, not <{_ROOTS[0]}>")
                    continue
                depth -= 1
                if depth == 1 and root is not None:
                    yield from _records(element)
                    # The finished children would otherwise stay with the root.
                    root.clear()
        parser.close()
    except ET.ParseError as error:
        raise MalformedXMLError(f"the XML is broken or incomplete ({error})") from error
    if root is None:
        raise MalformedXMLError("the document is empty")


class _Guard:
    """Looks at a document's prolog, the only place where entities can be declared."""

    def __init__(self) -> None:
        self._done = False
        self._seen = 0
        self._parser = expat.ParserCreate()
        self._parser.EntityDeclHandler = self._refuse
        self._parser.StartElementHandler = self._finish

    def feed(self, chunk: bytes) -> None:
        for start in range(0, len(chunk), 4096):
            if self._done:
                return
            piece = chunk[start : start + 4096]
            self._seen += len(piece)
            if self._seen > _PROLOG_LIMIT:
                raise MalformedXMLError(f"no element in the first {_PROLOG_LIMIT} bytes")
            try:
                self._parser.Parse(piece, False)
            except expat.ExpatError as error:
                if not self._done:
                    raise MalformedXMLError(f"the XML is broken or incomplete ({error})") from error

    def _refuse(self, name: str, *_: object) -> None:
        raise ForbiddenXMLError(f"the document declares the entity {name!r}, which is refused")

    def _finish(self, *_: object) -> None:
        self._done = True


def _decoded_entity(match: re.Match[bytes]) -> bytes:
    name = match[1]
    if name in _XML_ENTITIES:
        return match[0]
    character = html5.get(name.decode("ascii") + ";")
    return match[0] if character is None else character.encode("utf-8")


def _records(element: ET.Element) -> Iterator[Article | Deletion | BadRecord]:
    if element.tag == "DeleteCitation":
        for deleted in element.iter("PMID"):
            yield Deletion((deleted.text or "").strip(), _version(deleted))
        return
    if element.tag == "PubmedArticle":
        citation = element.find("MedlineCitation")
    elif element.tag == "PubmedBookArticle":
        citation = element.find("BookDocument")
    else:
        return
    found = None if citation is None else citation.find("PMID")
    pmid = "" if found is None else (found.text or "").strip()
    if citation is None or found is None or not pmid.isdigit():
        yield BadRecord(pmid or None, f"a <{element.tag}> without a PMID")
        return
    try:
        yield _book(citation, found) if citation.tag == "BookDocument" else _article(citation, found)
    except (ValueError, AttributeError, TypeError) as error:
        yield BadRecord(pmid, f"{type(error).__name__}: {error}")


def _article(citation: ET.Element, pmid: ET.Element) -> Article:
    article = citation.find("Article")
    if article is None:
        raise ValueError("no <Article>")
    types = {(kind.text or "").strip().lower() for kind in article.iterfind("PublicationTypeList/PublicationType")}
    title = _title(article)
    links = citation.findall("CommentsCorrectionsList/CommentsCorrections")
    return Article(
        pmid=(pmid.text or "").strip(),
        version=_version(pmid),
        title=title,
        abstract=_abstract(article.find("Abstract")) or _other_abstract(citation),
        years=_years(article.find("Journal/JournalIssue/PubDate"), *article.iterfind("ArticleDate")),
        languages=tuple((item.text or "").strip() for item in article.iterfind("Language")),
        status=_status(types, title, links),
        is_notice=bool(types & _NOTICES),
        marks=tuple(_notice_marks(links)) if types & _NOTICES else (),
    )


def _book(document: ET.Element, pmid: ET.Element) -> Article:
    title = _text(document.find("ArticleTitle")) or _text(document.find("Book/BookTitle"))
    return Article(
        pmid=(pmid.text or "").strip(),
        version=_version(pmid),
        title=title,
        abstract=_abstract(document.find("Abstract")),
        years=_years(document.find("Book/PubDate"), *document.iterfind("ContributionDate")),
        languages=tuple((item.text or "").strip() for item in document.iterfind("Language")),
        status=_status(set(), title, []),
        is_notice=False,
        marks=(),
    )


def _status(types: set[str], title: str, links: list[ET.Element]) -> Status | None:
    if types & _RETRACTED_TYPES or _RETRACTED_TITLE.match(title):
        return "retracted"
    marks = {_MARKS[kind] for link in links if (kind := link.get("RefType", "")) in _MARKS}
    return "retracted" if "retracted" in marks else "concern" if marks else None


def _notice_marks(links: list[ET.Element]) -> Iterator[tuple[str, Status]]:
    for link in links:
        mark = _NOTICE_MARKS.get(link.get("RefType", ""))
        pmid = (link.findtext("PMID") or "").strip()
        if mark is not None and pmid:
            yield pmid, mark


def _version(pmid: ET.Element) -> int:
    version = pmid.get("Version", "1")
    return int(version) if version.isdigit() else 1


def _title(article: ET.Element) -> str:
    title = _text(article.find("ArticleTitle"))
    if not title or _UNTITLED.fullmatch(title):
        return _text(article.find("VernacularTitle"))
    # Titles that PubMed translated into English stand in brackets.
    translated = re.fullmatch(r"\[(.*)\]\.?", title)
    return translated[1].rstrip() if translated and "[" not in translated[1] else title


def _abstract(abstract: ET.Element | None) -> str:
    if abstract is None:
        return ""
    sections = []
    for section in abstract.iterfind("AbstractText"):
        text = _text(section)
        label = (section.get("Label") or "").strip().rstrip(":")
        if text:
            sections.append(text if not label or label.upper() in _UNLABELLED else f"{label}: {text}")
    return " ".join(sections)


def _other_abstract(citation: ET.Element) -> str:
    for abstract in citation.iterfind("OtherAbstract"):
        if abstract.get("Language", "eng") == "eng" and abstract.get("Type") != "plain-language-summary":
            return _abstract(abstract)
    return ""


def _years(*dates: ET.Element | None) -> tuple[int, ...]:
    years = []
    for date in dates:
        if date is not None:
            match = _YEAR.search(date.findtext("Year") or date.findtext("MedlineDate") or "")
            if match:
                years.append(int(match[1]))
    return tuple(dict.fromkeys(years))


def _text(element: ET.Element | None) -> str:
    """All text inside *element*, markup removed, white space collapsed."""
    if element is None:
        return ""
    parts: list[str] = []
    _collect(element, parts)
    return " ".join(unicodedata.normalize("NFC", "".join(parts)).split())


def _collect(element: ET.Element, parts: list[str]) -> None:
    text = element.text or ""
    # "10<sup>6</sup>" is not 106.
    if element.tag == "sup" and parts and parts[-1][-1:].isdigit() and re.match(r"\s*[-−+]?\d", text):
        parts.append("^")
    if text:
        parts.append(text)
    for child in element:
        _collect(child, parts)
        if child.tail:
            parts.append(child.tail)
