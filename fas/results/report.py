"""A run's report as its `report.json` has it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from fas.core.errors import InputError
from fas.core.files.own import REPORT
from fas.core.records import FlagRate, MetricSummary, Report
from fas.core.records.as_json import number_or_nan
from fas.core.records.stored import ReportRecord, SummaryRecord
from fas.results.migration import migrate_report
from fas.results.run import read_object
from fas.results.schema import checker


def read_report(folder: Path) -> Report:
    """The report in *folder*, without its answers.

    Raises:
        InputError: There is none, or it is not what a run writes; with file and field.
    """
    path = folder / REPORT
    if not path.is_file():
        raise InputError(f"{path}: no such file; expected a folder of `fas score`", kind="missing_file")
    content = migrate_report(read_object(path))
    if (fault := checker(ReportRecord)(content)) is not None:
        raise InputError(f"{path}: field {fault.path!r}: {fault}", kind="type", field=fault.path)
    found = cast(ReportRecord, content)
    return Report(
        signature=found["signature"],
        k=found["k"] or 5,
        n=found["n"],
        n_unscored=found["n_unscored"],
        n_abstained=found["n_abstained"] or 0,
        n_language=found["n_language"] or 0,
        n_failed=found["n_failed"],
        metrics=_metrics(found["metrics"]),
        claim_shares=_metrics(found["claim_shares"]),
        bias=_metrics(found["bias"]),
        bias_source=found["bias_source"] or "",
        reasons=found["reasons"],
        variance=found["variance"],
        spread={
            name: {key: number_or_nan(value) for key, value in one.items()} for name, one in found["spread"].items()
        },
        groups={
            name: {value: _metrics(metrics) for value, metrics in values.items()}
            for name, values in found["groups"].items()
        },
        flags={
            name: FlagRate(
                one["answers"],
                number_or_nan(one["rate"]),
                number_or_nan(one["low"]),
                number_or_nan(one["high"]),
                one["interval"] or "",
            )
            for name, one in found["flags"].items()
        },
        controls=_metrics(found["controls"]),
        timing=found["timing"],
        versions=found["versions"],
        notes=tuple(found["notes"]),
    )


def _metrics(found: Mapping[str, SummaryRecord]) -> dict[str, MetricSummary]:
    return {
        name: MetricSummary(
            number_or_nan(one["mean"]),
            number_or_nan(one["low"]),
            number_or_nan(one["high"]),
            one["n"],
            one["interval"] or "",
        )
        for name, one in found.items()
    }
