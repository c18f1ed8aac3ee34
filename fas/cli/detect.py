"""`fas detect`: what is wrong in answers, sentence by sentence."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from fas.cli.common import add_map, answers_from_options, go_offline, print_json, profile_from
from fas.cli.progress import ProgressBar, add_progress_options
from fas.records.evidence_source import EVIDENCE_CHOICES


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "detect",
        help="find what is wrong in answers, with a language model or from a scored folder",
        description="Name the sentences of answers that are wrong, each with an explanation, a level of harm and a "
        "confidence. FILE is a file of answers, or a folder of `fas score`, whose false claims are written out without "
        "asking anything. The same command after an interruption goes on where it stopped.",
        epilog="example: fas detect answers.jsonl -o out/judge --profile judge --model gpt-4o-mini",
    )
    parser.add_argument("answers", type=Path, metavar="FILE|DIR", help="answers (- is stdin), or a folder of fas score")
    add_map(parser)
    parser.add_argument("-o", "--out", type=Path, metavar="DIR", help="folder of the findings")
    parser.add_argument("--runs", type=int, metavar="N", help="draw N times; each run is a member of its own")
    parser.add_argument("--min-harm", metavar="LEVEL", help="leave out findings below: very low, low, medium, high")
    parser.add_argument("--flags", action="store_true", help="of a scored folder: its safety flags, not its claims")
    parser.add_argument(
        "--explain", action="store_true", help="of a scored folder: say what the evidence says against it"
    )
    parser.add_argument(
        "--on-error",
        choices=("stop", "record"),
        default="stop",
        help="a bad line stops the run (default), or is recorded",
    )
    parser.add_argument("--strict", action="store_true", help="exit 1 if any answer has no result")
    parser.add_argument("--overwrite", action="store_true", help="throw away an earlier run's results in DIR")
    parser.add_argument("--offline", action="store_true", help="refuse everything that would open a socket")
    parser.add_argument(
        "--dry-run", action="store_true", help="send and write nothing; say how many calls and tokens it would take"
    )
    parser.add_argument("--json", action="store_true", help="print the reports as JSON")
    add_progress_options(parser)
    group = parser.add_argument_group("settings (each overrides the profile)")
    group.add_argument(
        "--profile", default="judge", metavar="NAME|FILE", help="judge (default), grounded, agents, or a TOML file"
    )
    group.add_argument("--detector", dest="part_detect", metavar="NAME", help="another detector (fas parts)")
    group.add_argument("--evidence", metavar="SOURCE", help=EVIDENCE_CHOICES)
    group.add_argument("-k", type=int, dest="k", metavar="N", help="passages a search")
    group.add_argument("--model", dest="part_model", metavar="NAME", help="language model, or transformers:FOLDER")
    group.add_argument("--base-url", dest="part_base_url", metavar="URL", help="OpenAI-compatible endpoint up to /v1")
    group.add_argument("--max-cost", dest="part_max_cost", type=float, metavar="USD", help="stop before it costs more")
    group.add_argument("--max-calls", dest="part_max_calls", type=int, metavar="N", help="stop before more calls")
    parser.set_defaults(run=run, usage_error=parser.error)


def run(options: argparse.Namespace) -> int:
    """Detect; returns the exit code."""
    from fas.findings.records import HARMS

    if options.offline:
        go_offline()
    if options.min_harm is not None and options.min_harm not in HARMS:
        raise ValueError(f"--min-harm must be one of {', '.join(HARMS)}, got {options.min_harm!r}")
    if options.out is None and not options.dry_run:
        options.usage_error("the following arguments are required: -o/--out (or --dry-run)")
    reports = _of_folder(options) if options.answers.is_dir() else _of_file(options)
    if reports is None:
        return 0
    if options.json:
        print_json(reports)
    else:
        for report in reports:
            print(_text(report))
        print(f"\nreport: {options.out / ('run-0/' if options.runs else '') / 'report.html'}")
    return 1 if options.strict and any(report["n_failed"] for report in reports) else 0


def _of_folder(options: argparse.Namespace) -> list[dict[str, Any]] | None:
    from fas.findings.detecting import detect_folder

    if options.dry_run:
        print("dry run: the false claims of a scored folder take no call")
        return None
    if options.runs is not None:
        raise ValueError("--runs is for detectors that ask a language model; a scored folder is one run")
    return [
        detect_folder(
            options.answers, options.out, flags=options.flags, explain=options.explain, min_harm=options.min_harm
        )
    ]


def _of_file(options: argparse.Namespace) -> list[dict[str, Any]] | None:
    from fas.findings.detecting import detect_file, estimate_detection

    if options.flags or options.explain:
        raise ValueError("--flags and --explain are for a folder of `fas score`")
    profile = profile_from(options)
    if options.dry_run:
        found = estimate_detection(answers_from_options(options), profile, runs=options.runs, offline=options.offline)
        if options.json:
            from dataclasses import asdict

            print(json.dumps({name: asdict(one) for name, one in found.estimates().items()}, indent=2))
        else:
            print(f"dry run; nothing was sent\n{found}")
        return None
    bar = ProgressBar.of(options, f"reading {options.answers}")
    try:
        return detect_file(
            answers_from_options(options),
            options.out,
            profile=profile,
            runs=options.runs,
            on_error=options.on_error,
            overwrite=options.overwrite,
            offline=options.offline,
            min_harm=options.min_harm,
            started=bar.start,
            progress=bar.update,
        )
    finally:
        bar.close()


def _text(report: dict[str, Any]) -> str:
    lines = [
        report["signature"],
        f"{report['n_findings']} findings on {report['n_with_findings']} of {report['n'] - report['n_failed']} answers",
    ]
    if report["n_unconverged"]:
        lines.append(f"{report['n_unconverged']} talks ended without agreement")
    if report["n_not_in_answer"]:
        lines.append(f"{report['n_not_in_answer']} findings quote what is not in the answer")
    return "\n".join([*lines, *(f"! {note}" for note in report["notes"])])
