"""Documents as people have them (text, Markdown, HTML, PDF), cut into passages that say where they come from.

A passage has at most `MOST_WORDS` words. It ends with a paragraph or, in a longer one, with a sentence. Its id is the
file's path in the folder that was given with the page or the number of the passage (`more/book.pdf#page=12.2`), its
title the document's with heading and page, so that a verdict cites file, heading and page.
"""

from __future__ import annotations

import logging
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

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
# A line on this many pages or more is a running head or foot.
_RUNNING_PAGES = 3
# A line of a PDF is a heading if its letters are larger than most by this factor and it has at most so many words.
_LARGER, _HEADING_WORDS = 1.1, 15
_ADDRESS = re.compile(r"https?://\S+")


class _Paragraph(NamedTuple):
    text: str
    heading: str | None
    page: int | None


def read_document(path: Path, kind: str, name: str = "") -> Iterator[tuple[int, dict[str, str]]]:
    """The passages of a document, counted from 1, with `id`, `title` and `text`.

    *kind* is `text`, `markdown`, `html` or `pdf`; ids begin with *name*, by default the file's name.

    Raises:
        InputError: The file is not UTF-8, or is no PDF or HTML that can be read.
        LookupError: The extra `documents` is missing.
    """
    title, paragraphs = {"text": _read_text, "markdown": _read_markdown, "html": _read_html, "pdf": _read_pdf}[kind](
        path
    )
    numbers: Counter[int | None] = Counter()
    for number, (heading, page, text) in enumerate(_join_paragraphs(paragraphs), start=1):
        numbers[page] += 1
        place = f"page={page}.{numbers[page]}" if page is not None else str(number)
        parts = [title, heading if heading != title else None, None if page is None else f"page {page}"]
        yield number, {"id": f"{name or path.name}#{place}", "title": ", ".join(filter(None, parts)), "text": text}


def is_medline(first: str) -> bool:
    """Whether *first*, the first line of a `.txt` file that is not blank, is a field of MEDLINE text (`PMID- 123`)."""
    return _MEDLINE.match(first) is not None


def _join_paragraphs(paragraphs: Iterable[_Paragraph]) -> Iterator[tuple[str | None, int | None, str]]:
    """Neighbouring paragraphs under one heading and on one page, together as far as `MOST_WORDS` allows."""
    held: list[str] = []
    words = 0
    place: tuple[str | None, int | None] = (None, None)
    for text, heading, page in paragraphs:
        for part in _split_paragraph(text):
            n = len(part.split())
            if held and ((heading, page) != place or words + n > MOST_WORDS):
                yield *place, "\n".join(held)
                held, words = [], 0
            held.append(part)
            words, place = words + n, (heading, page)
    if held:
        yield *place, "\n".join(held)


def _split_paragraph(text: str) -> Iterator[str]:
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


