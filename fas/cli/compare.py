"""`fas compare`: two result folders, which is better, and how sure that is."""

from __future__ import annotations

import argparse
import json
from pathlib import Path


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


def add_statistics_options(parser: argparse.ArgumentParser) -> None:
    """Options that `compare` and `correlate` share."""
    parser.add_argument("--metric", action="append", metavar="NAME", help="only this metric; may be repeated")
    parser.add_argument(
        "--cluster-by", metavar="FIELD", help="answers with the same 'question' (or field of the input) are one unit"
    )
    parser.add_argument("--n-resamples", type=int, default=10_000, metavar="N", help="bootstrap draws (10000)")
    parser.add_argument("--level", type=float, default=0.95, metavar="L", help="confidence level (0.95)")
    parser.add_argument("--seed", type=int, default=12345, metavar="N", help="seed of the draws (12345)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(options: argparse.Namespace) -> int:
    """Print the comparison; returns the exit code."""
    from fas.report.compare import compare_runs

    comparison = compare_runs(
        options.a,
        options.b,
        metrics=options.metric,
        cluster_by=options.cluster_by,
        n_resamples=options.n_resamples,
        level=options.level,
        seed=options.seed,
        method=options.method,
    )
    if options.json:
        print(json.dumps(comparison.as_dict(), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        print(comparison.as_text())
    return 0
