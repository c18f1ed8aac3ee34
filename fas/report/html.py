# ruff: noqa: A005  (nothing runs from this folder, so that `import html` finds the standard library)
"""`report.html`: one file that shows a run, from the headline down to every evidence sentence.

The page asks nothing of the network (its content security policy forbids it). Answers are
embedded as JSON in blocks that the page's script reads when it shows, sorts or searches them, so
that thousands of answers open at once. Text reaches the page as JSON or through an escaping
template, never as markup.
"""

from __future__ import annotations

import math
import tempfile
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fas.core.checks import count_of
from fas.core.records import LABELS, MetricSummary, Report
from fas.core.records.signature import Signature
from fas.core.records.stored import SHARES, metric_field, metric_name
from fas.evidence.pmids import has_pmids
from fas.report.corrected import Corrected, read_corrected
from fas.report.embed import MARK, read_parts, render, script_hash, write_around_blocks, write_json_blocks
from fas.report.page_data import MOST_FIELDS, Field, Index, compact_answers, index_data
from fas.report.review import KINDS, Queue
from fas.report.svg import ForestRow, forest_plot, histogram
from fas.report.tables import METRIC_NAMES, interval, number, percent
from fas.report.text import controls_in_words, explain_kinds, result_in_words
from fas.report.wrong import Precision, bias_source, card_precision, points_off
from fas.results import Run, metrics_of, read_records
from fas.scoring.aggregate import BY_QUESTION
from fas.scoring.verdicts.unsupported import describe_reasons

_SCRIPTS = ("page_base.js", "page_answer.js", "page_queue.js", "page_decide.js", "page_save.js", "page.js")
_COLUMNS = 9  # metrics side by side in a table of groups
_TOO_MANY = (
    f"The answers have more than {MOST_FIELDS} fields; the filters of this page are made from the first "
    f"{MOST_FIELDS} of them"
)


def write_html(
    path: Path,
    report: Report,
    scores_path: Path,
    *,
    precision: Precision | None = None,
    decisions: Sequence[Mapping[str, Any]] = (),
) -> None:
    """Write the page of a run.

    The scores are streamed; what is kept of an answer are the numbers to filter and sort by. The first 50 fields
    of `meta` that hold a text, number or truth value can become filters; where there are more, the page says so.

    Args:
        path: File to write; it appears when it is complete.
        report: The report of the run.
        scores_path: Its `scores.jsonl`.
        precision: How often its verdicts are right, by labels; what this does not know, the models' cards say.
        decisions: What reviewers have decided, as `fas.report.decisions` reads it.

    Raises:
        InputError: A line of the scores is not a JSON object, or corrected figures beside them cannot be read.
        OSError: The file cannot be written.
    """
    names = list(report.metrics)
    if not names and scores_path.exists():  # no answer was scored: the metrics of the first record
        names = next((list(metrics_of(record)) for _, record in read_records(scores_path)), [])
    pmids = has_pmids(Signature.of(report.signature).part("evidence"))
    index = Index({name: array("d") for name in names}, pmids=pmids)
    for name in report.groups:
        index.fields[name] = Field(grouped=True)
    with tempfile.TemporaryFile("w+", encoding="utf-8", dir=path.parent) as blocks:
        records = (record for _, record in read_records(scores_path)) if scores_path.exists() else iter(())
        write_json_blocks(blocks, compact_answers(records, index))
        known = (precision or Precision()).over(card_precision(report.signature))
        corrected = read_corrected(scores_path.parent, report.signature)
        page = _page(report, index, known, corrected, Run(scores_path))
        data = {"index": index_data(index), "queue": index.queue.data(), "decisions": list(decisions)}
        write_around_blocks(path, page, blocks, data)


def _page(report: Report, index: Index, precision: Precision, corrected: Corrected, run: Run) -> str:
    """Everything but the data, with a mark where it belongs."""
    from markupsafe import Markup

    headline = _headline(report)
    script = f'"use strict";\n(function () {{\n{read_parts(*_SCRIPTS)}}})();\n'
    distributions = [
        {"name": name, "svg": Markup(svg), "quartiles": _quartiles(report.spread.get(name))}
        for name, column in index.metrics.items()
        if (svg := histogram(np.array(column, dtype=np.float64), title=f"Distribution of {name}"))
    ]
    return render(
        "page.html",
        report=replace(report, notes=(*report.notes, *([_TOO_MANY] if index.too_many else []))),
        css=Markup(read_parts("page.css", "review.css")),
        js=Markup(script),
        script_hash=script_hash(script),
        data=Markup(MARK),
        name=run.path.resolve().parent.name,
        answers_file=run.answers_file,
        written=run.written.strftime("%Y-%m-%d %H:%M UTC") if run.path.exists() else "",
        sentence=result_in_words(report),
        controls=controls_in_words(report),
        headline=headline,
        corrected=corrected,
        corrected_headline=corrected.headline(headline["name"]) if headline else "",
        units="questions" if BY_QUESTION in Signature.of(report.signature).part("boot").settings else "answers",
        shares=_shares(report),
        bias_source=bias_source(report),
        reasons=_reasons(report),
        first=_first(report, index.queue, precision),
        sources=precision.sources,
        variance=[
            (score, [(name, percent(one)) for name, one in parts.items()]) for score, parts in report.variance.items()
        ],
        kinds=explain_kinds(report),
        metrics=_metric_rows(report),
        forest=Markup(
            forest_plot(
                [ForestRow(name, *one[:4]) for name, one in report.metrics.items()], title="Means with 95% intervals"
            )
        ),
        groups=[_group(name, report) for name in report.groups],
        flags=[
            {
                "name": name,
                "answers": rate.answers,
                "rate": percent(rate.rate),
                "interval": interval(rate.low, rate.high, form="percent", how=rate.how),
            }
            for name, rate in report.flags.items()
        ],
        distributions=distributions,
        signature=list(Signature.of(report.signature).fields.items()),
        seconds=[(stage, f"{value:.1f}") for stage, value in report.timing.items()],
    )