def _decode_file(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 (byte {error.start + 1}); save it as UTF-8", kind="encoding") from error


def _read_text(path: Path) -> tuple[str, Iterator[_Paragraph]]:
    whole = _decode_file(path)
    if all(map(_ADDRESS.fullmatch, whole.split())) and whole.strip():
        raise InputError(
            f"{path}: a list of addresses, of which none is fetched. Save the pages, e.g. by `wget -x -E -P pages -i "
            f"{path.name}`, and index the folder `pages`; passages are then cited by address",
            kind="format",
        )
    blocks = re.split(r"\n\s*\n", whole)
    return path.stem, (_Paragraph(" ".join(block.split()), None, None) for block in blocks if block.strip())


def _read_markdown(path: Path) -> tuple[str, Iterator[_Paragraph]]:
    lines = _decode_file(path).splitlines()
    first = next((match[1] for line in lines if (match := _HEADING.fullmatch(line))), path.stem)
    return first, _split_markdown(lines)


def _split_markdown(lines: Iterable[str]) -> Iterator[_Paragraph]:
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


def _read_html(path: Path) -> tuple[str, Iterator[_Paragraph]]:
    bs4 = import_extra("bs4", "documents")
    try:
        soup = bs4.BeautifulSoup(_decode_file(path), "html.parser")
    except bs4.builder.ParserRejectedMarkup as error:
        raise InputError(f"{path}: not readable HTML; open it in a browser and save it again", kind="broken") from error
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


def _read_pdf(path: Path) -> tuple[str, Iterator[_Paragraph]]:
    pypdf = import_extra("pypdf", "documents")
    try:
        reader = pypdf.PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise InputError(f"{path}: the PDF needs a password; save it without one", kind="broken")
        pages = [_read_lines(page) for page in reader.pages]
        title = reader.metadata.title if reader.metadata else None
    except InputError:
        raise
    except Exception as error:  # of any type: a damaged file leads pypdf anywhere
        raise InputError(f"{path}: not a readable PDF ({error})", kind="broken") from error
    empty = [str(number) for number, page in enumerate(pages, start=1) if not any(line.text for line in page)]
    if empty:
        shown = ", ".join(empty[:10]) + (", ..." if len(empty) > 10 else "")
        logger.warning("%s: page %s has no text; scanned pages are skipped", collapse_to_line(str(path)), shown)
    shared = Counter(text for page in pages for text in {line.text for line in page} if text)
    running = {text for text, n in shared.items() if n >= _RUNNING_PAGES and 2 * n > len(pages)}
    kept = [[line for line in page if line.text not in running] for page in pages]
    return title or path.stem, iter(_split_pages(kept))


class _Line(NamedTuple):
    text: str
    size: float


def _read_lines(page: Any) -> list[_Line]:
    """The lines of a page in their order, each with the size in which most of it is set, in points."""
    lines: list[list[tuple[str, float]]] = [[]]

    def add(text: str, cm: Sequence[float], tm: Sequence[float], _font: object, size: float) -> None:
        points = round(abs(size) * math.hypot(tm[2], tm[3]) * math.hypot(cm[2], cm[3]), 1)
        first, *others = text.split("\n")
        lines[-1].append((first, points))
        lines.extend([(part, points)] for part in others)

    page.extract_text(visitor_text=add)
    return [_Line("".join(text for text, _ in parts).strip(), _find_main_size(parts)) for parts in lines]


def _find_main_size(parts: Iterable[tuple[str, float]]) -> float:
    """The size in which most characters of *parts* are set; 0 where there is none."""
    counts: Counter[float] = Counter()
    for text, size in parts:
        counts[size] += len(text.strip())
    return max(counts, key=lambda size: counts[size], default=0.0)


def _split_pages(pages: Sequence[Sequence[_Line]]) -> Iterator[_Paragraph]:
    """Paragraphs end at blank lines and pages; short lines in larger letters than most of the document are headings.

    Lines of a heading in one size are one heading; a smaller one right below it is named with it.
    """
    larger = _LARGER * _find_main_size((line.text, line.size) for page in pages for line in page)
    headings: list[_Line] = []
    held: list[str] = []
    open_ = False  # no text has come since the last line of a heading
    number = None
    for number, page in enumerate(pages, start=1):
        for text, size in [*page, _Line("", 0.0)]:
            heads = bool(text) and size >= larger and len(text.split()) <= _HEADING_WORDS
            if held and (heads or not text):
                joined = _HYPHENATED.sub("", "\n".join(held))
                yield _Paragraph(" ".join(joined.split()), _join_headings(headings), number)
                held = []
            if heads:
                last = headings.pop() if open_ and headings[-1].size == size else _Line("", size)
                headings = [*(headings if open_ else ()), _Line(f"{last.text} {text}".strip(), size)]
            elif text:
                held.append(text)
            open_ = heads or (open_ and not text)
    if open_:
        yield _Paragraph(_join_headings(headings) or "", None, number)  # as text, or it would be lost


def _join_headings(headings: Iterable[_Line]) -> str | None:
    return ", ".join(" ".join(one.text.split()) for one in headings) or None
