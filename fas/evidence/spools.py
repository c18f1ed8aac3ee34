"""Source files read into spools, several at a time, each by a process of its own; the folder they lie in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from fas.core.errors import InputError
from fas.evidence.sources import OnError, RetrievalTally, spool

SPOOLS = ".fas-spool"
_SMALL = 8 << 20  # a process of its own costs more than it saves below this


def write_spool(
    files: Sequence[Path], folder: Path, jobs: int, on_error: OnError, names: Mapping[Path, str] = MappingProxyType({})
) -> Iterator[tuple[Path, Path, RetrievalTally]]:
    """Each file with its spool and tally, in order, at most *jobs* being read ahead.

    *names* has what the ids of a document begin with, where that is not its file's name.
    """
    if len(files) == 1 and files[0].stat().st_size < _SMALL:
        target = folder / "0"
        yield files[0], target, spool(files[0], target, on_error=on_error, name=names.get(files[0], ""))
        return
    running: dict[int, subprocess.Popen[str]] = {}
    started = 0
    try:
        for position, path in enumerate(files):
            while started < len(files) and started < position + jobs:
                running[started] = _start(
                    files[started], folder / str(started), on_error, names.get(files[started], "")
                )
                started += 1
            yield path, folder / str(position), _finish(path, running.pop(position))
    finally:
        for process in running.values():
            process.kill()
            process.communicate()


def _start(path: Path, target: Path, on_error: OnError, name: str) -> subprocess.Popen[str]:
    # A fresh interpreter, not a fork: tantivy's threads are running, and memory goes back after each file.
    return subprocess.Popen(
        [sys.executable, "-m", "fas.evidence.sources", str(path), str(target), on_error, name],
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)},
    )


def _finish(path: Path, process: subprocess.Popen[str]) -> RetrievalTally:
    output, _ = process.communicate()
    if process.returncode != 0 or not output:
        raise InputError(f"{path}: the process that read it exited with code {process.returncode}", kind="broken")
    outcome = json.loads(output)
    if "error" in outcome:
        raise InputError(outcome["error"], kind=outcome["kind"], line=outcome["line"], field=outcome["field"])
    return RetrievalTally(**outcome)
