"""`fas adjust`: the figures of a run by few labels and all verdicts."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from fas.cli.common import add_statistics_options, print_result, statistics_from


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "adjust",
        help="correct a run's figures by labels of your own",
        description="Correct a run's figures by labels of your own: Support@k, Contra@k, FAS and shares of claims from "
        "few labels and all verdicts (prediction-powered), right on average whatever the verifier does, and never with "
        "a wider interval than labels alone. Writes adjusted.json into the folder, and the figures into its "
        "report.json and report.html.",
        epilog='example: fas adjust out/ --labels labels.jsonl     ({"id": "1", "claim": 3, "label": "supported"})',
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="result folder, or its scores.jsonl")
    parser.add_argument("--labels", type=Path, required=True, metavar="FILE", help="labels of its claims")
    parser.add_argument("--against", type=Path, metavar="DIR", help="another run: the difference is estimated")
    parser.add_argument(
        "--labels-against",
        type=Path,
        metavar="FILE",
        help="labels of the other run's claims; without, --labels are of pairs of answers",
    )
    parser.add_argument(
        "--join",
        choices=("question", "id"),
        default="question",
        help="answers of one id must reply to the same question with the same references (default), or id: need not",
    )
    parser.add_argument(
        "--audit",
        action="store_true",
        help="with --against: whether what the labels of the other run say of the verifier holds for this one",
    )
    parser.add_argument(
        "--drift",
        type=Path,
        metavar="EARLIER",
        help="what has changed since: an earlier file of labels of this run, or an earlier run over the same answers",
    )
    parser.add_argument(
        "--margin", type=float, default=0.05, metavar="M", help="what --audit and --drift let pass (0.05)"
    )
    parser.add_argument("--plan", type=float, metavar="W", help="how many labels an interval of the width W would take")
    parser.add_argument(
        "--plan-out", type=Path, metavar="FILE", help="write the claims to label next there, with those that have one"
    )
    add_statistics_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the figures; returns the exit code."""
    from fas.errors import InputError

    if options.against is None and options.labels_against is not None:
        raise InputError("--labels-against needs --against DIR", kind="usage")
    if options.against is not None and options.labels_against is None:
        return _preferences(options)
    if options.audit and options.against is None:
        raise InputError("--audit needs --against DIR and --labels-against FILE", kind="usage")
    if options.plan_out is not None and options.plan is None:
        raise InputError("--plan-out needs --plan W", kind="usage")
    settings = statistics_from(options)
    if options.drift is not None:
        return _drift(options, settings)
    if options.plan is not None:
        return _plan(options, settings)
    if options.audit:
        from fas.labels.audit import audit

        kept = {name: settings[name] for name in ("metrics", "cluster_by", "level")}
        both = (options.folder, options.labels, options.against, options.labels_against)
        print_result(audit(*both, margin=options.margin, **kept), as_json=options.json)
        return 0
    from fas.labels.adjust import adjust_difference, adjust_run

    if options.against is not None:
        both = (options.folder, options.labels, options.against, options.labels_against)
        print_result(adjust_difference(*both, join_by=options.join, **settings), as_json=options.json)
        return 0
    found = adjust_run(options.folder, options.labels, **settings)
    if options.folder.is_dir():
        from fas.labels.adjust import show_adjusted, write_adjusted

        write_adjusted(found, options.folder)
        show_adjusted(options.folder, options.labels)
    print_result(found, as_json=options.json)
    return 0


def _drift(options: argparse.Namespace, settings: dict[str, Any]) -> int:
    from fas.errors import InputError
    from fas.labels.drift import verdict_drift
    from fas.labels.rounds import label_drift

    if options.against is not None or options.plan is not None or options.audit:
        raise InputError("--drift goes without --against, --audit and --plan", kind="usage")
    kept = {name: value for name, value in settings.items() if name != "metrics"}
    if options.drift.is_dir() or options.drift.name == "scores.jsonl":
        print_result(verdict_drift(options.folder, options.labels, options.drift, **kept), as_json=options.json)
    else:
        found = label_drift(options.folder, options.labels, options.drift, margin=options.margin, **kept)
        print_result(found, as_json=options.json)
    return 0


def _preferences(options: argparse.Namespace) -> int:
    from fas.errors import InputError
    from fas.labels.files import read_parts
    from fas.labels.pairs import adjust_preferences

    of = read_parts(options.labels)[0][0].of
    if of != "pairs":
        raise InputError(
            f"--against needs --labels-against FILE, or labels of pairs; {options.labels} has labels of {of}",
            kind="usage",
        )
    if options.audit or options.plan is not None:
        raise InputError("--audit and --plan are for labels of claims or statements, not of pairs", kind="usage")
    settings = statistics_from(options)
    metrics = settings.pop("metrics")
    if metrics is not None and len(metrics) != 1:
        raise InputError("give one metric: that by which the better answer is told", kind="usage")
    both = (options.folder, options.against, options.labels)
    metric = None if metrics is None else metrics[0]
    print_result(adjust_preferences(*both, metric=metric, join_by=options.join, **settings), as_json=options.json)
    return 0


def _plan(options: argparse.Namespace, settings: dict[str, Any]) -> int:
    from fas.labels.planning import plan_run

    kept = {name: settings[name] for name in ("metrics", "cluster_by", "level", "seed")}
    planned = plan_run(options.folder, options.labels, options.plan, **kept)
    print_result(planned, as_json=options.json)  # first: it says why there may be nothing to write
    if options.plan_out is not None:
        planned.write(options.plan_out)
    return 0
