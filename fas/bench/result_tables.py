"""Tables for a paper or a spreadsheet: comparisons, correlations, and those of `fas.bench.tables` for any folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
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
from fas.bench.stored import NO_VALUE, StoredRun, find_runs, name_of, read_field, read_runs
from fas.bench.tables import make_tables
from fas.core.errors import InputError
from fas.core.records.stored import AnswerRecord
from fas.report.compare import RunComparison
from fas.report.correlate import GoldCorrelation
from fas.report.system_tables import name_folders
from fas.report.systems import SystemsComparison
from fas.stats.bootstrap import Estimate

_LABELS = {"data set", "model"}
Tabular = RunComparison | SystemsComparison | GoldCorrelation


def format_tables(tables: list[ResultTable], form: str, intervals: IntervalForm = "brackets") -> str:
    """*tables* as LaTeX, Markdown or CSV, with an empty line between."""
    if form == "csv":
        texts = [to_csv(table) for table in tables]
    else:
        write = {"latex": to_latex, "markdown": to_markdown}[form]
        texts = [write(table, intervals=intervals) for table in tables]
    return "\n".join(text.rstrip("\n") + "\n" for text in texts)


def tabulate_result(found: Tabular) -> list[ResultTable]:
    """A result of `fas results` as tables."""
    if isinstance(found, SystemsComparison):
        return tabulate_systems(found)
    return [tabulate_comparison(found) if isinstance(found, RunComparison) else tabulate_correlation(found)]


def tabulate_comparison(found: RunComparison) -> ResultTable:
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


def tabulate_systems(found: SystemsComparison) -> list[ResultTable]:
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


def tabulate_correlation(found: GoldCorrelation) -> ResultTable:
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


def build_tables(folders: Sequence[Path], *, n_resamples: int, seed: int) -> tuple[StoredRun, list[ResultTable]]:
    """The scores in *folders* as one run, and the tables they allow.

    Of several folders the one an answer is in names its model, where the answer does not. Columns that say of every
    row that there is no data set (or no model) are left out.

    Raises:
        InputError: There are no scores, they cannot be used or do not belong in one table, or two folders give
            answers of the same model with the same id.
    """
    parts = [read_runs(find_runs(folder)) for folder in folders]
    run = read_runs([path.parent for part in parts for path in part.paths])  # checks that they belong together
    if len(parts) > 1:
        named = zip(parts, name_folders(folders), strict=True)
        run = replace(run, answers=tuple(_name_model(one, name) for part, name in named for one in part.answers))
    for (_, model, identifier), n in Counter(map(name_of, run.answers)).items():
        if n > 1:
            raise InputError(
                f"the answer {identifier!r} of {model!r} is in more than one folder; give every folder once",
                kind="duplicate_id",
            )
    tables = make_tables(run, folders[0] / "ablations", n_resamples=n_resamples, seed=seed)
    signature = " ".join(run.signature_lines())
    return run, [replace(_drop_empty_columns(table), signature=signature) for table in tables]


def select_tables(tables: list[ResultTable], names: Sequence[str]) -> list[ResultTable]:
    """The tables of these names, all by default; an InputError for an unknown name."""
    known = [table.name for table in tables]
    for name in names:
        if name not in known:
            raise InputError(f"no table {name!r} of these scores; available: {', '.join(known)}", kind="usage")
    return [table for table in tables if not names or table.name in names]


def _name_model(answer: AnswerRecord, name: str) -> AnswerRecord:
    """*answer* with a model: its own, or else *name*."""
    if read_field(answer, "model") != NO_VALUE:
        return answer
    return {**answer, "meta": {**answer["meta"], "model": name}}


def _drop_empty_columns(table: ResultTable) -> ResultTable:
    """*table* without label columns that say `(none)` in every row."""
    kept = [
        i
        for i, column in enumerate(table.columns)
        if column.name not in _LABELS or any(row[i] != NO_VALUE for row in table.rows)
    ]
    if not any(table.columns[i].form == "text" for i in kept):
        kept = sorted({0, *kept})  # every table begins with a column of texts
    labels = [table.columns[i].name for i in kept if table.columns[i].name in _LABELS]
    return replace(
        table,
        title=table.title.replace("data set and model", " and ".join(labels)) if labels else table.title,
        columns=tuple(table.columns[i] for i in kept),
        rows=tuple(tuple(row[i] for i in kept) for row in table.rows),
    )
