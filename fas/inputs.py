"""Answers from files and Python objects, checked field by field.

JSON Lines are streamed; the other formats are read as a whole. Nothing is guessed: a field
of the wrong type is an error that names file, line, field, what was found and what is
allowed.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
import re
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NoReturn, TypeGuard

from fas.errors import InputError
from fas.records import Answer, Claim, Passage, RecordError

FIELDS = ("id", "question", "prediction", "references", "passages", "claims")
_SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".parquet")
_SURROGATE = re.compile("[\ud800-\udfff]")
_BAD_LINE_ID = re.compile(r"line:\d+")
# Python's own limit on recursion is a thousand frames, shared with whoever calls.
_MAX_DEPTH = 100


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that could not be read as an answer."""

    error: InputError

    def as_error(self) -> RecordError:
        """The error record of the output."""
        return RecordError(self.error.kind, self.error.line, self.error.field, str(self.error))

    @property
    def id(self) -> str:
        """Identifier of its record in `scores.jsonl`."""
        return f"line:{self.error.line}"


@dataclass(frozen=True, slots=True)
class Scan:
    """What a first pass over an input found.

    Attributes:
        n: Number of answers, bad lines included.
        has_passages: At least one answer carries passages.
        has_claims: At least one answer carries claims.
        meta: Names of the other fields that occur; what can be grouped by.
        bad: The bad lines, in order.
        digest: Hash of the content.
    """

    n: int
    has_passages: bool
    has_claims: bool
    meta: frozenset[str]
    bad: tuple[BadLine, ...]
    digest: str


def read_answers(path: Path) -> Iterator[Answer | BadLine]:
    """The answers of *path* in order; lines that cannot be used come as `BadLine`.

    Ids are unique: a repeated one is a bad line.

    Raises:
        InputError: The file is missing, unreadable or of an unknown format.
    """
    seen: dict[str, int] = {}
    for line, record in _records(path):
        where = f"{path}, line {line}"
        if isinstance(record, InputError):
            yield BadLine(record)
            continue
        try:
            answer = to_answer(record, line=line, where=where)
            if answer.id in seen:
                raise InputError(
                    f"{where}: field 'id': {answer.id!r} was already used in line {seen[answer.id]}; ids are unique "
                    "(a missing id is the line's number)",
                    kind="duplicate_id",
                    line=line,
                    field="id",
                )
            seen[answer.id] = line
            yield answer
        except InputError as error:
            yield BadLine(error)


def scan(path: Path) -> Scan:
    """Check every line of *path* without keeping the answers.

    Raises:
        InputError: The file is missing, unreadable, of an unknown format or without any answer.
    """
    n, has_passages, has_claims = 0, False, False
    meta: set[str] = set()
    bad = []
    for item in read_answers(path):
        n += 1
        if isinstance(item, BadLine):
            bad.append(item)
        else:
            has_passages = has_passages or item.passages is not None
            has_claims = has_claims or item.claims is not None
            meta.update(item.meta)
    if n == 0:
        raise InputError(
            f"{path}: no answers; expected one JSON object a line with at least a `prediction`", kind="empty_file"
        )
    digest = hashlib.sha256()
    with path.open("rb") as data:
        while block := data.read(1 << 20):
            digest.update(block)
    return Scan(n, has_passages, has_claims, frozenset(meta), tuple(bad), digest.hexdigest()[:16])


def answers_from(items: Iterable[Mapping[str, Any] | Answer]) -> list[Answer]:
    """Answers from Python objects (dicts, `Answer`s, a `datasets.Dataset`).

    Raises:
        InputError: An item cannot be used, or an id occurs twice.
        TypeError: An item is neither a mapping nor an `Answer`.
    """
    answers: list[Answer] = []
    seen: dict[str, int] = {}
    for number, item in enumerate(items, start=1):
        if isinstance(item, Answer):
            answer = item
        elif isinstance(item, Mapping):
            answer = to_answer(item, line=number, where=f"answers, line {number}")
        else:
            raise TypeError(f"answers, line {number}: expected a dict or an Answer, got {type(item).__name__}")
        if answer.id in seen:
            raise InputError(
                f"answers, line {number}: field 'id': {answer.id!r} was already used in line {seen[answer.id]}",
                kind="duplicate_id",
                line=number,
                field="id",
            )
        seen[answer.id] = number
        answers.append(answer)
    return answers


def to_answer(record: Mapping[str, Any], *, line: int, where: str) -> Answer:
    """One answer from a JSON object.

    Args:
        record: The object.
        line: Its line, counted from 1; the id of an answer without one.
        where: How messages begin, e.g. `answers.jsonl, line 3`.

    Raises:
        InputError: A field is missing or has a value that is not allowed.
    """
    reader = _Reader(record, line, where)
    prediction = reader.prediction()
    return Answer(
        id=reader.identifier(),
        prediction=prediction,
        question=reader.text("question"),
        references=reader.references(),
        passages=reader.passages(),
        claims=reader.claims(prediction),
        meta=reader.meta(),
        line=line,
    )


