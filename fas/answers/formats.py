"""The objects in a file of answers: JSON Lines are streamed, parquet is read in batches, the others as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fas.answers.csv_rows import CsvRows
from fas.answers.schema import shown
from fas.answers.strict_json import repeated_key, repeated_key_error, strict_loads
from fas.errors import InputError

_SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".parquet")

Row = tuple[int, Mapping[str, Any] | InputError]


def read_objects(path: Path) -> Iterator[Row]:
    """Each line's (row's, item's) number, counted from 1, with its object, or why there is none.

    Raises:
        InputError: The file is missing, unreadable, or not of a known format as a whole.
    """
    if not path.is_file():
        problem = "is a folder, not a file" if path.is_dir() else "no such file"
        raise InputError(f"{path}: {problem}", kind="missing_file")
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES:
        raise InputError(
            f"{path}: unknown format {suffix or '(no suffix)'!r}; allowed: {', '.join(_SUFFIXES)}", kind="format"
        )
    try:
        if suffix in (".jsonl", ".ndjson"):
            with path.open("rb") as lines:
                yield from json_lines(lines, str(path))
        elif suffix == ".json":
            yield from _json_list(path)
        elif suffix == ".csv":
            yield from _csv_rows(path)
        else:
            yield from _parquet_rows(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}", kind="unreadable") from error


def json_lines(lines: Iterable[bytes], name: str) -> Iterator[Row]:
    """The objects of JSON Lines; blank lines are counted and passed over.

    Args:
        lines: The lines, in UTF-8.
        name: What messages call the input.
    """
    for number, raw in enumerate(lines, start=1):
        if number == 1:
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        if raw.strip():
            yield number, _json_object(raw, number, f"{name}, line {number}")


def _json_object(raw: bytes, number: int, where: str) -> Mapping[str, Any] | InputError:
    try:
        value = strict_loads(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        return InputError(f"{where}: not UTF-8 (byte {error.start + 1} of the line)", kind="encoding", line=number)
    except (ValueError, RecursionError) as error:
        problem = "nested too deeply" if isinstance(error, RecursionError) else error
        return InputError(
            f"{where}: not valid JSON: {problem}; expected one JSON object a line", kind="json", line=number
        )
    return _checked_object(value, number, where)


def _checked_object(value: object, number: int, where: str) -> Mapping[str, Any] | InputError:
    if not isinstance(value, dict):
        return InputError(f"{where}: expected a JSON object, got {shown(value)}", kind="json", line=number)
    path = repeated_key(value)
    return value if path is None else repeated_key_error(path, number, where)


def _json_list(path: Path) -> Iterator[Row]:
    try:
        value = strict_loads(path.read_bytes().decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not valid JSON: {error}", kind="json") from error
    if not isinstance(value, list):
        raise InputError(f"{path}: expected a JSON list of objects, got {shown(value)}", kind="json")
    for number, item in enumerate(value, start=1):
        yield number, _checked_object(item, number, f"{path}, line {number}")


def _csv_rows(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        try:
            rows = CsvRows(lines, path)
            columns_once(rows.fieldnames, path)
            for number, row in enumerate(rows, start=1):
                yield number, _decode_cells(row, number, f"{path}, line {number}")
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: not valid CSV in UTF-8: {error}", kind="csv") from error


def _decode_cells(row: Mapping[str | None, Any], number: int, where: str) -> Mapping[str, Any] | InputError:
    """A CSV row as an object: empty cells are missing, lists are written as JSON."""
    record: dict[str, Any] = {}
    for key, value in row.items():
        if key is None:
            return InputError(f"{where}: more cells than the header has columns", kind="csv", line=number)
        if key == "prediction":
            record[key] = value
        elif value is None or value == "":
            continue
        elif key in ("references", "passages", "claims") and value.lstrip().startswith("["):
            try:
                record[key] = strict_loads(value)
            except (ValueError, RecursionError) as error:
                return InputError(
                    f"{where}: field {key!r}: not a JSON list: {error}", kind="json", line=number, field=key
                )
            inside = repeated_key(record[key])
            if inside is not None:
                return repeated_key_error((key, *inside), number, where)
        else:
            record[key] = value
    return record


def _parquet_rows(path: Path) -> Iterator[Row]:
    import pyarrow
    import pyarrow.parquet

    number = 0
    try:
        with pyarrow.parquet.ParquetFile(path) as table:
            columns_once(table.schema_arrow.names, path)
            for batch in table.iter_batches(batch_size=256):
                for row in batch.to_pylist():
                    number += 1
                    yield number, row
    except pyarrow.ArrowException as error:
        raise InputError(f"{path}: not a parquet file that can be read: {error}", kind="parquet") from error


def columns_once(names: Iterable[str], path: Path) -> None:
    """Refuse a table of which two columns have one name: the last would stand for both.

    Raises:
        InputError: *names* holds one twice.
    """
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(
            f"{path}: field {twice[0]!r}: more than one column has this name", kind="duplicate_key", field=twice[0]
        )
