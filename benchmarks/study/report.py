"""Results to pages: the results section of benchmarks/README.md, and the study's numbers beside ours.

python -m benchmarks.study.report --out runs/study
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.study.experiments import EXPERIMENTS, ROOT, Experiment
from benchmarks.study.printed import Beside, beside, checks, implied_bertscores, printed, printed_estimate, remarks
from benchmarks.tables import filled, write

from fas.bench.formats import Cell, TableColumn, ResultTable, to_markdown
from fas.core.records import MetricSummary
from fas.report.plots import plot_panels, save_plot
from fas.stats.bootstrap import Estimate

KEPT = ROOT / "benchmarks" / "study" / "results"
MAIN = "medlfqa-kqa_golden"
Results = Mapping[str, Mapping[str, Any]]


def write_pages(out: Path) -> list[Path]:
    """Write both pages and the figure, and keep the results of *out* beside them."""
    KEPT.mkdir(exist_ok=True)
    for found in EXPERIMENTS:
        if (out / found.name / "results.json").is_file():
            shutil.copyfile(out / found.name / "results.json", KEPT / f"{found.name}.json")
    figure = _figure(read_results())
    made = pages()
    write(made)
    return [*made, *([] if figure is None else save_plot(figure, KEPT / "correlation"))]


def pages() -> dict[Path, str]:
    """Both pages, of the results that are kept."""
    results = read_results()
    return {
        **filled(ROOT / "benchmarks" / "README.md", {"results": "\n".join(results_section(results))}),
        KEPT.parent / "README.md": "\n".join(comparison_page(results)) + "\n",
    }


def read_results() -> Results:
    """The kept results by experiment, in the order of the experiments."""
    kept = {found.name: KEPT / f"{found.name}.json" for found in EXPERIMENTS}
    return {name: json.loads(path.read_text(encoding="utf-8")) for name, path in kept.items() if path.is_file()}


def results_section(results: Results) -> Iterator[str]:
    """The Markdown between the marks of benchmarks/README.md."""
    dates = sorted({result["date"] for result in results.values()})
    processors = sorted({result["processor"] for result in results.values()})
    yield "## Real answers, real gold"
    yield ""
    yield (
        f"Run on {' to '.join(dict.fromkeys((dates[0], dates[-1])))} on {' and '.join(processors)}, with "
        "`python -m benchmarks.study.run_all`. Each experiment scores a part of its data, drawn by question with a seed; "
        "the part is stated. A value is followed by its 95% interval over questions. How the study's printed numbers "
        "compare is in [`study/README.md`](study/README.md)."
    )
    yield ""
    yield "![Spearman's ρ of every metric with gold, by experiment](study/results/correlation.png)"
    yield ""
    yield "### Where FAS follows gold less well than ROUGE-L, and where better"
    yield ""
    yield from _verdicts(results)
    yield ""
    yield "These comparisons are not corrected for their number: of twenty without a difference one excludes 0."
    for found in EXPERIMENTS:
        if found.name in results:
            yield ""
            yield from _experiment(found, results[found.name])
    yield ""


def _verdicts(results: Results) -> Iterator[str]:
    names = ("FAS", "FAS (evidence)", "Support@5", "1 − Contra@5", "BERTScore")
    for found in EXPERIMENTS:
        for row in _rows(results.get(found.name, {}), "differences"):
            if row["metric"] not in names or row["gold"] != found.golds[0] or row["difference"] is None:
                continue
            value, low, high, n, *_ = row["difference"]
            if value is None or low is None:
                continue
            sure = "the interval excludes 0" if low > 0 or high < 0 else "the interval includes 0"
            word = "better than" if value > 0 else "**worse than**" if value < 0 else "as well as"
            yield (
                f"- {found.name}, `{row['gold']}`: {row['metric']} {word} ROUGE-L, "
                f"{value:+.3f} [{low:+.3f}, {high:+.3f}] ({sure}; {n} answers)"
            )


def _experiment(found: Experiment, result: Mapping[str, Any]) -> Iterator[str]:
    subset = result["subset"]
    n = subset["samples"]
    samples = "" if n is None else f", the first {'sample' if n == 1 else f'{n} samples'} of a model at most"
    yield f"### {found.title}"
    yield ""
    yield f"{found.question}"
    yield ""
    yield (
        f"- Part: {subset['n_answers']} answers to {subset['n_questions']} of {subset['n_available']} questions "
        f"(seed {subset['seed']}{samples})"
    )
    yield f"- Gold: {found.gold}"
    yield f"- Evidence: {found.evidence}"
    yield f"- Mind: {found.caution}"
    yield f"- Run: {result['date']}, {result['processor']}, {result['seconds']:.0f} s; signature"
    yield ""
    for signature in result["signatures"]:
        yield f"      {signature}"
    for gold in found.golds:
        table = _gold_table(result, gold)
        if table is not None:
            yield ""
            yield to_markdown(table, heading="####")
    shown = ("models", "ablation_gold", *(("threshold_gold", "flags") if found.name == MAIN else ()))
    for name in shown:
        table = _stored_table(result, name, found.golds[0])
        if table is not None:
            yield ""
            yield to_markdown(table, heading="####")


def _gold_table(result: Mapping[str, Any], gold: str) -> ResultTable | None:
    rows = [row for row in _rows(result, "correlation") if row["gold"] == gold]
    if not rows:
        return None
    names = [n for n in ("Spearman ρ", "same question", "AUROC", "systems ρ") if any(_known(row[n]) for row in rows)]
    form = {"Spearman ρ": "signed", "systems ρ": "signed"}
    against = {row["metric"]: row["difference"] for row in _rows(result, "differences") if row["gold"] == gold}
    cells: list[tuple[Cell, ...]] = []
    for row in rows:
        difference = against.get(row["metric"])
        mine = [_estimate(row[name]) for name in names]
        cells.append((row["metric"], *mine, row["answers"], _estimate(difference) if difference else "–"))
    columns = [
        TableColumn("metric", "text"),
        *(TableColumn(n, form.get(n, "number")) for n in names),
        TableColumn("answers", "count"),
    ]
    return ResultTable(
        "gold",
        f"Correlation with `{gold}`",
        (*columns, TableColumn("ρ less that of ROUGE-L", "signed")),
        tuple(cells),
        (
            "An answer for which a metric is undefined (no claim in it) is left out of the metric's row; the last "
            "column compares on the answers that have both.",
        ),
    )


def _stored_table(result: Mapping[str, Any], name: str, gold: str) -> ResultTable | None:
    """A stored table again, with the rows of one gold where it has several."""
    stored = result["tables"].get(name)
    if stored is None:
        return None
    columns = [TableColumn(title, form) for title, form in stored["columns"]]
    place = next((i for i, column in enumerate(columns) if column.name == "gold"), None)
    rows = [row for row in stored["rows"] if place is None or row[place] == gold]
    kept = [i for i, column in enumerate(columns) if column.name not in ("data set", "gold")]
    cells = tuple(tuple(_cell(row[i]) for i in kept) for row in rows)
    return (
        ResultTable(name, stored["title"], tuple(columns[i] for i in kept), cells, tuple(stored["notes"]))
        if cells
        else None
    )


def comparison_page(results: Results) -> Iterator[str]:
    """The Markdown of benchmarks/study/README.md."""
    yield "# The study's numbers beside ours"
    yield ""
    yield (
        "The study (Roy and Roy, *Towards Unified Factuality Evaluation for Biomedical QA and Summarization: Aligning "
        "Metrics with Clinical Use-Cases*) scored answers of Llama-2 and Mistral models, which it did not publish, with PubMed as evidence and "
        "BioBERT as verifier. Here the answers are those that the data sets' owners stored, the evidence is what the sets "
        "bring, and the verifier is the small embedded one. The two columns answer the same question on different "
        "answers; agreement between them is not a replication, and a difference no refutation."
    )
    yield ""
    yield "Written by `benchmarks/study/report.py`; run again with"
    yield ""
    yield "    python -m benchmarks.study.run_all --out runs/study"
    yield ""
    yield (
        "It draws the questions of these results (about 35 minutes of a processor). `--limit QUESTIONS`, `--samples N` and "
        "`--only EXPERIMENT` score others. `report.py` writes this page and the results section of `benchmarks/README.md`. "
        "Every call resumes where it was stopped."
    )
    main = results.get(MAIN)
    for table in _comparisons(main) if main else ():
        yield ""
        yield to_markdown(table)
    if main:
        subset = main["subset"]
        yield ""
        yield (
            f"Here: {MAIN}, {subset['n_answers']} answers to {subset['n_questions']} of {subset['n_available']} questions, "
            f"{main['date']}. Study: its printed 95% limits, where it prints them."
        )
    yield ""
    yield "## Not compared"
    yield ""
    yield (
        "- Tables 1 to 3 for the study's own models and for BioASQ and PubMedQA: the answers of these models are not "
        "published. `fas bench run bioasq|pubmedqa|medlfqa --generate meta-llama/Llama-2-13b-chat-hf ...` makes them "
        "where the checkpoints can be had, and writes the same tables."
    )
    yield (
        "- Section 5.3's differences between factoid and summary questions need answers of one model to both; none are "
        "stored. `fas bench` writes `type_differences` for any run with types."
    )
    yield (
        "- The ablation with a general NLI model: give one with `--general-nli`."
        if not main or not any("general" in row["configuration"] for row in _rows(main, "ablation_gold"))
        else "- Whether the general NLI model of the ablation is as large as the study's: it is not."
    )
    yield ""
    yield "## Where the study's tables do not fit together"
    yield ""
    for check in checks():
        yield f"- {'Fits' if check.fits else 'Does not fit'}: {check.text}"
    measured = {name: _mean(result, "BERTScore") for name, result in results.items()}
    known = {name: value for name, value in measured.items() if value is not None}
    if known:
        yield (
            "- Measured here with the embedded encoder, mean BERTScore F1 lies between "
            f"{min(known.values()):.2f} and {max(known.values()):.2f} ({', '.join(known)})."
        )
    for remark in remarks():
        yield f"- {remark}"
    yield ""
    yield to_markdown(implied_bertscores(), heading="###")


def _comparisons(main: Mapping[str, Any]) -> Iterator[ResultTable]:
    p = printed()
    here = {row["metric"]: _estimate(row["Spearman ρ"]) for row in _rows(main, "correlation") if row["gold"] == "gold"}
    names = (("FAS", "fas"), ("Support@5", "support"), ("ROUGE-L", "rougeL"), ("BLEU-4", "bleu4"))
    rows = [Beside(title, p["correlation"][key], here.get(title)) for title, key in names]
    rows += [
        Beside(title, None, here[title]) for title in ("BERTScore", "1 − Contra@5", "FAS (evidence)") if title in here
    ]
    yield beside("Spearman's ρ with gold on MedLFQA (section 5.3)", "correlation", rows)
    for title, metric, table in (("ROUGE-L", "rougeL", "Table 1"), ("FAS", "fas", "Table 3")):
        study = [Beside(m, printed_estimate(v), None) for m, v in p[metric]["MedLFQA"].items()]
        ours = [Beside(row["model"], None, _estimate(row[title])) for row in _rows(main, "models")]
        yield beside(f"{title} on MedLFQA by model ({table})", metric, [*study, *ours], form="number")
    parts = {row["configuration"]: row for row in _rows(main, "ablation_gold") if row["gold"] == "gold"}
    if parts:
        pairs = (
            ("full model", "full model"),
            ("without retrieval", "without retrieval (the question is the evidence)"),
            ("general NLI", "general NLI"),
            ("one abstract", "one abstract (the best passage)"),
        )
        rows = [
            Beside(
                title,
                printed_estimate(p["ablation"][title]) if title in p["ablation"] else None,
                _estimate(parts[key]["FAS"]) if key in parts else None,
            )
            for title, key in pairs
        ]
        yield beside("Ablations: Spearman's ρ of FAS with gold (Table 4)", "ablation", rows)
    moved = {row["threshold"]: row for row in _rows(main, "threshold_gold") if row["gold"] == "gold"}
    if moved:
        rows = [
            Beside(t, printed_estimate(value), _estimate(moved[t]["FAS"]) if t in moved else None)
            for t, value in p["threshold"].items()
        ]
        yield beside("Thresholds: Spearman's ρ of FAS with gold (Table 5)", "threshold", rows)


def _figure(results: Results) -> Any:
    panels: dict[str, dict[str, MetricSummary]] = {}
    for found in EXPERIMENTS:
        for row in _rows(results.get(found.name, {}), "correlation"):
            if row["gold"] == found.golds[0] and _known(row["Spearman ρ"]):
                panels.setdefault(found.name, {})[row["metric"]] = MetricSummary(*_estimate(row["Spearman ρ"]))
    return plot_panels(panels, title="Spearman's ρ with gold, 95% intervals over questions") if panels else None


def _rows(result: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    table = result.get("tables", {}).get(name)
    if table is None:
        return []
    titles = [title for title, _ in table["columns"]]
    return [dict(zip(titles, row, strict=True)) for row in table["rows"]]


def _mean(result: Mapping[str, Any], metric: str) -> float | None:
    """Mean of a metric over the rows of the table by model, weighted by their answers."""
    pairs = [(row[metric][0], row[metric][3]) for row in _rows(result, "models") if _known(row[metric])]
    total = sum(n for _, n in pairs)
    return sum(value * n for value, n in pairs) / total if total else None


def _known(cell: Any) -> bool:
    return isinstance(cell, list) and cell[0] is not None


def _estimate(cell: Any) -> Estimate:
    # Since 0.2.0 the method of an interval follows its numbers.
    value, low, high, n, *method = cell if isinstance(cell, list) else (None, None, None, 0)
    if low is not None and low == high:
        # Older results hold intervals without width, which are refused today.
        return Estimate(math.nan if value is None else value, math.nan, math.nan, n, "none: not given")
    value, low, high = (math.nan if x is None else x for x in (value, low, high))
    return Estimate(value, low, high, n, *method)


def _cell(cell: Any) -> Cell:
    return _estimate(cell) if isinstance(cell, list) else math.nan if cell is None else cell


def main() -> None:
    """Write the pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "study", help="folder of the results (runs/study)")
    for path in write_pages(parser.parse_args().out):
        print(path)


if __name__ == "__main__":
    main()
