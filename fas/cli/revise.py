"""`fas revise`: answer questions, check the answers, and answer again where the check failed."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fas.cli.common import add_part_options, add_profile_options, go_offline, profile_from
from fas.cli.progress import ProgressBar, add_progress_options

if TYPE_CHECKING:
    from fas.leaf.settings import Revising


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "revise",
        help="answer questions, check the answers, answer again with what the check found",
        description="Answer questions with a language model, check the answers by a profile of `fas score`, and answer "
        "those again that failed, with the documents of what failed (Fact-Check-then-RAG, LEAF). The same command "
        "after an interruption goes on where it stopped.",
        epilog="example: fas revise questions.jsonl -o out/fc --generate local --base-url http://127.0.0.1:8080/v1 "
        "--evidence index:notes",
    )
    parser.add_argument("questions", type=Path, metavar="FILE", help="questions: id, question, options, answer")
    parser.add_argument("-o", "--out", type=Path, metavar="DIR", help="folder of the results")
    parser.add_argument("--answers", type=Path, metavar="FILE", help="first answers that are there already")
    add_generator_options(parser)
    group = parser.add_argument_group("rounds")
    group.add_argument("--max-iterations", type=int, default=1, metavar="N", help="answer again at most N times (1)")
    group.add_argument(
        "--trigger",
        choices=("unsupported", "contradicted"),
        help="which claims are a reason to (contradicted, if the verifier tells it from unsupported)",
    )
    group.add_argument(
        "--knowledge",
        choices=("unsupported", "all"),
        default="unsupported",
        help="documents of which claims (failed ones)",
    )
    group.add_argument("--max-documents", type=int, default=20, metavar="N", help="documents in a prompt (20)")
    group.add_argument(
        "--first",
        choices=("plain", "rag"),
        default="plain",
        help="first answers without documents, or with the question's",
    )
    group.add_argument("--final", choices=("last", "best"), default="last", help="which answer is the final one")
    group.add_argument("--no-last-check", action="store_true", help="do not check the answers of the last round")
    parser.add_argument(
        "--strict", action="store_true", help="exit 1 if any question lacks an answer that was to be had"
    )
    parser.add_argument("--offline", action="store_true", help="send nothing; what is not in the cache stops the run")
    parser.add_argument("--dry-run", action="store_true", help="send and write nothing; say what the run would take")
    parser.add_argument(
        "--sentences", type=int, default=8, metavar="N", help="with --dry-run: sentences of an answer not yet given (8)"
    )
    parser.add_argument("--json", action="store_true", help="print report.json instead of the table")
    add_progress_options(parser)
    add_profile_options(parser)
    add_part_options(parser)
    parser.set_defaults(run=run, usage_error=parser.error)


def add_generator_options(parser: argparse.ArgumentParser) -> None:
    """Who answers; read by `generator_from`."""
    group = parser.add_argument_group("who answers")
    group.add_argument(
        "--generate", required=True, metavar="MODEL", help="language model: NAME at an endpoint, or transformers:FOLDER"
    )
    group.add_argument("--generate-url", metavar="URL", help="its endpoint (that of the checker, --base-url)")
    group.add_argument("--max-new-tokens", type=int, metavar="N", help="longest answer (1024)")
    group.add_argument("--window", type=int, metavar="N", help="tokens of prompt and answer that it reads")
    group.add_argument("--choice-prompt", metavar="FILE", help="another prompt for questions with options (.toml)")
    group.add_argument("--open-prompt", metavar="FILE", help="another prompt for the others (.toml)")


def generator_from(options: argparse.Namespace) -> dict[str, Any]:
    """Those options as the generator's."""
    given = {
        "model": options.generate,
        "base_url": options.generate_url,
        "max_new_tokens": options.max_new_tokens,
        "window": options.window,
        "choice": options.choice_prompt,
        "open": options.open_prompt,
    }
    return {name: value for name, value in given.items() if value is not None}


def run(options: argparse.Namespace) -> int:
    """Revise; returns the exit code."""
    if options.offline:
        go_offline()
    profile = profile_from(options)
    settings = _settings(options)
    if options.dry_run:
        from fas.leaf.estimate import estimate_revision

        estimate = estimate_revision(
            options.questions, profile, settings, answers=options.answers, sentences=options.sentences
        )
        print(json.dumps(estimate.as_dict(), indent=2) if options.json else estimate.as_text())
        return 0
    if options.out is None:
        options.usage_error("the following arguments are required: -o/--out (or --dry-run)")

    bar = ProgressBar.of(options, f"reading {options.questions}")
    from fas.leaf.revise import revise_file

    try:
        revised = revise_file(
            options.questions,
            options.out,
            profile=profile,
            settings=settings,
            answers=options.answers,
            offline=options.offline,
            tell=lambda line: print(f"fas: {line}", file=sys.stderr),
            started=bar.start,
            progress=bar.update,
        )
    finally:
        bar.close()
    if options.json:
        print(json.dumps(revised.as_dict(), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        print(revised.as_text())
        print(f"\nanswers: {options.out / 'final.jsonl'}\nreport: {options.out / 'report.html'}")
    return 1 if options.strict and revised.n_failures else 0


def _settings(options: argparse.Namespace) -> Revising:
    from fas.leaf.settings import Revising

    return Revising(
        generate=generator_from(options),
        max_iterations=options.max_iterations,
        trigger=options.trigger,
        knowledge=options.knowledge,
        max_documents=options.max_documents,
        first=options.first,
        final=options.final,
        last_check=not options.no_last_check,
    )