class _Reader:
    """Field access with messages."""

    def __init__(self, record: Mapping[str, Any], line: int, where: str) -> None:
        self.record, self.line, self.where = record, line, where
        for key, value in record.items():
            self._whole_characters(str(key), [key, value])

    def fail(self, field: str, problem: str, *, kind: str = "wrong_type") -> NoReturn:
        raise InputError(f"{self.where}: field {field!r}: {problem}", kind=kind, line=self.line, field=field)

    def identifier(self) -> str:
        value = self.record.get("id")
        if value is None:
            return str(self.line)
        if isinstance(value, str) and value:
            if _BAD_LINE_ID.fullmatch(value):
                self.fail(
                    "id",
                    f"{value!r} is kept for the record of a bad line; give the answer another id",
                    kind="reserved_id",
                )
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return self.fail("id", f"expected a non-empty string or a whole number, got {_show(value)}")

    def prediction(self) -> str:
        if "prediction" not in self.record:
            close = ", ".join(map(str, self.record)) or "none"
            self.fail(
                "prediction",
                f"missing; every answer needs one, a string (it may be empty). Fields found: {close}",
                kind="missing_prediction",
            )
        value = self.record["prediction"]
        if not isinstance(value, str):
            self.fail(
                "prediction",
                f"expected a string (it may be empty), got {_show(value)}",
                kind="null_prediction" if value is None else "wrong_type",
            )
        return value

    def text(self, field: str) -> str | None:
        value = self.record.get(field)
        if value is not None and not isinstance(value, str):
            self.fail(field, f"expected a string or null, got {_show(value)}")
        return value

    def references(self) -> tuple[str, ...]:
        value = self.record.get("references")
        if value is None:
            return ()
        if isinstance(value, str):
            value = [value]
        if not isinstance(value, list | tuple):
            self.fail("references", f"expected a string or a list of strings, got {_show(value)}")
        for i, item in enumerate(value):
            if not isinstance(item, str):
                self.fail("references", f"item {i + 1} must be a string, got {_show(item)}")
        # A blank reference is a missing one: nothing can be compared with it.
        return tuple(item for item in value if item.strip())

    def passages(self) -> tuple[Passage, ...] | None:
        value = self.record.get("passages")
        if value is None:
            return None
        if not isinstance(value, list | tuple):
            self.fail("passages", f"expected a list of strings or of objects with `text`, got {_show(value)}")
        return tuple(self._passage(i, item) for i, item in enumerate(value, start=1))

    def _passage(self, i: int, item: object) -> Passage:
        if isinstance(item, str):
            return Passage(item)
        if not isinstance(item, Mapping):
            self.fail("passages", f"item {i} must be a string or an object with `text`, got {_show(item)}")
        text = item.get("text")
        if not isinstance(text, str):
            self.fail("passages", f"item {i} needs a string `text`, got {_show(text)}")
        title, year, identifier = item.get("title"), item.get("year"), item.get("id")
        if title is not None and not isinstance(title, str):
            self.fail("passages", f"item {i}: `title` must be a string or null, got {_show(title)}")
        if isinstance(year, str) and year.isdecimal():
            year = int(year)
        if year is not None and (not isinstance(year, int) or isinstance(year, bool)):
            self.fail("passages", f"item {i}: `year` must be a whole number or null, got {_show(year)}")
        if identifier is not None and (not isinstance(identifier, str | int) or isinstance(identifier, bool)):
            self.fail("passages", f"item {i}: `id` must be a string, a whole number or null, got {_show(identifier)}")
        return Passage(text, None if identifier is None else str(identifier), title, year)

    def claims(self, prediction: str) -> tuple[Claim, ...] | None:
        value = self.record.get("claims")
        if value is None:
            return None
        if not isinstance(value, list | tuple):
            self.fail("claims", f"expected a list of strings or of objects with `text`, got {_show(value)}")
        return tuple(self._claim(i, item, prediction) for i, item in enumerate(value, start=1))

    def _claim(self, i: int, item: object, prediction: str) -> Claim:
        start = end = context = None
        text = item
        if isinstance(item, Mapping):
            text, start, end, context = (item.get(key) for key in ("text", "start", "end", "context"))
        if not isinstance(text, str) or not text.strip():
            self.fail(
                "claims", f"item {i} must be a non-empty string or an object with one as `text`, got {_show(item)}"
            )
        if context is not None and (not isinstance(context, str) or not context.strip()):
            self.fail("claims", f"item {i}: `context` must be a non-empty string or missing, got {_show(context)}")
        if start is None and end is None:
            first = prediction.find(text)
            if first >= 0 and prediction.find(text, first + 1) < 0:
                start, end = first, first + len(text)
            return Claim(text, start, end, context=context)
        if not (_whole(start) and _whole(end) and 0 <= start < end <= len(prediction)):
            self.fail(
                "claims",
                f"item {i}: `start` and `end` must be whole numbers with 0 <= start < end <= {len(prediction)}, "
                f"got {start!r} and {end!r}",
            )
        return Claim(text, start, end, context=context)

    def meta(self) -> dict[str, Any]:
        return {str(key): self._plain(str(key), value) for key, value in self.record.items() if key not in FIELDS}

    def _plain(self, field: str, value: object) -> Any:
        """*value* as JSON can hold it: NaN is null, dates are ISO text, as the output will write them."""
        if value is None or isinstance(value, str | bool):
            return value
        if isinstance(value, Mapping):
            for key in value:
                if not isinstance(key, str):
                    self.fail(field, f"holds the key {key!r}; keys must be strings")
            return {key: self._plain(field, inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self._plain(field, inner) for inner in value]
        if isinstance(value, Integral):
            return int(value)
        if isinstance(value, Real):
            number = float(value)
            if math.isinf(number):
                self.fail(field, f"holds {number}; JSON has no such number")
            return None if math.isnan(number) else number
        if isinstance(value, date | time):
            return value.isoformat()
        if isinstance(value, Decimal):
            return str(value)
        article = "an" if type(value).__name__[0] in "aeiou" else "a"
        return self.fail(field, f"holds {article} {type(value).__name__}, which JSON has no form for")

    def _whole_characters(self, field: str, value: object, depth: int = 0) -> None:
        if isinstance(value, str):
            match = _SURROGATE.search(value)
            if match:
                self.fail(
                    field.encode("utf-8", "backslashreplace").decode(),
                    f"holds the lone surrogate U+{ord(match.group()):04X} at character {match.start()}; "
                    "only whole Unicode characters are allowed",
                    kind="surrogate",
                )
        elif isinstance(value, Mapping | list | tuple):
            if depth > _MAX_DEPTH:
                self.fail(field, f"nested more than {_MAX_DEPTH} levels deep", kind="nesting")
            inner = [part for item in value.items() for part in item] if isinstance(value, Mapping) else value
            for part in inner:
                self._whole_characters(field, part, depth + 1)


def _records(path: Path) -> Iterator[tuple[int, Mapping[str, Any] | InputError]]:
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
            yield from _json_lines(path)
        elif suffix == ".json":
            yield from _json_list(path)
        elif suffix == ".csv":
            yield from _csv_rows(path)
        else:
            yield from _parquet_rows(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}", kind="unreadable") from error


def _json_lines(path: Path) -> Iterator[tuple[int, Mapping[str, Any] | InputError]]:
    with path.open("rb") as lines:
        for number, raw in enumerate(lines, start=1):
            if number == 1:
                raw = raw.removeprefix(b"\xef\xbb\xbf")
            if raw.strip():
                yield number, _json_object(raw, number, f"{path}, line {number}")


def _json_object(raw: bytes, number: int, where: str) -> Mapping[str, Any] | InputError:
    try:
        value = json.loads(raw.decode("utf-8"), parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        return InputError(f"{where}: not UTF-8 (byte {error.start + 1} of the line)", kind="encoding", line=number)
    except (ValueError, RecursionError) as error:
        return InputError(
            f"{where}: not valid JSON: {error}; expected one JSON object a line", kind="json", line=number
        )
    if not isinstance(value, dict):
        return InputError(f"{where}: expected a JSON object, got {_show(value)}", kind="json", line=number)
    return value


def _json_list(path: Path) -> Iterator[tuple[int, Mapping[str, Any] | InputError]]:
    try:
        value = json.loads(path.read_bytes().decode("utf-8-sig"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not valid JSON: {error}", kind="json") from error
    if not isinstance(value, list):
        raise InputError(f"{path}: expected a JSON list of objects, got {_show(value)}", kind="json")
    for number, item in enumerate(value, start=1):
        if isinstance(item, dict):
            yield number, item
        else:
            yield (
                number,
                InputError(
                    f"{path}, line {number}: expected a JSON object, got {_show(item)}", kind="json", line=number
                ),
            )


def _csv_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any] | InputError]]:
    csv.field_size_limit(1 << 30)
    with path.open(encoding="utf-8-sig", newline="") as lines:
        try:
            for number, row in enumerate(csv.DictReader(lines), start=1):
                yield number, _decode_cells(row, number, f"{path}, line {number}")
        except (UnicodeDecodeError, csv.Error) as error:
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
                record[key] = json.loads(value, parse_constant=_no_constant)
            except (ValueError, RecursionError) as error:
                return InputError(
                    f"{where}: field {key!r}: not a JSON list: {error}", kind="json", line=number, field=key
                )
        else:
            record[key] = value
    return record


def _parquet_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any] | InputError]]:
    import pyarrow
    import pyarrow.parquet

    number = 0
    try:
        with pyarrow.parquet.ParquetFile(path) as table:
            for batch in table.iter_batches(batch_size=256):
                for row in batch.to_pylist():
                    number += 1
                    yield number, row
    except pyarrow.ArrowException as error:
        raise InputError(f"{path}: not a parquet file that can be read: {error}", kind="parquet") from error


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _show(value: object) -> str:
    if value is None:
        return "null"
    return f"{type(value).__name__} {_SHORT.repr(value)}"


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60
_SHORT.maxlevel = 2
