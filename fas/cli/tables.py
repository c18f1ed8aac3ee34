"""`fas tables`: tables and plots of stored scores, for a paper or a page."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "tables",
        help="tables (LaTeX, Markdown, CSV) and plots of result folders",
        description="Write tables of stored scores as LaTeX, Markdown and CSV, and plots, without a model: metrics by "
        "system, by type of question, differences, rankings, correlation with gold, flags. Fields of the answers that "
        "tables use where they are there: model, dataset, kind, question_id, n_references, gold. Several folders are "
        "several systems.",
        epilog="examples:\n  fas tables out-a/ out-b/ -o tables/\n  fas tables out/ --format latex",
    )
    parser.add_argument(
        "folders", type=Path, nargs="+", metavar="DIR", help="folders of results (fas score, fas bench)"
    )
    parser.add_argument(
        "-o", "--out", type=Path, metavar="DIR", help="folder of the tables (DIR/tables of a single DIR)"
    )
    parser.add_argument(
        "--format",
        choices=("latex", "markdown", "csv"),
        help="print the tables so and write nothing; with csv give --table",
    )
    parser.add_argument("--table", action="append", metavar="NAME", help="only this table; may be repeated")
    parser.add_argument("--no-plots", action="store_true", help="draw nothing")
    parser.add_argument("--n-resamples", type=int, default=10_000, metavar="N", help="bootstrap draws (10000)")
    parser.add_argument("--seed", type=int, default=12345, metavar="N", help="seed of the draws (12345)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write or print the tables; returns the exit code."""
    from fas.bench.own_tables import tables_of
    from fas.bench.tables import save_tables
    from fas.cli.formats import print_tables
    from fas.errors import InputError

    out = options.out
    if out is None and options.format is None:
        if len(options.folders) > 1:
            raise InputError("several folders of results: name the folder of the tables with -o DIR", kind="usage")
        out = options.folders[0] / "tables"
    run, tables = tables_of(options.folders, n_resamples=options.n_resamples, seed=options.seed)
    if options.table:
        names = [table.name for table in tables]
        for name in options.table:
            if name not in names:
                raise InputError(f"no table {name!r} of these scores; there are: {', '.join(names)}", kind="usage")
        tables = [table for table in tables if table.name in options.table]
    if options.format is not None:
        if options.format == "csv" and len(tables) > 1:
            raise InputError(
                f"one CSV holds one table: give --table NAME of {', '.join(table.name for table in tables)}, or -o DIR "
                "without --format for a file each",
                kind="usage",
            )
        print_tables(tables, options.format)
        return 0
    out.parent.mkdir(parents=True, exist_ok=True)
    for path in save_tables(run, tables, out, plots=not options.no_plots):
        print(path)
    return 0
