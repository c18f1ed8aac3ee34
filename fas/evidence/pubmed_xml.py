"""PubMed records from XML, as the E-utilities and the yearly files deliver them.

Parsed with expat through `xml.etree`, in constant memory. Biopython's `Bio.Entrez` is as fast and is not used: it
refuses replies that were appended to one file (case `efetch_batches`), gives "10<sup>6</sup>" with its tags beside a
"<" of the text without its escape, so that nobody can take the tags away again, and fetches a DTD that it lacks.
Declared entities are refused before anything is expanded.

Element names: https://www.nlm.nih.gov/bsd/licensee/elements_descriptions.html
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from html.entities import html5
from itertools import groupby
from operator import itemgetter
from typing import Any, BinaryIO
from xml.etree import ElementTree as ET
from xml.parsers import expat
from xml.parsers.expat import errors

from fas.evidence.pubmed import Article, BadRecord, Deletion, attach_status, is_pmid, parse_article

_CHUNK = 1 << 20
_PROLOG_LIMIT = 1 << 16
_ROOTS = ("PubmedArticleSet", "PubmedBookArticleSet")
# One record by itself, as some tools and test suites save it.
_SINGLE = ("PubmedArticle", "PubmedBookArticle")
_OTHER_REPLIES = {
    "eSearchResult": "an esearch reply: a list of PMIDs without the articles; fetch those with efetch (retmode=xml)",
    "eSummaryResult": "an esummary reply: titles without the abstracts; fetch those with efetch (retmode=xml)",
    "eLinkResult": "an elink reply, which holds no articles; fetch those with efetch (retmode=xml)",
    "eInfoResult": "an einfo reply, which holds no articles; fetch those with efetch (retmode=xml)",
    "eSpellResult": "an espell reply, which holds no articles; fetch those with efetch (retmode=xml)",
    "html": "a web page",
    "HTML": "a web page",
}
_UNTITLED = re.compile(r"\[?\s*not available\.?\s*\]?\.?", re.IGNORECASE)
_UNLABELLED = frozenset({"UNLABELLED", "UNLABELED", "UNASSIGNED", "UNSPECIFIED"})
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
_NAMED_ENTITY = re.compile(rb"&([A-Za-z][A-Za-z0-9]*);")
_VERSION = re.compile(r"[0-9]{1,4}")
# Where replies that were appended to one file meet: no document holds its own end and another beginning.
_NEXT_DOCUMENT = re.compile(
    rb"(</Pubmed(?:Book)?Article(?:Set)?>)\s*(?:\xef\xbb\xbf)?(?=<\?xml\s|<!DOCTYPE\s|<Pubmed(?:Book)?ArticleSet[\s>])"
)
_MEETING = 512  # bytes within which two documents meet
_XML_ENTITIES = frozenset({b"amp", b"lt", b"gt", b"quot", b"apos"})


class MalformedXMLError(ValueError):
    """The reply or file is not a complete, well-formed PubMed document."""


class WrongDocumentError(MalformedXMLError):
    """It is whole and well-formed, and something else; another copy of it would be no better."""


class ForbiddenXMLError(WrongDocumentError):
    """The document declares entities, which PubMed never does and attackers do."""


def parse_reply(data: bytes) -> tuple[list[Article], list[BadRecord]]:
    """The articles of an efetch reply; marks made by notices in it are carried over.

    Raises:
        MalformedXMLError: It is truncated, not XML, not a PubMed article set, or declares entities.
    """
    # A reply may name HTML entities that only a DTD would define.
    data = _NAMED_ENTITY.sub(_decode_entity, data)
    articles, bad, marked = [], [], {}
    for item in _read_items([data]):
        if isinstance(item, Article):
            articles.append(item)
            marked.update(dict(item.marks))
        elif isinstance(item, BadRecord):
            bad.append(item)
    return [attach_status(article, marked.get(article.pmid)) for article in articles], bad


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


def read_articles(stream: BinaryIO) -> Iterator[Article | Deletion | BadRecord]:
    """The records of a baseline or update file, or of replies of efetch one after the other, in constant memory.

    Raises:
        MalformedXMLError: As for `parse_reply`; raised when the fault is reached.
        OSError: The stream cannot be read; EOFError for a cut gzip file, zlib.error for a damaged one.
    """
    return _read_items(iter(lambda: stream.read(_CHUNK), b""))


def _read_items(chunks: Iterable[bytes]) -> Iterator[Article | Deletion | BadRecord]:
    for _, pieces in groupby(_split_documents(chunks), key=itemgetter(0)):
        yield from _read_document(piece for _, piece in pieces)


def _split_documents(chunks: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """The bytes, each piece with the number of its document."""
    number, held = 0, b""
    for chunk in chunks:
        held += chunk
        while meeting := _NEXT_DOCUMENT.search(held):
            yield number, held[: meeting.end(1)]
            number, held = number + 1, held[meeting.end() :]
        yield number, held[:-_MEETING]
        held = held[-_MEETING:]
    yield number, held


def _read_document(chunks: Iterable[bytes]) -> Iterator[Article | Deletion | BadRecord]:
    guard = _Guard()
    # Typed loosely: these events always carry an element.
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
                        if root.tag not in (*_ROOTS, *_SINGLE):
                            kind = _OTHER_REPLIES.get(root.tag, f"<{root.tag}>, not <{_ROOTS[0]}>")
                            raise WrongDocumentError(f"the document is {kind}")
                    continue
                depth -= 1
                if root is not None and root.tag in _SINGLE:
                    if depth == 0:
                        yield from _read_records(root)
                elif depth == 1 and root is not None:
                    yield from _read_records(element)
                    # The finished children would otherwise stay with the root.
                    root.clear()
        parser.close()
    except ET.ParseError as error:
        if root is None and error.code == errors.codes[errors.XML_ERROR_NO_ELEMENTS]:
            raise WrongDocumentError("the document is empty") from error
        raise MalformedXMLError(f"the XML is broken or incomplete ({error})") from error


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
        raise ForbiddenXMLError(f"the document declares the entity {name!r}, which is not allowed")

    def _finish(self, *_: object) -> None:
        self._done = True


def _decode_entity(match: re.Match[bytes]) -> bytes:
    name = match[1]
    if name in _XML_ENTITIES:
        return match[0]
    character = html5.get(name.decode("ascii") + ";")
    return match[0] if character is None else character.encode("utf-8")


def _read_records(element: ET.Element) -> Iterator[Article | Deletion | BadRecord]:
    if element.tag == "DeleteCitation":
        for deleted in element.iter("PMID"):
            pmid = (deleted.text or "").strip()
            try:
                if not is_pmid(pmid):
                    raise ValueError("the item to delete is not a PMID")
                yield Deletion(pmid, _read_version(deleted))
            except ValueError as error:
                yield BadRecord(pmid or None, f"<DeleteCitation>: {error}")
        return
    if element.tag == "PubmedArticle":
        citation = element.find("MedlineCitation")
    elif element.tag == "PubmedBookArticle":
        citation = element.find("BookDocument")
    else:
        return
    found = None if citation is None else citation.find("PMID")
    pmid = "" if found is None else (found.text or "").strip()
    if citation is None or found is None or not is_pmid(pmid):
        yield BadRecord(pmid or None, f"a <{element.tag}> without a PMID")
        return
    try:
        yield _read_book(citation, found) if citation.tag == "BookDocument" else _read_article(citation, found)
    except (ValueError, AttributeError, TypeError) as error:
        yield BadRecord(pmid, f"{type(error).__name__}: {error}")


def _read_article(citation: ET.Element, pmid: ET.Element) -> Article:
    article = citation.find("Article")
    if article is None:
        raise ValueError("no <Article>")
    links = citation.findall("CommentsCorrectionsList/CommentsCorrections")
    kinds = [(link.get("RefType", ""), (link.findtext("PMID") or "").strip()) for link in links]
    return parse_article(
        pmid=(pmid.text or "").strip(),
        version=_read_version(pmid),
        title=_read_title(article),
        abstract=_read_abstract(article.find("Abstract")) or _find_other_abstract(citation),
        years=_read_years(article.find("Journal/JournalIssue/PubDate"), *article.iterfind("ArticleDate")),
        languages=_read_texts(article, "Language"),
        types=_read_texts(article, "PublicationTypeList/PublicationType"),
        links=[(kind, other) for kind, other in kinds if is_pmid(other)],
        marks_only=[kind for kind, _ in kinds],
    )


def _read_book(document: ET.Element, pmid: ET.Element) -> Article:
    return parse_article(
        pmid=(pmid.text or "").strip(),
        version=_read_version(pmid),
        title=_read_text(document.find("ArticleTitle")) or _read_text(document.find("Book/BookTitle")),
        abstract=_read_abstract(document.find("Abstract")),
        years=_read_years(document.find("Book/PubDate"), *document.iterfind("ContributionDate")),
        languages=_read_texts(document, "Language"),
        types=_read_texts(document, "PublicationType"),
    )


def _read_texts(element: ET.Element, path: str) -> list[str]:
    return [(item.text or "").strip() for item in element.iterfind(path)]


def _read_version(pmid: ET.Element) -> int:
    version = pmid.get("Version") or "1"
    if not _VERSION.fullmatch(version):
        raise ValueError(f"its version is {version[:20]!r}, not a number of at most four digits")
    return int(version)


def _read_title(article: ET.Element) -> str:
    title = _read_text(article.find("ArticleTitle"))
    if not title or _UNTITLED.fullmatch(title):
        return _read_text(article.find("VernacularTitle"))
    # PubMed puts titles that it translated into English in brackets.
    translated = re.fullmatch(r"\[(.*)\]\.?", title)
    return translated[1].rstrip() if translated and "[" not in translated[1] else title


def _read_abstract(abstract: ET.Element | None) -> str:
    if abstract is None:
        return ""
    sections = []
    for section in abstract.iterfind("AbstractText"):
        text = _read_text(section)
        label = (section.get("Label") or "").strip().rstrip(":")
        if text:
            sections.append(text if not label or label.upper() in _UNLABELLED else f"{label}: {text}")
    return " ".join(sections)


def _find_other_abstract(citation: ET.Element) -> str:
    for abstract in citation.iterfind("OtherAbstract"):
        if abstract.get("Language", "eng") == "eng" and abstract.get("Type") != "plain-language-summary":
            return _read_abstract(abstract)
    return ""


def _read_years(*dates: ET.Element | None) -> list[int]:
    texts = [date.findtext("Year") or date.findtext("MedlineDate") or "" for date in dates if date is not None]
    return [int(match[1]) for text in texts if (match := _YEAR.search(text))]


def _read_text(element: ET.Element | None) -> str:
    """All text inside *element*, markup removed, white space collapsed."""
    if element is None:
        return ""
    parts: list[str] = []
    _collect_text(element, parts)
    return " ".join(unicodedata.normalize("NFC", "".join(parts)).split())


def _collect_text(element: ET.Element, parts: list[str]) -> None:
    """Add the text in *element*, in its order; no recursion, as inline tags may be nested without end."""
    # Each entry is an element to go into, or the text behind one that is done.
    waiting: list[ET.Element | str] = [element]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        text = item.text or ""
        # "10<sup>6</sup>" is not 106.
        if item.tag == "sup" and parts and parts[-1][-1:].isdigit() and re.match(r"\s*[-−+]?\d", text):
            parts.append("^")
        if text:
            parts.append(text)
        for child in reversed(item):
            if child.tail:
                waiting.append(child.tail)
            waiting.append(child)