def _headline(report: Report) -> dict[str, str] | None:
    """The number at the top: FAS, or its evidence part where there are no references."""
    for name in ("fas", "fas_evidence"):
        summary = report.metrics.get(name)
        if summary is not None and summary.n > 0:
            return {
                "name": name,
                "title": METRIC_NAMES[name][0],
                "mean": number(summary.mean),
                "interval": interval(summary.low, summary.high, how=summary.how),
                "n": str(summary.n),
            }
    return None


def _shares(report: Report) -> list[dict[str, str]]:
    """Mean shares of the three verdicts, for the bar below the headline."""
    found = []
    for share, label in zip(SHARES, LABELS, strict=False):
        name = metric_name(share, report.k)
        summary = report.metrics.get(name)
        if summary is not None and not math.isnan(summary.mean):
            of_all = report.claim_shares.get(name)
            found.append(
                {
                    "label": label,
                    "percent": percent(summary.mean),
                    "width": f"{100 * summary.mean:.2f}",
                    "interval": interval(summary.low, summary.high, form="percent", how=summary.how),
                    "off": points_off(report.bias.get(name)),
                    # The share of all claims beside the mean of the answers' shares.
                    "claims": percent(of_all.mean) if of_all else "-",
                    "n_claims": str(of_all.n if of_all else 0),
                }
            )
    return found


def _reasons(report: Report) -> list[dict[str, str]]:
    """Why claims are unsupported: how many, in words, and the part of them all in percent."""
    n = sum(report.reasons.values())
    return [
        {"n": str(own), "words": words, "width": f"{100 * own / n:.2f}"}
        for own, words in describe_reasons(report.reasons)
    ]


def _first(report: Report, queue: Queue, precision: Precision) -> list[dict[str, Any]]:
    """What a reader must look at first: how much of it there is, how often it is wrong, and the first of it."""
    rows = []
    for kind in KINDS[:3]:
        n, answers = queue.n[kind], queue.answers[kind]
        if kind == "flagged":
            n = answers = max((rate.answers for rate in report.flags.values()), default=0)
            count = "; ".join(f"{name} in {rate.answers}" for name, rate in report.flags.items())
            text = f"Safety flags by answers: {count}." if count else "No safety flag."
            if "safety:off" in report.signature:
                text = "Safety flags were not looked for."
        else:
            text = f"{count_of(n, 'claim')} {kind}, in {count_of(answers, 'answer')}."
        rows.append(
            {
                "kind": kind,
                "text": text,
                "wrong": precision.said(kind) if n else "",
                "n": n,
                "entries": queue.first(kind) if kind != "unsupported" else [],
            }
        )
    return rows if report.n else []


def _quartiles(spread: Mapping[str, float] | None) -> str:
    """The middle of the answers in words; empty where the report has none."""
    if spread is None:
        return ""
    return f"median {number(spread['median'])}, half of the answers {number(spread['q1'])} to {number(spread['q3'])}"


def _metric_rows(report: Report) -> list[dict[str, str]]:
    rows = []
    for name, summary in report.metrics.items():
        title, direction = METRIC_NAMES.get(metric_field(name), (name, ""))
        rows.append(
            {
                "name": name,
                "title": title,
                "direction": direction,
                "mean": number(summary.mean),
                "sd": number(report.spread.get(name, {}).get("sd", math.nan)),
                "interval": interval(summary.low, summary.high, how=summary.how),
                "n": str(summary.n),
            }
        )
    return rows


def _group(name: str, report: Report) -> dict[str, Any]:
    """One table and one forest plot of the headline metric for a field."""
    from markupsafe import Markup

    values = report.groups[name]
    shown: Sequence[str] = [
        metric
        for metric in (*report.metrics, *(f"flag:{name}" for name in report.flags))
        if any(metric in metrics and metrics[metric].n > 0 for metrics in values.values())
    ]
    headline = _headline(report)
    flags = [metric for metric in shown if metric.startswith("flag:")]
    scores = [metric for metric in shown if not metric.startswith("flag:")]
    tables = [
        _group_table(part.tolist(), values)
        for own in (scores, flags)
        for part in np.array_split(np.array(own, dtype=object), math.ceil(len(own) / _COLUMNS) or 1)
        if len(part)
    ]
    forest = ""
    if headline is not None:
        metric = headline["name"]
        points = [ForestRow(value, *metrics[metric][:4]) for value, metrics in values.items() if metric in metrics]
        forest = forest_plot(points, title=f"{metric} by {name}")
    return {"name": name, "tables": tables, "forest": Markup(forest), "headline": headline}


def _group_table(shown: Sequence[str], values: Mapping[str, Mapping[str, MetricSummary]]) -> dict[str, Any]:
    """As many metrics as fit side by side."""
    rows = []
    for value, metrics in values.items():
        cells = [number(metrics[metric].mean) if metric in metrics else "-" for metric in shown]
        rows.append({"value": value, "cells": cells, "n": max((s.n for s in metrics.values()), default=0)})
    return {"metrics": [metric.removeprefix("flag:") for metric in shown], "rows": rows}
