"""`fas bench`: score a benchmark's answers, stored, generated or corrupted, and make the study's tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from fas.cli.options import NOTHING_SCORED, Options, build_profile, print_note, print_result
from fas.cli.progress import ProgressBar
from fas.core.checks import count_of

if TYPE_CHECKING:
    from fas.bench.ablations import Ablation


def list_(o: Options) -> Any:
    from fas.bench import describe_benchmarks

    rows = describe_benchmarks(o.data)
    if o.json:
        return rows
    for row in rows:
        print(f"{row['name']:<10} {'there' if row['missing'] is None else 'missing':<8} {row['title']}")
    for problem in dict.fromkeys(row["missing"] for row in rows if row["missing"]):
        print_note(problem)
    return None


def run(o: Options) -> int:
    from fas.bench.run import BenchmarkPlan, estimate_scoring, run_benchmark
    from fas.report.text import render_table

    profile = build_profile(o)
    plan = BenchmarkPlan(
        out=o.out or Path("runs") / o.name,
        generator_options={**o.given("max_new_tokens", "base_url"), **({"offline": True} if o.offline else {})},
        exact=o.answers == "exact",
        answers=None if o.answers in (None, "exact") else Path(o.answers),
        gold=not o.no_gold,
        tables=not o.no_tables,
        corrupt=o.corrupt or (),
        **o.pick("name", "data", "subsets", "kinds", "limit", "sample_seed", "passages", "models", "samples"),
        **o.pick("generate", "generate_prompt", "gold_labels", "skip_failed", "overwrite"),
    )
    if o.dry_run:
        estimates = estimate_scoring(plan, profile, offline=o.offline, tell=print_note)
        if o.json:
            print_result({model: one.as_dict() for model, one in estimates.items()}, o)
        else:
            print("\n".join(f"{model}: {one.as_text()}" for model, one in estimates.items()))
        return 0
    with ProgressBar.of(o) as bar:
        shown: dict[str, Any] = {"tell": print_note, "started": bar.start, "progress": bar.update}
        kept = o.pick("gold_profile", "by", "offline", "prepare_only")
        folders, reports = run_benchmark(plan, profile, **kept, **shown)
    if o.prepare_only:
        print("\n".join(str(folder / "answers.jsonl") for folder in folders.values()))
        return 0
    if o.json:
        print_result({model: report.as_dict() for model, report in reports.items()}, o)
    else:
        for model, report in reports.items():
            print(f"{model}\n{render_table(report)}\nreport: {folders[model] / 'report.html'}\n")
    nothing = [model for model, report in reports.items() if report.nothing_scored]
    for model in nothing:
        print_note(f"{model}: {NOTHING_SCORED}")
    return 1 if nothing or (o.strict and any(report.n_failed for report in reports.values())) else 0


def questions(o: Options) -> None:
    from fas.bench import benchmark
    from fas.bench.files import data_folder
    from fas.bench.prepare import select_items, write_questions

    chosen = o.pick("subsets", "kinds", "limit")
    found = select_items(benchmark(o.name), data_folder(o.data), seed=o.sample_seed, **chosen)
    write_questions(o.out, found, passages=o.passages)
    print_note(f"{count_of(len(found), 'question')} in {o.out}")


def tables(o: Options) -> None:
    from fas.bench.tables import write_tables

    print("\n".join(map(str, write_tables(o.folder, **o.pick("n_resamples", "seed")))))


def ablations(o: Options) -> None:
    from fas.bench.ablations import run_ablations
    from fas.bench.tables import write_tables

    profile = build_profile(o)
    which: list[Ablation] = ["no-retrieval"]
    which += ["general-nli"] if o.general_nli else []
    which += ["corpora"] if o.corpora else []
    run_ablations(o.folder, profile, which=which, **o.pick("general_nli", "offline"))
    print("\n".join(map(str, write_tables(o.folder, n_resamples=profile.n_resamples, seed=profile.seed))))
