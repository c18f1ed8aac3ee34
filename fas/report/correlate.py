"""Scores against gold: how well each metric follows what people judged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fas.core.answers.formats import read_rows
from fas.core.checks import parse_finite
from fas.core.errors import InputError
from fas.report.join import list_units
from fas.report.results import FLAG_PREFIX, pick_metrics, read_results
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
from fas.results import read_id
from fas.stats.bootstrap import Estimate
from fas.stats.correlation import (
    CorrelationDifference,
    PairwiseAccuracy,
    auroc_estimate,
    correlation,
    correlation_difference,
    pairwise_accuracy,
)
from fas.stats.multiple import benjamini_hochberg, holm


@dataclass(frozen=True, slots=True)
class MetricCorrelation:
    """How one metric follows gold.

    Attributes:
        spearman: Spearman's rho with interval.
        kendall: Kendall's tau-b with interval.
        pearson: Pearson's r with interval.
        auroc: Area under the ROC curve; None unless gold is binary.
        pairwise: Accuracy within clusters; None without clustering.
        against: Difference of Spearman's rho to that of another metric; None unless asked for.
        p_holm: `against.p` adjusted over the metrics of the table, by Holm; NaN without one.
        p_bh: The same by Benjamini and Hochberg.
    """

    spearman: Estimate
    kendall: Estimate
    pearson: Estimate
    auroc: Estimate | None
    pairwise: PairwiseAccuracy | None
    against: CorrelationDifference | None
    p_holm: float = math.nan
    p_bh: float = math.nan

    def as_dict(self) -> dict[str, Any]:
        """The coefficients by name, and the difference with its p values."""
        found = {name: getattr(self, name) for name in ("spearman", "kendall", "pearson", "auroc")}
        adjusted = {"p_holm": self.p_holm, "p_bh": self.p_bh}
        against = None if self.against is None else self.against.as_dict() | adjusted
        return found | {"pairwise": self.pairwise and self.pairwise.as_dict(), "against": against}


@dataclass(frozen=True, slots=True)
class GoldCorrelation(AsText):
    """Every metric of a run against gold.

    Attributes:
        n_no_gold: Gold lines whose value is null; they are left out.
        binary: Whether gold has the two values 0 and 1 only.
        against: The metric that the others are compared with, or None.
        metrics: Name to correlations.
    """

    scores: Path
    gold: Path
    n_common: int
    n_only_scores: int
    n_only_gold: int
    n_no_gold: int
    binary: bool
    against: str | None
    metrics: Mapping[str, MetricCorrelation]
    sampling: Sampling

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready; NaN becomes None."""
        own = ("scores", "gold", "n_common", "n_only_scores", "n_only_gold", "n_no_gold", "binary", "against")
        metrics = {name: json_ready(row.as_dict()) for name, row in self.metrics.items()}
        return {
            **json_ready({name: getattr(self, name) for name in own}),
            **self.sampling.as_dict(),
            "metrics": metrics,
        }

    def as_text(self) -> str:
        """Tables for people."""
        percent = f"{100 * self.sampling.level:g}%"
        header = ["metric", "Spearman", percent, "Kendall", percent, "Pearson", percent]
        clustered = any(row.pairwise is not None for row in self.metrics.values())
        if self.binary:
            header += ["AUROC", percent]
        if clustered:
            header += ["pairwise", percent]
        rows = []
        for name, row in self.metrics.items():
            cells = [name]
            for estimate in (row.spearman, row.kendall, row.pearson):
                cells += [signed(estimate.value), limits(estimate, "signed")]
            for other in (row.auroc, row.pairwise):
                if other is not None:
                    cells += [number(other.value), limits(other)]
            rows.append([*cells, str(row.spearman.n)])
        lines = [f"scores: {self.scores}", f"gold: {self.gold}", "", text_table([*header, "n"], rows)]
        lines += [
            "",
            wrap_paragraph(f"Intervals: {self.sampling.text(kinds_text(_list_kinds(self.metrics)) or 'none')}."),
            self.sampling.signature,
        ]
        if self.against is not None:
            lines += ["", f"Spearman's rho against that of {self.against}:", self._format_against(percent)]
        counts = (
            (self.n_only_scores, "scored answers without gold"),
            (self.n_only_gold, "gold entries without a scored answer"),
            (self.n_no_gold, "gold entries that are null"),
        )
        notes = [wrap_paragraph(f"{text}, left out: {n}", bullet="! ") for n, text in counts if n]
        return "\n".join([*lines, *(["", *notes] if notes else [])])

    def _format_against(self, percent: str) -> str:
        rows = []
        for name, row in self.metrics.items():
            if row.against is not None:
                found = row.against
                rows.append(
                    [
                        name,
                        signed(found.difference),
                        limits(found, "signed"),
                        p_value(found.p),
                        p_value(row.p_holm),
                        p_value(row.p_bh),
                        p_value(found.williams.p),
                        p_value(found.steiger.p),
                        str(found.n),
                    ]
                )
        return text_table(
            ["metric", "difference", percent, "p", "p (Holm)", "p (BH)", "p (Williams)", "p (Steiger)", "n"], rows
        )


