"""The study's tables from stored scores: nothing here runs a model.

    folder/scores.jsonl             one run, or
    folder/NAME/scores.jsonl        several runs with the same settings
    folder/ablations/NAME/scores.jsonl   the same answers scored with one part taken out
    folder/tables/                  what `write_tables` writes

The records carry `model`, `dataset`, `kind`, `question_id`, `n_references`, `gold` and `gold_...` in
`meta`; a missing value shows as `(none)`, and an empty table is not written.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fas.bench.formats import (
    Cell,
    IntervalForm,
    ResultTable,
    TableColumn,
    escape_markdown,
    parse_columns,
    to_csv,
    to_latex,
    to_markdown,
)
from fas.bench.gold_tables import metric_title, tabulate_controls, tabulate_correlations
from fas.bench.stored import StoredRun, find_runs, read_field, read_runs
from fas.core.records import MetricSummary
from fas.scoring.aggregate import counted_flags
from fas.stats.bootstrap import Estimate, group_difference, mean_intervals
from fas.stats.ranking import ranking_agreement, ranking_stability

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EVERY = ("rouge1", "rouge2", "rougeL", "bleu4", "bertscore_f1", "support", "contra", "unsupported", "fas")
METRICS = ("rougeL", "bleu4", "bertscore_f1", "support", "contra", "fas")


def write_tables(folder: Path, *, n_resamples: int = 10_000, seed: int = 12345, plots: bool = True) -> list[Path]:
    """Write every table that the scores in *folder* allow, as Markdown, CSV, LaTeX, PNG and SVG; the files.

    All are below `folder/tables`; `tables.md` holds all tables in one. *plots*: draw the figures, which takes most of
    the time. An InputError where there are no scores, or they cannot be used.
    """
    run = read_runs(find_runs(folder))
    tables = list(make_tables(run, folder / "ablations", n_resamples=n_resamples, seed=seed))
    return save_tables(run, tables, folder / "tables", plots=plots, heading=_describe_run(folder / "bench.json"))


def save_tables(
    run: StoredRun,
    tables: Sequence[ResultTable],
    out: Path,
    *,
    plots: bool = True,
    heading: Sequence[str] = (),
    intervals: IntervalForm = "brackets",
) -> list[Path]:
    """Write *tables* of *run* into *out*, with the lines of *heading* in the overview; see `write_tables`."""
    from fas.report.plots import save_plot

    out.mkdir(exist_ok=True)
    written: list[Path] = []

    def write(name: str, text: str) -> Path:
        (out / name).write_text(text, encoding="utf-8")
        return out / name

    for table in tables:
        written.append(write(f"{table.name}.md", to_markdown(table, intervals=intervals) + "\n"))
        written.append(write(f"{table.name}.csv", to_csv(table)))
        written.append(write(f"{table.name}.tex", to_latex(table, intervals=intervals)))
        if plots and (figure := draw(table)) is not None:
            written += save_plot(figure, out / table.name)
    overview = _write_overview(run, tables, {path.name for path in written}, heading, intervals)
    return [write("tables.md", overview), *written]


def make_tables(
    run: StoredRun, ablations: Path, *, n_resamples: int = 10_000, seed: int = 12345
) -> Iterator[ResultTable]:
    """The tables that *run* allows, in the order in which they are shown."""
    from fas.bench.ablations import tabulate_ablations
    from fas.bench.evidence_tables import tabulate_evidence, tabulate_thresholds

    options: dict[str, Any] = {"n_resamples": n_resamples, "seed": seed}
    yield tabulate_models(run, **options)
    yield from tabulate_kinds(run, **options)
    yield from tabulate_rankings(run, **options)
    yield from tabulate_correlations(run, **options)
    yield from tabulate_controls(run, **options)
    yield from tabulate_ablations(run, ablations, **options)
    yield from tabulate_thresholds(run, **options)
    yield from tabulate_evidence(run, ablations, **options)
    yield from tabulate_references(run, **options)
    yield tabulate_flags(run, **options)


def tabulate_models(run: StoredRun, **options: Any) -> ResultTable:
    """Reference metrics, shares and FAS by data set and model."""
    parts = list(run.split("dataset", "model"))
    return _tabulate_means(
        "models", "Metrics by data set and model", ("data set", "model"), parts, run, options, metrics=EVERY
    )


def tabulate_kinds(run: StoredRun, **options: Any) -> Iterator[ResultTable]:
    """Metrics by type of question, and the differences between types of one model; nothing for one type."""
    parts = []
    differences: list[tuple[Cell, ...]] = []
    compared = ("rougeL", "support", "contra", "fas")
    for labels, own in run.split("dataset", "model"):
        by = {kind: own.select(kind=kind) for kind in sorted(own.values("kind"))}
        if len(by) < 2:
            continue
        parts += [((*labels, kind), part) for kind, part in by.items()]
        for (a, one), (b, other) in combinations(by.items(), 2):
            if set(one.units) & set(other.units):
                continue  # not independent: nothing this comparison could say
            units: dict[str, Any] = {"clusters_a": one.units, "clusters_b": other.units}
            cells = [group_difference(one.column(m), other.column(m), **units, **options) for m in compared]
            differences.append((*labels, f"{a} − {b}", *cells))
    if not parts:
        return
    yield _tabulate_means("types", "Metrics by type of question", ("data set", "model", "type"), parts, run, options)
    if not differences:
        return
    yield ResultTable(
        "type_differences",
        "Differences between types of question",
        (
            *parse_columns("text: data set | model | types"),
            *(TableColumn(metric_title(metric, run.k), "signed") for metric in compared),
        ),
        tuple(differences),
        ("Types share no question: each is resampled on its own.",),
    )


def tabulate_references(run: StoredRun, **options: Any) -> Iterator[ResultTable]:
    """Metrics by number of reference answers; nothing where all questions have the same number."""
    numbers = sorted({n for a in run.answers if isinstance(n := a["meta"].get("n_references"), int)})
    if len(numbers) < 2:
        return
    parts = []
    for (dataset,), own in run.split("dataset"):
        for n in numbers:
            kept = tuple(answer for answer in own.answers if answer["meta"].get("n_references") == n)
            parts.append(((dataset, str(n)), replace(own, answers=kept)))
    yield _tabulate_means(
        "references",
        "Metrics by number of reference answers",
        ("data set", "references"),
        parts,
        run,
        options,
        ("The best over the references counts, so that more references can only raise a reference metric; questions "
         "with more of them may differ in other ways too.",),
    )  # fmt: skip


def tabulate_flags(run: StoredRun, **options: Any) -> ResultTable:
    """Share of answers with a counted safety flag, by data set and model."""
    flags = sorted({flag for answer in run.answers for flag in counted_flags(answer)})
    rows: list[tuple[Cell, ...]] = []
    for labels, part in run.split("dataset", "model"):
        raised = [counted_flags(answer) for answer in part.answers]
        columns = {"any": np.array([bool(own) for own in raised], dtype=np.float64)}
        columns |= {flag: np.array([flag in own for own in raised], dtype=np.float64) for flag in flags}
        found = mean_intervals(columns, clusters=part.units, proportions=set(columns), **options)
        rows.append((*labels, len(part.answers), *(Estimate(*found[name]) for name in columns)))
    return ResultTable(
        "flags",
        "Share of answers with a safety flag",
        (
            *parse_columns("text: data set | model; count: answers"),
            *(TableColumn(name, "percent") for name in ("any flag", *flags)),
        ),
        tuple(rows),
        ("Flags that are not counted (see the safety card) are left out. No clinician has reviewed the rules.",),
    )


def tabulate_rankings(run: StoredRun, **options: Any) -> Iterator[ResultTable]:
    """Stability of the ranking of models by FAS and ROUGE-L, within and across data sets."""
    rows: list[tuple[Cell, ...]] = []
    across: dict[str, dict[str, dict[str, np.ndarray]]] = {}
    clusters: dict[str, list[str]] = {}
    for metric in ("fas", "rougeL"):
        for (dataset,), own in run.split("dataset"):
            systems, units = _average_systems(own, metric)
            if len(systems) < 2:
                continue
            found = ranking_stability(systems, clusters=units, **options)
            title, order = metric_title(metric, run.k), " > ".join(found.order)
            rows.append((title, dataset, found.tau, f"{found.same_order:.1%}", order))
            across.setdefault(metric, {})[dataset] = systems
            clusters[dataset] = units
        same = {frozenset(systems) for systems in across.get(metric, {}).values()}
        if len(same) == 1 and len(across[metric]) > 1:
            for pair in ranking_agreement(across[metric], clusters=clusters, **options):
                label = f"{pair.first} and {pair.second}"
                rows.append((metric_title(metric, run.k), label, pair.tau, f"{pair.same_order:.1%}", ""))
    if rows:
        yield ResultTable(
            "rankings",
            "Stability of the ranking of models",
            parse_columns("text: ranked by | data set; signed: Kendall τ; text: same order | order"),
            tuple(rows),
            (
                "Questions that every model answered are resampled; τ compares the observed order with that of a "
                "resample (median and range of the middle 95%), or the orders of two data sets. Same "
                "order: share of resamples.",
            ),
        )


def _tabulate_means(
    name: str,
    title: str,
    labels: Sequence[str],
    parts: Sequence[tuple[tuple[str, ...], StoredRun]],
    run: StoredRun,
    options: Any,
    notes: tuple[str, ...] = (),
    metrics: tuple[str, ...] = METRICS,
) -> ResultTable:
    shown = (*metrics, "fas_evidence") if np.isnan(run.column("fas")).any() else metrics
    rows: list[tuple[Cell, ...]] = [
        (*label, len(part.answers), part.n_questions, *part.means(shown, **options))
        for label, part in parts
        if part.answers
    ]
    return ResultTable(
        name,
        title,
        (
            *(TableColumn(label, "text") for label in labels),
            *parse_columns("count: answers | questions"),
            *(TableColumn(metric_title(metric, run.k)) for metric in shown),
        ),
        tuple(rows),
        (*notes, "Means over the answers that have a value; questions are resampled with all their answers."),
    )


def _average_systems(run: StoredRun, metric: str) -> tuple[dict[str, np.ndarray], list[str]]:
    """Mean score per question of each model with a value, on the questions that all of them answered."""
    sums: dict[str, dict[str, list[float]]] = {}
    for answer, unit, value in zip(run.answers, run.units, run.column(metric), strict=True):
        if not math.isnan(value):
            sums.setdefault(read_field(answer, "model"), {}).setdefault(unit, []).append(value)
    shared = [unit for unit in next(iter(sums.values()), ()) if all(unit in own for own in sums.values())]
    if not shared:
        return {}, []
    return {model: np.array([float(np.mean(own[unit])) for unit in shared]) for model, own in sums.items()}, shared


def _describe_run(path: Path) -> list[str]:
    """The description of the run that `fas bench` wrote: title, questions, evidence, gold."""
    if not path.is_file():
        return []
    said = json.loads(path.read_text(encoding="utf-8"))
    lines = [said["title"], f"Questions: {said['n_questions']}. {said['subset_rule']}"]
    if said["limit"] is not None:
        lines.append(f"Of these, at most {said['limit']} were drawn with the seed {said['sample_seed']}.")
    lines.append(f"Passages given along: {said['passages']}.")
    if said["gold_judge"] is not None:
        lines.append(f"Statements without a human judgement were judged by {said['gold_judge']}.")
    return lines


def _write_overview(
    run: StoredRun,
    tables: Sequence[ResultTable],
    written: Collection[str],
    heading: Sequence[str],
    intervals: IntervalForm,
) -> str:
    counted = f"{len(run.answers)} scored answers to {run.n_questions} questions."
    blocks = ["# Tables", *map(escape_markdown, heading), counted]
    if run.n_failed:
        blocks.append(f"{run.n_failed} answers failed and are in no table.")
    kinds = {cell.how for table in tables for row in table.rows for cell in row if isinstance(cell, Estimate)}
    blocks += [f"    {signature}" for signature in run.signature_lines(kinds)]
    for table in tables:
        blocks.append(to_markdown(table, intervals=intervals))
        if f"{table.name}.png" in written:
            blocks.append(f"![{escape_markdown(table.title)}]({table.name}.png)")
    return "\n\n".join(blocks) + "\n"


def draw(table: ResultTable) -> Figure | None:
    """The table's figure, or None where it has none to draw (see `Table.plot`) or no value at all."""
    from fas.report.plots import plot_panels, plot_sweep

    # The leading text columns that tell rows apart; one value in every row says nothing in a figure.
    leading = takewhile(lambda i: table.columns[i].form == "text", range(len(table.columns)))
    said = [i for i in leading if len({row[i] for row in table.rows}) > 1]
    estimates = [
        (row, column.name, MetricSummary(*cell))
        for row in table.rows
        for column, cell in zip(table.columns, row, strict=True)
        if isinstance(cell, Estimate)
    ]
    if table.plot == "none" or all(math.isnan(one.mean) for *_, one in estimates):
        return None
    if table.plot == "sweep":
        lines: dict[str, list[tuple[float, MetricSummary]]] = {}
        for row, column, one in estimates:
            label = ", ".join([*(str(row[i]) for i in said if i), column])
            lines.setdefault(label, []).append((float(str(row[0])), one))
        return plot_sweep(lines, label=table.columns[0].name, title=table.title)
    panels: dict[str, dict[str, MetricSummary]] = {}
    for row, column, one in estimates:
        panels.setdefault(column, {})[", ".join(str(row[i]) for i in said) or "all"] = one
    return plot_panels(panels, title=table.title)
