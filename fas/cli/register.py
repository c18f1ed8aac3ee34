"""`fas register`: let `evaluate.load("fas")` work from any folder, offline."""

from __future__ import annotations

import argparse
import sys


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "register",
        help='make `evaluate.load("fas")` work from any folder',
        description="Copy the evaluate modules to where evaluate looks for modules it has seen before. "
        "Run again after an upgrade.",
    )
    parser.add_argument(
        "--all", action="store_true", help="also take the names of evaluate's own metrics (rouge, bleu, bertscore)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Register every module; returns the exit code."""
    from fas.evaluate_modules.location import register, taken_names

    taken = ", ".join(taken_names())
    if options.all:
        print(f"fas: takes names of evaluate's own metrics: {taken}", file=sys.stderr)
    else:
        print(f"fas: left to evaluate: {taken} (--all takes these names, too)", file=sys.stderr)
    put = register(replace=options.all)
    for path in put:
        print(path.stem)
    print(f"fas: copied to {put[0].parents[2]}; evaluate.load finds these names from any folder", file=sys.stderr)
    return 0
