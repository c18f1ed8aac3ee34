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
from fas.core.answers.strict_json import find_repeated_key, load_list, load_strict_json, repeated_key_error
from fas.core.checks import format_value, plain_cell, plain_record
from fas.core.errors import InputError
from fas.core.files.plain import check_object, json_lines, parse_json, scan_json_lines, text_lines
from fas.core.guards.characters import collapse_to_line
from fas.core.loading import import_extra

_PACKED = (".parquet", ".eval")  # compressed inside
_SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", *_PACKED)
FORMATS = ".jsonl, .json, .csv, .tsv (each also with .gz), .parquet or .eval"
_SPLITS = "dataset_dict.json"
_LISTS = ("references", "passages", "claims", "statements")
# How a list of texts or objects begins, or an object; "[1] Zinc", "[SEP]" and "[Effect of zinc]." are texts.
_LIST = re.compile(r"""\s*(?:\[[\s\[]*(?:["'{]|\]\s*\Z|(?:null|None|nan)\s*[,\]]|array\()|\{\s*")""")
_TEXTS = frozenset({"text", "title", *FIELDS, *chain.from_iterable(OTHER_NAMES.values())} - {"id"})


class TableRow(NamedTuple):
    """One object of a file.

    Attributes:
        number: Its number, counted from 1, blank lines of JSON Lines included; the id of an answer without one.
        record: The object, or the error that keeps it from being read.
        line: Where it begins; the same as *number* in all formats but CSV.
    """

    number: int
    record: Mapping[str, Any] | InputError
    line: int


def is_known(path: Path) -> bool:
    """Whether *path* has the name of a file of answers."""
    suffix, packed = _split_suffix(path)
    return suffix in _SUFFIXES and not (packed and suffix in _PACKED)


def _split_suffix(path: Path) -> tuple[str, bool]:
    """The suffix of the format, and whether `.gz` follows it."""
    packed = path.suffix.lower() == ".gz"
    return (Path(path.stem) if packed else path).suffix.lower(), packed


def read_objects(
    path: Path, *, name: str | None = None, columns: ColumnMapping | None = None, required: str | None = None
) -> Iterator[TableRow]:
    """Each line's (row's, item's) object, or the error that keeps it from being read.

    Args:
        path: The file, or a folder that `datasets` saved; an InputError if it is no known format as a whole.
        name: Its name in messages; its path by default.
        columns: Maps the fields of an answer to columns; by default each object stays as it is.
        required: A column that a CSV file must have.
    """
    name = name or str(path)
    columns = columns or ColumnMapping(recognises=False)
    suffix, packed = _split_suffix(path)
    if path.is_dir():
        yield from _number(_read_saved(path, name), columns)
    elif not path.is_file():
        raise InputError(f"{name}: no such file", kind="missing_file")
    elif not is_known(path):
        raise InputError(
            f"{name}: unknown format {''.join(path.suffixes[-2:]) if packed else suffix or '(no suffix)'!r}; "
            f"allowed: {', '.join(_SUFFIXES)}, and all but {' and '.join(_PACKED)} with .gz after it",
            kind="format",
        )
    elif suffix == ".parquet":
        yield from _number(_read_parquet(path), columns)
    elif suffix == ".eval":
        yield from _number((name_sample(sample) for _, sample in read_inspect_samples(path)), columns)
    else:
        try:
            with cast(BinaryIO, gzip.open(path, "rb")) if packed else path.open("rb") as data:
                if suffix in (".csv", ".tsv"):
                    yield from _read_csv(data, path, columns, "\t" if suffix == ".tsv" else None, required)
                    return
                read = _read_json if suffix == ".json" else _read_json_lines
                for number, value in read(data, name):
                    if not isinstance(value, InputError):
                        repeated = find_repeated_key(value)
                        value = repeated_key_error(repeated, number, f"{name}, line {number}") if repeated else value
                    yield TableRow(number, value if isinstance(value, InputError) else columns.apply(value), number)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            problem = f"not a gzip file, or truncated ({error}); if it was downloaded, download it again"
            raise InputError(f"{name}: {problem}", kind="gzip") from error
        except OSError as error:
            raise InputError(f"{name}: cannot be read: {error.strerror or error}", kind="unreadable") from error


def _number(records: Iterable[Mapping[str, Any]], columns: ColumnMapping) -> Iterator[TableRow]:
    return (TableRow(number, columns.apply(record), number) for number, record in enumerate(records, start=1))


def _read_json_lines(data: BinaryIO, name: str) -> Iterator[tuple[int, dict[str, Any] | InputError]]:
    return scan_json_lines(data, name, parse=load_strict_json)


def _read_json(data: BinaryIO, name: str) -> Iterator[tuple[int, dict[str, Any] | InputError]]:
    """The items of a list, or the answers of a log."""
    raw = data.read()
    try:
        try:
            value = parse_json(raw, load_strict_json)
        except ValueError:
            # Inspect writes a failed grade as NaN.
            value = parse_json(raw, lambda text: load_strict_json(text, nan_as_null=True))
            if not isinstance(value, dict) or not logged_rows(value):
                raise
    except ValueError as error:
        raise InputError(f"{name}: not JSON: {error}", kind="json") from error
    if isinstance(value, dict):
        value = logged_rows(value) or value
    if not isinstance(value, list):
        problem = f"expected a JSON list of objects, or a log of {LOGGED}, got {format_value(value)}"
        raise InputError(f"{name}: {problem}", kind="json")
    for number, item in enumerate(value, start=1):
        yield number, check_object(item, f"{name}, line {number}", number)


