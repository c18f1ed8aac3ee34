"""Scores by another threshold or fewer passages, from stored probabilities, and the share of each corpus.

MedScore's appendix A.7 (top k) needs no new verdicts: a smaller k would have read the first passages of each claim. Its
appendix A.8 searches each corpus alone, up to k passages of each, more than a joint search keeps of it: those numbers
come from runs of their own (`fas bench ablations DIR --corpora`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fas.bench.ablations import CORPUS, restrict_to_common
from fas.bench.formats import NONE, Cell, ResultTable, TableColumn, estimate_of, parse_columns
from fas.bench.gold_tables import list_golds, metric_title
from fas.bench.stored import StoredRun, find_runs, read_runs, rescore_run
from fas.core.errors import InputError
from fas.core.files.own import SCORES
from fas.core.records.stored import ClaimRecord
from fas.scoring.rescoring import decide_again, judged_together
from fas.stats.bootstrap import Estimate, mean_intervals
from fas.stats.correlation import correlation, correlation_difference

_METRICS = ("support", "contra", "unsupported", "fas", "fas_evidence")
_TITLES = parse_columns("number: Support | Contra | Unsupported | FAS | FAS (evidence)")


def tabulate_evidence(run: StoredRun, folder: Path, **options: Any) -> Iterator[ResultTable]:
    """`passages`, for every k up to the run's, and `corpora` where passages name theirs; neither without passages.

    *folder*: where the runs over one corpus each lie (`corpus-NAME`), if there are any.
    """
    claims = [claim for answer in run.answers for claim in answer["claims"]]
    if not any(claim["evidence"] for claim in claims) or math.isnan(run.settings.threshold):
        return
    if run.k > 1 and not any(judged_together(claim) is not None for claim in claims):
        yield ResultTable(
            "passages",
            "Verdicts with fewer passages a claim",
            (TableColumn("k", "text"), *_TITLES),
            tuple((str(k), *rescore_run(run, n_passages=k).means(_METRICS, **options)) for k in range(1, run.k + 1)),
            ("Decided anew from the stored probabilities of the best k passages of every claim.",),
            plot="sweep",
        )
    searched = {
        path.name.removeprefix(CORPUS): restrict_to_common(run, read_runs(find_runs(path)))[1]
        for path in folder.glob(f"{CORPUS}*")
        if any(path.glob(f"**/{SCORES}"))
    }
    read = {name for claim in claims for name in _list_corpora(claim) if name is not None}
    if names := sorted(read | searched.keys()):
        yield _tabulate_corpora(run, names, searched, options)


def _tabulate_corpora(
    run: StoredRun, names: Sequence[str], alone: Mapping[str, StoredRun], options: Any
) -> ResultTable:
    """The part of each corpus in the passages and verdicts, and its scores where it was searched *alone*."""
    claims = [claim for answer in run.answers for claim in answer["claims"]]
    of_answers = [[name for claim in answer["claims"] for name in _list_corpora(claim)] for answer in run.answers]
    shares = mean_intervals(
        {name: np.array([own.count(name) / len(own) if own else math.nan for own in of_answers]) for name in names},
        clusters=run.units,
        **options,
    )
    read = [name for own in of_answers for name in own]
    rows: list[tuple[Cell, ...]] = []
    for name in names:
        known = [one for claim in claims if (one := _decides_verdict(claim, name)) is not None]
        cells: tuple[Cell, ...] = (name, read.count(name), Estimate(*shares[name]), sum(known), len(known))
        if alone:
            own = alone.get(name)
            cells += (NONE,) * 6 if own is None else (len(own.answers), *own.means(_METRICS, **options))
        rows.append(cells)
    columns = parse_columns(
        "text: corpus; count: passages; percent: share of an answer's passages; "
        "count: verdicts it decided | of verdicts"
    )
    without = read.count(None)
    notes = [f"{len(read)} passages in all" + (f", {without} of them of no named corpus." if without else ".")]
    if alone:
        columns += (TableColumn("answers, this corpus alone", "count"),)
        columns += tuple(TableColumn(f"{title.name}, this corpus alone") for title in _TITLES)
        notes.append(f"This corpus alone: searched by itself, up to {run.k} passages a claim, and judged anew.")
    if len(alone) < len(names):
        missing = ", ".join(name for name in names if name not in alone)
        notes.append(f"What {missing} alone brings was not measured: `fas bench ablations DIR --corpora` does.")
    return ResultTable("corpora", "What each corpus brought", columns, tuple(rows), tuple(notes), plot="none")


def _list_corpora(claim: ClaimRecord) -> list[str | None]:
    """The corpus of each passage of a claim; None where the record does not say."""
    return [passage["corpus"] for passage in claim["evidence"]]


def _decides_verdict(claim: ClaimRecord, name: str) -> bool | None:
    """Whether a passage of this corpus decided the verdict; None where no single passage did."""
    if claim["label"] not in ("supported", "contradicted") or judged_together(claim) is not None:
        return None
    pairs = [(one["p_support"], one["p_contradict"]) for one in claim["evidence"]]
    values = [-1.0 if (value := pair[claim["label"] == "contradicted"]) is None else value for pair in pairs]
    return bool(values) and _list_corpora(claim)[int(np.argmax(values))] == name


def _check_labels(run: StoredRun) -> None:
    """An InputError where a stored label does not follow from the stored probabilities at the run's threshold."""
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


def tabulate_thresholds(run: StoredRun, **options: Any) -> Iterator[ResultTable]:
    """Shares and FAS for thresholds from 0.5 to 0.9; and with gold, how FAS correlates with it.

    An InputError where a stored label does not follow from the stored probabilities.
    """
    if not any(answer["claims"] for answer in run.answers) or run.settings.threshold_contradiction is not None:
        return  # of two thresholds that were chosen apart, one sweep says nothing
    _check_labels(run)
    rows: list[tuple[Cell, ...]] = []
    correlations: list[tuple[Cell, ...]] = []
    own_threshold = 0.7 if math.isnan(run.settings.threshold) else run.settings.threshold
    base = rescore_run(run, threshold=own_threshold)
    for threshold in (round(0.5 + 0.05 * step, 2) for step in range(9)):
        moved = rescore_run(run, threshold=threshold)
        rows.append((f"{threshold:g}", *moved.means(_METRICS, **options)))
        for gold, own in list_golds(moved):
            moved_fas, y = own.column("fas"), own.gold(gold.name)
            columns = (moved_fas, own.column("fas_evidence"))
            cells = [correlation(one, y, clusters=own.units, **options) for one in columns]
            same = base.select(dataset=gold.dataset).column("fas")
            difference: Cell = NONE
            if threshold != own_threshold and not np.isnan(moved_fas + same + y).all():
                found = correlation_difference(moved_fas, same, y, clusters=own.units, **options)
                difference = estimate_of(found)._replace(how="")
            correlations.append((f"{threshold:g}", gold.dataset, gold.name, *cells, difference))
    chosen = "" if math.isnan(run.settings.threshold) else f" The run's own threshold is {run.settings.threshold:g}."
    yield ResultTable(
        "thresholds",
        "Verdicts at other thresholds",
        (TableColumn("threshold", "text"), *(TableColumn(metric_title(name, run.k)) for name in _METRICS)),
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
