"""Records of older versions in the form of today; the only code that knows the older forms.

schema 1: `k` and the shares `support`, `contra` and `unsupported` are fields.
schema 0 (fas 0.2.0, which names no schema): the shares are `support@5`, `contra@5` and `unsupported@5`.

Unknown fields, as newer versions may write them, are kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fas._version import __version__
from fas.core.errors import InputError
from fas.core.records.stored import SHARES, metric_field


def check_version(written_by: object, path: Path) -> None:
    """Refuse (InputError) a run of a version before 0.2.

    *written_by* is the version in `run.json`, where it is a text, and *path* the run's `scores.jsonl`.
    """
    if isinstance(written_by, str) and written_by.startswith(("0.0.", "0.1.")):
        raise InputError(
            f"{path}: written by fas {written_by}; this version, {__version__}, reads runs of 0.2.0 and later. "
            f"Score the answers again, or read the run with fas {written_by}",
            kind="version",
        )


def migrate_record(record: dict[str, Any]) -> dict[str, Any]:
    """*record* in the form of today: itself if it has k as a field."""
    if "k" in record:
        return record
    return {metric_field(name): value for name, value in record.items()} | {"k": _read_k(record)}


def migrate_report(report: dict[str, Any]) -> dict[str, Any]:
    """The content of a `report.json` in the form of today."""
    return report if report.get("k") is not None else {**report, "k": _read_k(report.get("metrics") or ())}


def _read_k(names: Iterable[str]) -> int | None:
    """The k in names such as `support@5`; None without any."""
    shares = (name.partition("@") for name in names)
    return next((int(k) for field, _, k in shares if field in SHARES and k.isdecimal()), None)
