"""`fas detect-eval`: detectors and combinations against gold."""

from __future__ import annotations

import argparse

from fas.cli.common import add_gold_options, gold_from, print_json


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "detect-eval",
        help="measure detectors and combinations against gold",
        description="Precision, recall and F1 of answers and of sentences with intervals, beside flagging everything, "
        "and a test between all pairs. Asks no language model.",
        epilog="example: fas detect-eval out/judge out/all --gold gold.jsonl --by domain",
    )
    parser.add_argument("folders", nargs="+", metavar="DIR", help="folders of fas detect, fas combine or fas score")
    parser.add_argument("--by", metavar="FIELD", help="also a table for each value of this field of the answers")
    parser.add_argument("--threshold", type=float, metavar="T", help="use this threshold instead of choosing one")
    parser.add_argument(
        "--explain", action="store_true", help="as for fas combine; changes what false claims are explained with"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    add_gold_options(parser, required=True)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the tables; returns the exit code."""
    from fas.findings.detection_text import evaluation_dict, evaluation_text
    from fas.findings.evaluating import evaluate

    gold, settings = gold_from(options)
    found = evaluate(
        options.folders,
        gold or {},
        by=options.by,
        cluster_by=options.cluster_by,
        explain=options.explain,
        options=settings,
    )
    if options.json:
        print_json(evaluation_dict(found))
    else:
        print(evaluation_text(found))
    return 0
