"""A run on disk: one folder, one writer, results appended as they finish, restartable.

    out/scores.jsonl   one line per answer, appended every chunk
    out/redone.jsonl   answers done again, until they take the place of their lines in scores.jsonl
    out/run.json       the settings and the input's hash; a run with others may not go on here;
                       the input's name, the time of the last change (UTC), and what the run tallied
                       beside its records (fas.pipeline.runs.tally)
    out/report.json    out/report.html
    out/parquet/       the records as tables, where they were asked for (fas.pipeline.runs.tables)
    out/.lock          held while a run writes

A killed run leaves at most a torn last line, which the next run cuts off. At any moment
scores.jsonl holds every finished answer once, in the order of the input: a line goes only by being
replaced, together with all others that were done again, by a new file.

A folder is a run's by its run.json. Where there is none, no file that a run would write is touched.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from filelock import FileLock, Timeout

from fas.core.errors import FolderInUse, InputError
from fas.core.files.own import CONTROLS, REPORT, RUN, SCORES, another_folder, check_no_input, exists_any, replace_file
from fas.core.files.plain import parse_json
from fas.core.records import Report
from fas.pipeline.runs.lines import append_line, clean, line, refuse_unwritable, write_text
from fas.pipeline.runs.loop import Records, Store
from fas.pipeline.runs.settings import MADE_BY, NOTED, WRITTEN, check_settings


def check_inputs(inputs: Iterable[Path], out: Path) -> None:
    """Refuse an input that a run in the folder *out* would write or remove.

    Raises:
        InputError: One of *inputs* is such a file.
    """
    folder = RunFolder(out)
    check_no_input(inputs, (*folder.files(), out / ".lock"))


@contextmanager
def lock_folder(path: Path) -> Iterator[None]:
    """The folder *path*, made if need be and held by this process while the context is open.

    Args:
        path: The folder.

    Raises:
        FolderInUse: Another process holds it.
        InputError: It cannot be written.
    """
    lock = FileLock(path / ".lock")
    try:
        path.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout as error:
        raise FolderInUse(f"{path}: another run is writing this folder; wait for it, or {another_folder()}") from error
    except OSError as error:
        raise refuse_unwritable(path, error) from error
    try:
        yield
    finally:
        lock.release()


class RunFolder(Store):
    """The output folder of one run, locked while the context is open.

    Args:
        path: The folder; made if need be.
        fresh: Throw away the results of an earlier run instead of going on.
        name: Name of the file of results.
        again: Whether the answer of a line is to be done again; by default, if one of its claims is unverified.

    Attributes:
        finished: Identifiers of the answers that are not done again; set by `resume`.
        unverified: Identifiers of the answers in `scores.jsonl` that are to be done again; set by `resume`.
        tally: What the processes before this one tallied; set by `resume`, empty for a new run.

    Raises:
        FolderInUse: Another run holds the folder.
        InputError: The folder cannot be written, or a file to which the run would add is a link.
    """

    def __init__(
        self,
        path: Path,
        *,
        fresh: bool = False,
        name: str = SCORES,
        again: Callable[[Mapping[str, Any]], bool] | None = None,
    ) -> None:
        self.path = path
        self.scores = path / name
        self._again = again or _has_failed_claims
        self.finished: set[str] = set()
        self.unverified: set[str] = set()
        self.tally: dict[str, Any] = {}
        self._redone = path / "redone.jsonl"
        self._state = path / RUN
        self._settings: dict[str, str] = {}
        self._notes: Mapping[str, Any] = {}
        self._fresh = fresh
        self._begun: set[Path] = set()
        self._lock = ExitStack()

    def __enter__(self) -> RunFolder:
        for path in (self.scores, self._redone, self.path / "parquet", self.path / ".lock"):
            if path.is_symlink():
                raise InputError(
                    f"{path}: is a link to {path.readlink()}, where this run would write; remove the link, or give "
                    "another folder with -o",
                    kind="link",
                )
        lock = self.path / ".lock"
        if lock.exists() and lock.stat().st_size:  # taking the lock empties it, under whatever other name it has
            raise InputError(f"{lock}: is not empty, so no run's lock; move it away", kind="not_ours")
        self._lock.enter_context(lock_folder(self.path))
        return self

    def files(self) -> tuple[Path, ...]:
        """Every file that a run writes here, but for the lock; `run.json`, which says so, comes last."""
        tables = sorted((self.path / "parquet").glob("part-*.parquet"))
        made = (self.path / REPORT, self.path / "report.html", self.path / CONTROLS)
        return (self._redone, self.scores, *made, *tables, self._state)

    def __exit__(self, *_: object) -> None:
        self._lock.close()

    def resume(
        self,
        settings: Mapping[str, str],
        *,
        retry_unverified: bool = True,
        settled: Collection[str] = (),
        notes: Mapping[str, Any] = MappingProxyType({}),
    ) -> set[str]:
        """Identifiers of the answers that are finished; the rest is still to do.

        With `fresh` the results of an earlier run are thrown away here. A torn last line is cut
        off. Answers with a claim whose search or verification failed are `unverified`: they are not
        among the finished, but their lines stay until `settle` puts new ones in their place.

        Args:
            settings: What decides a score, as text; compared with those of the earlier run.
            retry_unverified: Whether answers with failed claims are to be done again.
            settled: Identifiers of answers with failed claims that are not done again.
            notes: What is noted beside the settings and not compared (`note_sources`).

        Raises:
            InputError: The folder holds results made with other settings or from another input, or files
                that no run is known to have made.
        """
        self._check_made_here()
        if self._fresh:
            # Not before: a run that stops earlier must not cost the results of the one before.
            # The state stays until the new one takes its place: it is what says that the others are a run's.
            for path in self.files():
                if path != self._state:
                    path.unlink(missing_ok=True)
        self._settings = dict(settings)
        self._notes = notes
        self.finished, self.unverified, self.tally = set(), set(), {}
        if not self.scores.exists():
            self._redone.unlink(missing_ok=True)  # answers of a run whose scores are gone
            self._write_state()
            return self.finished
        earlier, self.tally = self.state()
        check_settings(self.path, earlier, settings, f"{another_folder(or_overwrite=True)} to start again")
        self.settle()
        self._find_finished(settled if retry_unverified else None)
        return self.finished

    def append(self, records: Records, *, tally: Mapping[str, Any] | None = None) -> None:
        """Add *records* of new answers to `scores.jsonl`; on return they are on disk.

        Args:
            records: The lines.
            tally: What `tally` is to be for the next process.

        Raises:
            InputError: The disk is full or the file cannot be written. Nothing is left half-written.
        """
        self._add(self.scores, records, tally)

    def redo(self, records: Records, *, tally: Mapping[str, Any] | None = None) -> None:
        """As `append`, for answers that have a line in `scores.jsonl`; `settle` exchanges it."""
        self._add(self._redone, records, tally)

    def settle(self) -> None:
        """Replace the lines of answers that were done again, all at once.

        Raises:
            InputError: The disk is full or the file cannot be written. The old lines and the new ones stay.
        """
        if self._redone.exists():
            self._rewrite(self._redone)
            # Last: a run that is killed before settles once more, to the same end.
            self._redone.unlink()

    def records(self) -> Iterator[dict[str, Any]]:
        """The lines of `scores.jsonl`, in the order of the input."""
        if not self.scores.exists():
            return
        with self.scores.open(encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)

    def count(self) -> int:
        """How many answers are finished; those that are done again and not yet settled count once."""
        if not self.scores.exists():
            return 0
        with self.scores.open("rb") as lines:
            return sum(record is not None for _, record in _read_results(lines))

    def adopt(self, lines: Iterable[bytes], *, tally: Mapping[str, Any]) -> None:
        """Make `scores.jsonl` of *lines* that other runs wrote; it is there when all of them are.

        Raises:
            InputError: The disk is full or the file cannot be written.
        """
        with self._explain_errors(self.scores), replace_file(self.scores, binary=True) as out:
            out.writelines(lines)
        self._write_state(tally)

    def write_report(self, report: Report) -> None:
        """Write `report.json` and `report.html`."""
        from fas.report.html import write_html

        report = replace(report, notes=clean(tuple(report.notes)))
        text = json.dumps(clean(report.as_dict()), indent=2, ensure_ascii=False, allow_nan=False)
        write_text(self.path / REPORT, text + "\n")
        write_html(self.path / "report.html", report, self.scores)

    def _check_made_here(self) -> None:
        """Refuse a folder with files of a run's names that no run is known to have made."""
        found = exists_any(self.files())
        if found is not None:
            try:
                self.state()
            except (OSError, ValueError, RecursionError) as error:
                raise InputError(
                    f"{self._state}: is not a run's state ({error}), so {found.name} may belong to another "
                    f"program and is not touched; {another_folder()}, or move it",
                    kind="not_ours",
                ) from error

    def state(self) -> tuple[dict[str, str], dict[str, Any]]:
        """The settings and the tally of the run that is in the folder.

        Raises:
            OSError: There is none, or it cannot be read.
            ValueError: It is not what a run writes.
        """
        earlier = parse_json(self._state.read_bytes())
        if not isinstance(earlier, dict) or not isinstance(earlier.get("tally", {}), dict):
            raise ValueError("another form")
        # Version 0.1.0 did not sign, but noted these two.
        if earlier.pop(MADE_BY, None) != "fas" and not {"input", "v"} <= earlier.keys():
            raise ValueError("no run's settings")
        tally = earlier.pop("tally", {})
        for name in (*NOTED, WRITTEN):
            earlier.pop(name, None)
        return earlier, tally

    def _is_open(self, record: Mapping[str, Any], number: int) -> bool:
        """Whether the answer of *record* is to be done again; refuses a line that no run writes."""
        try:
            return self._again(record)
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"{self.scores}, line {number}: not a record of this run ({error!r})", kind="type", line=number
            ) from error

    def _find_finished(self, settled: Collection[str] | None) -> None:
        """Sort the answers by what is to be done; the file is written anew if it has other lines or another name.

        Nothing is done again if *settled* is None.
        """
        complete = True
        with self.scores.open("rb") as lines:
            for number, (_, record) in enumerate(_read_results(lines), start=1):
                if record is None:
                    complete = False
                elif settled is not None and self._is_open(record, number) and record["id"] not in settled:
                    self.unverified.add(record["id"])
                else:
                    self.finished.add(record["id"])
        # A second name of the file (a copy by `cp -al`, say) keeps what it has: this run goes on in a file of its own.
        if not complete or self.scores.stat().st_nlink > 1:
            self._rewrite(Path(os.devnull))

    def _rewrite(self, redone: Path) -> None:
        """Every answer once, as *redone* has it if it does; the old file stays until the new one is complete."""
        with (
            self._explain_errors(self.scores),
            redone.open("rb") as new,
            self.scores.open("rb") as lines,
            replace_file(self.scores, binary=True) as out,
        ):
            places = _find_line_starts(new)
            for raw, record in _read_results(lines):
                if record is not None and record["id"] in places:
                    new.seek(places[record["id"]])
                    raw = new.readline()
                out.write(raw if record is not None else b"")

    def _add(self, path: Path, records: Records, tally: Mapping[str, Any] | None) -> None:
        with self._explain_errors(path):
            append_line(path, map(line, records), begun=path in self._begun)
        if path == self.scores:
            self._begun.add(path)
        if tally is not None:
            self._write_state(tally)

    @contextmanager
    def _explain_errors(self, path: Path) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            kept = "finished answers are kept, and the same command resumes"
            if self._begun and not self.scores.exists():
                kept = f"{self.scores.name} was removed while the run wrote it; the same command starts again"
            raise refuse_unwritable(path, error, f"; {kept}") from error

    def _write_state(self, tally: Mapping[str, Any] | None = None) -> None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        state: dict[str, Any] = {MADE_BY: "fas", **self._settings, **self._notes, WRITTEN: now}
        state |= {} if tally is None else {"tally": dict(tally)}
        write_text(self._state, json.dumps(clean(state), indent=2, ensure_ascii=False) + "\n")


def _read_results(lines: Iterable[bytes]) -> Iterator[tuple[bytes, dict[str, Any] | None]]:
    """Every line with its record, None for one that is torn or whose answer was there before."""
    seen: set[str] = set()
    for raw in lines:
        record = _parse(raw)
        if record is None or record["id"] in seen:
            yield raw, None
        else:
            seen.add(record["id"])
            yield raw, record


def _find_line_starts(lines: Iterable[bytes]) -> dict[str, int]:
    """Where the last whole line of each answer begins."""
    places: dict[str, int] = {}
    at = 0
    for raw in lines:
        record = _parse(raw)
        if record is not None:
            places[record["id"]] = at
        at += len(raw)
    return places


def _parse(raw: bytes) -> dict[str, Any] | None:
    if not raw.endswith(b"\n"):
        return None
    try:
        record = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and isinstance(record.get("id"), str) else None


def _has_failed_claims(record: Mapping[str, Any]) -> bool:
    return any(claim["label"] == "unverified" for claim in record.get("claims", ()))
