"""`fas report`: the page of a stored run again, with what labels say of its verdicts."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "report",
        help="write the page of a run again, with how often its verdicts are wrong by labels",
        description="Write report.html of a stored run again, without a model. With --labels its first lines say how "
        "often verdicts and flags of this run are wrong, by the people who labelled; without, what the models' cards "
        "measured. With --decisions it has what reviewers decided, and goes on from there.",
        epilog="example: fas report out/ --labels labels.jsonl --decisions decisions-ann.jsonl",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder of the results")
    parser.add_argument("--labels", type=Path, metavar="FILE", help="labels of claims (fas annotate)")
    parser.add_argument(
        "--decisions",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="decisions that the page has saved, put into the new page; of two on one claim the later counts",
    )
    parser.add_argument("-o", "--out", type=Path, metavar="FILE", help="the page (DIR/report.html)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the page; returns the exit code."""
    from fas.errors import InputError
    from fas.files.own import check_no_input
    from fas.report.decisions import read_decisions
    from fas.report.html import write_html
    from fas.report.stored_report import read_report

    report = read_report(options.folder)
    scores = options.folder / "scores.jsonl"
    if not scores.is_file():
        raise InputError(f"{scores}: no such file; expected a folder of `fas score`", kind="missing_file")
    out = options.out or options.folder / "report.html"
    check_no_input([scores, options.folder / "report.json", *filter(None, [options.labels]), *options.decisions], [out])
    precision = None
    if options.labels is not None:
        from fas.labels.verifier import precision_for_page

        precision = precision_for_page(options.folder, options.labels)
    reviewed = read_decisions(scores, options.decisions)
    write_html(out, report, scores, precision=precision, decisions=reviewed.lines)
    if options.decisions:
        print(reviewed)
    print(out)
    return 0
