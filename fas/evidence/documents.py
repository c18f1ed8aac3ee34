"""Documents as people have them (text, Markdown, HTML, PDF), cut into passages that say where they come from.

A passage has at most `MOST_WORDS` words. It ends with a paragraph or, in a longer one, with a sentence. Its id is the
file's path in the folder that was given with the page or the number of the passage (`more/book.pdf#page=12.2`), its
title the document's with heading and page, so that a verdict cites file, heading and page.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from fas.core.errors import InputError
from fas.core.guards.characters import collapse_to_line
from fas.core.loading import import_extra
from fas.text.sentences import sentence_spans

logger = logging.getLogger(__name__)

MOST_WORDS = 200
"""Words of a passage: one that the embedded verifiers read in one piece."""

DOCUMENTS = {".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html", ".pdf": "pdf"}
"""Ending to kind of document; `.txt` is MEDLINE text or, where it has no such field, plain text."""

_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*\s*")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_MEDLINE = re.compile(r"[A-Z]{2,4} *- ")
_HYPHENATED = re.compile(r"(?<=[a-z])-\n(?=[a-z])")
_BLOCKS = ("p", "li", "td", "th", "dt", "dd", "blockquote", "pre", "caption", "figcaption")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
# A line that so many pages share is a running head or foot.
_RUNNING_PAGES = 3


class _Paragraph(NamedTuple):
    text: str
    heading: str | None
    page: int | None


def read_document(path: Path, kind: str, name: str = "") -> Iterator[tuple[int, dict[str, str]]]:
    """The passages of a document, counted from 1, with `id`, `title` and `text`.

    Args:
        path: The file.
        kind: `text`, `markdown`, `html` or `pdf`.
        name: What the ids begin with; the file's name by default.

    Raises:
        InputError: The file is not UTF-8 or is no PDF that can be read, or the extra `documents` is missing.
    """
    title, paragraphs = {"text": _text, "markdown": _markdown, "html": _html, "pdf": _pdf}[kind](path)
    numbers: Counter[int | None] = Counter()
    for number, (heading, page, text) in enumerate(_passages(paragraphs), start=1):
        numbers[page] += 1
        place = f"page={page}.{numbers[page]}" if page is not None else str(number)
        parts = [title, heading if heading != title else None, None if page is None else f"page {page}"]
        yield number, {"id": f"{name or path.name}#{place}", "title": ", ".join(filter(None, parts)), "text": text}


def is_medline(first: str) -> bool:
    """Whether *first*, the first line of a `.txt` file that is not blank, is a field of MEDLINE text (`PMID- 123`)."""
    return _MEDLINE.match(first) is not None


def _passages(paragraphs: Iterable[_Paragraph]) -> Iterator[tuple[str | None, int | None, str]]:
    """Neighbouring paragraphs under one heading and on one page, together as far as `MOST_WORDS` allows."""
    held: list[str] = []
    words = 0
    place: tuple[str | None, int | None] = (None, None)
    for text, heading, page in paragraphs:
        for part in _parts(text):
            n = len(part.split())
            if held and ((heading, page) != place or words + n > MOST_WORDS):
                yield *place, "\n".join(held)
                held, words = [], 0
            held.append(part)
            words, place = words + n, (heading, page)
    if held:
        yield *place, "\n".join(held)


def _parts(text: str) -> Iterator[str]:
    """*text* whole, or in runs of sentences of at most `MOST_WORDS` words; a longer sentence is cut between words."""
    if len(text.split()) <= MOST_WORDS:
        yield text
        return
    held: list[str] = []
    for span in sentence_spans(text):
        sentence = text[span.start : span.end].split()
        while sentence:
            room = MOST_WORDS - len(held)
            if held and len(sentence) > room:
                yield " ".join(held)
                held = []
                continue
            held, sentence = held + sentence[:MOST_WORDS], sentence[MOST_WORDS:]
    if held:
        yield " ".join(held)


def _decoded(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 (byte {error.start + 1}); save it as UTF-8", kind="encoding") from error


def _text(path: Path) -> tuple[str, Iterator[_Paragraph]]:
    blocks = re.split(r"\n\s*\n", _decoded(path))
    return path.stem, (_Paragraph(" ".join(block.split()), None, None) for block in blocks if block.strip())


def _markdown(path: Path) -> tuple[str, Iterator[_Paragraph]]:
    lines = _decoded(path).splitlines()
    first = next((match[1] for line in lines if (match := _HEADING.fullmatch(line))), path.stem)
    return first, _markdown_paragraphs(lines)


def _markdown_paragraphs(lines: Iterable[str]) -> Iterator[_Paragraph]:
    heading: str | None = None
    held: list[str] = []
    fenced = False
    for line in [*lines, ""]:
        fenced ^= _FENCE.match(line) is not None
        found = None if fenced else _HEADING.fullmatch(line)
        if (not line.strip() or found) and held:
            yield _Paragraph("\n".join(held), heading, None)
            held = []
        if found:
            heading = found[1] or heading
        elif line.strip():
            held.append(line.strip())
    if held:
        yield _Paragraph("\n".join(held), heading, None)


def _html(path: Path) -> tuple[str, Iterator[_Paragraph]]:
    soup = import_extra("bs4", "documents").BeautifulSoup(_decoded(path), "html.parser")
    title = soup.title.get_text(" ", strip=True) if soup.title else None
    for part in soup(["script", "style", "nav", "header", "footer", "noscript"]):
        part.decompose()
    found: list[_Paragraph] = []
    heading: str | None = None
    for tag in soup.find_all([*_HEADINGS, *_BLOCKS]):
        text = " ".join(tag.get_text(" ").split())
        if tag.name in _HEADINGS:
            heading = text or heading
        elif text and tag.find_parent(_BLOCKS) is None:
            found.append(_Paragraph(text, heading, None))
    return title or path.stem, iter(found)


def _pdf(path: Path) -> tuple[str, Iterator[_Paragraph]]:
    pypdf, errors = import_extra("pypdf", "documents"), import_extra("pypdf.errors", "documents")
    try:
        reader = pypdf.PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise InputError(f"{path}: the PDF needs a password; save it without one", kind="broken")
        pages = [page.extract_text() or "" for page in reader.pages]
        title = reader.metadata.title if reader.metadata else None
    except (errors.PyPdfError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{path}: not a PDF that can be read ({error})", kind="broken") from error
    empty = [str(number) for number, page in enumerate(pages, start=1) if not page.strip()]
    if empty:
        shown = ", ".join(empty[:10]) + (", ..." if len(empty) > 10 else "")
        logger.warning("%s: no text on page %s; scanned pages are not read", collapse_to_line(str(path)), shown)
    shared = Counter(line.strip() for page in pages for line in {*page.splitlines()})
    running = {line for line, n in shared.items() if n >= _RUNNING_PAGES and 2 * n > len(pages)}
    return title or path.stem, iter(_pdf_paragraphs(pages, running))


def _pdf_paragraphs(pages: Iterable[str], running: set[str]) -> Iterator[_Paragraph]:
    for number, page in enumerate(pages, start=1):
        kept = "\n".join(line for line in page.splitlines() if line.strip() not in running)
        for block in re.split(r"\n\s*\n", _HYPHENATED.sub("", kept)):
            if block.strip():
                yield _Paragraph(" ".join(block.split()), None, number)
