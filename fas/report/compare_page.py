"""`fas results compare --html`: systems side by side, how sure their differences are, and the answers behind them.

One file without a script. A value leads to the claims of its answer through a link into a closed `details`, which
browsers open.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from fas.core.files.own import check_no_input, replace_file
from fas.core.records.stored import AnswerRecord, ClaimRecord, metric_field
from fas.report.compare import ZERO
from fas.report.embed import link_report, read_parts, render
from fas.report.system_tables import name_system
from fas.report.systems import SystemPair, SystemsComparison
from fas.report.tables import interval, is_better_high, number, p_value, signed
from fas.results import read_records
from fas.scoring.aggregate import question_key

MOST_SYSTEMS = 8
"""Columns of a page unless more are asked for."""
_MOVED = 20
_HEADLINES = ("fas", "fas_evidence", "support", "coverage")


def write_comparison(found: SystemsComparison, out: Path, *, most: int = MOST_SYSTEMS) -> Path:
    """Write the page of a comparison; its path.

    *most*: systems that get a column, the first ones; the page names the others. Differences are of all.

    Raises:
        ValueError: *most* is below 2.
        InputError: *out* is a file of scores that was compared.
        OSError: It cannot be written.
    """
    from markupsafe import Markup

    if most < 2:
        raise ValueError(f"a comparison has at least 2 columns, got {most}")
    check_no_input(found.systems.values(), [out])
    systems = list(found.systems)[:most]
    headline = _choose_headline(found)
    moved = _list_moved(found, systems, headline)
    pairs = dict.fromkeys((one.a, one.b) for one in found.pairs)
    text = render(
        "compare.html",
        css=Markup(read_parts("page.css", "review.css", "compare.css")),
        systems=[{"name": name, "href": link_report(found.systems[name], out)} for name in systems],
        by=found.by,
        left_out=list(found.systems)[most:],
        headline=headline,
        sentence=_summarise(found, headline),
        means=found.means,
        best={metric: _find_best(found, metric) for metric in found.means},
        is_tied=partial(_is_tied, found),
        level=f"{100 * found.sampling.level:g}%",
        alpha=1 - found.sampling.level,
        pairs={(a, b): [one for one in found.pairs if (one.a, one.b) == (a, b)] for a, b in pairs},
        sampling=found.sampling.text(found.kinds()),
        signature=found.sampling.signature,
        notes=found.notes,
        moved=moved,
        n_moved=int((_measure_spread(found, systems, headline) > 0).sum()),
        n=found.table.n,
        answers=_list_answers(found, systems, [one["row"] for one in moved], out),
    )
    with replace_file(out, errors="replace") as file:
        file.write(text)
    return out


def _choose_headline(found: SystemsComparison) -> str:
    """The metric that ranks the systems: the first of FAS and its parts that every system has."""
    every = [name for name, own in found.means.items() if not any(math.isnan(one.mean) for one in own.values())]
    wanted = (name for prefix in _HEADLINES for name in every if metric_field(name) == prefix and ZERO not in name)
    return next(wanted, next(iter(found.means)))


def _find_best(found: SystemsComparison, metric: str) -> list[str]:
    """The systems with the best mean of *metric*, more than one only where their means are equal; none if all are."""
    upwards = is_better_high(metric)
    means = {name: one.mean for name, one in found.means[metric].items() if not math.isnan(one.mean)}
    if upwards is None or len(means) < 2:
        return []
    top = (max if upwards else min)(means.values())
    best = [name for name, mean in means.items() if mean == top]
    return best if len(best) < len(means) else []


def _find_pair(found: SystemsComparison, metric: str, a: str, b: str) -> SystemPair | None:
    return next((one for one in found.pairs if one.metric == metric and {one.a, one.b} == {a, b}), None)


def _is_tied(found: SystemsComparison, metric: str, a: str, b: str) -> bool:
    """Whether the two were compared in *metric*, and Holm's p does not tell them apart."""
    pair = _find_pair(found, metric, a, b)
    return pair is not None and not pair.p_holm <= 1 - found.sampling.level


def _summarise(found: SystemsComparison, metric: str) -> str:
    """The result in words."""
    best = _find_best(found, metric)
    if not best:
        return f"No system is best in {metric}: all means are equal, or fewer than two systems have one."
    first, end = best[0], "highest" if is_better_high(metric) else "lowest"
    different: list[str] = []
    tied: list[str] = []
    for name in found.systems:
        pair = _find_pair(found, metric, first, name)
        if name == first or pair is None:
            continue
        sign = 1 if pair.a == first else -1
        low, high = sorted((sign * pair.result.low, sign * pair.result.high))
        limits = interval(low, high, form="signed", how=pair.result.how)
        limits = f" {limits}" if limits.startswith("[") else f", no interval: {limits}"
        about = f"{name} (difference {signed(sign * pair.result.difference)}{limits}, Holm's p {p_value(pair.p_holm)})"
        (tied if _is_tied(found, metric, first, name) else different).append(about)
    said = [f"{first} has the {end} mean {metric}, {number(found.means[metric][first].mean)}."]
    said += [f"It differs from {' and from '.join(different)}."] if different else []
    said += [f"The test does not tell it apart from {' or from '.join(tied)}."] if tied else []
    return " ".join(said)


