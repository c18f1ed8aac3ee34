"""Two result folders, answer by answer: which run is better, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fas.core.checks import count_of
from fas.core.errors import InputError
from fas.core.records.signature import Signature
from fas.core.records.stored import metric_field
from fas.report.join import Join, JoinRule, join, list_missing, list_units, read_column
from fas.report.results import FLAG_PREFIX, Results, pick_metrics, read_results
from fas.report.sampling import Sampling
from fas.report.tables import (
    AsText,
    json_ready,
    kinds_text,
    limits,
    number,
    p_value,
    signed,
    text_table,
    wrap_paragraph,
)
from fas.stats.multiple import benjamini_hochberg, holm
from fas.stats.paired import PairedDifference, paired_differences

ZERO = ", none = 0"
"""Ends the name of the row in which an answer without a verified claim counts as 0 support."""


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """One metric of both runs.

    Attributes:
        result: Difference of A and B over the answers that both have a value for (`result.n` of them).
        p_holm: `p` adjusted over all rows of the table, by Holm.
        p_bh: The same by Benjamini and Hochberg.
        n_a: Answers of A with a value.
        n_b: Answers of B with a value.
        missing_a: Answers with a value in B alone: why A has none to their ids.
        missing_b: The same for answers with a value in A alone.
    """

    result: PairedDifference
    p_holm: float
    p_bh: float
    n_a: int
    n_b: int
    missing_a: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    missing_b: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready; NaN becomes None."""
        own: dict[str, Any] = json_ready(self)
        del own["result"]
        return {**json_ready(self.result.as_dict()), **own}


