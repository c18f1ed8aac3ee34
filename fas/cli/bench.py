"""`fas bench`: score a benchmark's answers, stored, generated or corrupted."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fas.cli.common import NOTHING_SCORED, add_part_options, add_profile_options, go_offline, profile_from
from fas.cli.progress import ProgressBar, add_progress_options

if TYPE_CHECKING:
    from fas.bench.run import Plan
    from fas.profile import Profile


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "bench",
        help="score a benchmark's answers, and make the study's tables",
        description="Score the answers that a benchmark stores, that a model gives now (--generate), or expert answers "
        "of which a known share is made false (--corrupt). The benchmarks' files are read from a folder; "
        "benchmarks/NAME/README.md says where to get them. The same command after an interruption goes on "
        "where it stopped.",
        epilog="example: fas bench medlfqa --data data/ --evidence index:pubmed -o runs/medlfqa",
    )
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="the benchmark (--list shows them), or `tables` or `ablations` with a folder of results",
    )
    parser.add_argument(
        "folder",
        nargs="?",
        type=Path,
        metavar="DIR",
        help="for `tables`: write DIR/tables again; for `ablations`: score the answers in DIR with parts taken out",
    )
    parser.add_argument("--list", action="store_true", help="show the benchmarks, and whether their files are there")
    parser.add_argument("-o", "--out", type=Path, metavar="DIR", help="folder of the results (runs/NAME)")
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder of the benchmarks' files (FAS_DATA_DIR)")
    _add_selection(parser)
    _add_making(parser)
    parser.add_argument("--by", action="append", metavar="FIELD", help="also report by this field (kind, if there is)")
    parser.add_argument(
        "--general-nli",
        metavar="MODEL",
        help="for `ablations`: also score with this NLI checkpoint, one trained without biomedical pairs",
    )
    parser.add_argument(
        "--corpora", action="store_true", help="for `ablations`: also search each corpus of the evidence alone"
    )
    parser.add_argument("--no-tables", action="store_true", help="score only; draw no tables and plots")
    parser.add_argument("--strict", action="store_true", help="exit 1 if any answer failed")
    parser.add_argument("--overwrite", action="store_true", help="throw away an earlier run's results in DIR")
    parser.add_argument("--offline", action="store_true", help="refuse everything that would open a socket")
    parser.add_argument("--json", action="store_true", help="print the reports as JSON instead of tables")
    add_progress_options(parser)
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="send and write nothing; say how many calls to language models, tokens and what cost scoring would take",
    )
    add_profile_options(parser)
    add_part_options(parser)
    parser.set_defaults(run=run)


def _add_selection(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("which questions and answers")
    group.add_argument(
        "--subset", type=_names, metavar="A,B", help="sets of questions, or all (the benchmark's choice)"
    )
    group.add_argument("--kind", type=_names, metavar="A,B", help="types of question, or all (the benchmark's choice)")
    group.add_argument("--limit", type=_positive, metavar="N", help="at most N questions, drawn at random")
    group.add_argument("--sample-seed", type=int, default=12345, metavar="N", help="seed of draws here (12345)")
    group.add_argument("--models", type=_names, metavar="A,B", help="stored answers of these models only")
    group.add_argument(
        "--samples", type=_positive, metavar="N", help="at most N stored answers of a model to a question"
    )
    group.add_argument(
        "--passages",
        choices=("own", "references", "question", "none"),
        default="own",
        help="evidence to give along: the benchmark's own (default), the expert answers, the question alone, none",
    )
    group.add_argument(
        "--questions-out",
        "--questions",
        dest="questions",
        type=Path,
        metavar="FILE",
        help="write the questions, for a model of your own, `fas revise` and `fas tune`, and nothing else",
    )
    group.add_argument("--prepare-only", action="store_true", help="write the answers and their gold, score nothing")


def _add_making(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("answers made now")
    group.add_argument(
        "--generate",
        action="append",
        default=[],
        metavar="MODEL",
        help="a hub name or folder (run here), openai:MODEL (an endpoint), or abstract (the study's PubMedBERT row)",
    )
    group.add_argument("--max-new-tokens", type=_positive, metavar="N", help="longest answer (512)")
    group.add_argument("--generate-batch", type=_positive, metavar="N", help="questions answered at a time")
    group.add_argument("--skip-failed", action="store_true", help="leave out questions that a model could not answer")
    group.add_argument(
        "--corrupt",
        type=_shares,
        nargs="?",
        const=(0.0, 0.25, 0.5, 0.75, 1.0),
        default=(),
        metavar="A,B",
        help="make these shares of the expert answers' statements false (0,0.25,0.5,0.75,1)",
    )
    group.add_argument(
        "--answers",
        metavar="FILE|exact",
        help="the answers of a model of your own (`id` or `question_id`, `prediction`, `model`); exact: the owners' "
        "exact answers (gold 1) and another question's of the same type (gold 0)",
    )
    group.add_argument("--no-gold", action="store_true", help="do not judge the physicians' statements")
    group.add_argument(
        "--gold-profile",
        metavar="NAME|FILE",
        help="profile whose verifier judges the physicians' statements (the one that scores; then both share errors)",
    )


def run(options: argparse.Namespace) -> int:
    """Run the benchmark; returns the exit code."""
    if options.list:
        return _list(options.data, as_json=options.json)
    if options.name in ("tables", "ablations"):
        return _again(options)
    if options.folder is not None:
        raise ValueError(
            f"a folder is for `fas bench tables {options.folder}` and `fas bench ablations {options.folder}`; give the "
            "results' folder with -o"
        )
    if options.general_nli is not None or options.corpora:
        raise ValueError("--general-nli and --corpora are for `fas bench ablations DIR`")
    if options.name is None:
        raise ValueError("which benchmark? Give its NAME; --list shows them")
    if options.offline:
        go_offline()
    if options.questions is not None:
        return _questions(options)
    profile = profile_from(options)
    from fas.bench.run import prepare, score
    from fas.profile import load_profile
    from fas.report.text import render_table

    plan = _plan(options)
    judge = profile if options.gold_profile is None else load_profile(options.gold_profile)
    scored_with = None if options.prepare_only else profile
    if options.dry_run:
        return _dry_run(options, plan, profile)
    from fas.parts.language_models import RunModels

    # One budget for the judge of the gold and for the answers of all models.
    models = RunModels(profile.llm, offline=options.offline)
    judging = models if judge is profile else RunModels(judge.llm, offline=options.offline, share=models)
    folders = prepare(plan, gold_profile=judge, profile=scored_with, models=judging, tell=_tell)
    if options.prepare_only:
        for folder in folders.values():
            print(folder / "answers.jsonl")
        return 0
    by = options.by if options.by is not None else _kind_of(folders)
    bar = ProgressBar.of(options)
    try:
        reports = score(
            plan,
            folders,
            profile=profile,
            by=by,
            offline=options.offline,
            models=models,
            tell=_tell,
            started=bar.start,
            progress=bar.update,
        )
    finally:
        bar.close()
    if options.json:
        print(json.dumps({model: report.as_dict() for model, report in reports.items()}, indent=2, ensure_ascii=False))
    else:
        for model, report in reports.items():
            print(f"{model}\n{render_table(report)}\nreport: {folders[model] / 'report.html'}\n")
    nothing = [model for model, report in reports.items() if report.nothing_scored]
    for model in nothing:
        print(f"fas: {model}: {NOTHING_SCORED}", file=sys.stderr)
    return 1 if nothing or (options.strict and any(report.n_failed for report in reports.values())) else 0


def _questions(options: argparse.Namespace) -> int:
    from fas.bench import benchmark
    from fas.bench.files import data_folder
    from fas.bench.prepare import select_items, write_questions

    chosen = select_items(
        benchmark(options.name),
        data_folder(options.data),
        subsets=options.subset,
        kinds=options.kind,
        limit=options.limit,
        seed=options.sample_seed,
    )
    write_questions(options.questions, chosen, passages=options.passages)
    _tell(f"{len(chosen)} questions in {options.questions}")
    return 0


def _dry_run(options: argparse.Namespace, plan: Plan, profile: Profile) -> int:
    """Say what scoring the answers would take; they are written to a folder that is gone afterwards."""
    from dataclasses import replace
    from tempfile import TemporaryDirectory

    from fas.bench.run import prepare
    from fas.runs.dry_run import estimate_run

    if plan.generate:
        raise ValueError(
            "--dry-run cannot tell what answers would take that are not written yet; generate them with --prepare-only"
        )
    estimates = {}
    with TemporaryDirectory() as folder:
        dry = replace(plan, out=Path(folder), gold=False)
        folders = prepare(dry, gold_profile=profile, profile=profile, tell=_tell)
        for model, where in folders.items():
            estimates[model] = estimate_run(where / "answers.jsonl", profile, offline=options.offline)
    if plan.gold:
        _tell("the judgements of gold statements, where there are any, are not in these numbers")
    if options.json:
        print(json.dumps({model: one.as_dict() for model, one in estimates.items()}, indent=2))
    else:
        for model, one in estimates.items():
            print(f"{model}: {one.as_text()}")
    return 0


def _plan(options: argparse.Namespace) -> Plan:
    from fas.bench.run import Plan

    return Plan(
        name=options.name,
        out=options.out or Path("runs") / options.name,
        data=options.data,
        subsets=options.subset,
        kinds=options.kind,
        limit=options.limit,
        sample_seed=options.sample_seed,
        models=options.models,
        samples=options.samples,
        generate=tuple(options.generate),
        generator_options=_generator_options(options),
        skip_failed=options.skip_failed,
        exact=options.answers == "exact",
        answers=None if options.answers in (None, "exact") else Path(options.answers),
        corrupt=options.corrupt,
        passages=options.passages,
        gold=not options.no_gold,
        overwrite=options.overwrite,
        tables=not options.no_tables,
    )


def _list(data: Path | None, *, as_json: bool) -> int:
    from fas.bench import benchmark, names
    from fas.bench.files import data_folder
    from fas.errors import InputError

    rows = []
    for name in names():
        bench = benchmark(name)
        try:
            next(bench.items(data_folder(data)))
            problem = None
        except InputError as error:
            problem = str(error)
        rows.append({"name": name, "title": bench.title, "missing": problem, "subset_rule": bench.subset_rule})
    if as_json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return 0
    for row in rows:
        print(f"{row['name']:<10} {'there' if row['missing'] is None else 'missing':<8} {row['title']}")
    for problem in dict.fromkeys(row["missing"] for row in rows if row["missing"]):
        print(f"fas: {problem}", file=sys.stderr)
    return 0


def _generator_options(options: argparse.Namespace) -> dict[str, Any]:
    given = {
        "base_url": options.part_base_url,
        "max_new_tokens": options.max_new_tokens,
        "batch_size": options.generate_batch,
        "offline": options.offline or None,
    }
    return {name: value for name, value in given.items() if value is not None}


def _kind_of(folders: dict[str, Path]) -> list[str]:
    """Group by the kind of question where every file has it."""
    for folder in folders.values():
        with (folder / "answers.jsonl").open(encoding="utf-8") as lines:
            if "kind" not in json.loads(next(lines)):
                return []
    return ["kind"]


def _tell(line: str) -> None:
    print(f"fas: {line}", file=sys.stderr)


def _names(text: str) -> tuple[str, ...]:
    found = tuple(part.strip() for part in text.split(",") if part.strip())
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r}: expected names with commas between")
    return found


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a whole number of at least 1")
    return int(text)


def _shares(text: str) -> tuple[float, ...]:
    try:
        shares = tuple(float(part) for part in text.split(","))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: expected shares like 0,0.5,1") from error
    if not all(0.0 <= share <= 1.0 for share in shares):
        raise argparse.ArgumentTypeError(f"{text!r}: shares lie in [0, 1]")
    return shares


def _again(options: argparse.Namespace) -> int:
    """The tables of stored scores, without a model; `ablations` scores the answers with parts taken out first."""
    from fas.bench.ablations import Ablation, run_ablations
    from fas.bench.tables import write_tables

    if options.folder is None:
        raise ValueError(
            f"which results? `fas bench {options.name} DIR`, a folder with scores.jsonl or one with several of them"
        )
    profile = profile_from(options)
    if options.name == "ablations":
        if options.offline:
            go_offline()
        which: list[Ablation] = ["no-retrieval"]
        if profile.verify.name == "nli" and profile.verify.options.get("windows", 0) >= 2:
            which.append("one-window")
        else:
            _tell("one-window left out: the profile's verifier does not read two windows of a passage")
        which += ["general-nli"] if options.general_nli else []
        which += ["corpora"] if options.corpora else []
        run_ablations(options.folder, profile, which=which, general_nli=options.general_nli, offline=options.offline)
    for path in write_tables(options.folder, n_resamples=profile.n_resamples, seed=profile.seed):
        print(path)
    return 0
