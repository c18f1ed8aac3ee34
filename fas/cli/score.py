"""`fas score`: answers in, scores and a report out."""

from __future__ import annotations

import argparse
import json
import math
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fas.cli.common import (
    NOTHING_SCORED,
    add_answers,
    add_part_options,
    add_profile_options,
    answers_from_options,
    go_offline,
    profile_from,
)
from fas.cli.progress import ProgressBar, add_progress_options

if TYPE_CHECKING:
    from fas.api import Workers
    from fas.profile import Profile
    from fas.records import Report
    from fas.runs.shards import Shard


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "score",
        help="score answers against evidence and references",
        description="Score answers in English against evidence and references. "
        "The same command after an interruption goes on where it stopped.",
        epilog="example: fas score examples/answers.jsonl -o out/ --by type",
    )
    add_answers(parser)
    parser.add_argument("-o", "--out", type=Path, metavar="DIR", help="folder of the results")
    parser.add_argument(
        "--by", action="append", default=[], metavar="FIELD", help="also report by this field of the answers"
    )
    parser.add_argument(
        "--on-error",
        choices=("stop", "record"),
        default="stop",
        help="a bad line stops the run before it starts (default), or becomes an error record",
    )
    parser.add_argument("--strict", action="store_true", help="exit 1 if any answer failed")
    for option, of in (("--fail-under", "the least"), ("--fail-over", "the largest")):
        parser.add_argument(
            option,
            type=_limits,
            default={},
            metavar="NAME=X,...",
            help=f"exit 3 unless {of} value allowed is kept, e.g. fas=0.6,support=0.5 or contra=0.1,flags=0",
        )
    parser.add_argument(
        "--fail-by",
        choices=("bound", "mean"),
        default="bound",
        help="hold limits against the 95%% interval's end that is worse (default), or against the mean",
    )
    parser.add_argument("--overwrite", action="store_true", help="throw away an earlier run's results in DIR")
    parser.add_argument("--offline", action="store_true", help="refuse everything that would open a socket")
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="send and write nothing; say how many calls to language models, tokens and what cost the run would take",
    )
    parser.add_argument(
        "--claims-per-sentence", type=float, metavar="X", help="with --dry-run: how many claims to assume"
    )
    engine = parser.add_argument_group("engine (docs/how-to/scale.md)")
    engine.add_argument(
        "--engine",
        choices=("single", "processes", "ray"),
        default="single",
        help="who works: this process (default), several on this machine, or actors of a Ray cluster (extra ray)",
    )
    engine.add_argument("-j", "--jobs", type=int, metavar="N", help="processes or actors (default: one a processor)")
    engine.add_argument("--address", metavar="A", help="Ray cluster: auto or HOST:PORT (default: start one here)")
    engine.add_argument("--cpus", type=float, metavar="X", help="processors of a Ray actor, also fractions (1)")
    engine.add_argument("--gpus", type=float, metavar="X", help="GPUs of a Ray actor (default: 1 if there are any)")
    engine.add_argument("--parquet", action="store_true", help="also write the records as DIR/parquet/part-*.parquet")
    engine.add_argument("--shard", type=_shard, metavar="I/N", help="only the I-th of N parts; fas merge joins them")
    parser.add_argument("--save-evidence", type=Path, metavar="FILE", help="record what every claim got")
    parser.add_argument("--json", action="store_true", help="print report.json instead of the table")
    add_progress_options(parser)
    add_profile_options(parser)
    add_part_options(parser)
    parser.set_defaults(run=run, usage_error=parser.error)


def run(options: argparse.Namespace) -> int:
    """Score the file; returns the exit code."""
    if options.offline:
        go_offline()
    profile = profile_from(options)
    if options.dry_run:
        return _dry_run(options, profile)
    if options.out is None:
        options.usage_error("the following arguments are required: -o/--out (or --dry-run)")
    bar = ProgressBar.of(options, f"reading {options.answers}")
    try:
        return _scored(options, profile, bar)
    finally:
        bar.close()


