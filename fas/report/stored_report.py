"""A run's report as its `report.json` has it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fas.core.errors import InputError
from fas.core.records import FlagRate, MetricSummary, Report


def read_report(folder: Path) -> Report:
    """The report in *folder*, without its answers.

    Raises:
        InputError: There is none, or it is not what a run writes.
    """
    path = folder / "report.json"
    if not path.is_file():
        raise InputError(f"{path}: no such file; expected a folder of `fas score`", kind="missing_file")
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return Report(
            signature=str(found["signature"]),
            n=int(found["n"]),
            n_unscored=int(found["n_unscored"]),
            n_abstained=int(found.get("n_abstained", 0)),
            n_language=int(found.get("n_language", 0)),
            n_failed=int(found["n_failed"]),
            metrics=_metrics(found["metrics"]),
            claim_shares=_metrics(found.get("claim_shares", {})),
            variance=found.get("variance", {}),
            spread={
                name: {key: _number(value) for key, value in one.items()}
                for name, one in found.get("spread", {}).items()
            },
            groups={
                name: {value: _metrics(metrics) for value, metrics in values.items()}
                for name, values in found["groups"].items()
            },
            flags={
                name: FlagRate(
                    int(rate["answers"]), _number(rate["rate"]), _number(rate["low"]), _number(rate["high"]), _how(rate)
                )
                for name, rate in found["flags"].items()
            },
            timing=found["timing"],
            versions=found["versions"],
            notes=tuple(found["notes"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: cannot be read as a report: {error}", kind="json") from error


def _metrics(found: Mapping[str, Any]) -> dict[str, MetricSummary]:
    return {
        name: MetricSummary(_number(one["mean"]), _number(one["low"]), _number(one["high"]), int(one["n"]), _how(one))
        for name, one in found.items()
    }


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _how(one: Mapping[str, Any]) -> str:
    return str(one.get("interval", ""))
