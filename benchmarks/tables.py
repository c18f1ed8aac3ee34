"""Tables of pages: Markdown from rows, and the place between two marks of a page that a command writes.

A person writes what a page measures and how; the results are between

    <!-- NAME: begin (written by COMMAND) -->
    <!-- NAME: end -->

and are made of stored results, so that nobody types a number. `benchmarks.pages` lists the pages, and a test compares each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

NONE = "–"


def fill(text: str, made: Mapping[str, str]) -> str:
    """*text* with each of *made* between the marks of its name, and all else as it is.

    Raises:
        ValueError: If a name has not exactly one pair of marks, the beginning first.
    """
    for name, content in made.items():
        begins = list(re.finditer(rf"<!-- {re.escape(name)}: begin\b[^\n]*?-->", text))
        ends = list(re.finditer(rf"<!-- {re.escape(name)}: end -->", text))
        if len(begins) != 1 or len(ends) != 1 or begins[0].end() > ends[0].start():
            raise ValueError(f"one `<!-- {name}: begin ... -->` and one `<!-- {name}: end -->` after it are needed")
        text = f"{text[: begins[0].end()]}\n\n{content.strip()}\n\n{text[ends[0].start() :]}"
    return text


def filled(page: Path, made: Mapping[str, str]) -> dict[Path, str]:
    """The text of *page* with its tables made anew, as `benchmarks.pages` takes it."""
    try:
        return {page: fill(page.read_text(encoding="utf-8"), made)}
    except ValueError as error:
        raise ValueError(f"{page}: {error}") from None


def write(pages: Mapping[Path, str]) -> None:
    """Write every page."""
    for path, text in pages.items():
        path.write_text(text, encoding="utf-8")


def table(titles: Sequence[str], rows: Iterable[Sequence[object]], *, right: Iterable[int] = ()) -> str:
    """A Markdown table.

    Args:
        titles: A title for each column.
        rows: A cell for each column; None becomes an empty cell, a bar in a text is kept from ending its cell.
        right: Numbers of the columns that are set to the right.

    Raises:
        ValueError: If a row has more or fewer cells than there are titles.
    """
    sides = set(right)
    lines: list[list[object]] = [list(titles), *map(list, rows)]
    if any(len(line) != len(titles) for line in lines):
        raise ValueError(f"a row of the table has not {len(titles)} cells")
    head, *body = [f"| {' | '.join(_cell(value) for value in line)} |" for line in lines]
    rule = "|".join("---:" if column in sides else "---" for column in range(len(titles)))
    return "\n".join([head, f"|{rule}|", *body])


def _cell(value: object) -> str:
    return "" if value is None else re.sub(r"(?<!\\)\|", r"\\|", str(value))


def estimate(value: float | None, low: float | None, high: float | None, *, sign: bool = False, digits: int = 3) -> str:
    """A number with its interval in brackets, if it has one; a dash without a number."""
    known = [None if one is None or one != one else one for one in (value, low, high)]
    shown = [None if one is None else f"{one:{'+' if sign else ''}.{digits}f}" for one in known]
    if shown[0] is None:
        return NONE
    return shown[0] if None in shown else f"{shown[0]} [{shown[1]}, {shown[2]}]"
