"""CSV, also with tabs, read strictly: a quotation mark that is not closed is an error, not the rest of the file."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from fas.core.errors import InputError

_LONGEST_CELL = 1 << 30
_SAID = re.compile(r"\"?sep=([^\w\s\"]|\t)\"?\r?\n?")  # a first line that tells a spreadsheet how the table is cut
_QUOTED = re.compile(r'"[^"]*"')


class CsvRows:
    """The rows of a table with a header, as dictionaries; blank lines and rows of empty cells alone are passed over.

    Spaces around the names in the header do not count. Surplus cells stand under the key None, as
    `csv.DictReader` has it.

    Args:
        lines: The file, opened with `newline=""`.
        path: Its name, for messages.
        delimiter: The cell separator. By default it is read from the first line: `sep=;` (as Excel reads it), or a
            header that has semicolons or tabs and no comma.
    """

    def __init__(self, lines: Iterable[str], path: Path, *, delimiter: str | None = None) -> None:
        csv.field_size_limit(_LONGEST_CELL)
        self._path = path
        self._skipped = 0
        if delimiter is None:
            lines = iter(lines)
            first = next(lines, "")
            said = _SAID.fullmatch(first)
            if said is None:
                delimiter, lines = _find_delimiter(first), chain((first,), lines)
            else:
                delimiter, self._skipped = said[1], 1
        self._delimiter = delimiter
        self._record: list[str] = []
        self._begins = 1 + self._skipped
        self._reader = csv.DictReader(self._note_lines(lines), strict=True, delimiter=delimiter)

    @property
    def fieldnames(self) -> list[str]:
        """The header; empty for an empty file.

        Raises:
            InputError: It is not CSV.
        """
        try:
            names = [name.strip() for name in self._reader.fieldnames or ()]
            self._reader.fieldnames = names
            return names
        except csv.Error as error:
            raise self._make_error(error) from error

    @property
    def line_num(self) -> int:
        """The last line read, counted from 1."""
        return int(self._reader.line_num) + self._skipped

    @property
    def row_line(self) -> int:
        """The line in which the last row begins, counted from 1."""
        blank = 0
        while blank < len(self._record) and not self._record[blank].strip("\r\n"):
            blank += 1
        return self._begins + blank

    def __iter__(self) -> Iterator[dict[str | None, Any]]:
        """The rows.

        Raises:
            InputError: A row is not CSV; the message says where.
        """
        self.fieldnames  # noqa: B018 - reads the header, whose faults are its own
        while True:
            self._record.clear()
            self._begins = self.line_num + 1
            try:
                row = next(self._reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise self._make_error(error) from error
            if len(row) < 2 or any(value not in (None, "") for value in row.values()):
                yield row

    def _note_lines(self, lines: Iterable[str]) -> Iterator[str]:
        for line in lines:
            self._record.append(line)
            yield line

    def _make_error(self, error: csv.Error) -> InputError:
        opened = _find_quotation("".join(self._record), self._delimiter)
        if opened is None:
            line = max(1, self.line_num)
            return InputError(f"{self._path}, line {line}: not CSV ({error})", kind="csv", line=line)
        line = self._begins + opened
        return InputError(
            f"{self._path}, line {line}: a quotation mark opens a cell here and is never closed "
            f"({error}, line {max(line, self.line_num)}); write a quotation mark inside a cell twice",
            kind="csv",
            line=line,
        )


def _find_delimiter(header: str) -> str:
    r"""What cuts *header*: a comma, unless it has none and semicolons or tabs.

    >>> [_find_delimiter(header) for header in ("id;prediction", "id,a;b", '"a,b"\tc', "prediction")]
    [';', ',', '\t', ',']
    """
    bare = _QUOTED.sub("", header)
    counts = {character: bare.count(character) for character in ",;\t"}
    if counts[","] or not (counts[";"] or counts["\t"]):
        return ","
    return ";" if counts[";"] >= counts["\t"] else "\t"


def _find_quotation(record: str, delimiter: str) -> int | None:
    """Return the line offset in *record* of the quotation mark that is not closed properly; None if all are."""
    line = opened = 0
    state, ends = "start", f"{delimiter}\r\n"
    for character in record:
        if state == "quoted":
            if character == '"':
                state = "closed"
        elif state == "closed":
            if character == '"':
                state = "quoted"
            elif character in ends:
                state = "start"
            else:
                return opened
        elif character == '"' and state == "start":
            state, opened = "quoted", line
        else:
            state = "start" if character in ends else "plain"
        line += character == "\n"
    return opened if state == "quoted" else None
