"""`fas bench`: score a benchmark's answers, stored, generated or corrupted, and make the study's tables."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

from fas.cli import options as shared
from fas.cli.base import Decorator, argument, collect, command, group, option, section
from fas.cli.progress import ProgressBar
from fas.core.checks import count_of

if TYPE_CHECKING:
    from fas.bench.ablations import Ablation

bench = group(
    "bench",
    """Score a benchmark's answers, and make the study's tables.

    Put the benchmarks' files into a folder; benchmarks/NAME/README.md says where to get them.
    """,
)


def _names(text: str) -> tuple[str, ...]:
    if not (found := tuple(part.strip() for part in text.split(",") if part.strip())):
        raise ValueError(f"{text!r}: expected names with commas between")
    return found


def _shares(text: str) -> tuple[float, ...]:
    shares = tuple(float(part) for part in text.split(","))
    if not all(0.0 <= share <= 1.0 for share in shares):
        raise ValueError(f"{text!r}: shares lie in [0, 1]")
    return shares


_AT_LEAST_1 = click.IntRange(min=1)
name = argument("name", "NAME", "the benchmark (fas bench list)")
folder = argument("folder", "DIR", "results, or a folder of several results")
data = option("--data DIR", "folder of the benchmarks' files (FAS_DATA_DIR)")


def _questions(*more: Decorator) -> Decorator:
    """Which questions, as the value `questions`."""
    chosen = section(
        "which questions and answers",
        option("--subset A,B", "sets of questions, or all (the benchmark's choice)", read=_names, name="subsets"),
        option("--kind A,B", "types of question, or all (the benchmark's choice)", read=_names, name="kinds"),
        option("--limit N", "at most N questions, drawn at random", type=_AT_LEAST_1),
        option("--sample-seed N", "seed of the draw of questions", 12345),
        option("--passages own|references|question|none", "evidence to attach (references: expert answers)", "own"),
        *more,
    )
    return collect("questions", dict, data, chosen)


@command("fas bench list --data data/", data, shared.as_json(), of=bench, name="list")
def list_benchmarks(o: SimpleNamespace) -> None:
    """List the benchmarks and whether you have their files."""
    from fas.bench import describe_benchmarks

    rows = describe_benchmarks(o.data)
    if o.json:
        shared.print_json(rows)
        return
    for row in rows:
        print(f"{row['name']:<10} {'there' if row['missing'] is None else 'missing':<8} {row['title']}")
    for problem in dict.fromkeys(row["missing"] for row in rows if row["missing"]):
        shared.print_note(problem)


@command(
    "fas bench run medlfqa --data data/ --evidence index:pubmed -o runs/medlfqa",
    name,
    shared.out("folder of the results (runs/NAME)"),
    option("--prepare-only", "write the answers and their gold without scoring"),
    option("--no-gold", "do not judge the physicians' statements"),
    option("--gold-profile NAME|FILE", "profile whose verifier judges the physicians' statements (--profile)"),
    option("--gold-labels FILE", "human labels instead (JSON Lines; fas appends statements that lack one)"),
    option("--by FIELD...", "also report by this field (kind, if present); may be repeated"),
    option("--no-tables", "skip tables and plots"),
    *(shared.strict, shared.overwrite, shared.offline),
    shared.as_json("print the reports as JSON instead of tables"),
    *(shared.progress, shared.dry_run),
    _questions(
        option("--models A,B", "stored answers of these models only", read=_names),
        option("--samples N", "at most N stored answers of a model to a question", type=_AT_LEAST_1),
    ),
    section(
        "answers made now",
        option("--generate MODEL...", "hub name or folder (run here), openai:MODEL, or abstract (PubMed abstracts)"),
        option("--generate-prompt FILE", "prompt that asks each question (TOML with version and user, {question})"),
        option("--max-new-tokens N", "longest answer (512)", type=_AT_LEAST_1),
        option("--skip-failed", "leave out questions that a model could not answer"),
        option(
            "--corrupt [A,B]",
            "falsify these shares of the expert answers' statements (0,0.25,0.5,0.75,1)",
            (),
            read=_shares,
            is_flag=False,
            flag_value="0,0.25,0.5,0.75,1",
        ),
        option(
            "--answers FILE|exact", "your model's answers; exact: the exact answers (gold 1) and swapped ones (gold 0)"
        ),
    ),
    shared.profile,
    of=bench,
)
def run(o: SimpleNamespace) -> int:
    """Score the answers of a benchmark: stored ones, new ones (--generate), or partly falsified ones (--corrupt).

    After an interruption the same command resumes.
    """
    from fas.bench.run import BenchmarkPlan, estimate_scoring, run_benchmark
    from fas.report.text import render_table

    url = click.get_current_context().params["base_url"]
    making = {"max_new_tokens": o.max_new_tokens, "base_url": url, "offline": o.offline or None}
    plan = BenchmarkPlan(
        out=o.out or Path("runs") / o.name,
        generator_options={key: value for key, value in making.items() if value is not None},
        exact=o.answers == "exact",
        answers=None if o.answers in (None, "exact") else Path(o.answers),
        gold=not o.no_gold,
        tables=not o.no_tables,
        **o.questions,
        **shared.pick(o, "name", "generate", "generate_prompt", "gold_labels", "skip_failed", "corrupt", "overwrite"),
    )
    if o.dry_run:
        estimates = estimate_scoring(plan, o.profile, offline=o.offline, tell=shared.print_note)
        if o.json:
            shared.print_json({model: one.as_dict() for model, one in estimates.items()})
        else:
            print("\n".join(f"{model}: {one.as_text()}" for model, one in estimates.items()))
        return 0
    with ProgressBar.of(o) as bar:
        shown: dict[str, Any] = {"tell": shared.print_note, "started": bar.start, "progress": bar.update}
        kept = shared.pick(o, "gold_profile", "by", "offline", "prepare_only")
        folders, reports = run_benchmark(plan, o.profile, **kept, **shown)
    if o.prepare_only:
        print("\n".join(str(folder / "answers.jsonl") for folder in folders.values()))
        return 0
    if o.json:
        shared.print_json({model: report.as_dict() for model, report in reports.items()})
    else:
        for model, report in reports.items():
            print(f"{model}\n{render_table(report)}\nreport: {folders[model] / 'report.html'}\n")
    nothing = [model for model, report in reports.items() if report.nothing_scored]
    for model in nothing:
        shared.print_note(f"{model}: {shared.NOTHING_SCORED}")
    return 1 if nothing or (o.strict and any(report.n_failed for report in reports.values())) else 0


@command(
    "fas bench questions medlfqa --data data/ --limit 50 -o questions.jsonl",
    name,
    shared.out("file to write", "FILE", required=True),
    _questions(),
    of=bench,
)
def questions(o: SimpleNamespace) -> None:
    """Write a benchmark's questions, for a model of your own, `fas revise` and `fas train`."""
    from fas.bench import benchmark
    from fas.bench.files import data_folder
    from fas.bench.prepare import select_items, write_questions

    chosen = dict(o.questions)
    passages, at, seed = (chosen.pop(key) for key in ("passages", "data", "sample_seed"))
    found = select_items(benchmark(o.name), data_folder(at), seed=seed, **chosen)
    write_questions(o.out, found, passages=passages)
    shared.print_note(f"{count_of(len(found), 'question')} in {o.out}")


