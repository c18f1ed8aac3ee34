"""A file of JSON lines that grows by appending and survives a killed process."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from fas.core.errors import InputError
from fas.core.files.own import replace_file
from fas.core.guards.characters import check_value
from fas.core.guards.redaction import redact_value
from fas.pipeline.runs.loop import Store

T = TypeVar("T")


class Lines(Store):
    """Records with an id each, read by id; of several lines with one id the first holds.

    What is held in memory of each record is its id and its place in the file.

    Args:
        path: The file; may be missing.
        key: Field of the id, the first of every record.
        holds: Whether a record that was there before counts; an `InputError` of it gets file and line.
    """

    def __init__(
        self, path: Path, *, key: str = "id", holds: Callable[[Mapping[str, Any]], bool] = lambda _: True
    ) -> None:
        self.path, self._key, self._holds = path, key, holds
        self._places: dict[str, int] | None = None

    @property
    def finished(self) -> dict[str, int]:  # type: ignore[override]
        """The ids, each with its place in the file."""
        if self._places is None:
            self._places = dict(self._index_lines())
        return self._places

    def __contains__(self, identifier: object) -> bool:
        return identifier in self.finished

    def __len__(self) -> int:
        return len(self.finished)

    def get(self, identifier: str) -> Mapping[str, Any] | None:
        """The record called *identifier*, or None."""
        place = self.finished.get(identifier)
        if place is None:
            return None
        with self.path.open("rb") as file:
            file.seek(place)
            record: dict[str, Any] = json.loads(file.readline())
        return record

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        for identifier in self.finished:
            record = self.get(identifier)
            if record is not None:
                yield record

    def append(self, records: Sequence[Mapping[str, Any]], *, tally: Mapping[str, Any] | None = None) -> None:
        """Add *records*; on return they are on disk.

        Raises:
            InputError: The file cannot be written.
        """
        if not records:
            return
        known, raws = self.finished, [line(record) for record in records]
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            place = append_line(self.path, raws)
        except OSError as error:
            raise refuse_unwritable(self.path, error) from error
        for record, raw in zip(records, raws, strict=True):
            known.setdefault(record[self._key], place)
            place += len(raw)

    def trim_partial_line(self) -> None:
        """Cut off what a killed run left half-written.

        Raises:
            InputError: The last line has no end and is not the beginning of a record; it stays.
        """
        if not self.path.exists():
            return
        whole, raw, opening = 0, b"\n", f'{{"{self._key}": '.encode()
        with self.path.open("rb") as lines:
            for raw in lines:
                whole += len(raw) if raw.endswith(b"\n") else 0
        if not raw.endswith(b"\n"):
            if not opening.startswith(raw[: len(opening)]):
                raise InputError(f"{self.path}: ends in what is not a record of this run", kind="json")
            os.truncate(self.path, whole)

    def _index_lines(self) -> Iterator[tuple[str, int]]:
        if not self.path.exists():
            return
        seen: set[str] = set()
        place = 0
        with self.path.open("rb") as lines:
            for number, raw in enumerate(lines, start=1):
                if raw.endswith(b"\n"):
                    where = f"{self.path}, line {number}"
                    try:
                        record = json.loads(raw)
                        identifier, counts = str(record[self._key]), self._holds(record)
                    except InputError as error:
                        raise InputError(f"{where}: {error}", kind=error.kind, line=number) from error
                    except (ValueError, KeyError, TypeError, RecursionError) as error:
                        raise InputError(f"{where}: not a record of this run ({error!r})", kind="json") from error
                    if counts and identifier not in seen:
                        seen.add(identifier)
                        yield identifier, place
                place += len(raw)


def append_line(path: Path, lines: Iterable[bytes], *, begun: bool = False) -> int:
    """Add *lines* to *path*, on disk on return, all of them or none; returns where the first one begins.

    Args:
        path: The file.
        lines: What to add.
        begun: The file must be there: without what was in it, it would be half a run that looks whole.

    Raises:
        OSError: The file cannot be written.
    """
    data = b"".join(lines)
    size = path.stat().st_size if path.exists() else 0
    try:
        with path.open("r+b" if begun else "ab") as out:
            place = out.seek(0, os.SEEK_END)
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
    except OSError:
        if path.exists():
            with suppress(OSError):  # the next run cuts off a torn last line anyway
                os.truncate(path, size)
        raise
    return place


def line(record: Mapping[str, Any]) -> bytes:
    """*record* as its line."""
    return (json.dumps(clean(dict(record)), ensure_ascii=False, allow_nan=False) + "\n").encode()


def clean(value: T) -> T:
    """*value* as it may be written; texts keep their lengths, because others count their characters."""
    return check_value(redact_value(value, same_length=True), "a result")


def refuse_unwritable(path: Path, error: OSError, kept: str = "") -> InputError:
    """The error of a file that cannot be written; *kept* says what is not lost."""
    return InputError(f"{path}: cannot be written: {error.strerror or error}{kept}", kind="unwritable")


def write_text(path: Path, text: str) -> None:
    """Write *text* to *path* as a whole, or not at all.

    Raises:
        InputError: It cannot be written.
    """
    try:
        with replace_file(path) as out:
            out.write(text)
    except OSError as error:
        raise refuse_unwritable(path, error) from error