def _scored(options: argparse.Namespace, profile: Profile, bar: ProgressBar) -> int:
    from fas.api import score_file
    from fas.errors import InputError
    from fas.files.own import is_within
    from fas.parts.language_models import LOST
    from fas.report.text import render_table
    from fas.runs.tally import EARLIER
    from fas.scores.limits import check_names, failures

    check_names([*options.fail_under, *options.fail_over], k=profile.k, safety=profile.safety)
    if is_within(options.answers, options.out):
        raise InputError(
            f"{options.answers}: lies in the folder of the results ({options.out}); give another folder with -o",
            kind="input_in_output",
        )

    report = score_file(
        answers_from_options(options),
        options.out,
        profile=profile,
        by=options.by,
        on_error=options.on_error,
        overwrite=options.overwrite,
        offline=options.offline,
        save_evidence=options.save_evidence,
        started=bar.start,
        progress=bar.update,
        workers=_workers(options),
        shard=options.shard,
    )
    bar.close()
    if options.parquet or options.engine == "ray":
        from fas.runs.tables import write_tables

        write_tables(options.out, profile.k)
    if options.json:
        print(json.dumps(report.as_dict(), indent=2, ensure_ascii=False))
    else:
        print(render_table(report))
        print(f"\n{_in_words(report)}\nreport: {options.out / 'report.html'}")
        out = options.out
        print(f"next: open it; `fas explain {out} ID` says why of one answer, `fas compare {out} OTHER` compares runs")
    lost = [note for note in report.notes if LOST in note and not note.startswith(EARLIER)]
    for note in lost:
        print(f"fas: {note}", file=sys.stderr)
    if report.nothing_scored:
        print(f"fas: {NOTHING_SCORED}", file=sys.stderr)
        return 1
    if lost or (options.strict and report.n_failed):
        return 1
    if options.fail_under or options.fail_over:
        broken = failures(report, fail_under=options.fail_under, fail_over=options.fail_over, by=options.fail_by)
        for one in broken:
            print(f"fas: {one}", file=sys.stderr)
        return 3 if broken else 0
    return 0


def _in_words(report: Report) -> str:
    """The result in a sentence.

    >>> from types import SimpleNamespace as Some
    >>> shares = {"support@5": Some(mean=0.75, n=8), "contra@5": Some(mean=0.125, n=8)}
    >>> _in_words(Some(n=2, claim_shares=shares, flags={}))
    'The evidence supports 75.0% of the 8 verified claims of 2 answers and contradicts 12.5%.'
    """
    from fas.report.tables import percent

    whose = f"{report.n} answer{'s' * (report.n != 1)}"
    found = {name.partition("@")[0]: one for name, one in report.claim_shares.items()}
    if "support" not in found or not found["support"].n:
        return f"No claim of {whose} was verified."
    support, contra = found["support"], found["contra"].mean
    against = "" if math.isnan(contra) else f" and contradicts {percent(contra)}"
    return f"The evidence supports {percent(support.mean)} of the {support.n} verified claims of {whose}{against}."


def _workers(options: argparse.Namespace) -> Workers | None:
    """Who works, by the options of the engine."""
    own = {name: getattr(options, name) for name in ("address", "cpus", "gpus") if getattr(options, name) is not None}
    if own and options.engine != "ray":
        raise ValueError(f"--{next(iter(own))} is for --engine ray")
    if options.engine == "ray":
        try:
            from fas.integrations.ray import Actors
        except ModuleNotFoundError as error:
            raise ValueError(
                f"--engine ray needs the extra ray: pip install 'fact-aligned-score[ray]' ({error})"
            ) from error
        return partial(Actors, jobs=options.jobs, **own)
    if options.engine == "processes":
        from fas.runs.processes import Processes

        return partial(Processes, jobs=options.jobs)
    if options.jobs not in (None, 1):
        raise ValueError("--jobs is for --engine processes and --engine ray")
    return None


def _shard(text: str) -> Shard:
    from fas.runs.shards import Shard

    try:
        return Shard.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _limits(text: str) -> dict[str, float]:
    from fas.scores.limits import parse_limits

    try:
        return parse_limits(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _dry_run(options: argparse.Namespace, profile: Profile) -> int:
    """Say what the run would take; returns the exit code."""
    from fas.runs.dry_run import estimate_run

    estimate = estimate_run(
        answers_from_options(options),
        profile,
        offline=options.offline,
        claims_per_sentence=options.claims_per_sentence,
    )
    print(json.dumps(estimate.as_dict(), indent=2) if options.json else estimate.as_text())
    return 0
