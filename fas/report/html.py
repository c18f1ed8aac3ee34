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
from fas.core.records.stored import SHARES, metric_name
from fas.evidence.options import has_pmids
from fas.report.corrected import Corrected, read_corrected
from fas.report.embed import MARK, hash_script, read_parts, render, write_around_blocks, write_json_blocks
from fas.report.page_data import MOST_FIELDS, Field, Index, compact_answers, describe_index
from fas.report.review import KINDS, Queue
from fas.report.svg import ForestRow, draw_forest, draw_histogram
from fas.report.text import explain_kinds, say_controls, say_result
from fas.report.wrong import Precision, describe_bias_source, read_card_precision
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
        known = (precision or Precision()).over(read_card_precision(report.signature))
        corrected = read_corrected(scores_path.parent, report.signature)
        page = _render_page(report, index, known, corrected, Run(scores_path))
        data = {"index": describe_index(index), "queue": index.queue.data(), "decisions": list(decisions)}
        write_around_blocks(path, page, blocks, data)


def _render_page(report: Report, index: Index, precision: Precision, corrected: Corrected, run: Run) -> str:
    """Everything but the data, with a mark where it belongs."""
    from markupsafe import Markup

    headline = next((name for name in ("fas", "fas_evidence") if name in report.metrics and report.metrics[name].n), "")
    script = f'"use strict";\n(function () {{\n{read_parts(*_SCRIPTS)}}})();\n'
    distributions = [
        (name, Markup(svg), report.spread.get(name))
        for name, column in index.metrics.items()
        if (svg := draw_histogram(np.array(column, dtype=np.float64), title=f"Distribution of {name}"))
    ]
    signature = Signature.of(report.signature)
    shares = [(label, metric_name(share, report.k)) for share, label in zip(SHARES, LABELS, strict=False)]
    return render(
        "page.html",
        report=replace(report, notes=(*report.notes, *([_TOO_MANY] if index.too_many else []))),
        css=Markup(read_parts("page.css", "review.css")),
        js=Markup(script),
        script_hash=hash_script(script),
        data=Markup(MARK),
        name=run.path.resolve().parent.name,
        answers_file=run.answers_file,
        written=run.written.strftime("%Y-%m-%d %H:%M UTC") if run.path.exists() else "",
        sentence=say_result(report),
        controls=say_controls(report),
        headline=headline,
        corrected=corrected,
        units="questions" if BY_QUESTION in signature.part("boot").settings else "answers",
        shares=[(label, name) for label, name in shares if _has_mean(report, name)],
        bias_source=describe_bias_source(report),
        reasons=describe_reasons(report.reasons),
        first=_list_first(report, index.queue, precision),
        sources=precision.sources,
        kinds=explain_kinds(report),
        forest=Markup(_draw_forest(report.metrics, "Means with 95% intervals")),
        groups=[_describe_group(name, report, headline) for name in report.groups],
        distributions=distributions,
        signature=signature.fields,
    )


def _has_mean(report: Report, name: str) -> bool:
    return name in report.metrics and not math.isnan(report.metrics[name].mean)


def _draw_forest(metrics: Mapping[str, MetricSummary], title: str) -> str:
    return draw_forest([ForestRow(name, *one[:4]) for name, one in metrics.items()], title=title)


def _list_first(report: Report, queue: Queue, precision: Precision) -> list[dict[str, Any]]:
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


def _describe_group(name: str, report: Report, headline: str) -> dict[str, Any]:
    """The values of a field, the metrics side by side in each of its tables, and a forest plot of the headline."""
    from markupsafe import Markup

    values = report.groups[name]
    scores, flags = (
        [metric for metric in metrics if any(metric in own and own[metric].n for own in values.values())]
        for metrics in (report.metrics, [f"flag:{flag}" for flag in report.flags])
    )
    tables = [
        part.tolist()
        for own in (scores, flags)
        for part in np.array_split(np.array(own, dtype=object), math.ceil(len(own) / _COLUMNS) or 1)
        if len(part)
    ]
    points = {value: own[headline] for value, own in values.items() if headline in own}
    forest = _draw_forest(points, f"{headline} by {name}") if headline else ""
    return {"name": name, "tables": tables, "rows": values, "forest": Markup(forest)}
