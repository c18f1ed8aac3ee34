"""What the E-utilities answer besides articles: searches and spelling."""

from __future__ import annotations

import re
from typing import NamedTuple
from xml.etree import ElementTree as ET

from fas.evidence.client import BadReplyError
from fas.evidence.pubmed import Article, BadRecord
from fas.evidence.pubmed_xml import MalformedXMLError, parse_document, parse_reply

# These say that there is nothing to fetch; every other error text has been seen to pass.
_EMPTY = re.compile(r"empty id list|cannot get document summary|uid=\d+: cannot|id list is empty", re.IGNORECASE)
# These say that no request of this kind will ever be answered here.
_NEVER = re.compile(r"invalid (?:db|database) name|unknown (?:db|database)", re.IGNORECASE)
# NCBI's own error pages pass; those of a proxy, of a page that asks to log in or of a wrong address do not.
_NEVER_AFTER, _PAGE_AFTER = 3, 8


class SearchReply(NamedTuple):
    """The answer to a search: PMIDs, best first, how PubMed read the query, and phrases that it silently left out."""

    ids: tuple[str, ...]
    translation: str
    not_found: tuple[str, ...]


def parse_search(data: bytes) -> SearchReply:
    """An esearch reply.

    Raises:
        BadReplyError: It is an error message, or not a whole search reply.
    """
    root = _parse_root(data, "eSearchResult")
    count, found = root.findtext("Count"), root.find("IdList")
    if count is None or not count.strip().isdigit() or found is None:
        raise BadReplyError("the search reply has no count or no list of ids")
    ids = tuple(dict.fromkeys((item.text or "").strip() for item in found.iterfind("Id")))
    if int(count) > 0 and not ids:
        raise BadReplyError(f"the search reply counts {count.strip()} records and lists none")
    if not all(identifier.isdigit() for identifier in ids):
        raise BadReplyError("the search reply lists something that is not a PMID")
    phrases = [*root.iterfind("ErrorList/PhraseNotFound"), *root.iterfind("WarningList/QuotedPhraseNotFound")]
    translation = (root.findtext("QueryTranslation") or "").strip()
    return SearchReply(ids, translation, tuple(map(_join_text, phrases)))


def parse_spelling(data: bytes) -> str | None:
    """The corrected query of an espell reply; None if it has no correction.

    Raises:
        BadReplyError: It is an error message, or not a spelling reply.
    """
    root = _parse_root(data, "eSpellResult")
    return (root.findtext("CorrectedQuery") or "").strip() or None


def parse_fetch(data: bytes) -> tuple[list[Article], list[BadRecord]]:
    """The articles of an efetch reply and the records in it that cannot be read.

    Raises:
        BadReplyError: It is an error message, or not a whole set of articles.
    """
    start = data[:4096].lstrip()
    if b"<PubmedArticleSet" not in start and b"<PubmedBookArticleSet" not in start:
        _parse_root(data, "PubmedArticleSet")
    try:
        return parse_reply(data)
    except MalformedXMLError as error:
        raise BadReplyError(str(error)) from error


def _parse_root(data: bytes, expected: str) -> ET.Element:
    start = data[:200].lstrip()
    if start[:1] in (b"{", b"["):
        raise BadReplyError(
            f"an error message instead of XML: {_format_data(start)}", lasting=_read_lasting(_format_data(start))
        )
    if re.match(rb"(?:<!doctype\s+html|<html)", start, re.IGNORECASE):
        raise BadReplyError("a web page instead of XML", lasting=_PAGE_AFTER)
    try:
        root = parse_document(data)
    except MalformedXMLError as error:
        raise BadReplyError(str(error)) from error
    error_element = root if root.tag == "ERROR" else root.find("ERROR")
    text = "" if error_element is None else _join_text(error_element)
    # Spelling replies always carry the element, empty when all is well.
    if text or root.tag == "ERROR":
        raise BadReplyError(
            f"error message {text[:120]!r}", refused=bool(_EMPTY.search(text)), lasting=_read_lasting(text)
        )
    if root.tag != expected:
        raise BadReplyError(f"<{root.tag}> instead of <{expected}>")
    return root


def _read_lasting(message: str) -> int:
    """After how many replies in a row an error *message* holds for good; 0 where it may pass."""
    return _NEVER_AFTER if _NEVER.search(message) else 0


def _join_text(element: ET.Element) -> str:
    return " ".join("".join(element.itertext()).split())


def _format_data(data: bytes) -> str:
    return repr(data[:120].decode("utf-8", "replace"))
