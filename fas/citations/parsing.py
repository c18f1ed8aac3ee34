"""Citations in the text of an answer, and which part of it each of them stands for.

Recognised are numbers in brackets (`[1]`, `[2, 3]`, `[4-6]`), PMIDs (`PMID: 123`, PubMed's addresses), PMC ids, DOIs
and other addresses. A list of references at the end ("References:" and lines that begin with a number) says what the
numbers stand for; what is cited nowhere else is no citation of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from fas.records.cited import Identifier
from fas.text.sentences import sentence_spans

_URL = r"https?://[^\s<>\"\])]+"
_DOI = r"10\.\d{4,9}/[^\s\"<>\]]+"
_CITATION = re.compile(
    r"\[(?P<numbers>\d{1,3}(?:\s*(?:[,;]|[-–—])\s*\d{1,3})*)\](?!\()|"
    r"\bPMIDs?\s*[:#]?\s*(?P<pmids>\d{4,9}(?:\s*(?:,|;|and|&)\s*\d{4,9}(?!\d*-))*)|"
    r"(?P<pubmed>https?://(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/(?P<pubmed_id>\d{1,9})/?)|"
    r"\b(?P<pmc>PMC\d{4,9})\b|"
    r"(?P<pmc_url>https?://\S*?/pmc/articles/(?P<pmc_id>PMC\d+)/?)|"
    rf"(?:https?://(?:dx\.)?doi\.org/|\bdoi\s*[:=]?\s*)?(?P<doi>{_DOI})|"
    rf"(?P<url>{_URL})",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"^[ \t]*(?:#+\s*|\*\*|__)?(?:references|sources|bibliography|literature|citations|works cited)(?:\*\*|__)?\s*:?"
    r"(?:\*\*|__)?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_ENTRY = re.compile(r"^[ \t]*(?:[-*]\s+)?(?:\[(\d{1,3})\]|(\d{1,3})[.)])[ \t:]*(?=\S)", re.MULTILINE)
_MOST = 60
"""`[1-999]` is no sixty sources."""


class Citation(NamedTuple):
    """One source cited at one place.

    Attributes:
        source: What names it, as the text writes it.
        resolved: What the answer's list of references says a number stands for; else the source itself.
        start: First character of the mark in the answer (code points).
        end: One past its last character.
        covers: First and one past the last character of the text it stands for.
        reference: The entry of the list of references, if there is one.
    """

    source: Identifier
    resolved: Identifier
    start: int
    end: int
    covers: tuple[int, int]
    reference: str | None = None


class Parsed(NamedTuple):
    """The citations of an answer, in order, and where its list of references begins (its length if it has none)."""

    citations: tuple[Citation, ...]
    list_start: int


def parse_citations(text: str) -> Parsed:
    """The citations in *text* outside its list of references.

    A citation stands for what precedes it in its sentence, back to the citation before it; marks in a row stand for
    the same. A mark behind the full stop belongs to the sentence before.

    >>> found, _ = parse_citations("Aspirin thins the blood [1]. It may bleed.[2,3]")
    >>> [(c.source.value, "Aspirin thins the blood [1]. It may bleed.[2,3]"[slice(*c.covers)]) for c in found]
    [('1', 'Aspirin thins the blood'), ('2', 'It may bleed.'), ('3', 'It may bleed.')]
    """
    entries, list_start = _reference_list(text)
    body = text[:list_start]
    groups = list(_groups(body))
    sentences = list(_sentences(body, groups))
    citations: list[Citation] = []
    for start, end, marks in groups:
        first = next((s for s, e in sentences if s <= start < e), 0)
        # Behind the citation before it, if that stands in the same sentence.
        before = max((e for s, e, _ in groups if first <= s and e <= start), default=first)
        low, high = _trimmed(body, before, start)
        if low >= high:
            # Nothing stands before it: what stands behind it up to the end of the sentence.
            low, high = _trimmed(body, end, next((e for s, e in sentences if s <= start < e), len(body)))
        for mark_start, mark_end, identifiers in marks:
            for identifier in identifiers:
                entry = entries.get(identifier.value) if identifier.kind == "number" else None
                resolved = identifier if entry is None else (_best(entry) or identifier)
                citations.append(Citation(identifier, resolved, mark_start, mark_end, (low, high), entry))
    return Parsed(tuple(citations), list_start)


def attached(citations: Sequence[Citation], spans: Sequence[tuple[int, int] | None]) -> list[list[int]]:
    """For each claim, by its span, the places of the citations that stand for any part of it; none without a span.

    Citations before a claim's own clause stand for something else: of those that touch a claim only by a word or two
    of a longer text, the one that covers most decides, with all those of the same part.
    """
    found = []
    for span in spans:
        shared = [0 if span is None else min(span[1], c.covers[1]) - max(span[0], c.covers[0]) for c in citations]
        wide = [i for i, n in enumerate(shared) if n > 0]
        if span is not None and wide:
            # A claim over the whole sentence has all of its citations; one over a clause those of that clause.
            wide = [i for i in wide if 2 * shared[i] >= min(span[1] - span[0], _length(citations[i]))]
        found.append(wide)
    return found


def _length(citation: Citation) -> int:
    return citation.covers[1] - citation.covers[0]


def _marks(text: str) -> Iterator[tuple[int, int, list[Identifier]]]:
    for match in _CITATION.finditer(text):
        end = match.end()
        identifiers: list[Identifier] = []
        if match["numbers"]:
            identifiers = [Identifier("number", str(number)) for number in _numbers(match["numbers"])]
        elif match["pmids"]:
            identifiers = [Identifier("pmid", str(int(n))) for n in re.findall(r"\d+", match["pmids"])]
        elif match["pubmed"]:
            identifiers = [Identifier("pmid", str(int(match["pubmed_id"])))]
        elif match["pmc"] or match["pmc_url"]:
            identifiers = [Identifier("pmc", (match["pmc"] or match["pmc_id"]).upper())]
        elif match["doi"]:
            doi = _unpunctuated(match["doi"])
            end -= len(match["doi"]) - len(doi)
            identifiers = [Identifier("doi", doi.lower())]
        elif match["url"]:
            url = _unpunctuated(match["url"])
            end -= len(match["url"]) - len(url)
            identifiers = [Identifier("url", url)]
        if identifiers:
            yield match.start(), end, identifiers


def _numbers(text: str) -> list[int]:
    found: list[int] = []
    for part in re.split(r"\s*[,;]\s*", text):
        ends = [int(number) for number in re.findall(r"\d+", part)]
        numbers = list(range(ends[0], ends[-1] + 1)) if ends[0] <= ends[-1] <= ends[0] + _MOST else ends
        found += [number for number in numbers if number not in found]
    return found


def _groups(text: str) -> Iterator[tuple[int, int, list[tuple[int, int, list[Identifier]]]]]:
    """Marks in a row, with nothing but brackets, commas and blanks between them, as one."""
    group: list[tuple[int, int, list[Identifier]]] = []
    for mark in _marks(text):
        if group and not re.fullmatch(r"[\s,;()\[\]]*(?:and|doi:?|pmid:?)?[\s,;()\[\]]*", text[group[-1][1] : mark[0]]):
            yield group[0][0], group[-1][1], group
            group = []
        group.append(mark)
    if group:
        yield group[0][0], group[-1][1], group


def _sentences(
    text: str, groups: Sequence[tuple[int, int, list[tuple[int, int, list[Identifier]]]]]
) -> Iterator[tuple[int, int]]:
    """Sentences with the marks behind their full stop."""
    starts = []
    for start, _ in sentence_spans(text):
        moved = start
        for low, high, _marks_there in groups:
            # A sentence that begins with marks begins behind them, unless the line does.
            if low - 2 <= moved <= low and text[:low].strip() and "\n" not in text[max(0, start - 2) : low]:
                moved = high
        starts.append(moved)
    ends = [*starts, len(text)][1:]
    yield from zip(starts, ends, strict=True)


def _reference_list(text: str) -> tuple[Mapping[str, str], int]:
    """The numbered entries at the end of *text*, and where they begin."""
    for heading in reversed(list(_HEADING.finditer(text))):
        rest = text[heading.end() :]
        found = list(_ENTRY.finditer(rest))
        if found or re.search(_CITATION, rest):
            return _entries(rest, found), heading.start()
    # Without a heading: lines at the very end that each begin with [n] and name a source.
    lines = list(re.finditer(r"^[^\n]*$", text, re.MULTILINE))
    start = len(text)
    for line in reversed(lines):
        if not line[0].strip():
            continue
        entry = re.match(r"\s*\[(\d{1,3})\]\s*\S", line[0])
        if entry is None or not any(i.kind != "number" for _, _, ids in _marks(line[0]) for i in ids):
            break
        start = line.start()
    rest = text[start:]
    return _entries(rest, list(_ENTRY.finditer(rest))), start


def _entries(text: str, found: Sequence[re.Match[str]]) -> dict[str, str]:
    entries: dict[str, str] = {}
    ends = [*(match.start() for match in found), len(text)][1:]
    for entry, after in zip(found, ends, strict=True):
        entries.setdefault(str(int(entry[1] or entry[2])), " ".join(text[entry.end() : after].split()))
    return entries


def _best(entry: str) -> Identifier | None:
    """What an entry names its source by; a PMID before a DOI before an address."""
    named = [identifier for _, _, several in _marks(entry) for identifier in several if identifier.kind != "number"]
    order = ("pmid", "pmc", "doi", "url")
    return min(named, key=lambda identifier: order.index(identifier.kind), default=None)


def _unpunctuated(text: str) -> str:
    text = text.rstrip(".,;:!?'\"*_")
    return text[:-1] if text.endswith(")") and text.count("(") < text.count(")") else text


def _trimmed(text: str, low: int, high: int) -> tuple[int, int]:
    """Without blanks, brackets and commas at either end."""
    while low < high and text[low] in " \t\n,;:([.":
        low += 1
    while high > low and text[high - 1] in " \t\n,;:([":
        high -= 1
    return low, high
