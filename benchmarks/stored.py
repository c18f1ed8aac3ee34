"""Stored results: one measurement a line (JSON Lines), with the machine, the version and the day it is of."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fas._version import __version__
from fas.models.paths import VERSIONS


def row(
    what: str, name: str, n: int, medians: Mapping[str, Any], *, packages: Sequence[str] = (), **more: Any
) -> dict[str, Any]:
    """One measurement as it is stored, made now and here.

    Args:
        what: The measurement; all rows of one are stored together.
        name: The row.
        n: How many answers, pairs or texts a number is of.
        medians: Name to number.
        packages: Installed packages it is compared with.
        more: What else belongs to it: single rounds, the load of the machine.
    """
    return {"what": what, "row": name, **about(packages), "n": n, "medians": dict(medians), **more}


def about(packages: Sequence[str] = ()) -> dict[str, str]:
    """Machine, versions (of this package, its models, and *packages*) and day of a measurement made now."""
    models = [f"{model}@{number}" for model, number in VERSIONS.items() if model != "fas-nli-base"]
    versions = [f"fas {__version__}", *models, *(f"{package} {version(package)}" for package in packages)]
    day = datetime.now(UTC).date().isoformat()
    return {"machine": processor(), "version": ", ".join(versions), "date": day}


def read_rows(path: Path, what: str | None = None) -> list[dict[str, Any]]:
    """The rows of a file, or those of one measurement."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [one for one in rows if what in (None, one["what"])]


def store_rows(path: Path, rows: Sequence[Mapping[str, Any]], *, whole: bool = False) -> None:
    """Put *rows* into a file: one of the same measurement and name goes, all others stay.

    Args:
        path: The file; made if it is not there.
        rows: What was measured.
        whole: These are all rows of their measurements: others of them go, too.
    """
    names = {one["what"] for one in rows} if whole else set()
    kept = [one for one in (read_rows(path) if path.is_file() else ()) if one["what"] not in names]
    made = {(one["what"], one["row"]): one for one in (*kept, *rows)}
    text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in made.values())
    path.write_text(text, encoding="utf-8")


def measured(rows: Sequence[Mapping[str, Any]]) -> str:
    """A sentence with the date, machine and version of the rows."""
    parts = dict.fromkeys(f"{one['date']}, {one['machine']}; {one['version']}" for one in rows)
    return "Measured " + "; ".join(parts) + "."


def processor() -> str:
    """The processor's name and how many of its cores this process may use."""
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        lines = info.read_text(encoding="utf-8", errors="replace").splitlines()
        name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), name)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{name}, {cores} cores"


def load() -> list[float]:
    """The load of the machine over one, five and fifteen minutes."""
    return [round(value, 1) for value in os.getloadavg()]
