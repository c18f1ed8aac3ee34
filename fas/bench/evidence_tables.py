"""What passages beyond the first bring, and what each corpus brings, from stored probabilities.

MedScore's appendices A.7 (top k) and A.8 (one corpus alone) without judging anything again: the first k' passages of a
claim are those that a smaller k would have read, and the passages of one corpus are what is left without the others,
which is at most what that corpus alone would have brought.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fas.bench.formats import Cell, Column, Table
from fas.bench.stored import StoredAnswer, StoredClaim, StoredRun, rescored
from fas.stats.bootstrap import Estimate, mean_intervals

_METRICS = ("support", "contra", "unsupported", "fas", "fas_evidence")
_TITLES = ("Support", "Contra", "Unsupported", "FAS", "FAS (evidence)")


def evidence_tables(run: StoredRun, **options: Any) -> Iterator[Table]:
    """`passages`, for every k up to the run's, and `corpora` where passages name theirs; neither without passages."""
    claims = [claim for answer in run.answers for claim in answer.claims]
    if not any(claim.pairs for claim in claims) or math.isnan(run.threshold):
        return
    together = any(claim.together is not None for claim in claims)
    names = sorted({name for claim in claims for name in claim.corpora if name is not None})
    if run.k > 1 and not together and run.threshold_contradiction is None:
        yield _by_k(run, options)
    if names:
        yield _by_corpus(run, names, judged=not together and run.threshold_contradiction is None, options=options)


def _by_k(run: StoredRun, options: Any) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (str(k), *_means(rescored(run, threshold=run.threshold, n_passages=k), options)) for k in range(1, run.k + 1)
    ]
    return Table(
        "passages",
        "Verdicts with fewer passages a claim",
        (Column("k", "text"), *map(Column, _TITLES)),
        tuple(rows),
        ("Decided anew from the stored probabilities of the best k passages of every claim.",),
        plot="sweep",
    )


def _by_corpus(run: StoredRun, names: Sequence[str], *, judged: bool, options: Any) -> Table:
    counts = [_read(answer, names) for answer in run.answers]
    read = mean_intervals(
        {name: np.array([own.get(name, math.nan) for own in counts]) for name in names}, clusters=run.units, **options
    )
    total = sum(len(claim.pairs) for answer in run.answers for claim in answer.claims)
    rows: list[tuple[Cell, ...]] = []
    for name in names:
        alone = _only(run, name)
        passages = sum(len(claim.pairs) for answer in alone.answers for claim in answer.claims)
        decided = [_deciding(claim, name) for answer in run.answers for claim in answer.claims]
        known = [one for one in decided if one is not None]
        cells: tuple[Cell, ...] = (name, passages, Estimate(*read[name]), sum(known), len(known))
        rows.append((*cells, *_means(rescored(alone, threshold=run.threshold), options)) if judged else cells)
    columns = [
        Column("corpus", "text"),
        Column("passages", "count"),
        Column("share of an answer's passages", "percent"),
        Column("verdicts it decided", "count"),
        Column("of verdicts", "count"),
    ]
    without = sum(name is None for answer in run.answers for claim in answer.claims for name in claim.corpora)
    notes = [f"{total} passages in all" + (f", {without} of them of no named corpus." if without else ".")]
    if judged:
        columns += [Column(f"{title}, this corpus alone") for title in _TITLES]
        notes.append(
            "This corpus alone: decided anew by its passages among those that were read; a claim with none of them is "
            "unsupported. A search of this corpus alone would have read up to k."
        )
    else:
        notes.append("The verifier reads the passages of a claim together, so that no corpus can be taken alone.")
    return Table("corpora", "What each corpus brought", tuple(columns), tuple(rows), tuple(notes), plot="none")


def _means(part: StoredRun, options: Any) -> tuple[Estimate, ...]:
    found = mean_intervals({name: part.column(name) for name in _METRICS}, clusters=part.units, **options)
    return tuple(Estimate(*found[name]) for name in _METRICS)


def _read(answer: StoredAnswer, names: Sequence[str]) -> dict[str, float]:
    """Share of each corpus in the passages that were read for an answer; empty where none were."""
    read = [name for claim in answer.claims for name in claim.corpora]
    return {name: read.count(name) / len(read) for name in names} if read else {}


def _only(run: StoredRun, name: str) -> StoredRun:
    """The run with the passages of one corpus only."""

    def kept(claim: StoredClaim) -> StoredClaim:
        own = [i for i, corpus in enumerate(claim.corpora) if corpus == name]
        return claim._replace(
            pairs=tuple(claim.pairs[i] for i in own), corpora=tuple(claim.corpora[i] for i in own), together=None
        )

    answers = tuple(replace(answer, claims=tuple(map(kept, answer.claims))) for answer in run.answers)
    return replace(run, answers=answers)


def _deciding(claim: StoredClaim, name: str) -> bool | None:
    """Whether a passage of this corpus decided the verdict; None where no single passage did."""
    side = {"supported": 0, "contradicted": 1}.get(claim.label)
    if side is None or claim.together is not None:
        return None
    values = [-1.0 if math.isnan(pair[side]) else pair[side] for pair in claim.pairs]
    return bool(values) and claim.corpora[int(np.argmax(values))] == name
