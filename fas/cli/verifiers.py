"""`fas verifiers`: the verifiers there are by name, and several of them on labelled pairs."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from fas.profile import PRECISIONS


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("verifiers", help="published checkers by name; verifiers side by side on pairs")
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="the published checkers that --model may name")
    listing.add_argument("--json", action="store_true", help="one JSON object")
    listing.set_defaults(run=_list)
    comparing = actions.add_parser(
        "compare", help="AUROC, balanced accuracy, calibration and speed of several verifiers on the same pairs"
    )
    comparing.add_argument("file", type=Path, help="JSON Lines: premise, hypothesis, label")
    comparing.add_argument(
        "--verifier",
        action="append",
        metavar="NAME",
        help="a verifier (lexical), an embedded model, a published checker, a folder or a hub name; may be repeated",
    )
    comparing.add_argument("--precision", choices=PRECISIONS, default="auto", help="number format of the models")
    comparing.add_argument("--json", action="store_true", help="one JSON array")
    comparing.set_defaults(run=_compare)


def _list(options: argparse.Namespace) -> int:
    from dataclasses import asdict

    from fas.verify.checkers import checkers

    if options.json:
        print(json.dumps({name: asdict(own) for name, own in checkers().items()}, indent=2))
        return 0
    for name, own in checkers().items():
        print(f"{name:18} {own.kind:12} {own.model}\n{'':18} {own.citation}")
    return 0


def _compare(options: argparse.Namespace) -> int:
    from fas.report.tables import interval, number
    from fas.verify.comparison import compare_verifiers, read_labelled_pairs

    pairs = read_labelled_pairs(options.file)
    found = compare_verifiers(pairs, options.verifier or ["fas-nli-mini", "lexical"], precision=options.precision)
    if options.json:
        print(json.dumps([_finite(own._asdict()) for own in found], indent=2))
        return 0
    width = max(len(own.name) for own in found)
    print(f"{'verifier':{width}}  {'n':>6}  AUROC of support      balanced accuracy   ECE    pairs/s")
    for own in found:
        area = f"{number(own.auroc)} {interval(own.low, own.high, how=own.how)}"
        at = f"{number(own.balanced_accuracy)} at {own.threshold:<9.2g}"
        failed = f"  ({own.failed} not judged)" if own.failed else ""
        print(f"{own.name:{width}}  {own.n:6}  {area:20}  {at} {number(own.ece)}  {own.pairs_a_second:7.1f}{failed}")
    return 0


def _finite(fields: dict[str, Any]) -> dict[str, Any]:
    """*fields* with null for what is no number, which JSON cannot hold."""
    from fas.records.as_json import number_or_none

    return {name: number_or_none(value) if isinstance(value, float) else value for name, value in fields.items()}
