"""Reading of the rule tables: tab-separated, one header line, every cell checked.

A table is reviewed by people who are not programmers, so that each complaint names the
file, the line and the column, says what was found and what is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fas.core.errors import InputError


@dataclass(frozen=True, slots=True)
class SafetyColumn:
    """What a cell of one column may hold.

    Attributes:
        name: Name in the header line.
        required: An empty cell is an error.
        allowed: The only values allowed besides empty; None for any.
        pattern: Regular expression the whole value must match; None for any.
        example: What a correct value looks like, for the message.
    """

    name: str
    required: bool = False
    allowed: frozenset[str] | None = None
    pattern: str | None = None
    example: str = ""


@dataclass(frozen=True, slots=True)
class SafetyRow:
    """One line of a table.

    Attributes:
        path: The file.
        line: Line number, counted from 1; the header is line 1.
        cells: Column name to value, stripped.
    """

    path: Path
    line: int
    cells: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        return self.cells[name]

    def many(self, name: str, separator: str = ";") -> tuple[str, ...]:
        """The values of a cell that holds several, without empty ones."""
        return tuple(part.strip() for part in self.cells[name].split(separator) if part.strip())

    def error(self, name: str, problem: str) -> InputError:
        """An error about the cell in column *name*."""
        return InputError(
            f"{self.path}, line {self.line}: field {name!r} is {self.cells.get(name)!r}; {problem}",
            kind="table",
            line=self.line,
            field=name,
        )


def read_table(path: Path, columns: Sequence[SafetyColumn], *, unique: str | None = None) -> list[SafetyRow]:
    """The rows of a table.

    Lines that are empty or begin with `#` are skipped.

    Args:
        path: The file, UTF-8.
        columns: Every column the table has, in any order.
        unique: A column in which no value may occur twice.

    Raises:
        InputError: The file cannot be read, its header differs, or a cell is wrong.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such table", kind="table") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as UTF-8 text ({error})", kind="table") from error
    header = lines[0].rstrip("\r").split("\t")
    names = [column.name for column in columns]
    if sorted(header) != sorted(names):
        raise InputError(
            f"{path}, line 1: field names are {header!r}; expected {names!r}, separated by tabs",
            kind="table",
            line=1,
        )
    rows: list[SafetyRow] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip() or line.startswith("#"):
            continue
        row = _make_row(path, number, line.rstrip("\r"), header)
        for column in columns:
            _check_cell(row, column)
        if unique is not None:
            value = row[unique].casefold()
            if value in seen:
                raise row.error(unique, f"line {seen[value]} has it already; values must be unique")
            seen[value] = number
        rows.append(row)
    return rows


def _make_row(path: Path, number: int, line: str, header: Sequence[str]) -> SafetyRow:
    cells = line.split("\t")
    if len(cells) != len(header):
        missing = header[len(cells)] if len(cells) < len(header) else header[-1]
        raise InputError(
            f"{path}, line {number}: field {missing!r}: the line has {len(cells)} cells, the header {len(header)}; "
            "write one cell per column, separated by tabs",
            kind="table",
            line=number,
            field=missing,
        )
    return SafetyRow(path, number, {name: cell.strip() for name, cell in zip(header, cells, strict=True)})


def _check_cell(row: SafetyRow, column: SafetyColumn) -> None:
    value = row[column.name]
    if not value:
        if column.required:
            raise row.error(column.name, "it must not be empty" + _format_example(column))
        return
    if column.allowed is not None and value not in column.allowed:
        raise row.error(column.name, f"allowed: {', '.join(sorted(column.allowed))}")
    if column.pattern is not None and not re.fullmatch(column.pattern, value):
        raise row.error(column.name, f"expected the form {column.pattern}" + _format_example(column))


def _format_example(column: SafetyColumn) -> str:
    return f"; for example {column.example!r}" if column.example else ""
