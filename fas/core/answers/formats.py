"""The objects in a file of answers: JSON Lines are streamed, parquet is read in batches, the others as a whole."""

from __future__ import annotations

import gzip
import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from fas.core.answers.columns import FIELDS, OTHER_NAMES, ColumnMapping
from fas.core.answers.csv_rows import CsvRows
from fas.core.answers.logged import LOGGED, logged_rows, name_sample, read_inspect_samples
from fas.core.answers.saved import open_saved
from fas.core.answers.schema import format_value
from fas.core.answers.strict_json import find_repeated_key, load_list, load_strict_json, repeated_key_error
from fas.core.answers.values import plain_record
from fas.core.checks import plain_cell
from fas.core.errors import InputError
from fas.core.files.plain import json_lines as json_lines_of
from fas.core.files.plain import text_lines
from fas.core.guards.characters import collapse_to_line
from fas.core.loading import import_extra

_PACKED = (".parquet", ".eval")  # packed themselves
_SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", *_PACKED)
FORMATS = ".jsonl, .json, .csv, .tsv (each also with .gz), .parquet or .eval"
_LISTS = ("references", "passages", "claims", "statements")
# How a list of texts or objects begins, or an object; "[1] Zinc", "[SEP]" and "[Effect of zinc]." are texts.
_LIST = re.compile(r"""\s*(?:\[[\s\[]*(?:["'{]|\]\s*\Z|(?:null|None|nan)\s*[,\]]|array\()|\{\s*")""")
_TEXTS = frozenset({"text", "title", *FIELDS, *chain.from_iterable(OTHER_NAMES.values())} - {"id"})


class TableRow(NamedTuple):
    """One object of a file.

    Attributes:
        number: Which it is, counted from 1, blank lines of JSON Lines included; names an answer without an id.
        record: The object, or why there is none.
        line: Where it begins; but for CSV the same as *number*.
    """

    number: int
    record: Mapping[str, Any] | InputError
    line: int


