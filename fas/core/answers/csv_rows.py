"""CSV and TSV, read strictly: a quotation mark that is not closed is an error, not the rest of the file."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from fas.core.errors import InputError

_LONGEST_CELL = 1 << 30
_DECLARED = re.compile(r"\"?sep=([^\w\s\"]|\t)\"?\r?\n?")  # a first line that tells a spreadsheet the separator
_QUOTED = re.compile(r'"[^"]*"')


class CsvRows:
    """The rows of a table with a header, as dictionaries; blank lines and rows of empty cells are left out.

    Surplus cells have the key None, and missing cells the value None, as with `csv.DictReader`. An InputError names the
    line of a row that is not CSV.

    Args:
        lines: The file, opened with `newline=""`.
        path: Its name, for messages.
        delimiter: The cell separator. By default the first line decides: `sep=;` (as Excel reads it), or a header that
            has semicolons or tabs and no comma.

    Attributes:
        fieldnames: The header, without the spaces around its names; empty for an empty file.
        line: The line in which the last row begins, counted from 1.
    """

    def __init__(self, lines: Iterable[str], path: Path, *, delimiter: str | None = None) -> None:
        csv.field_size_limit(_LONGEST_CELL)
        self._path = path
        lines = iter(lines)
        first = next(lines, "")
        declared = None if delimiter else _DECLARED.fullmatch(first)
        self._skipped = int(declared is not None)
        if declared is not None:
            delimiter = declared[1]
        else:
            lines = chain((first,), lines)
        self._reader = csv.reader(lines, strict=True, delimiter=delimiter or _find_delimiter(first))
        self.line = 1
        self.fieldnames = [name.strip() for name in next(self._read(), [])]

    def __iter__(self) -> Iterator[dict[str | None, Any]]:
        n = len(self.fieldnames)
        for row in self._read():
            if n == 1 or any(row):
                cells = [*row[:n], *[None] * (n - len(row))]
                surplus = {None: row[n:]} if len(row) > n else {}
                yield dict(zip(self.fieldnames, cells, strict=True)) | surplus

    def _read(self) -> Iterator[list[str]]:
        while True:
            self.line = self._reader.line_num + self._skipped + 1
            try:
                row = next(self._reader, None)
            except csv.Error as error:
                raise InputError(
                    f"{self._path}, line {self.line}: the row that begins here is not CSV ({error}); close every "
                    "quotation mark that opens a cell, and write one inside a cell twice",
                    kind="csv",
                    line=self.line,
                ) from error
            if row is None:
                return
            if row:
                yield row


def _find_delimiter(header: str) -> str:
    r"""The separator of *header*: a comma, unless it has none and semicolons or tabs.

    >>> [_find_delimiter(header) for header in ("id;prediction", "id,a;b", '"a,b"\tc', "prediction")]
    [';', ',', '\t', ',']
    """
    bare = _QUOTED.sub("", header)
    counts = {character: bare.count(character) for character in ",;\t"}
    if counts[","] or not (counts[";"] or counts["\t"]):
        return ","
    return ";" if counts[";"] >= counts["\t"] else "\t"
