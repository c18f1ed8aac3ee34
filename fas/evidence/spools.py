"""Source files read into spools, several at a time, each by a process of its own; the folder they lie in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from fas.core.errors import InputError
from fas.evidence.sources import OnError, RetrievalTally, spool

SPOOLS = ".fas-spool"
_SMALL = 8 << 20  # a process of its own costs more than it saves below this


def write_spool(
    files: Sequence[Path], folder: Path, jobs: int, on_error: OnError, names: Mapping[Path, str]
) -> Iterator[tuple[Path, Path, RetrievalTally]]:
    """Each file with its spool and tally, in order, at most *jobs* being read ahead.

    *names* are the beginnings of the ids of documents' passages.
    """
    targets = [folder / str(position) for position in range(len(files))]
    if len(files) == 1 and files[0].stat().st_size < _SMALL:
        yield files[0], targets[0], spool(files[0], targets[0], on_error=on_error, name=names[files[0]])
        return
    running: list[subprocess.Popen[bytes]] = []
    try:
        for position, (path, target) in enumerate(zip(files, targets, strict=True)):
            while len(running) < min(len(files), position + jobs):
                coming = files[len(running)]
                running.append(_start_reading(coming, targets[len(running)], on_error, names[coming]))
            yield path, target, _await_tally(path, target, running[position])
    finally:
        for process in running:
            process.kill()
            process.wait()


def _start_reading(path: Path, target: Path, on_error: OnError, name: str) -> subprocess.Popen[bytes]:
    # A fresh interpreter, not a fork: tantivy's threads are running, and memory goes back after each file.
    return subprocess.Popen(
        [sys.executable, "-m", "fas.evidence.spools", str(path), str(target), on_error, name],
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)},
    )


def _await_tally(path: Path, target: Path, process: subprocess.Popen[bytes]) -> RetrievalTally:
    if process.wait():
        raise InputError(f"{path}: the process that read it exited with code {process.returncode}", kind="broken")
    outcome = json.loads(_outcome_file(target).read_text(encoding="utf-8"))
    if "error" in outcome:
        raise InputError(outcome["error"], kind=outcome["kind"], line=outcome["line"], field=outcome["field"])
    return RetrievalTally(**outcome)


def _outcome_file(target: Path) -> Path:
    return target.with_suffix(".json")


def _read_alone(path: str, target: str, on_error: OnError, name: str) -> None:
    """Spool one file in a process of its own; the tally or the fault goes to a file beside the spool."""
    try:
        outcome = spool(Path(path), Path(target), on_error=on_error, name=name)._asdict()
    except InputError as error:
        outcome = {"error": str(error), "kind": error.kind, "line": error.line, "field": error.field}
    _outcome_file(Path(target)).write_text(json.dumps(outcome), encoding="utf-8")


if __name__ == "__main__":
    _read_alone(*sys.argv[1:])  # type: ignore[arg-type]  # written by `_start_reading`
