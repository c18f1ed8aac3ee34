"""A run on disk: one folder, one writer, results appended as they finish, restartable.

    out/scores.jsonl   one line per answer, appended every chunk
    out/run.json       the settings and the input's hash; a run with others may not go on here
    out/report.json    out/report.html
    out/.lock          held while a run writes

A killed run leaves at most a torn last line, which the next run cuts off.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from fas.errors import FolderInUse, InputError
from fas.records import Report


class RunFolder:
    """The output folder of one run, locked while the context is open.

    Args:
        path: The folder; made if need be.
        fresh: Throw away the results of an earlier run instead of going on.

    Raises:
        FolderInUse: Another run holds the folder.
        InputError: The folder cannot be written.
    """

    def __init__(self, path: Path, *, fresh: bool = False) -> None:
        self.path = path
        self.scores = path / "scores.jsonl"
        self._state = path / "run.json"
        self._fresh = fresh
        self._lock = FileLock(path / ".lock")

    def __enter__(self) -> RunFolder:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock.acquire(timeout=0)
        except Timeout as error:
            raise FolderInUse(
                f"{self.path}: another run is writing this folder; wait for it, or give another folder with -o"
            ) from error
        except OSError as error:
            raise InputError(f"{self.path}: cannot be written: {error.strerror or error}", kind="unwritable") from error
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def resume(self, settings: Mapping[str, str], *, retry_unverified: bool = True) -> set[str]:
        """Identifiers of the answers that are finished; the rest is still to do.

        With `fresh` the results of an earlier run are thrown away here. A torn last line is cut
        off. Answers with a claim whose search or verification failed are taken out, so that they
        are tried again.

        Args:
            settings: What decides a score, as text; compared with those of the earlier run.
            retry_unverified: Whether answers with failed claims are to be done again.

        Raises:
            InputError: The folder holds results made with other settings or from another input.
        """
        if self._fresh:
            # Not before: whatever stops a run earlier must not cost the results of the one before.
            for path in (self.scores, self._state, self.path / "report.json", self.path / "report.html"):
                path.unlink(missing_ok=True)
        if not self.scores.exists():
            self._write(self._state, json.dumps(dict(settings), indent=2, ensure_ascii=False) + "\n")
            return set()
        earlier = self._earlier_settings()
        for key in dict.fromkeys((*earlier, *settings)):
            if earlier.get(key) != settings.get(key):
                raise InputError(
                    f"{self.path}: holds results of another run: {key!r} was {earlier.get(key)!r}, now it is "
                    f"{settings.get(key)!r}; give another folder with -o, or --overwrite to start again",
                    kind="other_run",
                )
        return self._finished(retry_unverified)

    def append(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Add *records* to `scores.jsonl`; on return they are on disk.

        Raises:
            InputError: The disk is full or the file cannot be written. Nothing is left half-written.
        """
        data = "".join(_line(record) for record in records).encode("utf-8")
        size = self.scores.stat().st_size if self.scores.exists() else 0
        try:
            with self.scores.open("ab") as out:
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
        except OSError as error:
            if self.scores.exists():
                with suppress(OSError):  # a torn last line is cut off by the next run anyway
                    os.truncate(self.scores, size)
            raise InputError(
                f"{self.scores}: cannot be written: {error.strerror or error}; finished answers are kept, "
                "the same command goes on from there",
                kind="unwritable",
            ) from error

    def records(self) -> Iterator[dict[str, Any]]:
        """The lines of `scores.jsonl`, in the order in which they were written."""
        if not self.scores.exists():
            return
        with self.scores.open(encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)

    def write_report(self, report: Report) -> None:
        """Write `report.json` and `report.html`."""
        from fas.report.html import write_html

        self._write(
            self.path / "report.json",
            json.dumps(report.as_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n",
        )
        write_html(self.path / "report.html", report, self.scores)

    def _earlier_settings(self) -> dict[str, str]:
        try:
            earlier = json.loads(self._state.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(
                f"{self._state}: cannot be read ({error}), but {self.scores.name} exists; "
                "give another folder with -o, or --overwrite to start again",
                kind="other_run",
            ) from error
        return dict(earlier)

    def _finished(self, retry_unverified: bool) -> set[str]:
        """The identifiers of the lines worth keeping; the file is written anew if it holds others."""
        finished: set[str] = set()
        complete = True
        with self.scores.open("rb") as lines:
            for identifier, _ in _kept(lines, retry_unverified):
                if identifier is None:
                    complete = False
                else:
                    finished.add(identifier)
        if not complete:
            self._rewrite(retry_unverified)
        return finished

    def _rewrite(self, retry_unverified: bool) -> None:
        """Copy the lines worth keeping; the old file stays until the new one is complete."""
        partial = self.scores.with_suffix(".tmp")
        with self.scores.open("rb") as lines, partial.open("wb") as out:
            out.writelines(raw for identifier, raw in _kept(lines, retry_unverified) if identifier is not None)
            out.flush()
            os.fsync(out.fileno())
        partial.replace(self.scores)

    def _write(self, path: Path, text: str) -> None:
        partial = path.with_name(path.name + ".tmp")
        try:
            partial.write_text(text, encoding="utf-8")
            partial.replace(path)
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error.strerror or error}", kind="unwritable") from error


def _line(record: Mapping[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"


def _kept(lines: Iterable[bytes], retry_unverified: bool) -> Iterator[tuple[str | None, bytes]]:
    """Every line with the identifier of its answer, None for one that is torn, comes again or is to be done again."""
    seen: set[str] = set()
    for raw in lines:
        record = _parse(raw)
        if record is None or (retry_unverified and _failed_claims(record)) or record["id"] in seen:
            yield None, raw
        else:
            seen.add(record["id"])
            yield record["id"], raw


def _parse(raw: bytes) -> dict[str, Any] | None:
    if not raw.endswith(b"\n"):
        return None
    try:
        record = json.loads(raw)
    except ValueError:
        return None
    return record if isinstance(record, dict) and "id" in record else None


def _failed_claims(record: Mapping[str, Any]) -> bool:
    return any(claim["label"] == "unverified" for claim in record.get("claims", ()))
