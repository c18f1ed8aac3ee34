"""`fas register`: let `evaluate.load("fas")` work from any folder, offline."""

from __future__ import annotations

import argparse


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "register",
        help='make `evaluate.load("fas")` work from any folder',
        description="Copy the evaluate modules to where evaluate looks for modules it has seen before. "
        "Run again after an upgrade.",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Register every module; returns the exit code."""
    from fas.evaluate_modules.location import register

    for path in register():
        print(path)
    return 0
