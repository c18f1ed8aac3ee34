"""`fas align`: how far a check goes along with right and wrong answers."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "align",
        help="a check against right and wrong answers: precision, recall, F1, best and worst of n",
        description="Confusion matrix, precision, recall, F1 and alignment of a check with right and wrong answers, "
        "beside the baseline that calls every answer right; AUROC and pairwise accuracy of its scores; where a "
        "question has several answers of one model, what choosing by the score gives. Of two folders also the "
        "difference. The gold is `gold` (0 or 1) of each answer, as `fas bench` and `fas tune sample` write it, or a "
        "file. No model is asked.",
        epilog="example: fas align runs/medqa --markdown",
    )
    parser.add_argument("runs", type=Path, nargs="+", metavar="DIR", help="result folders, or folders of several")
    parser.add_argument("--gold", type=Path, metavar="FILE", help="gold of the answers: JSONL of id and gold (0 or 1)")
    parser.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="only answers with this value; may be repeated",
    )
    parser.add_argument("--n-resamples", type=int, default=10_000, metavar="N", help="bootstrap draws (10000)")
    parser.add_argument("--level", type=float, default=0.95, metavar="L", help="confidence level (0.95)")
    parser.add_argument("--seed", type=int, default=12345, metavar="N", help="seed of the draws (12345)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the tables; returns the exit code."""
    from fas.bench.alignment import align, align_difference, markdown, read_checked
    from fas.report.tables import interval, json_ready, p_value, signed

    settings: dict[str, Any] = {"n_resamples": options.n_resamples, "level": options.level, "seed": options.seed}
    pairs = [text.partition("=") for text in options.where]
    if not all(equals and name for name, equals, _ in pairs):
        raise ValueError(f"--where takes FIELD=VALUE, got {', '.join(options.where)}")
    where = {name: value for name, _, value in pairs}
    checked = [read_checked(path, gold=options.gold, where=where) for path in options.runs]
    aligned = [align(one, str(path), **settings) for one, path in zip(checked, options.runs, strict=True)]
    difference = align_difference(checked[0], checked[1], **settings) if len(checked) == 2 else {}
    if options.json:
        found = {
            "runs": [one.as_dict() for one in aligned],
            "difference": {name: json_ready(asdict(one)) for name, one in difference.items()},
        }
        print(json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False))
        return 0
    print(markdown(aligned) if options.markdown else "\n\n\n".join(one.as_text() for one in aligned))
    for name, one in difference.items():
        print(
            f"\nalignment of '{name}', first minus second run: {signed(one.difference)} "
            f"{interval(one.low, one.high, form='signed')}, p {p_value(one.p)}, {one.n} answers"
        )
    return 0