def is_known(path: Path) -> bool:
    """Whether the name of *path* is that of a file of answers."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] == [".gz"]:
        return suffixes[-2:-1] not in ([one] for one in _PACKED) and bool(suffixes[:-1]) and suffixes[-2] in _SUFFIXES
    return bool(suffixes) and suffixes[-1] in _SUFFIXES


def read_objects(
    path: Path, *, name: str | None = None, columns: ColumnMapping | None = None, required: str | None = None
) -> Iterator[TableRow]:
    """Each line's (row's, item's) object, or why there is none.

    Args:
        path: The file.
        name: What messages call it; its path by default.
        columns: Maps the fields of an answer to columns; by default each object stays as it is.
        required: A column that a CSV file must have.

    Raises:
        InputError: The file is missing, unreadable, or not of a known format as a whole.
    """
    shown_as = name or str(path)
    columns = columns or ColumnMapping(recognises=False)
    if path.is_dir():
        yield from _read_saved_rows(path, shown_as, columns)
        return
    if not path.is_file():
        raise InputError(f"{shown_as}: no such file", kind="missing_file")
    packed = path.suffix.lower() == ".gz"
    suffix = Path(path.stem).suffix.lower() if packed else path.suffix.lower()
    if suffix not in _SUFFIXES or (packed and suffix in _PACKED):
        raise InputError(
            f"{shown_as}: unknown format {''.join(path.suffixes[-2:]) if packed else suffix or '(no suffix)'!r}; "
            f"allowed: {', '.join(_SUFFIXES)}, and all but {' and '.join(_PACKED)} with .gz after it",
            kind="format",
        )
    try:
        if suffix == ".parquet":
            yield from _parquet_rows(path, columns)
            return
        if suffix == ".eval":
            for number, (_, sample) in enumerate(read_inspect_samples(path), start=1):
                yield TableRow(number, columns.apply(name_sample(sample)), number)
            return
        with cast(BinaryIO, gzip.open(path, "rb")) if packed else path.open("rb") as data:
            if suffix in (".jsonl", ".ndjson"):
                yield from json_lines(data, shown_as, columns=columns)
            elif suffix == ".json":
                yield from _json_list(data, shown_as, columns)
            else:
                yield from _csv_rows(data, path, columns, "\t" if suffix == ".tsv" else None, required)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(
            f"{shown_as}: not a gzip file, or truncated ({error}); if it was downloaded, download it again", kind="gzip"
        ) from error
    except OSError as error:
        raise InputError(f"{shown_as}: cannot be read: {error.strerror or error}", kind="unreadable") from error


def json_lines(lines: Iterable[bytes], name: str, *, columns: ColumnMapping | None = None) -> Iterator[TableRow]:
    """The objects of JSON Lines; blank lines are counted and passed over.

    Args:
        lines: The lines, in UTF-8.
        name: What messages call the input.
        columns: Maps the fields of an answer to columns.
    """
    columns = columns or ColumnMapping(recognises=False)
    for number, raw in enumerate(lines, start=1):
        if number == 1:
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        if raw.strip():
            yield TableRow(number, _map_columns(_json_object(raw, number, f"{name}, line {number}"), columns), number)


def _map_columns(record: Mapping[str, Any] | InputError, columns: ColumnMapping) -> Mapping[str, Any] | InputError:
    return record if isinstance(record, InputError) else columns.apply(record)


def _json_object(raw: bytes, number: int, where: str) -> Mapping[str, Any] | InputError:
    try:
        value = load_strict_json(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        where += f": not UTF-8 (byte {error.start + 1} of the line); save the file as UTF-8"
        return InputError(where, kind="encoding", line=number)
    except (ValueError, RecursionError) as error:
        problem = "nested too deeply" if isinstance(error, RecursionError) else error
        return InputError(
            f"{where}: not valid JSON: {problem}; expected one JSON object a line", kind="json", line=number
        )
    return _check_object(value, number, where)


def _check_object(value: object, number: int, where: str) -> Mapping[str, Any] | InputError:
    if not isinstance(value, dict):
        return InputError(f"{where}: expected a JSON object, got {format_value(value)}", kind="json", line=number)
    path = find_repeated_key(value)
    return value if path is None else repeated_key_error(path, number, where)


def _json_list(data: BinaryIO, path: str, columns: ColumnMapping) -> Iterator[TableRow]:
    try:
        value = _load_list_or_log(data.read().decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not valid JSON: {error}", kind="json") from error
    if not isinstance(value, list):
        raise InputError(
            f"{path}: expected a JSON list of objects, or a log of {LOGGED}, got {format_value(value)}",
            kind="json",
        )
    for number, item in enumerate(value, start=1):
        yield TableRow(number, _map_columns(_check_object(item, number, f"{path}, line {number}"), columns), number)


def _load_list_or_log(text: str) -> Any:
    """The value of *text*, or the answers of the log it is; Inspect writes a failed grade as NaN."""
    try:
        value = load_strict_json(text)
    except ValueError:
        value = load_strict_json(text, nan_as_null=True)
        if not isinstance(value, dict) or not logged_rows(value):
            raise
    return (logged_rows(value) or value) if isinstance(value, dict) else value


def _csv_rows(
    data: BinaryIO, path: Path, columns: ColumnMapping, delimiter: str | None, required: str | None
) -> Iterator[TableRow]:
    rows = CsvRows(text_lines(data, str(path)), path, delimiter=delimiter)
    refuse_repeated_columns(rows.fieldnames, path)
    if required is not None and rows.fieldnames and required not in rows.fieldnames:
        names = collapse_to_line(", ".join(map(repr, rows.fieldnames)))
        problem = f"no column `{required}`; found: {names} (cells end with a comma, a semicolon or a tab)"
        raise InputError(f"{path}, line 1: {problem}", kind="field", line=1, field=required)
    for number, row in enumerate(rows, start=1):
        line = rows.row_line
        yield TableRow(number, _decode_cells(columns.apply(row), line, f"{path}, line {line}"), line)


def read_rows(path: Path, *, values: Collection[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line and object of every row of a table beside answers (labels, gold, pairs), of JSON Lines by default.

    Args:
        path: JSON Lines, or CSV, TSV or parquet by the ending of its name.
        values: Columns of CSV in whose cells JSON may stand: `0.5`, `true`, `[]`; other cells are text. An empty cell
            is null.

    Raises:
        InputError: The file cannot be read, or a row is no object or names a field twice.
    """
    if not re.search(r"\.([ct]sv(\.gz)?|parquet)$", path.name, re.I):
        for line, record in json_lines_of(path, parse=load_strict_json):
            twice = find_repeated_key(record)
            if twice is not None:
                raise repeated_key_error(twice, line, f"{path}, line {line}")
            yield line, record
        return
    rows = list(read_objects(path))
    columns = dict.fromkeys(key for row in rows if not isinstance(row.record, InputError) for key in row.record)
    for row in rows:
        if isinstance(row.record, InputError):
            raise row.record
        record = plain_record(row.record)
        found = {key: record.get(key) for key in columns}
        yield row.line, {key: _json_cell(value) if key in values else value for key, value in found.items()}


