"""`fas merge`: the shards of a run become one folder."""

from __future__ import annotations

import argparse
import json
from pathlib import Path


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "merge",
        help="join the shards of a run (fas score --shard)",
        description="Join the folders of all shards of a run into the folder that one process would have written. "
        "A shard that is missing, unfinished or of another run is refused.",
        epilog="example: fas merge out-* -o out/",
    )
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR", help="the folders of the shards, in any order")
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="DIR", help="folder to make")
    parser.add_argument("--by", action="append", default=[], metavar="FIELD", help="also report by this field")
    parser.add_argument("--overwrite", action="store_true", help="throw away an earlier run's results in DIR")
    parser.add_argument("--json", action="store_true", help="print report.json instead of the table")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Join the shards; returns the exit code."""
    from fas.report.text import render_table
    from fas.runs.merging import merge_shards

    report = merge_shards(options.folders, options.out, by=options.by, overwrite=options.overwrite)
    if options.json:
        print(json.dumps(report.as_dict(), indent=2, ensure_ascii=False))
    else:
        print(render_table(report))
        print(f"\nreport: {options.out / 'report.html'}")
    return 0
