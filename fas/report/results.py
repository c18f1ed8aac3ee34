"""Per-answer scores read back from a result folder, as columns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fas.core.errors import InputError
from fas.core.records.as_json import number_or_nan
from fas.core.records.stored import AnswerRecord
from fas.results import metrics_of, read_records, scores_path, signature_of
from fas.scoring.aggregate import counted_flags, question_key
from fas.stats.bootstrap import FloatArray

_OF_CLAIMS = ("support@", "contra@", "unsupported@", "fas")
_OF_REFERENCES = ("rouge", "bleu", "bertscore", "fas", "coverage", "omitted", "denied")
FLAG_PREFIX = "flag:"
NO_CLUSTERS = "none"
_ALONE = "id\0"


class Asked(NamedTuple):
    """What an answer replies to and is compared with.

    Attributes:
        question: The question with its white space evened out; empty if there is none.
        key: What answers to the same question share (`fas.scoring.aggregate.question_key`), or None.
        references: Hash of the reference answers; None without any, or where the record does not say.
    """

    question: str
    key: str | None
    references: str | None


@dataclass(frozen=True)
class Results:
    """The numbers of one run.

    Attributes:
        path: The `scores.jsonl` they were read from.
        k: Passages per claim; None where no record says it.
        lines: Identifier to line; failed answers are not among them.
        metrics: Name to values in the order of `lines`, NaN where undefined. `flag:NAME` is 1
            where an answer has a counted flag of that name, else 0.
        units: What answers of one unit share (the id where they share nothing), in that order; None
            where every answer was asked to be a unit of its own.
        asked: What each answer replies to, in that order.
        unscored: Why an answer has no verified claim, in that order; None where it has one.
        field: Value of the field of `meta` that was asked for, in that order; None where there is none.
        failed: Ids of the records that are errors.
        signature: Signature of the run, or None where there is no `report.json` beside the scores.
    """

    path: Path
    k: int | None
    lines: Mapping[str, int]
    metrics: Mapping[str, FloatArray]
    units: tuple[str, ...] | None
    asked: tuple[Asked, ...]
    unscored: tuple[str | None, ...]
    field: tuple[Any, ...]
    failed: frozenset[str]
    signature: str | None

    @property
    def n_failed(self) -> int:
        """Records that are errors."""
        return len(self.failed)

    def why_missing(self, name: str, metric: str) -> str:
        """Why the answer *name* has no value of *metric*, in a few words."""
        if name in self.failed:
            return "failed"
        row = self.place.get(name)
        if row is None:
            return "not in the run"
        reason = self.unscored[row]
        if reason is not None and metric.startswith(_OF_CLAIMS):
            return reason
        return "no references" if metric.startswith(_OF_REFERENCES) else "no value"

    @cached_property
    def place(self) -> Mapping[str, int]:
        """Id to row."""
        return {name: row for row, name in enumerate(self.lines)}


def read_results(path: Path, *, cluster_by: str | None = "question", field: str | None = None) -> Results:
    """The metrics of every scored answer of a result folder (or a `scores.jsonl`).

    Args:
        path: Folder or file.
        cluster_by: `"question"` (by the rule of every table, `fas.scoring.aggregate.question_key`) or a field of
            `meta`: answers that share its value are one unit, and one that has none is a unit of its own. None or
            `"none"`: every answer is.
        field: A field of `meta` to be kept.

    Raises:
        InputError: A file is missing or a line cannot be used, with file and line.
    """
    source = scores_path(path)
    lines: dict[str, int] = {}
    failed: set[str] = set()
    rows: list[dict[str, float]] = []
    units: list[str] = []
    asked: list[Asked] = []
    kept: list[Any] = []
    unscored: list[str | None] = []
    k: int | None = None
    for number, record in read_records(source):
        name = record["id"]
        if record["error"] is not None:
            failed.add(name)
            continue
        lines[name], k = number, record["k"]
        rows.append(_read_numbers(record))
        question = " ".join((record["question"] or "").split())
        asked.append(Asked(question, question_key(record), record["references_hash"]))
        kept.append(None if field is None else record["meta"].get(field))
        unscored.append(_explain_unscored(record))
        units.append(_find_unit(record, cluster_by or NO_CLUSTERS, name))
    if not lines:
        raise InputError(f"{source}: no scored answer", kind="empty_file")
    if cluster_by not in (None, NO_CLUSTERS, "question") and all(unit.startswith(_ALONE) for unit in units):
        raise InputError(
            f"{source}: no answer has the field {cluster_by!r} to cluster by", kind="group", field=cluster_by
        )
    names = dict.fromkeys(metric for row in rows for metric in row)
    metrics = {
        metric: np.array([row.get(metric, 0.0 if metric.startswith(FLAG_PREFIX) else math.nan) for row in rows])
        for metric in names
    }
    return Results(
        path=source,
        k=k,
        lines=lines,
        metrics=metrics,
        units=None if cluster_by in (None, NO_CLUSTERS) else tuple(units),
        asked=tuple(asked),
        unscored=tuple(unscored),
        field=tuple(kept),
        failed=frozenset(failed),
        signature=signature_of(source),
    )


def pick_metrics(wanted: Sequence[str] | None, available: Sequence[str], where: str) -> list[str]:
    """The metrics to report: *wanted*, or all.

    Raises:
        InputError: A wanted metric is not there; the message lists those that are.
    """
    if wanted is None:
        return list(available)
    missing = [name for name in wanted if name not in available]
    if missing:
        raise InputError(f"{where}: no metric {', '.join(map(repr, missing))}; available: {', '.join(available)}")
    return list(wanted)


def _read_numbers(record: AnswerRecord) -> dict[str, float]:
    values = {name: number_or_nan(value) for name, value in metrics_of(record).items()}
    return values | {f"{FLAG_PREFIX}{name}": 1.0 for name in counted_flags(record)}


def _find_unit(record: AnswerRecord, field: str, name: str) -> str:
    value = question_key(record) if field == "question" else record["meta"].get(field)
    # A unit of its own; the prefix keeps an id from meeting another answer's value.
    return f"{_ALONE}{name}" if value is None or field == NO_CLUSTERS else f"value\0{value}"


def _explain_unscored(record: AnswerRecord) -> str | None:
    """Why no claim of an answer has a verdict; None where one has, or the record counts no claims."""
    n_claims = record["n_claims"]
    if n_claims is None or n_claims > (record["n_unverified"] or 0):
        return None
    return "no claim" if n_claims == 0 else "no verified claim"
