"""What passages beyond the first bring, from stored probabilities, and what each corpus brings.

MedScore's appendix A.7 (top k) without judging anything again: the first k' passages of a claim are those that a
smaller k would have read. Its appendix A.8 searches each corpus alone, up to k passages of each; what is left of a
joint search is less, so those numbers are of runs of their own (`fas bench ablations DIR --corpora`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fas.bench.ablations import CORPUS, restrict_to_common
from fas.bench.formats import NONE, Cell, ResultTable, TableColumn, parse_columns
from fas.bench.stored import StoredRun, find_runs, read_runs, rescore_run
from fas.core.files.own import SCORES
from fas.core.records.stored import AnswerRecord, ClaimRecord
from fas.scoring.rescoring import judged_together
from fas.stats.bootstrap import Estimate, mean_intervals

_METRICS = ("support", "contra", "unsupported", "fas", "fas_evidence")
_TITLES = parse_columns("number: Support | Contra | Unsupported | FAS | FAS (evidence)")


def evidence_tables(run: StoredRun, folder: Path, **options: Any) -> Iterator[ResultTable]:
    """`passages`, for every k up to the run's, and `corpora` where passages name theirs; neither without passages.

    *folder*: where the runs over one corpus each lie (`corpus-NAME`), if there are any.
    """
    claims = [claim for answer in run.answers for claim in answer["claims"]]
    if not any(claim["evidence"] for claim in claims) or math.isnan(run.settings.threshold):
        return
    together = any(judged_together(claim) is not None for claim in claims)
    read = {name for claim in claims for name in _corpora(claim) if name is not None}
    alone = (path for path in folder.glob(f"{CORPUS}*") if any(path.glob(f"**/{SCORES}")))
    searched = {path.name.removeprefix(CORPUS) for path in alone}
    names = sorted(read | searched)
    if run.k > 1 and not together:
        yield _by_k(run, options)
    if names:
        yield _by_corpus(run, names, folder, options)


def _by_k(run: StoredRun, options: Any) -> ResultTable:
    rows: list[tuple[Cell, ...]] = [
        (str(k), *rescore_run(run, n_passages=k).means(_METRICS, **options)) for k in range(1, run.k + 1)
    ]
    return ResultTable(
        "passages",
        "Verdicts with fewer passages a claim",
        (TableColumn("k", "text"), *_TITLES),
        tuple(rows),
        ("Decided anew from the stored probabilities of the best k passages of every claim.",),
        plot="sweep",
    )


def _by_corpus(run: StoredRun, names: Sequence[str], folder: Path, options: Any) -> ResultTable:
    counts = [_read(answer, names) for answer in run.answers]
    claims = [claim for answer in run.answers for claim in answer["claims"]]
    read = mean_intervals(
        {name: np.array([own.get(name, math.nan) for own in counts]) for name in names}, clusters=run.units, **options
    )
    total = sum(len(claim["evidence"]) for claim in claims)
    rows: list[tuple[Cell, ...]] = []
    folders = {name: folder / f"{CORPUS}{name}" for name in names}
    alone = {
        name: restrict_to_common(run, read_runs(find_runs(path)))[1]
        for name, path in folders.items()
        if any(path.glob(f"**/{SCORES}"))
    }
    for name in names:
        passages = sum(_corpora(claim).count(name) for claim in claims)
        decided = [_decides_verdict(claim, name) for claim in claims]
        known = [one for one in decided if one is not None]
        cells: tuple[Cell, ...] = (name, passages, Estimate(*read[name]), sum(known), len(known))
        if alone:
            own = alone.get(name)
            cells += (NONE,) * 6 if own is None else (len(own.answers), *own.means(_METRICS, **options))
        rows.append(cells)
    columns = parse_columns(
        "text: corpus; count: passages; percent: share of an answer's passages; "
        "count: verdicts it decided | of verdicts"
    )
    without = sum(name is None for claim in claims for name in _corpora(claim))
    notes = [f"{total} passages in all" + (f", {without} of them of no named corpus." if without else ".")]
    if alone:
        columns += (TableColumn("answers, this corpus alone", "count"),)
        columns += tuple(TableColumn(f"{title.name}, this corpus alone") for title in _TITLES)
        notes.append(f"This corpus alone: searched by itself, up to {run.k} passages a claim, and judged anew.")
    if len(alone) < len(names):
        missing = ", ".join(name for name in names if name not in alone)
        notes.append(f"What {missing} alone brings was not measured: `fas bench ablations DIR --corpora` does.")
    return ResultTable("corpora", "What each corpus brought", columns, tuple(rows), tuple(notes), plot="none")


def _read(answer: AnswerRecord, names: Sequence[str]) -> dict[str, float]:
    """Share of each corpus in the passages that were read for an answer; empty where none were."""
    read = [name for claim in answer["claims"] for name in _corpora(claim)]
    return {name: read.count(name) / len(read) for name in names} if read else {}


def _corpora(claim: ClaimRecord) -> list[str | None]:
    """Where each passage of a claim came from; None where the record does not say."""
    return [passage["corpus"] for passage in claim["evidence"]]


def _decides_verdict(claim: ClaimRecord, name: str) -> bool | None:
    """Whether a passage of this corpus decided the verdict; None where no single passage did."""
    if claim["label"] not in ("supported", "contradicted") or judged_together(claim) is not None:
        return None
    pairs = [(one["p_support"], one["p_contradict"]) for one in claim["evidence"]]
    values = [-1.0 if (value := pair[claim["label"] == "contradicted"]) is None else value for pair in pairs]
    return bool(values) and _corpora(claim)[int(np.argmax(values))] == name
