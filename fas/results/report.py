"""A run's report as its `report.json` has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from fas.core.errors import InputError
from fas.core.files.own import REPORT
from fas.core.records import FlagRate, MetricSummary, Report
from fas.core.records.as_json import number_or_nan
from fas.core.records.stored import ReportRecord
from fas.results import read_object
from fas.results.migration import migrate_report
from fas.results.schema import checker

T = TypeVar("T")
V = TypeVar("V")
_check_report = checker(ReportRecord)


def read_report(folder: Path) -> Report:
    """The report in *folder*, without its answers; an InputError if there is none, or one that no run writes."""
    path = folder / REPORT
    if not path.is_file():
        raise InputError(f"{path}: no such file; expected a folder of `fas score`", kind="missing_file")
    content = migrate_report(read_object(path))
    if (fault := _check_report(content)) is not None:
        raise InputError(f"{path}: field {fault.path!r}: {fault}", kind="type", field=fault.path)
    found = {name: content[name] for name in ReportRecord.__annotations__ if content[name] is not None}
    for name in ("metrics", "claim_shares", "bias", "controls"):
        found[name] = _map(_to_summary, found[name])
    found["groups"] = _map(lambda group: _map(lambda metrics: _map(_to_summary, metrics), group), found["groups"])
    found["flags"] = _map(lambda one: FlagRate(one["answers"], *_read_interval(one, "rate")), found["flags"])
    found["spread"] = _map(lambda one: _map(number_or_nan, one), found["spread"])
    return Report(**found | {"notes": tuple(found["notes"])})


def _map(convert: Callable[[V], T], items: Mapping[str, V]) -> dict[str, T]:
    return {name: convert(item) for name, item in items.items()}


def _read_interval(record: Mapping[str, Any], name: str) -> tuple[float, float, float, str]:
    low, high = number_or_nan(record["low"]), number_or_nan(record["high"])
    return number_or_nan(record[name]), low, high, record["interval"] or ""


def _to_summary(record: Mapping[str, Any]) -> MetricSummary:
    mean, low, high, how = _read_interval(record, "mean")
    return MetricSummary(mean, low, high, record["n"], how)
