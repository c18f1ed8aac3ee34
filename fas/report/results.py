"""Per-answer scores read back from a result folder, as columns."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fas.aggregate import UNCOUNTED
from fas.errors import InputError
from fas.stats.bootstrap import FloatArray

# Fields of a record that are not one number to be averaged.
_NOT_METRICS = frozenset({"id", "question", "prediction", "meta", "claims", "flags", "error"})
FLAG_PREFIX = "flag:"


@dataclass(frozen=True, slots=True)
class Results:
    """The numbers of one run.

    Attributes:
        path: The `scores.jsonl` they were read from.
        lines: Identifier to line; failed answers are not among them.
        metrics: Name to values in the order of `lines`, NaN where undefined. `flag:NAME` is 1
            where an answer has a counted flag of that name, else 0.
        units: Value of the field the answers are clustered by (the id where it is missing), or
            None without clustering.
        n_failed: Records that are errors.
        signature: Signature of the run, or None where there is no `report.json` beside the scores.
    """

    path: Path
    lines: Mapping[str, int]
    metrics: Mapping[str, FloatArray]
    units: tuple[str, ...] | None
    n_failed: int
    signature: str | None


def scores_path(path: Path) -> Path:
    """The `scores.jsonl` of a result folder, or the file itself.

    Raises:
        InputError: There is none.
    """
    found = path / "scores.jsonl" if path.is_dir() else path
    if not found.is_file():
        hint = "the folder has no scores.jsonl; `fas score FILE -o DIR` writes one" if path.is_dir() else "no such file"
        raise InputError(f"{found}: {hint}", kind="missing_file")
    return found


def json_lines(path: Path, *, parse: Callable[[str], Any] = json.loads) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line number and object of every line that is not blank.

    Args:
        path: File in UTF-8.
        parse: How a line is read; `strict_loads` for what people write themselves.

    Raises:
        InputError: The file cannot be read, or a line is not a JSON object.
    """
    try:
        with path.open(encoding="utf-8") as lines:
            for number, text in enumerate(lines, start=1):
                if not text.strip():
                    continue
                try:
                    record = parse(text)
                except ValueError as error:
                    raise InputError(f"{path}, line {number}: not JSON: {error}", kind="json", line=number) from error
                if not isinstance(record, dict):
                    raise InputError(
                        f"{path}, line {number}: expected a JSON object, got {type(record).__name__}",
                        kind="json",
                        line=number,
                    )
                yield number, record
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8: {error}", kind="encoding") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}", kind="missing_file") from error


def read_id(record: Mapping[str, Any], path: Path, number: int, seen: Mapping[str, int]) -> str:
    """The identifier of a record, as a string.

    Raises:
        InputError: It is missing, of a wrong type, or was used before.
    """
    value = record.get("id")
    if isinstance(value, bool) or not isinstance(value, str | int):
        found = "missing" if "id" not in record else f"must be a string or a whole number, got {value!r}"
        raise InputError(f"{path}, line {number}: field 'id': {found}", kind="id", line=number, field="id")
    name = str(value)
    if name in seen:
        raise InputError(
            f"{path}, line {number}: field 'id': {name!r} was already used in line {seen[name]}; ids are unique",
            kind="duplicate_id",
            line=number,
            field="id",
        )
    return name


def read_results(path: Path, *, cluster_by: str | None = None) -> Results:
    """The metrics of every scored answer of a result folder (or a `scores.jsonl`).

    Args:
        path: Folder or file.
        cluster_by: `"question"` or a field of `meta`: answers that share its value are one unit.

    Raises:
        InputError: A file is missing or a line cannot be used, with file and line.
    """
    source = scores_path(path)
    lines: dict[str, int] = {}
    seen: dict[str, int] = {}
    rows: list[dict[str, float]] = []
    units: list[str] = []
    for number, record in json_lines(source):
        name = read_id(record, source, number, seen)
        seen[name] = number
        if record.get("error") is not None:
            continue
        lines[name] = number
        rows.append(_numbers(record, source, number))
        if cluster_by is not None:
            units.append(_unit(record, cluster_by, name))
    if not lines:
        raise InputError(f"{source}: no scored answer", kind="empty_file")
    names = dict.fromkeys(metric for row in rows for metric in row)
    metrics = {
        metric: np.array([row.get(metric, 0.0 if metric.startswith(FLAG_PREFIX) else math.nan) for row in rows])
        for metric in names
    }
    clusters = tuple(units) if cluster_by is not None else None
    return Results(source, lines, metrics, clusters, len(seen) - len(lines), signature_of(source))


def pick_metrics(wanted: Sequence[str] | None, available: Sequence[str], where: str) -> list[str]:
    """The metrics to report: *wanted*, or all.

    Raises:
        InputError: A wanted metric is not there; the message lists those that are.
    """
    if wanted is None:
        return list(available)
    missing = [name for name in wanted if name not in available]
    if missing:
        raise InputError(f"{where}: no metric {', '.join(map(repr, missing))}; there are {', '.join(available)}")
    return list(wanted)


def _numbers(record: Mapping[str, Any], path: Path, number: int) -> dict[str, float]:
    values: dict[str, float] = {}
    for name, value in record.items():
        if name in _NOT_METRICS or name.startswith("n_"):
            continue
        if value is None:
            values[name] = math.nan
        elif isinstance(value, int | float) and not isinstance(value, bool):
            values[name] = float(value)
        else:
            raise InputError(
                f"{path}, line {number}: field {name!r}: expected a number or null, got {value!r}",
                kind="type",
                line=number,
                field=name,
            )
    for flag in record.get("flags") or ():
        if flag.get("status") not in UNCOUNTED:
            values[f"{FLAG_PREFIX}{flag['flag']}"] = 1.0
    return values


def _unit(record: Mapping[str, Any], field: str, name: str) -> str:
    value = record.get("question") if field == "question" else (record.get("meta") or {}).get(field)
    # A unit of its own; the prefix keeps an id from meeting another answer's value.
    return f"id\0{name}" if value is None else f"value\0{value}"


def signature_of(source: Path) -> str | None:
    """The signature in the `report.json` beside *source*, or None where there is no report.

    Raises:
        InputError: The report cannot be read.
    """
    beside = source.with_name("report.json")
    if not beside.is_file():
        return None
    try:
        signature = json.loads(beside.read_text(encoding="utf-8"))["signature"]
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise InputError(f"{beside}: cannot be read as a report: {error}", kind="json") from error
    return str(signature)
