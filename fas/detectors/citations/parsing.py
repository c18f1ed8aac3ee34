"""Citations in the text of an answer, and the part of the text that each supports.

Recognised are numbers in brackets (`[1]`, `[2, 3]`, `[4-6]`, `[^7]`, `【8†source】`), PMIDs (`PMID: 123`, `[12345678]`,
PubMed's addresses), PMC ids, DOIs and other addresses. A list of references at the end ("References:" and lines that
begin with a number) says what the numbers stand for; what is cited nowhere else is no citation of the text. Two numbers
in brackets behind a value between them are its interval ("62 [54-71] years") and cite nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from fas.core.records.cited import DOI_MARK, PMC_MARK, PMID_MARK, Identifier, doi_end, normalise_doi, read_address
from fas.text.sentences import sentence_spans

VERSION = "3"
"""Turned when the same text would have other citations."""
_URL = r"https?://[^\s<>\"\])]+"
_CITATION = re.compile(
    r"\[\^?(?P<numbers>\d{1,3}(?:\s*+(?:[,;]|[-–—])\s*+\d{1,3})*+)\\?\](?!\\?\]?\()|"
    r"[【\[](?P<source>\d{1,3})(?:†[^】\]\n]{0,200})?】|"
    r"[【\[](?P<mark>[\d:]{1,20}†[^】\]\n]{0,200})[】\]]|"
    rf"{PMID_MARK}|{PMC_MARK}|"
    rf"(?P<label>\[(?:\\?\[)?\d{{1,3}}(?:\\?\])?\]\()?(?:{DOI_MARK}|(?P<url>{_URL}))",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"^[ \t]*+(?:#+[ \t]*+|\*\*|__)?(?:references|sources|bibliography|literature|citations|works cited)"
    r"(?:\*\*|__)?[ \t]*+:?(?:\*\*|__)?[ \t]*+$",
    re.IGNORECASE | re.MULTILINE,
)
_ENTRY = re.compile(r"^[ \t]*+(?:[-*][ \t]++)?(?:\[\^?(\d{1,3})\]:?|(\d{1,3})[.)])[ \t:]*+(?=\S)", re.MULTILINE)
_PAIR = re.compile(r"(\d+)\s*+[-–—,;]\s*+(\d+)")
# A value, with its unit if need be, at the end of what stands before a bracket; and words for the spread of one.
_VALUE = re.compile(r"(?<![\w.,-])(\d{1,3}(?:\.\d{1,6})?)[ \t]?%?([ \t]{1,2}[^\W\d_]{1,15}[.%]?)?[ \t(]{0,2}$")
_SPREAD = re.compile(
    r"\b(?:IQRs?|interquartile|range[ds]?|ranging|CIs?|CrI|confidence|credible|intervals?|median|mean|average)\b",
    re.IGNORECASE,
)
_NAMED_SPREAD = re.compile(
    r"\b(?:IQRs?|interquartile range|CIs?|CrI|(?:confidence|credible|prediction) intervals?)[ \t:,=()]*+$",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[\s,;()\[\]]*+(?:and|doi:?|pmid:?)?[\s,;()\[\]]*+", re.IGNORECASE)
_UNIT = re.compile(
    r"\s*+(?:(?:year|month|week|day|hour|minute|point)s?|[kmµun]?g|mcg|[md]?l|mmhg|mmol|[ckm]?m)\.?", re.IGNORECASE
)
_NEAR = 80
_FEW = 10
"""Behind a unit a pair of smaller numbers may be sources: "within 3 days [1-5]"."""
_MOST = 60
"""`[1-999]` is no sixty sources."""


Mark: TypeAlias = tuple[int, int, list[Identifier]]
Group: TypeAlias = tuple[int, int, list[Mark]]


class Citation(NamedTuple):
    """One source cited at one place.

    Attributes:
        source: Its identifier as the text writes it.
        resolved: Its identifier in the answer's list of references, if the list has one; else as in the text.
        start: First character of the mark in the answer (code points).
        end: One past its last character.
        covers: First and one past the last character of the text that it supports.
        reference: Its entry in the list of references, if there is one.
    """

    source: Identifier
    resolved: Identifier
    start: int
    end: int
    covers: tuple[int, int]
    reference: str | None = None


class ParsedCitations(NamedTuple):
    """The citations of an answer, in order, and where its list of references begins (its length if it has none)."""

    citations: tuple[Citation, ...]
    list_start: int


def parse_citations(text: str) -> ParsedCitations:
    """The citations in *text* outside its list of references.

    A citation covers the words before it in its sentence, back to the previous citation; marks in a row cover the same
    words. A mark behind the full stop belongs to the sentence before.

    >>> found, _ = parse_citations("Aspirin thins the blood [1]. It may bleed.[2,3]")
    >>> [(c.source.value, "Aspirin thins the blood [1]. It may bleed.[2,3]"[slice(*c.covers)]) for c in found]
    [('1', 'Aspirin thins the blood'), ('2', 'It may bleed.'), ('3', 'It may bleed.')]
    """
    entries, list_start = _reference_list(text)
    body = text[:list_start]
    groups = list(_groups(body, entries))
    sentences = _sentences(body, groups)
    starts = [start for start, _ in sentences]
    named = {number: _best(entry) for number, entry in entries.items()}
    citations: list[Citation] = []
    last = 0
    for start, end, marks in groups:
        place = bisect_right(starts, start) - 1
        first, over = sentences[place] if place >= 0 and start < sentences[place][1] else (0, len(body))
        # Behind the citation before it, if that stands in the same sentence.
        low, high = _trim_span(body, max(first, last), start)
        if low >= high:
            # Nothing stands before it: what stands behind it up to the end of the sentence.
            low, high = _trim_span(body, end, over)
        seen: set[Identifier] = set()
        for mark_start, mark_end, identifiers in marks:
            for identifier in identifiers:
                entry = entries.get(identifier.value) if identifier.kind == "number" else None
                resolved = identifier if entry is None else (named[identifier.value] or identifier)
                if identifier not in seen:
                    seen.add(identifier)
                    citations.append(Citation(identifier, resolved, mark_start, mark_end, (low, high), entry))
        last = end
    return ParsedCitations(tuple(citations), list_start)


def attach_citations(citations: Sequence[Citation], spans: Sequence[tuple[int, int] | None]) -> list[list[int]]:
    """For each claim, by its span, the positions of its citations; none without a span.

    A citation belongs to a claim if they share half of the shorter one's text.
    """
    # Each begins no sooner than the one before, and the furthest end so far never falls; the rest is out of reach.
    starts = [citation.covers[0] for citation in citations]
    ends = list(accumulate((citation.covers[1] for citation in citations), max))
    found: list[list[int]] = [[] for _ in spans]
    for own, span in zip(found, spans, strict=True):
        if span is None:
            continue
        for i in range(bisect_right(ends, span[0]), bisect_left(starts, span[1])):
            low, high = citations[i].covers
            shared = min(high, span[1]) - max(low, span[0])
            if shared > 0 and 2 * shared >= min(span[1] - span[0], high - low):
                own.append(i)
    return found


def _marks(text: str, entries: Mapping[str, str] | None = None) -> Iterator[Mark]:
    """Every mark of *text* with its identifiers; a pair of numbers in the list of references is no interval."""
    place = 0
    while match := _CITATION.search(text, place):
        start, end = match.span()
        place = end
        identifiers: list[Identifier] = []
        if match["numbers"]:
            if not _is_interval(text, start, match["numbers"], entries or {}):
                identifiers = [Identifier("number", number) for number in _numbers(match["numbers"])]
        elif match["source"]:
            identifiers = [Identifier("number", str(int(match["source"])))]
        elif match["mark"]:
            number, _, _ = match["mark"].partition("†")
            identifiers = [
                Identifier("number", str(int(number))) if number.isdecimal() else Identifier("mark", match[0])
            ]
        elif match["pmids"] or match["bare"]:
            identifiers = [Identifier("pmid", str(int(n))) for n in re.findall(r"\d+", match["pmids"] or match["bare"])]
        elif match["pmc"]:
            identifiers = [Identifier("pmc", f"PMC{int(match['pmc'])}")]
        elif match["doi"]:
            doi = match["doi"][: doi_end(match["doi"])]
            place = end = match.start("doi") + len(doi)
            identifiers = [Identifier("doi", normalise_doi(doi))]
        elif match["url"]:
            url = _unpunctuated(match["url"])
            end -= len(match["url"]) - len(url)
            identifiers = [read_address(url)]
        if identifiers:
            # A link that has a number for its text is one mark: `[[1]](https://...)`.
            end += bool(match["label"]) and text.startswith(")", end)
            yield start, end, identifiers


def _is_interval(text: str, start: int, numbers: str, entries: Mapping[str, str]) -> bool:
    """Whether a pair of numbers in brackets is the spread of a value before it, and names no sources.

    >>> [_is_interval(text, text.index("["), "54-71", {}) for text in ("62 [54-71] years", "It helps [54-71].")]
    [True, False]
    """
    pair = _PAIR.fullmatch(numbers)
    if pair is None or (entries and {str(int(pair[1])), str(int(pair[2]))} <= entries.keys()):
        return False
    before = text[max(0, start - _NEAR) : start]
    sentence = before[max(before.rfind(mark) for mark in ("\n", ". ", "; ")) + 1 :]
    if _NAMED_SPREAD.search(sentence):
        return True
    value = _VALUE.search(before)
    if value is None or not int(pair[1]) <= float(value[1]) <= int(pair[2]):
        return False
    # "62 [54-71]" as it stands; a word between may be a unit ("62 years [54-71]") or what is cited ("2 trials [1-3]").
    measured = _UNIT.fullmatch(value[2] or "") is not None and int(pair[1]) >= _FEW
    return value[2] is None or measured or _SPREAD.search(sentence) is not None


def _numbers(text: str) -> list[str]:
    found: dict[str, None] = {}
    for part in re.split(r"\s*[,;]\s*", text):
        ends = [int(number) for number in re.findall(r"\d+", part)]
        numbers = list(range(ends[0], ends[-1] + 1)) if ends[0] <= ends[-1] <= ends[0] + _MOST else ends
        found.update(dict.fromkeys(map(str, numbers)))
    return list(found)


def _groups(text: str, entries: Mapping[str, str]) -> Iterator[Group]:
    """Marks in a row, with nothing but brackets, commas and blanks between them, as one."""
    group: list[Mark] = []
    for mark in _marks(text, entries):
        if group and not _BETWEEN.fullmatch(text, group[-1][1], mark[0]):
            yield group[0][0], group[-1][1], group
            group = []
        group.append(mark)
    if group:
        yield group[0][0], group[-1][1], group


def _sentences(text: str, groups: Sequence[Group]) -> list[tuple[int, int]]:
    """Sentences with the marks behind their full stop, in order."""
    lows = [low for low, _, _ in groups]
    begun, lines = len(text) - len(text.lstrip()), [place for place, character in enumerate(text) if character == "\n"]
    starts: list[int] = []
    for start, _ in sentence_spans(text):
        moved = max(start, starts[-1] if starts else 0)
        near = bisect_left(lows, moved)
        while near < len(groups) and lows[near] <= moved + 2:
            low, high, _ = groups[near]
            # A sentence that begins with marks begins behind them, unless the line does.
            if low > begun and bisect_left(lines, start - 2) == bisect_left(lines, low):
                moved = high
            near += 1
        starts.append(moved)
    return list(zip(starts, [*starts, len(text)][1:], strict=True))


def _reference_list(text: str) -> tuple[Mapping[str, str], int]:
    """The numbered entries at the end of *text*, and where they begin."""
    listed = list(_ENTRY.finditer(text))
    # The last heading that something listed or cited follows.
    last = max((found.start() for pattern in (_ENTRY, _CITATION) for found in pattern.finditer(text)), default=-1)
    heading = next((found for found in reversed(list(_HEADING.finditer(text))) if found.end() <= last), None)
    if heading is not None:
        return _entries(text, [entry for entry in listed if entry.start() >= heading.end()]), heading.start()
    # Without a heading: lines at the very end that each begin with [n] and name a source.
    lines = list(re.finditer(r"^[^\n]*$", text, re.MULTILINE))
    start = len(text)
    for line in reversed(lines):
        if not line[0].strip():
            continue
        entry = re.match(r"\s*\[\^?(\d{1,3})\]:?\s*\S", line[0])
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
    """The identifier of an entry's source; a PMID before a DOI before an address."""
    order = ("pmid", "pmc", "doi", "url")
    named = [identifier for _, _, several in _marks(entry) for identifier in several if identifier.kind in order]
    return min(named, key=lambda identifier: order.index(identifier.kind), default=None)


def _unpunctuated(text: str) -> str:
    text = text.rstrip(".,;:!?'\"*_")
    return text[:-1] if text.endswith(")") and text.count("(") < text.count(")") else text


def _trim_span(text: str, low: int, high: int) -> tuple[int, int]:
    """Without blanks, brackets and commas at either end."""
    while low < high and text[low] in " \t\n,;:([.":
        low += 1
    while high > low and text[high - 1] in " \t\n,;:([":
        high -= 1
    return low, high
