"""Comparisons and correlations as tables for a paper or a spreadsheet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fas.bench.formats import (
    NO_ESTIMATE,
    Cell,
    Form,
    IntervalForm,
    ResultTable,
    TableColumn,
    estimate_of,
    parse_columns,
    to_csv,
    to_latex,
    to_markdown,
)
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
        (name, one.mean_a, one.mean_b, estimate_of(one), one.p, row.p_holm, row.p_bh, one.effect_size)
        for name, row in found.metrics.items()
        for one in [row.result]
    ]
    return ResultTable(
        "comparison",
        f"{found.a.parent.name} (A) and {found.b.parent.name} (B) over {found.n_common} answers",
        parse_columns("text: metric; number: A | B; signed: A − B; p: p | p (Holm) | p (BH); signed: d_z"),
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
        parse_columns("text: metric | system; number: mean; count: n"),
        tuple(
            (metric, name, Estimate(*one), one.n) for metric, own in found.means.items() for name, one in own.items()
        ),
        level=found.sampling.level,
        signature=found.sampling.signature,
    )
    pairs = ResultTable(
        "differences",
        "Differences of systems over the answers both have",
        parse_columns("text: metric | systems; signed: difference; p: p | p (Holm) | p (BH)"),
        tuple(
            (one.metric, f"{one.a} − {one.b}", estimate_of(one.result), one.result.p, one.p_holm, one.p_bh)
            for one in found.pairs
        ),
        found.notes,
        level=found.sampling.level,
        signature=found.sampling.signature,
    )
    return [means, pairs]


def correlation_table(found: GoldCorrelation) -> ResultTable:
    """A metric a row, with every coefficient that there is."""
    named: list[tuple[str, Form, Sequence[Cell]]] = [("metric", "text", list(found.metrics))]
    rows = found.metrics.values()
    named += [
        (name, "signed", [getattr(row, name.lower()) for row in rows]) for name in ("Spearman", "Kendall", "Pearson")
    ]
    if found.binary:
        named.append(("AUROC", "number", [row.auroc or NO_ESTIMATE for row in rows]))
    if any(row.pairwise is not None for row in rows):
        pairs = [estimate_of(row.pairwise, row.pairwise.value) if row.pairwise else NO_ESTIMATE for row in rows]
        named.append(("pairwise", "number", pairs))
    if any(row.against is not None for row in rows):
        differences = [estimate_of(row.against) if row.against else NO_ESTIMATE for row in rows]
        named.append((f"Spearman − that of {found.against}", "signed", differences))
        named.append(("p (Holm)", "p", [row.p_holm for row in rows]))
    return ResultTable(
        "correlation",
        f"Correlation with gold over {found.n_common} answers",
        tuple(TableColumn(name, form) for name, form, _ in named),
        tuple(zip(*(cells for *_, cells in named), strict=True)),
        level=found.sampling.level,
        signature=found.sampling.signature,
    )
