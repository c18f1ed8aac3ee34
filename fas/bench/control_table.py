"""The control of short answers: does the score tell the owners' exact answers from another question's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from fas.bench.exact import MODEL
from fas.bench.formats import Cell, ResultTable, TableColumn
from fas.bench.gold_tables import metric_title, orient_column
from fas.bench.stored import StoredRun
from fas.stats.correlation import auroc_estimate

_METRICS = ("support", "no_contra", "fas_evidence")


def control_tables(run: StoredRun, **options: Any) -> Iterator[ResultTable]:
    """A row for each data set, type of question and metric; nothing where no exact answers were scored."""
    exact = run.select(model=MODEL)
    rows = [
        row
        for dataset in exact.values("dataset")
        for kind in exact.select(dataset=dataset).values("kind")
        for metric in _METRICS
        if (row := _row(exact.select(dataset=dataset, kind=kind), dataset, kind, metric, options)) is not None
    ]
    if rows:
        yield ResultTable(
            "control",
            "Exact answers: the owners' own against another question's",
            (
                TableColumn("data set", "text"),
                TableColumn("type", "text"),
                TableColumn("metric", "text"),
                TableColumn("own"),
                TableColumn("another's"),
                TableColumn("AUROC"),
                TableColumn("answers", "count"),
                TableColumn("without a score", "count"),
            ),
            tuple(rows),
            (
                "Means of both, and the area under the ROC curve, with questions resampled. A decision's other "
                "answer is the opposite one. An answer without a verified claim has no score and is in no mean.",
            ),
        )


def _row(run: StoredRun, dataset: str, kind: str, metric: str, options: Any) -> tuple[Cell, ...] | None:
    scores, gold = orient_column(run, metric), run.gold("gold")
    kept = ~np.isnan(scores + gold)
    right, wrong = scores[kept & (gold == 1.0)], scores[kept & (gold == 0.0)]
    if not len(right) or not len(wrong):
        return None
    area = auroc_estimate(scores, gold, clusters=run.units, **options)
    return (
        dataset,
        kind,
        metric_title(metric, run.k),
        float(right.mean()),
        float(wrong.mean()),
        area,
        int(kept.sum()),
        int((~kept).sum()),
    )
