"""Correlation of every metric with gold, compared with that of ROUGE-L, and the control of exact answers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from fas.bench.exact import MODEL
from fas.bench.formats import NO_ESTIMATE, Cell, ResultTable, estimate_of, parse_columns
from fas.bench.stored import StoredRun, read_field
from fas.stats.bootstrap import FloatArray
from fas.stats.correlation import (
    auroc_estimate,
    correlation,
    correlation_difference,
    pairwise_accuracy,
    system_correlation,
)
from fas.stats.multiple import holm

COMPARED = ("rougeL", "bleu4", "bertscore_f1", "support", "no_contra", "fas_evidence", "fas", "n_words")
_NAMES = {
    "rouge1": "ROUGE-1",
    "rouge2": "ROUGE-2",
    "rougeL": "ROUGE-L",
    "bleu4": "BLEU-4",
    "bertscore_f1": "BERTScore",
    "support": "Support@{k}",
    "contra": "Contra@{k}",
    "unsupported": "Unsupported@{k}",
    "no_contra": "1 − Contra@{k}",
    "fas": "FAS",
    "fas_evidence": "FAS (evidence)",
    "n_words": "words of the answer",
}
_BASELINE = "rougeL"
_P = 6  # place of p in a row of differences


class GoldColumn(NamedTuple):
    """A gold judgement of a data set."""

    dataset: str
    name: str


def metric_title(metric: str, k: int) -> str:
    """A metric as the tables call it."""
    return _NAMES.get(metric, metric).format(k=k)


def orient_column(run: StoredRun, metric: str) -> FloatArray:
    """A metric in the direction in which higher is better; `n_words` is a baseline that reads nothing."""
    if metric == "no_contra":
        return 1.0 - run.column("contra")
    if metric == "n_words":
        return np.array([len((answer["prediction"] or "").split()) for answer in run.answers], dtype=np.float64)
    return run.column(metric)


def list_golds(run: StoredRun) -> Iterator[tuple[GoldColumn, StoredRun]]:
    """Every data set and gold that has two or more different values, with the data set's answers."""
    for dataset in run.values("dataset"):
        own = run.select(dataset=dataset)
        for name in own.golds():
            values = own.gold(name)
            if len(np.unique(values[~np.isnan(values)])) > 1:
                yield GoldColumn(dataset, name), own


def tabulate_correlations(run: StoredRun, **options: Any) -> Iterator[ResultTable]:
    """Correlations with gold, and their differences to ROUGE-L's; nothing where there is no gold."""
    golds = list(list_golds(run))
    rows = [row for one in golds for metric in COMPARED if (row := _correlate(*one, metric, options)) is not None]
    differences = [row for one in golds for row in _list_differences(*one, options)]
    if rows:
        yield ResultTable(
            "correlation",
            "Correlation with gold",
            parse_columns(
                "text: data set | gold | metric; signed: Spearman ρ | Kendall τ | Pearson r; "
                "number: same question | AUROC; signed: systems ρ; count: answers"
            ),
            tuple(rows),
            (
                "Higher is better in every row. Same question: share of pairs of answers to one question that the "
                "metric orders as gold does, ties half. AUROC where gold is 0 or 1. Systems: correlation of the "
                "models' means, for three models or more. The number of words is a baseline that reads nothing.",
            ),
        )
    if differences:
        yield ResultTable(
            "differences",
            "Spearman's ρ with gold against that of ROUGE-L",
            parse_columns(
                "text: data set | gold | metric; signed: ρ | ρ of ROUGE-L | difference; "
                "p: p | p (Holm) | p (Williams) | p (Steiger)"
            ),
            tuple(_adjust_rows(differences)),
            (
                "On the answers that have both metrics and gold. Above 0 the metric follows gold better than ROUGE-L "
                "does. The analytic tests need independent answers: no p where answers share a question. "
                "Holm's correction of p is over the rows of this table; the other p are not corrected.",
            ),
        )


def _adjust_rows(rows: Sequence[tuple[Cell, ...]]) -> Iterator[tuple[Cell, ...]]:
    """The rows with Holm's p behind p."""
    adjusted = holm([p if isinstance(p := row[_P], float) else math.nan for row in rows])
    for row, p in zip(rows, adjusted, strict=True):
        yield (*row[: _P + 1], float(p), *row[_P + 1 :])


def _correlate(gold: GoldColumn, run: StoredRun, metric: str, options: Any) -> tuple[Cell, ...] | None:
    x, y, units = orient_column(run, metric), run.gold(gold.name), run.units
    kept = ~np.isnan(x + y)
    if not kept.any():
        return None
    coefficients = [
        correlation(x, y, name=name, clusters=units, **options) for name in ("spearman", "kendall", "pearson")
    ]
    pairs = pairwise_accuracy(x, y, units, level=options.get("level", 0.95))
    binary = bool(np.isin(y[kept], (0.0, 1.0)).all())
    models = [read_field(answer, "model") for answer in run.answers]
    return (
        *gold,
        metric_title(metric, run.k),
        *coefficients,
        estimate_of(pairs, pairs.value)._replace(n=pairs.n_pairs) if pairs.n_pairs else NO_ESTIMATE,
        auroc_estimate(x, y, clusters=units, **options) if binary else NO_ESTIMATE,
        system_correlation(x, y, models, clusters=units, **options) if len(set(models)) >= 3 else NO_ESTIMATE,
        int(kept.sum()),
    )


def _list_differences(gold: GoldColumn, run: StoredRun, options: Any) -> Iterator[tuple[Cell, ...]]:
    y, other = run.gold(gold.name), orient_column(run, _BASELINE)
    for metric in COMPARED:
        x = orient_column(run, metric)
        if metric == _BASELINE or np.isnan(x + y + other).all():
            continue
        found = correlation_difference(x, other, y, clusters=run.units, **options)
        p = (found.p, found.williams.p, found.steiger.p)
        yield (*gold, metric_title(metric, run.k), found.first, found.second, estimate_of(found), *p)


def tabulate_controls(run: StoredRun, **options: Any) -> Iterator[ResultTable]:
    """Whether scores tell exact answers from another question's; nothing where no exact answers were scored."""
    rows = [
        (*labels, *row)
        for labels, own in run.select(model=MODEL).split("dataset", "kind")
        for metric in ("support", "no_contra", "fas_evidence")
        if (row := _tell_apart(own, metric, options)) is not None
    ]
    if rows:
        yield ResultTable(
            "control",
            "Exact answers: the owners' own against another question's",
            parse_columns(
                "text: data set | type | metric; number: own | another's | AUROC; count: answers | without a score"
            ),
            tuple(rows),
            (
                "Means of both, and the area under the ROC curve, with questions resampled. A decision's other "
                "answer is the opposite one. An answer without a verified claim has no score and is in no mean.",
            ),
        )


def _tell_apart(run: StoredRun, metric: str, options: Any) -> tuple[Cell, ...] | None:
    """The metric's title, its means of right and wrong answers, the area under the curve, and how many have none."""
    scores, gold = orient_column(run, metric), run.gold("gold")
    kept = ~np.isnan(scores + gold)
    right, wrong = scores[kept & (gold == 1.0)], scores[kept & (gold == 0.0)]
    if not len(right) or not len(wrong):
        return None
    area = auroc_estimate(scores, gold, clusters=run.units, **options)
    n = int(kept.sum())
    return metric_title(metric, run.k), float(right.mean()), float(wrong.mean()), area, n, len(kept) - n
