"""Results of runs, read back: `Run.open(folder)`."""

from __future__ import annotations

from fas.results.run import (
    Run,
    check_record,
    check_records,
    metrics_of,
    read_findings,
    read_id,
    read_object,
    read_records,
    read_settings,
    scores_path,
    signature_of,
)

__all__ = [
    "Run",
    "check_record",
    "check_records",
    "metrics_of",
    "read_findings",
    "read_id",
    "read_object",
    "read_records",
    "read_settings",
    "scores_path",
    "signature_of",
]
