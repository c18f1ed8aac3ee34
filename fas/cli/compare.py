"""`fas compare`: result folders or systems, which is better, and how sure that is."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from fas.cli.common import Result, add_statistics_options, print_result, statistics_from
from fas.cli.formats import add_format, comparison_table, print_tables, systems_tables

if TYPE_CHECKING:
    from fas.bench.formats import Table


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "compare",
        help="compare result folders answer by answer, or the systems inside one",
        description="Compare result folders answer by answer: means, paired differences with intervals, and tests with "
        "Holm's and Benjamini and Hochberg's corrections. With --by the systems inside one folder.",
        epilog="examples:\n  fas compare out-a/ out-b/\n  fas compare out/ --by model --pairs all",
    )
    parser.add_argument(
        "runs", type=Path, nargs="+", metavar="DIR", help="result folders (or scores.jsonl); the first is the baseline"
    )
    parser.add_argument("--by", metavar="FIELD", help="compare the systems that this field of one folder tells apart")
    parser.add_argument("--pairs", choices=("first", "all"), help="each system with the first (default), or all pairs")
    parser.add_argument(
        "--join",
        choices=("question", "id"),
        default="question",
        help="answers of one id must reply to the same question with the same references (default), or id: need not",
    )
    add_statistics_options(parser)
    add_format(parser)
    parser.add_argument("--method", choices=("auto", "percentile", "bca"), default="auto", help="interval (auto)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the comparison; returns the exit code."""
    settings = {"join_by": options.join, "method": options.method, **statistics_from(options)}
    written = options.format != "text" and not options.json
    result: Result
    tables: list[Table]
    if len(options.runs) == 2 and options.by is None and options.pairs is None:
        from fas.report.compare import compare_runs

        both = compare_runs(*options.runs, **settings)
        result, tables = both, [comparison_table(both)] if written else []
    else:
        from fas.errors import InputError
        from fas.report.systems import compare_systems

        if len(options.runs) == 1 and options.by is None:
            raise InputError(
                "fas compare needs two or more result folders, or --by FIELD to compare the systems of one",
                kind="usage",
            )
        systems = compare_systems(options.runs, by=options.by, pairs=options.pairs or "first", **settings)
        result, tables = systems, systems_tables(systems) if written else []
    if written:
        print_tables(tables, options.format)
    else:
        print_result(result, as_json=options.json)
    return 0
