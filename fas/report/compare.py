"""Two result folders, answer by answer: which run is better, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fas.errors import InputError
from fas.report.results import FLAG_PREFIX, Results, pick_metrics, read_results
from fas.report.tables import interval, json_ready, number, p_value, paragraph, signed, text_table
from fas.signature import Signature
from fas.stats.bootstrap import Method
from fas.stats.multiple import benjamini_hochberg, holm
from fas.stats.paired import PairedDifference, paired_differences


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """One metric of both runs.

    Attributes:
        result: Difference of A and B over the answers that both have a value for.
        p_holm: `p_randomisation` adjusted over all metrics compared, by Holm.
        p_bh: The same by Benjamini and Hochberg.
    """

    result: PairedDifference
    p_holm: float
    p_bh: float


@dataclass(frozen=True, slots=True)
class RunComparison:
    """The comparison of two runs.

    Attributes:
        a: Scores of the first run.
        b: Scores of the second.
        n_common: Answers scored in both.
        only_a: Ids scored in the first only.
        only_b: Ids scored in the second only.
        failed_a: Error records of the first run.
        failed_b: Error records of the second.
        metrics: Name to comparison.
        only_metrics_a: Metrics of the first run only.
        only_metrics_b: Metrics of the second run only.
        settings: Parts of the signatures that differ: key to the two values (None where absent).
        level: Confidence level of the intervals.
    """

    a: Path
    b: Path
    n_common: int
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    failed_a: int
    failed_b: int
    metrics: Mapping[str, MetricComparison]
    only_metrics_a: tuple[str, ...]
    only_metrics_b: tuple[str, ...]
    settings: Mapping[str, tuple[str | None, str | None]]
    level: float

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready; NaN becomes None."""
        return {
            "a": str(self.a),
            "b": str(self.b),
            "n_common": self.n_common,
            "only_a": list(self.only_a),
            "only_b": list(self.only_b),
            "failed_a": self.failed_a,
            "failed_b": self.failed_b,
            "level": self.level,
            "metrics": {
                name: json_ready({**row.result.as_dict(), "p_holm": row.p_holm, "p_bh": row.p_bh})
                for name, row in self.metrics.items()
            },
            "only_metrics_a": list(self.only_metrics_a),
            "only_metrics_b": list(self.only_metrics_b),
            "settings": {key: list(pair) for key, pair in self.settings.items()},
        }

    def as_text(self) -> str:
        """A table for people."""
        rows = [
            [
                name,
                number(row.result.mean_a),
                number(row.result.mean_b),
                signed(row.result.difference),
                interval(row.result.low, row.result.high, form="signed"),
                p_value(row.result.p_randomisation),
                p_value(row.p_holm),
                signed(row.result.effect_size) if math.isfinite(row.result.effect_size) else "-",
                str(row.result.n),
            ]
            for name, row in self.metrics.items()
        ]
        header = ["metric", "A", "B", "A - B", f"{100 * self.level:g}% interval", "p", "p (Holm)", "d_z", "n"]
        lines = [f"A: {self.a}", f"B: {self.b}", "", text_table(header, rows), ""]
        lines.append(
            paragraph(
                "n: answers with a value in both runs. Interval: paired bootstrap. p: approximate randomisation, "
                "two-sided; Holm's correction is over the metrics of this table."
            )
        )
        notes = list(self._notes())
        if notes:
            lines += ["", *(paragraph(note, bullet="! ") for note in notes)]
        return "\n".join(lines)

    def _notes(self) -> list[str]:
        notes = []
        for name, ids in (("A", self.only_a), ("B", self.only_b)):
            if ids:
                notes.append(f"{_answers(len(ids))} only in {name}, not compared: {_some(ids)}")
        for name, failed in (("A", self.failed_a), ("B", self.failed_b)):
            if failed:
                notes.append(f"{_answers(failed)} of {name} ended in an error record, not compared")
        for name, metrics in (("A", self.only_metrics_a), ("B", self.only_metrics_b)):
            if metrics:
                notes.append(f"metrics only in {name}: {', '.join(metrics)}")
        notes += [f"the runs differ in {key}: {pair[0]} | {pair[1]}" for key, pair in self.settings.items()]
        return notes


