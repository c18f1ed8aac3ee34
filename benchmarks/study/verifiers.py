"""Two verifiers on the same answers: how well the scores of each follow gold, and by how much they differ.

    python -m benchmarks.study.verifiers runs/study-base runs/study-mini

Each folder is what the study's commands wrote with one profile (`--profile base`), on the same questions and with the same
`--gold-profile`, so that gold is the same. The comparison is kept in `results/verifiers.json`, its page is `verifiers.md`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.study.common import ROOT
from benchmarks.study.experiments import EXPERIMENTS, Experiment

from fas.bench.formats import Cell, TableColumn, ResultTable, to_markdown
from fas.bench.gold_tables import orient_column, metric_title
from fas.bench.stored import StoredRun, find_runs, name_of, read_runs
from fas.core.records.signature import Signature
from fas.stats.bootstrap import Estimate
from fas.stats.correlation import correlation
from fas.stats.correlation import correlation_difference

STUDY = ROOT / "benchmarks" / "study"
METRICS = ("support", "no_contra", "fas_evidence", "fas")


def both(first: StoredRun, second: StoredRun, gold: str, **options: Any) -> list[dict[str, Any]]:
    """Spearman's ρ with *gold* of each metric by each verifier, `[value, low, high, n]`, and the difference.

    Both read the same answers. The interval of the difference resamples questions in pairs.

    Raises:
        ValueError: The answers or their gold differ.
    """
    if [name_of(one)[1:] for one in first.answers] != [name_of(one)[1:] for one in second.answers]:
        raise ValueError(
            "the two folders hold different answers; give both runs the same --limit, --samples and --seed"
        )
    y, units, rows = first.gold(gold), first.units, []
    if not np.array_equal(y, second.gold(gold), equal_nan=True):
        raise ValueError(f"{gold} differs between the two folders; give both runs the same --gold-profile")
    for metric in METRICS:
        x, other = orient_column(first, metric), orient_column(second, metric)
        if np.isnan(x + other + y).all():
            continue
        found = correlation_difference(x, other, y, clusters=units, **options)
        alone = [correlation(column, y, clusters=units, **options) for column in (x, other)]
        rows.append(
            {
                "metric": metric_title(metric, first.k),
                "first": list(alone[0][:4]),
                "second": list(alone[1][:4]),
                "difference": [found.difference, found.low, found.high, found.n],
            }
        )
    return rows


def compare(first: Path, second: Path, **options: Any) -> dict[str, Any]:
    """Every experiment that both folders have."""
    result: dict[str, Any] = {}
    for found in EXPERIMENTS:
        kept = [folder / found.name / "results.json" for folder in (first, second)]
        if not all(path.is_file() for path in kept):
            continue
        told = [json.loads(path.read_text(encoding="utf-8")) for path in kept]
        runs = [read_runs(find_runs(path.parent)) for path in kept]
        result[found.name] = {
            "subset": told[0]["subset"],
            "dates": [own["date"] for own in told],
            "processor": told[0]["processor"],
            "verifiers": [Signature.of(own["signatures"][0]).fields["verify"] for own in told],
            "rows": both(runs[0], runs[1], found.golds[0], **options),
        }
    if not result:
        raise SystemExit(f"{first} and {second} have no experiment in common")
    return result


def page(result: dict[str, Any]) -> Iterator[str]:
    """The page, in Markdown."""
    yield "# Two verifiers on the same answers"
    yield ""
    yield (
        "Spearman's ρ with gold of scores by the larger verifier (profile `base`) and by the small one, on the same part of "
        "each data set, drawn by question with a seed. Gold that a verifier decides (MedLFQA) is decided by the small one "
        "for both. Written by `python -m benchmarks.study.verifiers RUNS-OF-BASE RUNS-OF-MINI`."
    )
    for found in EXPERIMENTS:
        if found.name in result:
            yield ""
            yield from _experiment(found, result[found.name])


def _experiment(found: Experiment, own: dict[str, Any]) -> Iterator[str]:
    subset, (a, b) = own["subset"], own["verifiers"]
    yield f"## {found.title}"
    yield ""
    yield f"{found.question} Gold: {found.gold}"
    yield ""
    samples = "" if subset["samples"] is None else f", the first {subset['samples']} samples of a model at most"
    yield (
        f"{subset['n_answers']} answers to {subset['n_questions']} of {subset['n_available']} questions (seed "
        f"{subset['seed']}{samples}). First: `{a}`, second: `{b}`. {own['dates'][0]}, {own['processor']}."
    )
    yield ""
    cells: list[tuple[Cell, ...]] = [
        (row["metric"], *(Estimate(*row[name]) for name in ("first", "second", "difference"))) for row in own["rows"]
    ]
    columns = (
        TableColumn("metric", "text"),
        *(TableColumn(n, "signed") for n in ("ρ, first", "ρ, second", "difference")),
    )
    note = "The difference is on the answers for which both verifiers give the metric."
    yield to_markdown(
        ResultTable("verifiers", f"Correlation with `{found.golds[0]}`", columns, tuple(cells), (note,)), heading="###"
    )


def main(argv: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", type=Path, nargs="?", help="folder of the runs with one profile")
    parser.add_argument("second", type=Path, nargs="?", help="folder of those with another")
    parser.add_argument("--n-resamples", type=int, default=10_000, help="bootstrap draws (10,000)")
    options = parser.parse_args(argv)
    kept = STUDY / "results" / "verifiers.json"
    if options.first and options.second:
        made = compare(options.first, options.second, n_resamples=options.n_resamples, seed=12345)
        kept.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    result = json.loads(kept.read_text(encoding="utf-8"))
    (STUDY / "verifiers.md").write_text("\n".join(page(result)).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
