"""`fas verify`: one claim against passages, and how the verdict came about."""

from __future__ import annotations

import argparse
from pathlib import Path

from fas.cli.common import add_part_options, add_profile_options, print_result, profile_from


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "verify",
        help="verify one claim by passages, and say why",
        description="Verify one claim by one or more passages: every part that was read with its probabilities, what "
        "they came to, and the verdict.",
        epilog='example: fas verify --claim "Aspirin relieves pain." --passage "Aspirin relieved pain in 20 adults."',
    )
    parser.add_argument("--claim", required=True, metavar="TEXT", help="a statement that can be read on its own")
    parser.add_argument(
        "--passage",
        action="append",
        required=True,
        metavar="TEXT|FILE",
        help="a passage, or a file with its text in UTF-8; may be repeated",
    )
    parser.add_argument("--question", metavar="TEXT", help="the question that the claim answers")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    add_profile_options(parser)
    add_part_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the verdict; returns the exit code."""
    from fas.runs.explaining import verify_claim

    passages = [_text(given) for given in options.passage]
    found = verify_claim(options.claim, passages, profile=profile_from(options), question=options.question)
    print_result(found, as_json=options.json)
    return 0


def _text(given: str) -> str:
    path = Path(given)
    try:
        there = path.is_file()
    except (OSError, ValueError):  # too long for a name, or with characters that none has
        there = False
    if not there:
        return given
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 ({error})") from error