def _json_cell(value: Any) -> Any:
    """The value of a cell: `True` of Python is `true`, and anything but JSON is text."""
    if not isinstance(value, str):
        return value
    try:
        return load_strict_json(value.lower() if value in ("True", "False") else value)
    except (ValueError, RecursionError):
        return value


def _decode_cells(row: Mapping[str | None, Any], number: int, where: str) -> Mapping[str, Any] | InputError:
    """A CSV row as an object: empty cells are missing, lists are written as JSON, texts are kept as they are."""
    record: dict[str, Any] = {}
    for key, value in row.items():
        if key is None:
            return InputError(f"{where}: more cells than the header has columns", kind="csv", line=number)
        if key == "prediction":
            record[key] = value
        elif value is None or value == "":
            continue
        elif key in _LISTS and _LIST.match(value):
            try:
                record[key] = load_list(value)
            except (ValueError, RecursionError) as error:
                problem = f"not a list as JSON or Python writes it: {error}"
                return InputError(f"{where}: field {key!r}: {problem}", kind="json", line=number, field=key)
            inside = find_repeated_key(record[key])
            if inside is not None:
                return repeated_key_error((key, *inside), number, where)
        else:
            record[key] = value if key in _TEXTS else plain_cell(value)
    return record


def _parquet_rows(path: Path, columns: ColumnMapping) -> Iterator[TableRow]:
    pyarrow = import_extra("pyarrow", "tables")
    import_extra("pyarrow.parquet", "tables")

    number = 0
    try:
        with pyarrow.parquet.ParquetFile(path) as table:
            refuse_repeated_columns(table.schema_arrow.names, path)
            for batch in table.iter_batches(batch_size=256):
                for row in batch.to_pylist():
                    number += 1
                    yield TableRow(number, columns.apply(row), number)
    except pyarrow.ArrowException as error:
        raise InputError(f"{path}: not a readable Parquet file: {error}", kind="parquet") from error


def _read_saved_rows(path: Path, name: str, columns: ColumnMapping) -> Iterator[TableRow]:
    saved = open_saved(path, name)
    refuse_repeated_columns(saved.column_names, path)
    for number, row in enumerate(saved, start=1):
        yield TableRow(number, columns.apply(row), number)


def refuse_repeated_columns(names: Iterable[str], path: Path) -> None:
    """Refuse a table with two columns of one name: the last would replace the first.

    Raises:
        InputError: *names* holds one twice.
    """
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(
            f"{path}: field {twice[0]!r}: more than one column has this name", kind="duplicate_key", field=twice[0]
        )
