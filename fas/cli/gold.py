"""`fas gold`: answers and gold out of an annotation export."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "gold",
        help="make answers and gold from an annotation export",
        description="Write DIR/answers.jsonl, for `fas detect`, and DIR/gold.jsonl, for `fas detect-eval`, from "
        "MedExpert's annotation export. docs/papers/detectors.md has the format of a gold file of one's own.",
        epilog="example: fas gold sample_data_export_from_JSL.json -o medexpert",
    )
    parser.add_argument("export", type=Path, metavar="FILE", help="MedExpert's export (.json)")
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="DIR", help="folder to write to")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the files; returns the exit code."""
    from fas.bench.medexpert import write_files

    doubles = write_files(options.export, options.out)
    for name in ("answers.jsonl", "gold.jsonl"):
        print(options.out / name)
    if doubles.n:
        print(f"{doubles.n} answers were annotated twice; on {doubles.agreeing} both say the same of the whole answer")
    return 0
