"""Finding and reading the owners' files, with messages that say what to do.

A file is read plain or gzipped (`NAME.gz`). It is looked for in the folder of data, in the
benchmark's own folders below it, and in those below `eval/`.
"""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from fas.core.answers.csv_rows import CsvRows
from fas.core.checks import is_whole, plain_number
from fas.core.errors import InputError
from fas.core.files.plain import parse_json, parse_json_lines, text_lines


class DataSource(NamedTuple):
    """The source of a benchmark's files, and their folders below that of data, the advised one first."""

    owner: str
    url: str
    folders: tuple[str, ...]


def data_folder(given: Path | None) -> Path:
    """The folder of data: *given* (`--data`), else `FAS_DATA_DIR`; an InputError where it is none."""
    folder = given or Path(os.environ.get("FAS_DATA_DIR", ""))
    if given is None and not os.environ.get("FAS_DATA_DIR"):
        raise InputError(
            "no folder of data: give it with --data DIR or in FAS_DATA_DIR; the benchmarks are not shipped, "
            "their cards in benchmarks/ say where to get them",
            kind="missing_data",
        )
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; it should hold the benchmark's files", kind="missing_data")
    return folder


def find(data: Path, source: DataSource, name: str) -> Path:
    """The file *name* of *source*, plain or gzipped; an InputError where it is missing."""
    found = next(_match_files(data, source, name), None)
    if found is not None:
        return found
    raise InputError(
        f"{data}: the file {name} of {source.owner} is missing; get it from {source.url} and put it into "
        f"{data / source.folders[0]} (plain or as {name}.gz), or name its folder with --data",
        kind="missing_file",
    )


def find_all(data: Path, source: DataSource, pattern: str) -> list[Path]:
    """The files of *source* that fit *pattern*, by name; of a file that is there twice, the first found.

    An empty list where there are none.
    """
    found: dict[str, Path] = {}
    for path in _match_files(data, source, pattern):
        found.setdefault(plain_name(path), path)
    return [found[name] for name in sorted(found)]


def plain_name(path: Path) -> str:
    """The name without `.gz`.

    >>> plain_name(Path("a/10B1_golden.json.gz"))
    '10B1_golden.json'
    """
    return path.name.removesuffix(".gz")


def read_json(path: Path) -> Any:
    """The content of a JSON file; an InputError where it cannot be read or is not JSON."""
    try:
        return parse_json(_bytes(path))
    except ValueError as error:
        raise InputError(f"{path}: not a JSON file ({error})", kind="json") from error


def read_lines(path: Path) -> Iterator[Fields]:
    """The objects of a JSON Lines file, blank lines left out; an InputError where a line is no JSON object."""
    for number, record in parse_json_lines(io.BytesIO(_bytes(path)), str(path)):
        yield Fields(record, f"{path}, line {number}", line=number)


def read_csv(path: Path) -> Iterator[Fields]:
    """The rows of a CSV file; an InputError where it has no header, or a row is longer or shorter than it."""
    rows = CsvRows(text_lines(io.BytesIO(_bytes(path)), str(path)), path)
    for row in rows:
        where = f"{path}, line {rows.line}"
        if None in row or None in row.values():
            raise InputError(
                f"{where}: the row does not have the {len(rows.fieldnames)} columns of the header",
                kind="csv",
                line=rows.line,
            )
        yield Fields(row, where, line=rows.line)


class Fields:
    """A record of a file, read key by key; every failure is an InputError that names file, line and key.

    A *record* that is no mapping is refused. *where*: how messages begin, e.g. `kqa.jsonl, line 3`.
    """

    def __init__(self, record: object, where: str, *, line: int | None = None) -> None:
        if not isinstance(record, Mapping):
            raise InputError(f"{where}: expected an object, got {_show(record)}", kind="wrong_type", line=line)
        self.record: Mapping[str, Any] = record
        self.where, self.line = where, line

    def __contains__(self, key: str) -> bool:
        return self.record.get(key) is not None

    def fail(self, key: str, problem: str) -> NoReturn:
        """Refuse the value of *key*."""
        raise InputError(f"{self.where}: field {key!r}: {problem}", kind="wrong_type", line=self.line, field=key)

    def text(self, key: str) -> str:
        """A string that is not blank."""
        value = self.string(key)
        if not value.strip():
            self.fail(key, "expected some text, got an empty string")
        return value

    def string(self, key: str) -> str:
        """A string; may be empty."""
        value = self._value(key)
        if not isinstance(value, str):
            self.fail(key, f"expected a string, got {_show(value)}")
        return value

    def strings(self, key: str) -> list[str]:
        """A list of strings, without the blank ones."""
        value = self._value(key)
        if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
            self.fail(key, f"expected a list of strings, got {_show(value)}")
        return [part for part in value if part.strip()]

    def whole(self, key: str) -> int:
        """A whole number of at least 0."""
        value = plain_number(self._value(key))
        if not is_whole(value) or value < 0:
            self.fail(key, f"expected a whole number of at least 0, got {_show(value)}")
        return value

    def choice(self, key: str, allowed: tuple[str, ...]) -> str:
        """One of *allowed*, compared without case and surrounding space."""
        value = self.string(key).strip().lower()
        for name in allowed:
            if value == name.lower():
                return name
        return self.fail(key, f"expected one of {', '.join(allowed)}, got {value!r}")

    def objects(self, key: str) -> list[Fields]:
        """A list of objects."""
        value = self._value(key)
        if not isinstance(value, list):
            self.fail(key, f"expected a list of objects, got {_show(value)}")
        return [Fields(part, f"{self.where}: {key}[{i}]", line=self.line) for i, part in enumerate(value)]

    def _value(self, key: str) -> Any:
        if key not in self.record:
            self.fail(key, f"missing; fields found: {', '.join(map(str, self.record)) or 'none'}")
        return self.record[key]


def _match_files(data: Path, source: DataSource, pattern: str) -> Iterator[Path]:
    for place in (*source.folders, ".", *(f"eval/{folder}" for folder in source.folders)):
        for name in (pattern, f"{pattern}.gz"):
            yield from (path for path in sorted(data.glob(f"{place}/{name}")) if path.is_file())


def _bytes(path: Path) -> bytes:
    try:
        # Read as a whole: a broken archive is then found here, not half-way through.
        return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: cannot be read ({error})", kind="unreadable") from error


def _show(value: object) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"
