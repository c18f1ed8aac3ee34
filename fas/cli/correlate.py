"""`fas correlate`: how well each metric follows gold."""

from __future__ import annotations

import argparse
from pathlib import Path

from fas.cli.common import add_statistics_options, print_result, statistics_from
from fas.cli.formats import add_format, correlation_table, print_tables


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "correlate",
        help="correlate every metric with gold judgements",
        description="Correlate every metric with gold judgements: Spearman, Kendall and Pearson, the area under the "
        "ROC curve where gold is 0 or 1, each with a bootstrap interval.",
        epilog='example: fas correlate out/ gold.jsonl --against rougeL      (gold: {"id": "1", "gold": 0.8} a line)',
    )
    parser.add_argument("scores", type=Path, metavar="SCORES", help="result folder, or its scores.jsonl")
    parser.add_argument("gold", type=Path, nargs="?", metavar="GOLD", help="JSON Lines of {id, gold}")
    parser.add_argument(
        "--labels", type=Path, metavar="FILE", help="labels of claims, in the place of GOLD: how good the verifier is"
    )
    parser.add_argument(
        "--disagreements", type=Path, metavar="FILE", help="with --labels: write a page of what it got wrong"
    )
    parser.add_argument("--against", metavar="NAME", help="also test every metric's Spearman against this metric's")
    add_statistics_options(parser)
    add_format(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the correlations; returns the exit code."""
    from fas.errors import InputError

    if (options.gold is None) == (options.labels is None):
        raise InputError("fas correlate needs GOLD, or --labels FILE", kind="usage")
    if options.labels is not None:
        if options.format != "text":
            raise InputError(
                "--format is for GOLD; --labels prints several tables, and --json all of them", kind="usage"
            )
        return _verifier(options)
    from fas.report.correlate import correlate_scores

    result = correlate_scores(options.scores, options.gold, against=options.against, **statistics_from(options))
    if options.format != "text" and not options.json:
        print_tables([correlation_table(result)], options.format)
    else:
        print_result(result, as_json=options.json)
    return 0


def _verifier(options: argparse.Namespace) -> int:
    from fas.labels.page import items_of, write_page
    from fas.labels.verifier import disagreements, verifier_quality

    settings = {name: value for name, value in statistics_from(options).items() if name != "metrics"}
    found = verifier_quality(options.scores, options.labels, **settings)
    if options.disagreements is not None:
        labelled, drawn, said = disagreements(options.scores, options.labels)
        items = items_of(labelled.run, drawn, said)
        write_page(options.disagreements, items, title="Where people and the verifier disagree", of=labelled.run.of)
    print_result(found, as_json=options.json)
    return 0
