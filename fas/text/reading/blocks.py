"""Markdown, as language models write it, split into blocks; every character keeps its place."""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from fas.text.reading.inline import CROSSES, clean
from fas.text.reading.mapped import Mapped
from fas.text.sentences import sentence_spans

Kind = Literal["paragraph", "heading", "item", "row", "code"]

_FENCE = re.compile(r"^\s{0,12}(`{3,}|~{3,})\s*([\w+-]{0,20})\s*$")
_PROSE_FENCES = frozenset({"markdown", "md", "text", "txt", "plaintext"})
_HEADING = re.compile(r"^\s{0,3}(#{1,6})(?:\s+(?=\S)|(?=[A-Z*][^.!?]*$))")
_UNDERLINE = re.compile(r"^\s{0,3}(=+|-{2,})\s*$")
_RULE = re.compile(r"^\s{0,3}(?:[-*_=]\s?+){3,}+$")
# A rule with words behind it: `-------- Summary --------`.
_RULE_BEFORE = re.compile(r"^\s{0,3}(?:([-*_=.~#])\1{2,}+\s++)++(?=[^\s|])")
_ROW_OF_MARKS = re.compile(r"([-*_=.~#])\1{2,}+")
_ITEM = re.compile(
    r"^(\s*)(?:[-*+•·‣◦▪●○➤►✓✔–—]|\(?\d{1,3}[.)]|\(?[a-hA-H][.)]|\(?[ivx]{1,4}[.)]|[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?)"
    r"(?:\s+|(?<=[•·●▪►✓✔])(?=\w)|(?<=\d[.)])(?=[A-Z*]))(?:\[[ xX]\]\s+)?(?=\S)"
)
_QUOTE = re.compile(r"^\s{0,3}(?:>(?!\d)\s?){1,10}")
_ROW = re.compile(r"^\s*\|.*\||^[^|\n]+(?:\|[^|\n]*)+$")
_RULER = re.compile(r"^\s*+\|?\s*+:?-{2,}+:?\s*+(?:\|\s*+:?-{2,}+:?\s*+)*+\|?\s*+$")
_BOLD_LINE = re.compile(r"^\s*(\*\*|__)[^*_\n]{1,120}\1\s*:?\s*$")
# A finite verb that no relative or wh-word opens: "Ibuprofen is safe", not "Foods that can help", "What is gout".
_STATES = re.compile(
    r"(?:do not|don['’]t)\b(?=\s+\w)|(?!\W*(?:what|how|why|when|where|who|which|whether|if)\b)(?:(?!\b(?:that|which|who|if|when|whether|to)\b)[^\n]){1,120}?"
    r"\b(?:is|are|was|were|has|have|had|do|does|did|can|could|may|might|must|shall|should|will|would|cannot|\w{2,6}n['’]t)\b(?=\s+\w)",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:can|could|do|may|might|must|should|will|would|cannot|\w{2,6}n['’]t)(?:\s+not)?\s+\w+$", re.IGNORECASE
)
"""A verb that lacks its object: the list below gives it (`**Do not take**`)."""
_FEWEST_WORDS = 3
"""A line in bold of so many words with a full stop behind them is a sentence."""
_ENDS = re.compile(r"[.!?:;…][\"')\]*_»”’]*\s*$")
_OPENS_SENTENCE = re.compile(r"^[\"'“‘(*_]*[A-Z0-9À-ÞΑ-Ω]")
_LABEL = re.compile(r"\s*([A-Za-z][\w' -]{0,40}):\s+(?=\S)")
_SAYS_NOTHING = frozenset({"answer", "response", "reply", "output", "result", "a"})
_TITLE_WORDS = 20
"""A title has no more words than this."""
_ELLIPSIS = 6
"""So many stops and spaces are three dots before words; more are a rule."""
_WRAP = 60
"""A line at least this long that ends without a full stop may go on in the next one."""


class Cell(NamedTuple):
    """A table cell under its column's header (empty where the table names none)."""

    header: str
    text: Mapped


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A stretch of the answer that is read as one.

    Attributes:
        kind: Its kind.
        text: Its text, cleaned of markup.
        level: Depth: 1 to 7 for a heading (7: a line in bold), indentation for an item.
        cells: The cells, for a row.
        headings: Headings above it, outermost first.
        lead: For an item, the text that introduces its list: the paragraph before it, if that ends with a colon, or
            the item that it is nested in.
        bold: For an item, the length of the bold text it begins with, else 0.
        apart: Whether a blank line, a rule or a heading stands before it.
        line: For a row, the line as written, with its bars.
        head: For a row, the line of its table's header, the same object for every row; None without one.
    """

    kind: Kind
    text: Mapped
    level: int = 0
    cells: tuple[Cell, ...] = ()
    headings: tuple[Mapped, ...] = ()
    lead: Mapped | None = None
    bold: int = 0
    apart: bool = False
    line: Mapped | None = None
    head: Mapped | None = None


@dataclass(slots=True)
class _Reader:
    """State of the walk over the lines of one answer."""

    blocks: list[Block] = field(default_factory=list)
    open_lines: list[Mapped] = field(default_factory=list)
    open_item: tuple[int, int] | None = None
    headings: list[tuple[int, Mapped]] = field(default_factory=list)
    parents: list[tuple[int, Mapped]] = field(default_factory=list)
    lead: Mapped | None = None
    header: tuple[str, ...] | None = None
    head: Mapped | None = None
    in_table: bool = False
    blank: bool = True

    def add(self, block: Block) -> None:
        """One more block."""
        self.blocks.append(block)
        self.blank = block.kind == "heading"


def read_blocks(prediction: str) -> list[Block]:
    """The blocks of a text in its order; rules are left out. A line of fenced code is a block of its own."""
    reader = _Reader()
    lines = list(_split_lines(prediction))
    for number, (line, code) in enumerate(lines):
        if code:
            _close(reader)
            reader.in_table = False
            if re.search(r"\w", line.text):
                reader.add(Block("code", line.strip(), apart=reader.blank))
            continue
        after, code_next = lines[number + 1] if number + 1 < len(lines) else (None, True)
        following = "" if code_next or after is None else after.text
        _read_line(reader, line, following)
    _close(reader)
    return reader.blocks


def _split_lines(prediction: str) -> Iterator[tuple[Mapped, bool]]:
    """Lines with quote marks taken off, and whether each is code; an empty one ends a fence."""
    lines: list[Mapped] = []
    start = 0
    for raw in re.split("(?<=\n)|(?<=\r)(?!\n)|(?<=[\u2028\u2029])", prediction):
        line = Mapped.whole(raw, start)
        start += len(raw)
        line = line.slice(0, len(raw.rstrip("\r\n\u2028\u2029")))
        quote = _QUOTE.match(line.text)
        lines.append(line.slice(quote.end()) if quote else line)
    number = 0
    while number < len(lines):
        fence = _FENCE.match(lines[number].text)
        if not fence:
            yield lines[number], False
            number += 1
            continue
        close = next((n for n in range(number + 1, len(lines)) if _closes(lines[n].text, fence.group(1))), None)
        if close is None:  # a fence that never closes must not swallow the rest of the answer
            yield from ((line, False) for line in lines[number + 1 :] if not _FENCE.match(line.text))
            return
        code = fence.group(2).lower() not in _PROSE_FENCES
        yield from ((line, code) for line in lines[number + 1 : close])
        yield Mapped.whole(""), False
        number = close + 1


def _closes(line: str, fence: str) -> bool:
    stripped = line.strip()
    return len(stripped) >= len(fence) and not stripped.strip(fence[0])


def _read_line(reader: _Reader, line: Mapped, following: str) -> None:
    raw = line.text
    if not raw.strip():
        _close(reader)
        reader.in_table = False
        reader.blank = True
        return
    if reader.in_table and _RULER.match(raw):
        return
    if _ROW.match(raw) and (reader.in_table or raw.lstrip().startswith("|") or _RULER.match(following)):
        _read_row(reader, line, following)
        return
    reader.in_table = False
    if reader.open_lines and not reader.open_item and len(reader.open_lines) == 1 and _UNDERLINE.match(raw):
        text, reader.open_lines = reader.open_lines[0], []
        _add_heading(reader, text, 1 if "=" in raw else 2)
        return
    if _RULE.match(raw):
        _read_rule(reader)
        return
    heading = _HEADING.match(raw)
    if heading:
        _close(reader)
        rest = line.slice(heading.end())
        if not _is_prose(rest.text):
            _add_heading(reader, rest.strip(" #\t"), len(heading.group(1)))
            return
        label = _LABEL.match(rest.text)
        if label and label.group(1).lower() not in _SAYS_NOTHING:
            _add_heading(reader, rest.slice(0, label.end()).strip(" #\t"), len(heading.group(1)))
        reader.open_lines.append(rest.slice(label.end()) if label else rest)
        return
    ruled = _RULE_BEFORE.match(raw)
    if ruled and (ruled.group(1) != "." or ruled.end() > _ELLIPSIS):
        _read_rule(reader)
        rest = line.slice(ruled.end()).strip()
        words = rest.text.rstrip(rest.text[-1:]) if rest.text[-1:] in "-*_=.~#" else rest.text
        rest = rest.slice(0, len(words)) if len(words) < len(rest.text) - 2 else rest
        if _is_prose(rest.text) or _ENDS.search(rest.text):
            _read_line(reader, rest, following)
        else:
            _add_heading(reader, rest, 7)
        return
    item = _ITEM.match(raw)
    if item and not _looks_like_text(raw, item) and not _is_marked_lead(raw, item):
        _close(reader)
        _open_item(reader, line, item)
        return
    if _BOLD_LINE.match(raw) and not reader.open_item and not _is_sentence(raw, following):
        _close(reader)
        _add_heading(reader, line, 7)
        return
    if reader.open_lines and not _goes_on(reader, raw):
        _close(reader)
    if not reader.open_lines:
        indent = len(raw) - len(raw.lstrip())
        inside = bool(reader.parents) and indent > reader.parents[-1][0]
        if not inside:
            reader.parents.clear()
    reader.open_lines.append(line)


def _is_sentence(raw: str, following: str) -> bool:
    """Whether a line in bold states something: it has a finite verb or a full stop, and no colon at its end."""
    text = raw.strip(" \t*_")
    if text.endswith((":", "?")) or (_OPEN.search(text) and _ITEM.match(following)):
        return False
    stopped = text.endswith((".", "!")) and len(text.split()) >= _FEWEST_WORDS
    return stopped or _STATES.match(text) is not None


def _read_rule(reader: _Reader) -> None:
    _close(reader)
    reader.parents.clear()
    reader.blank = True


def _is_prose(text: str) -> bool:
    """Whether the text after the marks of a heading is prose (`### Answer: It is safe. Take ...`), not a title."""
    if len(text.split()) > _TITLE_WORDS:
        return True
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    return sum(len(sentence.split()) > 2 for sentence in sentences) > 1


def _is_marked_lead(raw: str, item: re.Match[str]) -> bool:
    """Whether an emoji marks what introduces a list (`❌ Don't:`), not an item of one."""
    mark = item.group().strip()[:1]
    return mark > "\u25ff" and mark not in "✓✔➤" and raw.rstrip(" *_").endswith(":")


def _looks_like_text(raw: str, item: re.Match[str]) -> bool:
    """A dash or a number that goes on with a sentence (`5. mg`, `- 3 %` never open a list alone)."""
    marker = item.group().strip()
    return bool(re.fullmatch(r"[A-H][.)]", marker)) and bool(re.match(r"[a-z]", raw[item.end() :]))


def _goes_on(reader: _Reader, raw: str) -> bool:
    before = reader.open_lines[-1].text.rstrip()
    if _ENDS.search(before) and (_OPENS_SENTENCE.match(raw.lstrip()) or before.endswith(":")):
        return False
    if not _OPENS_SENTENCE.match(raw.lstrip()):
        return True
    words = _ROW_OF_MARKS.sub("", before).rstrip()  # "Summary ........" is a short line
    return len(words) >= _WRAP or words.endswith((",", "-", "–", "—"))


def _open_item(reader: _Reader, line: Mapped, item: re.Match[str]) -> None:
    indent = len(item.group(1).expandtabs(4))
    while reader.parents and reader.parents[-1][0] >= indent:
        reader.parents.pop()
    reader.open_item = (indent, len(reader.parents))
    # A cross says something of what comes after it (`inline.clean`).
    crossed = item.group().strip()[:1] in CROSSES
    reader.open_lines = [line.slice(len(item.group(1)) if crossed else item.end())]


def _close(reader: _Reader) -> None:
    """Turn the open lines into a block."""
    lines, reader.open_lines = reader.open_lines, []
    item, reader.open_item = reader.open_item, None
    if not lines:
        return
    apart = reader.blank
    raw = Mapped.join([part for line in lines for part in (line.strip(), " ")])
    text = clean(raw)
    if not re.search(r"\w", text.text):
        return
    above = tuple(heading for _, heading in reader.headings)
    if item is None:
        if _is_plain_heading(text.text):
            _add_heading(reader, raw, 7)
            return
        inside = reader.parents[-1][1] if reader.parents else None
        reader.add(Block("paragraph", text, headings=above, lead=inside, apart=apart))
        reader.lead = _find_last_sentence(text) if text.text.endswith(":") else None
        return
    indent, depth = item
    lead = reader.parents[-1][1] if depth and reader.parents else reader.lead
    bold = re.match(r"\s*(\*\*|__)(.{1,120}?)\1", raw.text)
    length = len(clean(raw.slice(0, bold.end())).text) if bold else 0
    reader.add(Block("item", text, indent, headings=above, lead=lead, bold=length, apart=apart))
    reader.parents.append((indent, text))


def _is_plain_heading(text: str) -> bool:
    """A short line in title case without a stop, such as `Risk Factors`."""
    words = text.split()
    return (
        len(words) <= 6
        and not re.search(r"[.!?,;:]$", text)
        and text[:1].isupper()
        and all(word[:1].isupper() or len(word) <= 4 for word in words)
        and not any(word.islower() and len(word) > 3 for word in words)
    )


def _find_last_sentence(text: Mapped) -> Mapped:
    breaks = [match.end() for match in re.finditer(r"[.!?]\s+(?=[A-Z])", text.text)]
    return text.slice(breaks[-1]) if breaks else text


def _add_heading(reader: _Reader, line: Mapped, level: int) -> None:
    text = clean(line)
    number = re.match(r"(?:\d{1,2}[.)]\s+|step \d{1,2}\s?[:.]?\s*)", text.text, re.IGNORECASE)
    text = text.slice(number.end()) if number else text
    if not re.search(r"\w", text.text):
        return
    while reader.headings and reader.headings[-1][0] >= level:
        reader.headings.pop()
    above = tuple(heading for _, heading in reader.headings)
    reader.add(Block("heading", text, level, headings=above, apart=True))
    reader.headings.append((level, text))
    reader.parents.clear()
    reader.lead = text if text.text.endswith(":") else None


def _read_row(reader: _Reader, line: Mapped, following: str) -> None:
    _close(reader)
    edges = [match.start() for match in re.finditer(r"(?<!\\)\|", line.text)]
    cuts = [-1, *edges, len(line.text)]
    raw = [line.slice(a + 1, b) for a, b in itertools.pairwise(cuts)]
    if raw and not raw[0].text.strip():
        raw = raw[1:]
    if raw and not raw[-1].text.strip():
        raw = raw[:-1]
    cells = [clean(cell) for cell in raw]
    if not reader.in_table:
        reader.in_table = True
        reader.header = reader.head = None
        if _RULER.match(following):
            reader.header = tuple(cell.text for cell in cells)
            reader.head = line.strip()
            return
    names = reader.header or ()
    named = tuple(Cell(names[n] if n < len(names) else "", cell) for n, cell in enumerate(cells))
    above = tuple(heading for _, heading in reader.headings)
    text = Mapped.join([part for cell in cells for part in (cell, " ")]).strip()
    if re.search(r"\w", text.text):
        reader.add(
            Block("row", text, cells=named, headings=above, apart=reader.blank, line=line.strip(), head=reader.head)
        )
