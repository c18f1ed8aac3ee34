"""The tables of `fas.bench.tables` for result folders of one's own: several are several systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fas.bench.formats import ResultTable
from fas.bench.stored import NO_VALUE, StoredRun, find_runs, name_of, read_field, read_runs
from fas.bench.tables import make_tables
from fas.core.errors import InputError
from fas.core.records.stored import AnswerRecord
from fas.report.system_tables import name_folders

_LABELS = {"data set", "model"}


def build_tables(folders: Sequence[Path], *, n_resamples: int, seed: int) -> tuple[StoredRun, list[ResultTable]]:
    """The scores in *folders* as one run, and the tables they allow.

    Of several folders the one an answer is in names its model, where the answer does not. Columns that say of every
    row that there is no data set (or no model) are left out.

    Raises:
        InputError: There are no scores, they cannot be used or do not belong in one table, or two folders give
            answers of the same model with the same id.
    """
    parts = [read_runs(find_runs(folder)) for folder in folders]
    run = read_runs([path.parent for part in parts for path in part.paths])  # checks that they belong together
    if len(parts) > 1:
        named = zip(parts, name_folders(folders), strict=True)
        run = replace(run, answers=tuple(_name_model(one, name) for part, name in named for one in part.answers))
    for (_, model, identifier), n in Counter(map(name_of, run.answers)).items():
        if n > 1:
            raise InputError(
                f"the answer {identifier!r} of {model!r} is in more than one folder; give every folder once",
                kind="duplicate_id",
            )
    tables = make_tables(run, folders[0] / "ablations", n_resamples=n_resamples, seed=seed)
    signature = " ".join(run.signature_lines())
    return run, [replace(_drop_empty_columns(table), signature=signature) for table in tables]


def select_tables(tables: list[ResultTable], names: Sequence[str]) -> list[ResultTable]:
    """The tables of these names, all by default; an InputError where there is none of a name."""
    known = [table.name for table in tables]
    for name in names:
        if name not in known:
            raise InputError(f"no table {name!r} of these scores; available: {', '.join(known)}", kind="usage")
    return [table for table in tables if not names or table.name in names]


def _name_model(answer: AnswerRecord, name: str) -> AnswerRecord:
    """*answer* with a model: its own, or else *name*."""
    if read_field(answer, "model") != NO_VALUE:
        return answer
    return {**answer, "meta": {**answer["meta"], "model": name}}


def _drop_empty_columns(table: ResultTable) -> ResultTable:
    """*table* without label columns that say `(none)` in every row."""
    kept = [
        i
        for i, column in enumerate(table.columns)
        if column.name not in _LABELS or any(row[i] != NO_VALUE for row in table.rows)
    ]
    if not any(table.columns[i].form == "text" for i in kept):
        kept = sorted({0, *kept})  # every table begins with a column of texts
    labels = [table.columns[i].name for i in kept if table.columns[i].name in _LABELS]
    return replace(
        table,
        title=table.title.replace("data set and model", " and ".join(labels)) if labels else table.title,
        columns=tuple(table.columns[i] for i in kept),
        rows=tuple(tuple(row[i] for i in kept) for row in table.rows),
    )
