"""`fas citations`: whether the sources an answer cites exist, and support what they stand with."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from fas.cli.common import (
    add_answers,
    add_part_options,
    add_profile_options,
    answers_from_options,
    go_offline,
    profile_from,
    tell_reasoning,
)


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "citations",
        help="check the citations that answers make",
        description="Check the citations that answers make ([1], PMIDs, DOIs, addresses): does the source exist, is it "
        "retracted, does it support the claim it stands with, does another passage. [n] is the n-th given passage, or "
        "what the answer's own list of references says; PMIDs and DOIs are looked up in an index or in PubMed.",
        epilog="example: fas citations answers.jsonl --evidence entrez -o out/",
    )
    add_answers(parser)
    parser.add_argument(
        "-o", "--out", type=Path, metavar="DIR", help="write citations.jsonl and citations.json there, too"
    )
    parser.add_argument("--offline", action="store_true", help="refuse everything that would open a socket")
    parser.add_argument("--json", action="store_true", help="print the report as JSON instead of a table")
    add_profile_options(parser)
    add_part_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Check the file; returns the exit code."""
    from fas.answers.files import BadLine, first_mistake, read_answers
    from fas.citations.report import check_citations, write_citations

    if options.offline:
        go_offline()
    profile = profile_from(options)
    items = list(read_answers(answers_from_options(options)))
    bad = [item for item in items if isinstance(item, BadLine)]
    if bad:
        raise first_mistake(bad)
    answers = [item for item in items if not isinstance(item, BadLine)]
    tell_reasoning(sum(answer.reasoning > 0 for answer in answers))
    report = check_citations(answers, profile, offline=options.offline)
    if options.out is not None:
        write_citations(report, options.out)
    print(json.dumps(report.as_dict(), indent=2, ensure_ascii=False) if options.json else report.as_text())
    return 0
