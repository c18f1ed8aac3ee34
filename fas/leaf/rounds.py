"""The files of one round: its answers, which grow by appending, and what the check of them wrote.

    round-N/answers.jsonl    the answers, as `fas score` takes them
    round-N/scores.jsonl     the check of them; run.json, report.json, report.html beside it
    round-N/evidence.jsonl   what each claim got (`fas.evidence.snapshot`)

A record is found by its place in the file; what is held of each is its id and that place.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fas.errors import InputError


class Lines:
    """A file of JSON lines with an `id` each, read by id; of several lines with one id the first holds.

    Args:
        path: The file; may be missing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._places: dict[str, int] | None = None

    def __contains__(self, identifier: object) -> bool:
        return identifier in self._index()

    def __len__(self) -> int:
        return len(self._index())

    def ids(self) -> set[str]:
        """The ids."""
        return set(self._index())

    def get(self, identifier: str) -> dict[str, Any] | None:
        """The record called *identifier*, or None."""
        place = self._index().get(identifier)
        if place is None:
            return None
        with self.path.open("rb") as file:
            file.seek(place)
            record: dict[str, Any] = json.loads(file.readline())
        return record

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for identifier in self._index():
            record = self.get(identifier)
            if record is not None:
                yield record

    def append(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Add *records*; on return they are on disk.

        Raises:
            InputError: The file cannot be written.
        """
        if not records:
            return
        index = self._index()
        data = [(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n").encode() for record in records]
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                place = file.seek(0, os.SEEK_END)
                file.write(b"".join(data))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise InputError(f"{self.path}: cannot be written: {error.strerror or error}", kind="unwritable") from error
        for record, raw in zip(records, data, strict=True):
            index.setdefault(record["id"], place)
            place += len(raw)

    def mend(self) -> None:
        """Cut off what a killed run wrote half of."""
        if not self.path.exists():
            return
        whole = 0
        with self.path.open("rb") as lines:
            for raw in lines:
                if raw.endswith(b"\n"):
                    whole += len(raw)
        if self.path.stat().st_size > whole:
            os.truncate(self.path, whole)

    def _index(self) -> dict[str, int]:
        if self._places is None:
            self._places = {}
            place = 0
            if self.path.exists():
                with self.path.open("rb") as lines:
                    for number, raw in enumerate(lines, start=1):
                        if raw.endswith(b"\n"):
                            self._places.setdefault(self._id(raw, number), place)
                        place += len(raw)
        return self._places

    def _id(self, raw: bytes, number: int) -> str:
        try:
            identifier = json.loads(raw)["id"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise InputError(
                f"{self.path}, line {number}: not a record of this run ({error!r})", kind="json"
            ) from error
        return str(identifier)


class Round:
    """One round of answers and their check.

    Args:
        out: The folder of the revision.
        number: 0 for the first answers.
    """

    def __init__(self, out: Path, number: int) -> None:
        self.number = number
        self.path = out / f"round-{number}"
        self.answers = Lines(self.path / "answers.jsonl")
        self.scores = Lines(self.path / "scores.jsonl")
        self.evidence = self.path / "evidence.jsonl"

    def reload(self) -> None:
        """Read the check anew, after it was made or made again."""
        self.scores = Lines(self.path / "scores.jsonl")
