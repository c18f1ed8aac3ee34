"""`fas compare`: two result folders, which is better, and how sure that is."""

from __future__ import annotations

import argparse
from pathlib import Path

from fas.cli.common import add_statistics_options, print_result, statistics_from


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "compare",
        help="compare two result folders answer by answer",
        description="Compare two result folders answer by answer: means, paired difference with interval, and tests.",
        epilog="example: fas compare out-a/ out-b/ --cluster-by question",
    )
    parser.add_argument("a", type=Path, metavar="A", help="result folder (or scores.jsonl) of the first run")
    parser.add_argument("b", type=Path, metavar="B", help="result folder (or scores.jsonl) of the second run")
    add_statistics_options(parser)
    parser.add_argument("--method", choices=("percentile", "bca"), default="percentile", help="kind of interval")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the comparison; returns the exit code."""
    from fas.report.compare import compare_runs

    comparison = compare_runs(options.a, options.b, method=options.method, **statistics_from(options))
    print_result(comparison, as_json=options.json)
    return 0