@command(
    "fas bench tables runs/medlfqa", folder, option("--n-resamples N", "bootstrap draws", 10_000), shared.seed, of=bench
)
def tables(o: SimpleNamespace) -> None:
    """Write DIR/tables again, from stored scores."""
    from fas.bench.tables import write_tables

    for path in write_tables(o.folder, n_resamples=o.n_resamples, seed=o.seed):
        print(path)


@command(
    "fas bench ablations runs/medlfqa --evidence index:pubmed",
    folder,
    option("--general-nli MODEL", "also score with this NLI checkpoint, trained without biomedical pairs"),
    option("--corpora", "also search each corpus of the evidence alone"),
    shared.offline,
    shared.profile,
    of=bench,
)
def ablations(o: SimpleNamespace) -> None:
    """Score a benchmark's answers again with parts taken out, and write DIR/tables."""
    from fas.bench.ablations import run_ablations
    from fas.bench.tables import write_tables

    which: list[Ablation] = ["no-retrieval"]
    which += ["general-nli"] if o.general_nli else []
    which += ["corpora"] if o.corpora else []
    run_ablations(o.folder, o.profile, which=which, general_nli=o.general_nli, offline=o.offline)
    for path in write_tables(o.folder, n_resamples=o.profile.n_resamples, seed=o.profile.seed):
        print(path)
