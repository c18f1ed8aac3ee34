"""Comparisons and correlations as tables for a paper or a spreadsheet."""

from __future__ import annotations

from typing import Any

from fas.bench.formats import IntervalForm, ResultTable, TableColumn, to_csv, to_latex, to_markdown
from fas.report.compare import RunComparison
from fas.report.correlate import GoldCorrelation
from fas.report.systems import SystemsComparison
from fas.stats.bootstrap import Estimate

Tabular = RunComparison | SystemsComparison | GoldCorrelation


def format_tables(tables: list[ResultTable], form: str, intervals: IntervalForm = "brackets") -> str:
    """*tables* as LaTeX, Markdown or CSV, with an empty line between."""
    if form == "csv":
        texts = [to_csv(table) for table in tables]
    else:
        write = {"latex": to_latex, "markdown": to_markdown}[form]
        texts = [write(table, intervals=intervals) for table in tables]
    return "\n".join(text.rstrip("\n") + "\n" for text in texts)


def result_tables(found: Tabular) -> list[ResultTable]:
    """A result of `fas results` as tables."""
    if isinstance(found, SystemsComparison):
        return systems_tables(found)
    return [comparison_table(found) if isinstance(found, RunComparison) else correlation_table(found)]


def comparison_table(found: RunComparison) -> ResultTable:
    """Two runs, a metric a row."""
    rows: list[tuple[Any, ...]] = [
        (
            name,
            row.result.mean_a,
            row.result.mean_b,
            _estimate(row.result.difference, row.result),
            row.result.p,
            row.p_holm,
            row.p_bh,
            row.result.effect_size,
        )
        for name, row in found.metrics.items()
    ]
    return ResultTable(
        "comparison",
        f"{found.a.parent.name} (A) and {found.b.parent.name} (B) over {found.n_common} answers",
        (
            TableColumn("metric", "text"),
            TableColumn("A"),
            TableColumn("B"),
            TableColumn("A − B", "signed"),
            TableColumn("p", "p"),
            TableColumn("p (Holm)", "p"),
            TableColumn("p (BH)", "p"),
            TableColumn("d_z", "signed"),
        ),
        tuple(rows),
        tuple(found.notes()),
        level=found.sampling.level,
        signature=found.sampling.signature,
    )


def systems_tables(found: SystemsComparison) -> list[ResultTable]:
    """Means, a metric and system a row; and differences."""
    means = ResultTable(
        "means",
        "Means over the answers of each system",
        (TableColumn("metric", "text"), TableColumn("system", "text"), TableColumn("mean"), TableColumn("n", "count")),
        tuple(
            (metric, name, Estimate(*one), one.n) for metric, own in found.means.items() for name, one in own.items()
        ),
        level=found.sampling.level,
        signature=found.sampling.signature,
    )
    pairs = ResultTable(
        "differences",
        "Differences of systems over the answers both have",
        (
            TableColumn("metric", "text"),
            TableColumn("systems", "text"),
            TableColumn("difference", "signed"),
            TableColumn("p", "p"),
            TableColumn("p (Holm)", "p"),
            TableColumn("p (BH)", "p"),
        ),
        tuple(
            (
                pair.metric,
                f"{pair.a} − {pair.b}",
                _estimate(pair.result.difference, pair.result),
                pair.result.p,
                pair.p_holm,
                pair.p_bh,
            )
            for pair in found.pairs
        ),
        found.notes,
        level=found.sampling.level,
        signature=found.sampling.signature,
    )
    return [means, pairs]


def correlation_table(found: GoldCorrelation) -> ResultTable:
    """A metric a row, with every coefficient that there is."""
    columns = [
        TableColumn("metric", "text"),
        *(TableColumn(name, "signed") for name in ("Spearman", "Kendall", "Pearson")),
    ]
    rows: list[tuple[Any, ...]] = []
    clustered = any(row.pairwise is not None for row in found.metrics.values())
    against = any(row.against is not None for row in found.metrics.values())
    columns += [TableColumn("AUROC")] if found.binary else []
    columns += [TableColumn("pairwise")] if clustered else []
    columns += (
        [TableColumn(f"Spearman − that of {found.against}", "signed"), TableColumn("p (Holm)", "p")] if against else []
    )
    none = Estimate(float("nan"), float("nan"), float("nan"), 0)
    for name, row in found.metrics.items():
        cells: list[Any] = [name, row.spearman, row.kendall, row.pearson]
        cells += [row.auroc or none] if found.binary else []
        if clustered:
            cells += [none if row.pairwise is None else _estimate(row.pairwise.value, row.pairwise)]
        if against:
            cells += [none if row.against is None else _estimate(row.against.difference, row.against), row.p_holm]
        rows.append(tuple(cells))
    return ResultTable(
        "correlation",
        f"Correlation with gold over {found.n_common} answers",
        tuple(columns),
        tuple(rows),
        level=found.sampling.level,
        signature=found.sampling.signature,
    )


def _estimate(value: float, found: Any) -> Any:
    """*value* with the interval that *found* has."""
    return Estimate(value, found.low, found.high, found.n if hasattr(found, "n") else found.n_questions, found.how)