def _read_csv(
    data: BinaryIO, path: Path, columns: ColumnMapping, delimiter: str | None, required: str | None
) -> Iterator[TableRow]:
    rows = CsvRows(text_lines(data, str(path)), path, delimiter=delimiter)
    refuse_repeated_columns(rows.fieldnames, path)
    if required is not None and rows.fieldnames and required not in rows.fieldnames:
        names = collapse_to_line(", ".join(map(repr, rows.fieldnames)))
        problem = f"no column `{required}`; found: {names} (cells end with a comma, a semicolon or a tab)"
        raise InputError(f"{path}, line 1: {problem}", kind="field", line=1, field=required)
    for number, row in enumerate(rows, start=1):
        yield TableRow(number, _decode_cells(columns.apply(row), rows.line, f"{path}, line {rows.line}"), rows.line)


def _decode_cells(row: Mapping[str | None, Any], line: int, where: str) -> Mapping[str, Any] | InputError:
    """A CSV row as an object: empty cells are missing, lists are written as JSON, texts stay as they are."""
    record: dict[str, Any] = {}
    for key, value in row.items():
        if key is None:
            return InputError(f"{where}: more cells than the header has columns", kind="csv", line=line)
        if key == "prediction":
            record[key] = value
        elif value is None or value == "":
            continue
        elif key in _LISTS and _LIST.match(value):
            try:
                record[key] = load_list(value)
            except (ValueError, RecursionError) as error:
                problem = f"not a list as JSON or Python writes it: {error}"
                return InputError(f"{where}: field {key!r}: {problem}", kind="json", line=line, field=key)
            if repeated := find_repeated_key(record[key], key):
                return repeated_key_error(repeated, line, where)
        else:
            record[key] = value if key in _TEXTS else plain_cell(value)
    return record


def _read_parquet(path: Path) -> Iterator[Mapping[str, Any]]:
    pyarrow = import_extra("pyarrow", "tables")
    import_extra("pyarrow.parquet", "tables")
    try:
        with pyarrow.parquet.ParquetFile(path) as table:
            refuse_repeated_columns(table.schema_arrow.names, path)
            for batch in table.iter_batches(batch_size=256):
                yield from batch.to_pylist()
    except pyarrow.ArrowException as error:
        raise InputError(f"{path}: not a readable Parquet file: {error}", kind="parquet") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}", kind="unreadable") from error


def is_saved(folder: Path) -> bool:
    """Whether `datasets` saved *folder* (`save_to_disk`): one data set, or several splits."""
    whole = (folder / "state.json").is_file() and (folder / "dataset_info.json").is_file()
    return whole or (folder / _SPLITS).is_file()


def _read_saved(folder: Path, name: str) -> Iterable[Mapping[str, Any]]:
    if (folder / _SPLITS).is_file():
        splits = sorted(part.parent.name for part in folder.glob("*/state.json"))
        example = folder / (splits[0] if splits else "train")
        problem = f"a data set of several splits ({', '.join(splits)}); give one of them, e.g. {example}"
        raise InputError(f"{name}: {problem}", kind="splits")
    if not is_saved(folder):
        raise InputError(f"{name}: is a folder, not a file", kind="missing_file")
    try:
        saved = import_extra("datasets", "evaluate").load_from_disk(str(folder))
    except (OSError, ValueError) as error:
        raise InputError(f"{name}: not a readable data set: {error}", kind="dataset") from error
    refuse_repeated_columns(saved.column_names, folder)
    rows: Iterable[Mapping[str, Any]] = saved
    return rows


def refuse_repeated_columns(names: Iterable[str], path: Path) -> None:
    """Refuse (InputError) a table with two columns of one name: the last would replace the first."""
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        problem = "more than one column has this name"
        raise InputError(f"{path}: field {twice!r}: {problem}", kind="duplicate_key", field=twice)


def read_rows(path: Path, *, values: Collection[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line and object of every row of a table beside answers (labels, gold, pairs).

    The suffix of *path* decides between CSV, TSV, parquet and, for any other, JSON Lines. Cells of CSV are text, but
    those of the columns *values* may hold JSON: `0.5`, `true`, `[]`; an empty cell is null. An InputError is raised if
    the file cannot be read, or a row is not an object or gives a field twice.
    """
    if not re.search(r"\.([ct]sv(\.gz)?|parquet)$", path.name, re.I):
        for line, record in json_lines(path, parse=load_strict_json):
            if repeated := find_repeated_key(record):
                raise repeated_key_error(repeated, line, f"{path}, line {line}")
            yield line, record
        return
    rows = list(read_objects(path))
    columns = dict.fromkeys(key for row in rows if not isinstance(row.record, InputError) for key in row.record)
    for row in rows:
        if isinstance(row.record, InputError):
            raise row.record
        record = plain_record(row.record)
        found = {key: record.get(key) for key in columns}
        yield row.line, {key: _decode_json(value) if key in values else value for key, value in found.items()}


def _decode_json(value: Any) -> Any:
    """The value of a cell; Python's `True` and `False` count as JSON, and anything else that is not JSON is text."""
    if not isinstance(value, str):
        return value
    try:
        return load_strict_json(value.lower() if value in ("True", "False") else value)
    except (ValueError, RecursionError):
        return value
