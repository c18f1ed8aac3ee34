"""`fas thresholds`: thresholds at which verdicts keep a promise, from labels."""

from __future__ import annotations

import argparse
from pathlib import Path

from fas.cli.common import print_result


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "thresholds",
        help="choose thresholds from labels so that precision is promised",
        description="Choose the thresholds of support and of contradiction, apart, at which precision is at least P "
        "with confidence 1 - D, from labels of a run's claims. The file is named by `fas score --thresholds FILE`.",
        epilog="example: fas thresholds out/ --labels labels.jsonl --precision 0.9 -o thresholds.json",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="result folder, or its scores.jsonl")
    parser.add_argument("--labels", type=Path, required=True, metavar="FILE", help="labels of its claims")
    parser.add_argument("--precision", type=float, default=0.9, metavar="P", help="precision promised (0.9)")
    parser.add_argument("--delta", type=float, default=0.05, metavar="D", help="how often it may fail (0.05)")
    parser.add_argument("-o", "--out", type=Path, metavar="FILE", help="file to write")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the thresholds; returns the exit code."""
    from fas.labels.thresholds import thresholds_of

    found = thresholds_of(options.folder, options.labels, precision=options.precision, delta=options.delta)
    if options.out is not None:
        found.write(options.out)
    print_result(found, as_json=options.json)
    return 0