def correlate_scores(
    scores: Path,
    gold: Path,
    *,
    metrics: Sequence[str] | None = None,
    against: str | None = None,
    cluster_by: str | None = "question",
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
) -> GoldCorrelation:
    """Correlate every metric of a run with gold.

    *scores*: result folder or `scores.jsonl`. *gold*: JSON Lines of `{"id": ..., "gold": number, true, false or null}`;
    other fields are ignored. *metrics*: names to correlate; by default all but the flags. *against*: a metric whose
    Spearman correlation is compared with that of each other one. *cluster_by*: `"question"` or a field of `meta`:
    answers that share its value are resampled together, and pairs of them are counted for the pairwise accuracy.

    Raises:
        InputError: A file cannot be used, an id occurs twice, or nothing is in common.
    """
    run = read_results(scores, cluster_by=cluster_by)
    values, n_null = read_gold(gold)
    rows = [row for row, name in enumerate(run.lines) if name in values]
    ids = [name for name in run.lines if name in values]
    if not ids:
        first = next(iter(values), None)
        example = "" if first is None else f", e.g. {next(iter(run.lines))!r} and {first!r}"
        raise InputError(
            f"{run.path} and {gold}: no answer in common ({len(run.lines)} and {len(values)} ids{example}); "
            "they are joined on `id`",
            kind="nothing_in_common",
        )
    shown = [name for name in run.metrics if not name.startswith(FLAG_PREFIX)] if metrics is None else None
    names = shown if shown is not None else pick_metrics(metrics, list(run.metrics), str(run.path))
    if against is not None:
        pick_metrics([against], list(run.metrics), str(run.path))
    truth = np.array([values[name] for name in ids])
    binary = bool(np.isin(truth, (0.0, 1.0)).all())
    units = list_units(run, ids)
    options: dict[str, Any] = {"n_resamples": n_resamples, "level": level, "seed": seed}

    def correlate_one(name: str) -> MetricCorrelation:
        column = run.metrics[name][rows]
        difference = None
        if against is not None and name != against:
            other = run.metrics[against][rows]
            difference = correlation_difference(column, other, truth, clusters=units, **options)
        return MetricCorrelation(
            spearman=correlation(column, truth, name="spearman", clusters=units, **options),
            kendall=correlation(column, truth, name="kendall", clusters=units, **options),
            pearson=correlation(column, truth, name="pearson", clusters=units, **options),
            auroc=auroc_estimate(column, truth, clusters=units, **options) if binary else None,
            pairwise=None if units is None else pairwise_accuracy(column, truth, units, level=level),
            against=difference,
        )

    found = _correct_rows({name: correlate_one(name) for name in names})
    return GoldCorrelation(
        scores=run.path,
        gold=gold,
        n_common=len(ids),
        n_only_scores=len(run.lines) - len(ids),
        n_only_gold=len(values) - len(ids),
        n_no_gold=n_null,
        binary=binary,
        against=against,
        metrics=found,
        sampling=Sampling.of(len(ids), units, cluster_by, **options).with_kinds(
            _list_kinds(found), metrics=[*(metrics or ()), *([] if against is None else [f"against {against}"])]
        ),
    )


def _list_kinds(rows: Mapping[str, MetricCorrelation]) -> list[str]:
    return [
        one.how
        for row in rows.values()
        for one in (row.spearman, row.kendall, row.pearson, row.auroc, row.pairwise, row.against)
        if one is not None
    ]


def _correct_rows(rows: Mapping[str, MetricCorrelation]) -> dict[str, MetricCorrelation]:
    p = [math.nan if row.against is None else row.against.p for row in rows.values()]
    return {
        name: replace(row, p_holm=float(strict), p_bh=float(discovery))
        for (name, row), strict, discovery in zip(rows.items(), holm(p), benjamini_hochberg(p), strict=True)
    }


def read_gold(path: Path) -> tuple[dict[str, float], int]:
    """Gold by id, and how many entries were null.

    Raises:
        InputError: The file is missing or empty, or a line cannot be used.
    """
    if not path.is_file():
        raise InputError(
            f"{path}: no such file; expected JSON Lines, CSV or parquet of {{id, gold}}", kind="missing_file"
        )
    values: dict[str, float] = {}
    seen: dict[str, int] = {}
    for line, record in read_rows(path, values=("gold",)):
        name = read_id(record, path, line, seen)
        seen[name] = line
        value = record.get("gold", "missing")
        if value is None:
            continue
        number = parse_finite(value)
        if number is None:
            found = "missing" if "gold" not in record else f"must be a number, true, false or null, got {value!r}"
            raise InputError(f"{path}, line {line}: field 'gold': {found}", kind="gold", line=line, field="gold")
        values[name] = number
    if not seen:
        raise InputError(f"{path}: no gold; expected JSON Lines of {{id, gold}}", kind="empty_file")
    return values, len(seen) - len(values)
