"""What another threshold would have given, decided anew from the stored probabilities."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from fas.bench.formats import NONE, Cell, ResultTable, TableColumn, estimate_of, parse_columns
from fas.bench.gold_tables import list_golds, metric_title
from fas.bench.stored import StoredRun, rescore_run
from fas.core.errors import InputError
from fas.scoring.rescoring import decide_again
from fas.stats.correlation import correlation, correlation_difference

COMPARED_WITH = 0.7
THRESHOLDS = tuple(round(0.5 + 0.05 * step, 2) for step in range(9))


def check_labels(run: StoredRun) -> None:
    """Whether every stored label follows from the stored probabilities at the run's threshold.

    Raises:
        InputError: One does not, so that a sweep would say nothing about the run.
    """
    if math.isnan(run.settings.threshold):
        return
    for answer in run.answers:
        for number, claim in enumerate(answer["claims"], start=1):
            label = decide_again(claim, run.settings).label
            if label != claim["label"]:
                raise InputError(
                    f"{run.paths[0]}: answer {answer['id']!r}, claim {number}: stored as {claim['label']!r}, but its "
                    f"probabilities give {label!r} at the threshold {run.settings.threshold:g}",
                    kind="labels",
                )


def threshold_tables(run: StoredRun, **options: Any) -> Iterator[ResultTable]:
    """Shares and FAS for thresholds from 0.5 to 0.9; and with gold, how FAS correlates with it.

    Raises:
        InputError: See `check_labels`.
    """
    if not any(answer["claims"] for answer in run.answers) or run.settings.threshold_contradiction is not None:
        return  # of two thresholds that were chosen apart, one sweep says nothing
    check_labels(run)
    names = ("support", "contra", "unsupported", "fas", "fas_evidence")
    rows: list[tuple[Cell, ...]] = []
    correlations: list[tuple[Cell, ...]] = []
    own_threshold = COMPARED_WITH if math.isnan(run.settings.threshold) else run.settings.threshold
    base = rescore_run(run, threshold=own_threshold)
    for threshold in THRESHOLDS:
        moved = rescore_run(run, threshold=threshold)
        rows.append((f"{threshold:g}", *moved.means(names, **options)))
        for gold, own in list_golds(moved):
            cells = [
                correlation(own.column(name), own.gold(gold.name), clusters=own.units, **options)
                for name in ("fas", "fas_evidence")
            ]
            same = base.select(dataset=gold.dataset).column("fas")
            moved_fas, y = own.column("fas"), own.gold(gold.name)
            difference: Cell = NONE
            if threshold != own_threshold and not np.isnan(moved_fas + same + y).all():
                found = correlation_difference(moved_fas, same, y, clusters=own.units, **options)
                difference = estimate_of(found)._replace(how="")
            correlations.append((f"{threshold:g}", gold.dataset, gold.name, *cells, difference))
    chosen = "" if math.isnan(run.settings.threshold) else f" The run's own threshold is {run.settings.threshold:g}."
    yield ResultTable(
        "thresholds",
        "Verdicts at other thresholds",
        (TableColumn("threshold", "text"), *(TableColumn(metric_title(name, run.k)) for name in names)),
        tuple(rows),
        ("Decided anew from the stored probabilities of every claim." + chosen,),
        plot="sweep",
    )
    if correlations:
        yield ResultTable(
            "threshold_gold",
            "Spearman's ρ with gold at other thresholds",
            parse_columns("text: threshold | data set | gold; signed: FAS | FAS (evidence) | Δ FAS"),
            tuple(sorted(correlations, key=lambda row: (str(row[1]), str(row[2]), str(row[0])))),
            (
                f"Δ FAS: difference of ρ to the threshold {own_threshold:g}, resampled in pairs. The best threshold on "
                "these answers is not one to report results with on the same answers.",
            ),
            plot="sweep",
        )