def _measure_spread(found: SystemsComparison, systems: Sequence[str], metric: str) -> np.ndarray:
    """Largest value minus smallest of each row; NaN where fewer than two systems have one."""
    values = np.stack([found.table.values[name][metric] for name in systems])
    missing = np.isnan(values)
    top = np.where(missing, -np.inf, values).max(axis=0)
    bottom = np.where(missing, np.inf, values).min(axis=0)
    return np.where((~missing).sum(axis=0) >= 2, top - bottom, np.nan)


def _list_moved(found: SystemsComparison, systems: Sequence[str], metric: str) -> list[dict[str, Any]]:
    """The rows in which the systems lie furthest apart, the furthest first."""
    spread = _measure_spread(found, systems, metric)
    order = [int(i) for i in np.argsort(-np.nan_to_num(spread), kind="stable")[:_MOVED] if spread[i] > 0]
    return [
        {
            "row": found.table.rows[i],
            "label": found.table.rows[i].split("\0")[-1],
            "spread": spread[i],
            "values": [found.table.values[name][metric][i] for name in systems],
        }
        for i in order
    ]


def _list_answers(
    found: SystemsComparison, systems: Sequence[str], rows: Sequence[str], out: Path
) -> list[dict[str, Any]]:
    """For each of *rows*: its question, the answers of every system, and their claims beside each other."""
    wanted = set(rows)
    kept: dict[str, dict[str, list[AnswerRecord]]] = {row: {name: [] for name in systems} for row in rows}
    for source in dict.fromkeys(found.systems[name] for name in systems):
        mine = [name for name in systems if found.systems[name] == source]
        for _, record in read_records(source):
            row = record["id"] if found.by is None else question_key(record)
            owner = mine[0] if found.by is None else name_system(record["meta"].get(found.by))
            if row in wanted and owner in mine and record["error"] is None:
                kept[row or ""][owner].append(record)
    reports = {name: link_report(found.systems[name], out) for name in systems}
    return [_group_answers(kept[row], reports) for row in rows]


def _group_answers(own: Mapping[str, Sequence[AnswerRecord]], reports: Mapping[str, str]) -> dict[str, Any]:
    """The answers to one question, and the claims that several systems make, those judged differently first."""
    records = [record for several in own.values() for record in several]
    made: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for name, several in own.items():
        for record in several:
            for number_, claim in enumerate(record["claims"], start=1):
                shown = _describe_claim(claim, _link_to(reports[name], "claim", f"{record['id']}:{number_}"))
                made.setdefault(claim["text"], {}).setdefault(name, []).append(shown)
    shared = {text: cells for text, cells in made.items() if len(cells) > 1}
    labels = {text: {one["label"] for several in cells.values() for one in several} for text, cells in shared.items()}
    return {
        "question": next((record["question"] for record in records if record["question"]), ""),
        "answers": {
            name: [
                {"id": one["id"], "text": one["prediction"] or "", "href": _link_to(reports[name], "answer", one["id"])}
                for one in several
            ]
            for name, several in own.items()
        },
        "shared": [
            {
                "text": text,
                "differs": len(labels[text]) > 1,
                "cells": {name: shared[text].get(name, []) for name in own},
            }
            for text in sorted(shared, key=lambda text: len(labels[text]) < 2)
        ],
        "alone": {
            name: [
                {"text": text, **one} for text, cells in made.items() if len(cells) == 1 for one in cells.get(name, ())
            ]
            for name in own
        },
    }


def _link_to(report: str, kind: str, name: str) -> str:
    return f"{report}#{kind}={quote(name, safe=':')}" if report else ""


def _describe_claim(claim: ClaimRecord, href: str) -> dict[str, Any]:
    support, contradict = claim["p_support"], claim["p_contradict"]
    return {
        "label": claim["label"],
        "p": "" if support is None or contradict is None else f"{number(support)} · {number(contradict)}",
        "failure": claim["failure"] or "",
        "evidence": [
            {
                "source": " ".join(str(one[key]) for key in ("id", "title", "year") if one[key] is not None),
                "sentence": one["sentence"] or "",
            }
            for one in claim["evidence"]
        ],
        "href": href,
    }
