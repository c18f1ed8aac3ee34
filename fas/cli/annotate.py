"""`fas annotate`: from a result folder to labels of people, without a server."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fas.cli.common import print_result


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "annotate",
        help="draw claims of a run to be labelled, and put labels together",
        description="Draw claims of a run to be labelled by people: on one HTML page that needs no server, in Label "
        "Studio or in Argilla; and put the labels of several people together.",
        epilog="examples:\n  fas annotate draw out/ -n 150 -o label-me.html\n"
        "  fas annotate merge out/ labels-*.jsonl -o labels.jsonl",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    draw = commands.add_parser("draw", help="write the page, or tasks for another tool")
    draw.add_argument("folder", type=Path, metavar="DIR", help="result folder, or its scores.jsonl")
    draw.add_argument("-o", "--out", type=Path, required=True, metavar="FILE", help="file to write")
    draw.add_argument("-n", type=int, default=150, metavar="N", help="claims (or answers) to draw (150)")
    draw.add_argument(
        "--of",
        choices=("claims", "statements", "faults"),
        default="claims",
        help="what answers say (default), the statements that they ought to make (of a run with --coverage), or what "
        "is wrong with the claims as claims (MedScore's taxonomy)",
    )
    draw.add_argument(
        "--against", type=Path, metavar="DIR", help="answer against answer: which of the two runs' is better"
    )
    draw.add_argument("--metric", metavar="NAME", help="with --against: pairs are drawn by who is better by it (fas)")
    draw.add_argument(
        "--by",
        choices=("stratum", "simple", "answers"),
        default="stratum",
        help="half by verdict and confidence (default), a simple sample of claims, or whole answers",
    )
    draw.add_argument("--next", type=Path, metavar="FILE", help="the claims without a label in this file of labels")
    draw.add_argument("--to", choices=("html", "label-studio", "argilla"), default="html", help="form (html)")
    draw.add_argument("--title", metavar="TEXT", help="heading of the page")
    draw.add_argument("--seed", type=int, default=12345, metavar="N", help="seed of the draw (12345)")
    draw.set_defaults(run=run_draw)
    merge = commands.add_parser("merge", help="check files of labels against the run, and put them together")
    merge.add_argument("folder", type=Path, metavar="DIR", help="result folder, or its scores.jsonl")
    merge.add_argument("labels", type=Path, nargs="+", metavar="FILE", help="labels that people saved")
    merge.add_argument("-o", "--out", type=Path, required=True, metavar="FILE", help="file of labels to write")
    merge.add_argument("--against", type=Path, metavar="DIR", help="the other run, of labels of pairs")
    merge.add_argument("--settled", type=Path, metavar="FILE", help="labels that count where people disagree")
    merge.add_argument("--disputed", type=Path, metavar="FILE", help="write a page of the claims they disagree on")
    merge.add_argument("--json", action="store_true", help="print JSON instead of a table")
    merge.set_defaults(run=run_merge)
    read = commands.add_parser("import", help="labels from Label Studio's or Argilla's JSON")
    read.add_argument("file", type=Path, metavar="FILE", help="what the tool exported")
    read.add_argument("--from", dest="tool", choices=("label-studio", "argilla"), required=True, help="which tool")
    read.add_argument("-o", "--out", type=Path, required=True, metavar="FILE", help="file of labels to write")
    read.set_defaults(run=run_import)


def run_draw(options: argparse.Namespace) -> int:
    """Write the page; returns the exit code."""
    from fas.errors import InputError
    from fas.labels.drawing import Drawn, draw_answers, draw_claims
    from fas.labels.exchange import export
    from fas.labels.files import read_parts
    from fas.labels.judged import chosen_of, read_judged
    from fas.labels.page import items_of, write_page

    if options.against is not None:
        return _draw_pairs(options)
    chosen = () if options.next is None else read_parts(options.next)[1]
    run = read_judged(options.folder, of=chosen[0].of if chosen else options.of)
    if options.next is not None:
        drawn = [Drawn(claim, one.pi or 1.0, one.stratum) for claim, one in chosen_of(run, chosen)]
    elif options.by == "answers":
        drawn = draw_answers(run.claims, options.n, seed=options.seed)
    else:
        drawn = draw_claims(run.claims, options.n, seed=options.seed, stratify=options.by == "stratum")
    items = items_of(run, drawn)
    if options.to == "html":
        title = {"claims": "Which claims hold?", "faults": "What is wrong with the claims?"}.get(
            run.of, "What do the answers say?"
        )
        write_page(options.out, items, title=options.title or title, of=run.of)
    else:
        if run.of == "faults":
            raise InputError("labels of faults are given on the page: --to html", kind="usage")
        _write(options.out, json.dumps(export(items, options.to), indent=1, ensure_ascii=False) + "\n")
    print(f"{len(items)} {run.field}: {options.out}")
    return 0


def _draw_pairs(options: argparse.Namespace) -> int:
    from fas.errors import InputError
    from fas.labels.drawing import draw_claims
    from fas.labels.page import write_page
    from fas.labels.pairs import pair_items, read_pairs

    if options.to != "html" or options.next is not None or options.by == "answers" or options.of != "claims":
        raise InputError("--against draws pairs for the page, by stratum or simple", kind="usage")
    run, metric, notes = read_pairs(options.folder, options.against, metric=options.metric)
    drawn = draw_claims(run.claims, options.n, seed=options.seed, stratify=options.by == "stratum")
    items = pair_items(run, drawn, metric)
    write_page(options.out, items, title=options.title or "Which answer is better?", of="pairs")
    for note in notes:
        print(f"! {note}")
    print(f"{len(items)} pairs: {options.out}")
    return 0


def run_merge(options: argparse.Namespace) -> int:
    """Write the labels and print the agreement; returns the exit code."""
    from fas.errors import InputError
    from fas.labels.drawing import Drawn
    from fas.labels.files import read_parts
    from fas.labels.judged import read_judged
    from fas.labels.merge import merge
    from fas.labels.page import items_of, write_page
    from fas.labels.pairs import pair_items, read_pairs

    labels, _ = read_parts(options.labels[0])
    metric = ""
    if labels[0].of != "pairs":
        run = read_judged(options.folder, of=labels[0].of)
    elif options.against is None:
        raise InputError("labels of pairs need the other run, too: --against DIR", kind="usage")
    else:
        run, metric, _ = read_pairs(options.folder, options.against)
    merged = merge(run, options.labels, settled=options.settled)
    _write_rows(options.out, merged.rows())
    if options.disputed is not None:
        pi = {one.key: one for one in (*merged.labels, *merged.open)}
        drawn = [
            Drawn(claim, pi[claim.key].pi or 1.0, pi[claim.key].stratum)
            for claim in run.claims
            if claim.key in merged.disputed
        ]
        if run.of == "pairs":
            items = pair_items(run, drawn, metric, merged.disputed)
        else:
            items = items_of(run, drawn, merged.disputed)
        write_page(options.disputed, items, title=f"{run.noun.capitalize()}s to settle", of=run.of)
    print_result(merged, as_json=options.json)
    return 0


def run_import(options: argparse.Namespace) -> int:
    """Write the labels; returns the exit code."""
    from fas.labels.exchange import imported

    rows = imported(options.file, options.tool)
    _write_rows(options.out, rows)
    print(f"{sum(row['label'] is not None for row in rows)} labels: {options.out}")
    return 0


def _write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    _write(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def _write(path: Path, text: str) -> None:
    from fas.files.own import replacing

    with replacing(path) as out:
        out.write(text)