def compare_runs(
    dir_a: Path,
    dir_b: Path,
    *,
    metrics: Sequence[str] | None = None,
    cluster_by: str | None = None,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
    method: Method = "percentile",
) -> RunComparison:
    """Join two result folders on id and compare every metric they share.

    Flags are compared as the share of answers with a counted flag of each name (`flag:NAME`).

    Args:
        dir_a: Folder of the first run, or its `scores.jsonl`.
        dir_b: The second.
        metrics: Names to compare; all by default.
        cluster_by: `"question"` or a field of `meta`; answers that share its value (in the first
            run) are resampled together.
        n_resamples: Bootstrap draws and sign assignments.
        level: Confidence level.
        seed: Seed.
        method: `"percentile"` or `"bca"`.

    Raises:
        InputError: A file cannot be used, an id occurs twice, or the runs share no answer or metric.
    """
    a, b = read_results(dir_a, cluster_by=cluster_by), read_results(dir_b)
    common = [name for name in a.lines if name in b.lines]
    if not common:
        raise InputError(
            f"{a.path} and {b.path}: no answer in common ({len(a.lines)} and {len(b.lines)} ids, "
            f"e.g. {next(iter(a.lines))!r} and {next(iter(b.lines))!r}); runs are joined on `id`",
            kind="nothing_in_common",
        )
    shared = [name for name in a.metrics if name in b.metrics]
    if not shared:
        raise InputError(f"{a.path} and {b.path}: no metric in common", kind="nothing_in_common")
    flags = sorted({name for name in (*a.metrics, *b.metrics) if name.startswith(FLAG_PREFIX)})
    if "off" in _different_settings(a.signature, b.signature).get("safety", ()):
        flags = []  # a run that looked for none has no rate to compare with
    shared = [name for name in shared if not name.startswith(FLAG_PREFIX)] + flags
    names = pick_metrics(metrics, shared, f"{a.path} and {b.path}")
    results = paired_differences(
        {name: _column(a, name, common) for name in names},
        {name: _column(b, name, common) for name in names},
        n_resamples=n_resamples,
        level=level,
        seed=seed,
        clusters=None if a.units is None else _rows(a, common, np.array(a.units, dtype=object)),
        method=method,
    )
    p = [results[name].p_randomisation for name in names]
    return RunComparison(
        a=a.path,
        b=b.path,
        n_common=len(common),
        only_a=tuple(name for name in a.lines if name not in b.lines),
        only_b=tuple(name for name in b.lines if name not in a.lines),
        failed_a=a.n_failed,
        failed_b=b.n_failed,
        metrics={
            name: MetricComparison(results[name], float(strict), float(discovery))
            for name, strict, discovery in zip(names, holm(p), benjamini_hochberg(p), strict=True)
        },
        only_metrics_a=tuple(name for name in a.metrics if name not in b.metrics and name not in flags),
        only_metrics_b=tuple(name for name in b.metrics if name not in a.metrics and name not in flags),
        settings=_different_settings(a.signature, b.signature),
        level=level,
    )


def _rows(results: Results, ids: Sequence[str], column: Any) -> Any:
    place = {name: row for row, name in enumerate(results.lines)}
    return column[[place[name] for name in ids]]


def _column(results: Results, name: str, ids: Sequence[str]) -> Any:
    # A flag that a run never raised is no missing value but a rate of 0.
    column = results.metrics.get(name, np.zeros(len(results.lines)))
    return _rows(results, ids, column)


def _different_settings(a: str | None, b: str | None) -> dict[str, tuple[str | None, str | None]]:
    if a is None or b is None:
        return {}
    first, second = Signature.parse(a).fields, Signature.parse(b).fields
    keys = [key for key in dict.fromkeys((*first, *second)) if key != "n" and first.get(key) != second.get(key)]
    return {key: (first.get(key), second.get(key)) for key in keys}


def _answers(n: int) -> str:
    return "1 answer" if n == 1 else f"{n} answers"


def _some(ids: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(ids[:most])
    return shown if len(ids) <= most else f"{shown} and {len(ids) - most} more"
