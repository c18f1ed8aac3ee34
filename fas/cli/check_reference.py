"""`fas check-reference`: a finished run's ROUGE, BLEU and BERTScore by the published packages."""

from __future__ import annotations

import argparse
from pathlib import Path

from fas.cli.common import print_result


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "check-reference",
        help="recompute a run's ROUGE, BLEU and BERTScore by the published packages",
        description="Recompute the reference metrics of a finished run by rouge-score, nltk and bert-score, and print "
        "the largest difference of each. Exit 1 if one is above 0.0001 (BERTScore of a run in bfloat16: 0.005).",
        epilog="example: fas check-reference out/",
    )
    parser.add_argument("out", type=Path, metavar="OUT", help="result folder")
    parser.add_argument(
        "--answers", type=Path, metavar="FILE", help="the run's input, for scores without references (0.1.0)"
    )
    parser.add_argument("--profile", default="mini", metavar="NAME|FILE", help="the settings the run had (mini)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the differences; returns the exit code."""
    from fas.profile import load_profile
    from fas.report.reference_check import check_reference

    check = check_reference(options.out, load_profile(options.profile), answers=options.answers)
    print_result(check, as_json=options.json)
    return 0 if check.agrees else 1
