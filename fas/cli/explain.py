"""`fas explain`: why the claims of an answer have their verdicts."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from fas.cli.common import add_part_options, add_profile_options, go_offline, profile_from


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "explain",
        help="say why a claim of a scored answer has its verdict",
        description="Say why the claims of a scored answer have their verdicts: the sentence, what was searched for "
        "and found, what of it was read, what that came to, and the answer's score otherwise. A run keeps no passages: "
        "they come from its evidence again (the input, an index, a snapshot of --save-evidence), where the run had it.",
        epilog="example: fas explain out/ 1 --answers examples/answers.jsonl",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder of fas score")
    parser.add_argument("id", metavar="ID", help="id of the answer")
    parser.add_argument("claim", nargs="?", metavar="CLAIM", help="number of the claim, from 1, or its text (all)")
    parser.add_argument("--answers", type=Path, metavar="FILE", help="the run's input, for passages that came with it")
    parser.add_argument("--offline", action="store_true", help="refuse everything that would open a socket")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    add_profile_options(parser)
    add_part_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the explanations; returns the exit code."""
    from fas.runs.explaining import explain_run

    if options.offline:
        go_offline()
    found = explain_run(
        options.folder,
        options.id,
        profile_from(options),
        claim=options.claim,
        answers=options.answers,
        evidence=options.evidence,
        offline=options.offline,
    )
    if options.json:
        print(json.dumps([one.as_dict() for one in found], indent=2, ensure_ascii=False, allow_nan=False))
    else:
        print("\n\n---\n\n".join(one.as_text() for one in found) or "no claims")
    return 0