@dataclass(frozen=True, slots=True)
class RunComparison(AsText):
    """The comparison of two runs.

    Attributes:
        a: Scores of the first run.
        join: Which answers were put side by side, and by what.
        only_a: Ids scored in the first only.
        only_b: Ids scored in the second only.
        failed_a: Error records of the first run.
        failed_b: Error records of the second.
        metrics: Name to comparison. A name that ends in `, none = 0` is the metric before it, with 0 for an answer
            without a verified claim.
        only_metrics_a: Metrics of the first run only.
        only_metrics_b: Metrics of the second run only.
        settings: Parts of the signatures that differ: key to the two values (None where absent).
    """

    a: Path
    b: Path
    join: Join
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    failed_a: int
    failed_b: int
    metrics: Mapping[str, MetricComparison]
    only_metrics_a: tuple[str, ...]
    only_metrics_b: tuple[str, ...]
    settings: Mapping[str, tuple[str | None, str | None]]
    sampling: Sampling

    @property
    def n_common(self) -> int:
        """Answers scored in both runs."""
        return len(self.join.ids)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready; NaN becomes None."""
        return {
            "a": str(self.a),
            "b": str(self.b),
            "join": self.join.rule,
            "n_common": self.n_common,
            "n_other_questions": len(self.join.differing),
            "n_unchecked": self.join.n_unchecked,
            **{name: json_ready(getattr(self, name)) for name in ("only_a", "only_b", "failed_a", "failed_b")},
            **self.sampling.as_dict(),
            "metrics": {name: row.as_dict() for name, row in self.metrics.items()},
            **{name: json_ready(getattr(self, name)) for name in ("only_metrics_a", "only_metrics_b", "settings")},
            "notes": self.notes(),
        }

    def as_text(self) -> str:
        """A table for people."""
        rows = [
            [
                name,
                number(row.result.mean_a),
                number(row.result.mean_b),
                signed(row.result.difference),
                limits(row.result, "signed"),
                p_value(row.result.p),
                p_value(row.p_holm),
                signed(row.result.effect_size) if math.isfinite(row.result.effect_size) else "-",
                str(row.n_a),
                str(row.n_b),
                str(row.result.n),
            ]
            for name, row in self.metrics.items()
        ]
        header = ["metric", "A", "B", "A - B", f"{100 * self.sampling.level:g}% interval", "p", "p (Holm)", "d_z"]
        header += ["n A", "n B", "n both"]
        lines = [f"A: {self.a}", f"B: {self.b}", "", text_table(header, rows), ""]
        kinds = kinds_text(row.result.how for row in self.metrics.values()) or "none"
        lines.append(
            wrap_paragraph(
                "n A, n B: answers with a value; the means and all that follows are over those with a value in both. "
                f"Interval: {self.sampling.text(kinds)}. p: two-sided, of the test that the interval inverts; "
                "Holm's correction is over the rows of this table."
            )
        )
        lines.append(self.sampling.signature)
        if notes := self.notes():
            lines += ["", *(wrap_paragraph(note, bullet="! ") for note in notes)]
        return "\n".join(lines)

    def notes(self) -> list[str]:
        """What a reader must know besides the numbers."""
        notes = self.join.notes()
        for name, ids in (("A", self.only_a), ("B", self.only_b)):
            if ids:
                notes.append(f"{count_of(len(ids), 'answer')} only in {name}, not compared: {list_some(ids)}")
        for name, failed in (("A", self.failed_a), ("B", self.failed_b)):
            if failed:
                notes.append(f"{count_of(failed, 'answer')} of {name} ended in an error record, not compared")
        notes += self._note_missing()
        for name, metrics in (("A", self.only_metrics_a), ("B", self.only_metrics_b)):
            if metrics:
                notes.append(f"metrics only in {name}: {', '.join(metrics)}")
        notes += [f"the runs differ in {key}: {pair[0]} | {pair[1]}" for key, pair in self.settings.items()]
        return notes

    def _note_missing(self) -> list[str]:
        """Who has no value in one of the runs; metrics that miss the same answers for the same reason as one."""
        elsewhere = set(self.only_a) | set(self.only_b)
        found = group_metrics(
            (name, side, reason, tuple(one for one in ids if one not in elsewhere))
            for name, row in self.metrics.items()
            for side, reasons in (("A", row.missing_a), ("B", row.missing_b))
            for reason, ids in reasons.items()
            if not name.endswith(ZERO)
        )
        return [
            f"{names}: {count_of(len(ids), 'answer')} without a value in {side} ({reason}), "
            f"not compared: {list_some(ids)}"
            for names, side, reason, ids in found
        ]


def compare_runs(
    dir_a: Path,
    dir_b: Path,
    *,
    metrics: Sequence[str] | None = None,
    cluster_by: str | None = "question",
    join_by: JoinRule = "question",
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
) -> RunComparison:
    """Join two result folders on id and compare every metric they share.

    Flags are compared as the share of answers with a counted flag of each name (`flag:NAME`).

    *dir_a*: folder of the first run, or its `scores.jsonl`. *metrics*: names to compare; all by default. *cluster_by*:
    answers that share it (in the first run) are resampled together: the question by default, or a field of `meta`; None
    or `"none"` for every answer alone. *join_by*: see `fas.report.join.join`.

    Raises:
        InputError: A file cannot be used, an id occurs twice, the runs share no answer or metric, or answers of one
            id reply to other questions.
    """
    a, b = read_results(dir_a, cluster_by=cluster_by), read_results(dir_b)
    pairs = join(a, b, join_by)
    shared = [name for name in a.metrics if name in b.metrics]
    if not shared:
        raise InputError(f"{a.path} and {b.path}: no metric in common", kind="nothing_in_common")
    flags = sorted({name for name in (*a.metrics, *b.metrics) if name.startswith(FLAG_PREFIX)})
    if "off" in list_different_settings(a.signature, b.signature).get("safety", ()):
        flags = []  # a run that looked for none has no rate to compare with
    shared = [name for name in shared if not name.startswith(FLAG_PREFIX)] + flags
    names = pick_metrics(metrics, shared, f"{a.path} and {b.path}")
    columns = [select_columns(run, names, pairs.ids) for run in (a, b)]
    # The row with 0 for none says nothing where no value is missing.
    plain = {name: any(np.isnan(own[name.removesuffix(ZERO)]).any() for own in columns) for name in columns[0]}
    rows = [name for name in columns[0] if not name.endswith(ZERO) or plain[name]]
    clusters = list_units(a, pairs.ids)
    results = paired_differences(
        {name: columns[0][name] for name in rows},
        {name: columns[1][name] for name in rows},
        n_resamples=n_resamples,
        level=level,
        seed=seed,
        clusters=clusters,
    )
    p = [results[name].p for name in rows]
    return RunComparison(
        a=a.path,
        b=b.path,
        join=pairs,
        only_a=tuple(name for name in a.lines if name not in b.lines),
        only_b=tuple(name for name in b.lines if name not in a.lines),
        failed_a=a.n_failed,
        failed_b=b.n_failed,
        metrics={
            name: MetricComparison(
                results[name],
                float(strict),
                float(discovery),
                _count_values(a, name),
                _count_values(b, name),
                list_missing(a, b, name, pairs.ids),
                list_missing(b, a, name, pairs.ids),
            )
            for name, strict, discovery in zip(rows, holm(p), benjamini_hochberg(p), strict=True)
        },
        only_metrics_a=tuple(name for name in a.metrics if name not in b.metrics and name not in flags),
        only_metrics_b=tuple(name for name in b.metrics if name not in a.metrics and name not in flags),
        settings=list_different_settings(a.signature, b.signature),
        sampling=Sampling.of(
            len(pairs.ids), clusters, cluster_by, n_resamples=n_resamples, level=level, seed=seed
        ).with_kinds((one.how for one in results.values()), metrics=metrics),
    )


def select_columns(run: Results, names: Sequence[str], ids: Sequence[str]) -> dict[str, np.ndarray]:
    """The metrics *names* of the answers *ids*, and behind a share of support the row in which none counts as 0."""
    columns: dict[str, np.ndarray] = {}
    for name in names:
        columns[name] = read_column(run, name, ids)
        if metric_field(name) == "support":
            columns[name + ZERO] = np.nan_to_num(columns[name], nan=0.0)
    return columns


def list_different_settings(a: str | None, b: str | None) -> dict[str, tuple[str | None, str | None]]:
    """Parts of two signatures that differ, answers and controls left out; empty if one is not known."""
    if a is None or b is None:
        return {}
    first, second = Signature.parse(a).fields, Signature.parse(b).fields
    keys = [
        key
        for key in dict.fromkeys((*first, *second))
        if key not in ("n", "controls") and first.get(key) != second.get(key)
    ]
    return {key: (first.get(key), second.get(key)) for key in keys}


def _count_values(run: Results, name: str) -> int:
    if name.endswith(ZERO):
        return len(run.lines)
    return int((~np.isnan(run.metrics[name])).sum()) if name in run.metrics else len(run.lines)


def group_metrics(
    missing: Iterable[tuple[str, str, str, tuple[str, ...]]],
) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """Metrics that miss the same answers of one system for the same reason as one: names, system, reason, answers."""
    found: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for name, *key in missing:
        found.setdefault(tuple(key), []).append(name)  # type: ignore[arg-type]
    for (system, reason, ids), names in found.items():
        if ids:
            yield ", ".join(names), system, reason, ids


def list_some(ids: Sequence[str], most: int = 5) -> str:
    """The first of *ids*, and how many more there are."""
    shown = ", ".join(ids[:most])
    return shown if len(ids) <= most else f"{shown} and {len(ids) - most} more"
