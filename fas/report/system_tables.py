"""Systems in columns over the same rows: of several result folders, or of the values of a field of one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fas.core.checks import count_of
from fas.core.errors import InputError
from fas.core.files.own import SCORES
from fas.core.records.stored import metric_field
from fas.report.compare import ZERO, group_metrics, list_different_settings, list_some
from fas.report.join import JoinRule, join, list_differences, read_column
from fas.report.results import FLAG_PREFIX, Asked, Results, read_results
from fas.stats.bootstrap import FloatArray

_SHOWN = 3


class SystemTable(NamedTuple):
    """Systems in columns over the same rows.

    Attributes:
        paths: System to the file it was read from.
        values: System to metric to values, one for each row; NaN where there is none.
        units: What rows of one unit share; None where every row is one of its own.
        notes: What a reader must know.
        rows: What a row is: an id, or what answers to one question share.
        why: System to (row, metric) to the reason why there is no value.
        n_answers: Answers behind the rows, more than *n* rows of each system where several are one row.
        left_out: System to metric to answers (id and reason) that are in no mean, though their row has one.
    """

    paths: Mapping[str, Path]
    values: Mapping[str, Mapping[str, FloatArray]]
    units: list[str] | None
    n: int
    notes: tuple[str, ...]
    rows: Sequence[str]
    why: Mapping[str, Mapping[tuple[str, str], str]]
    n_answers: int | None = None
    left_out: Mapping[str, Mapping[str, Sequence[tuple[str, str]]]] = {}

    @property
    def metrics(self) -> Sequence[str]:
        """The metrics that every system has."""
        return list(next(iter(self.values.values())))


def tabulate_folders(folders: Sequence[Path], cluster_by: str | None, join_by: JoinRule) -> SystemTable:
    """One system a folder, joined on id; see `fas.report.systems.compare_systems`."""
    runs = {name: read_results(path, cluster_by=cluster_by) for name, path in _name_each(folders).items()}
    first = next(iter(runs.values()))
    notes: list[str] = []
    for name, run in list(runs.items())[1:]:
        notes += [f"{name}: {note}" for note in join(first, run, join_by).notes()]
        differ = list_different_settings(first.signature, run.signature)
        notes += [f"{name} differs from {next(iter(runs))} in {key}: {a} | {b}" for key, (a, b) in differ.items()]
    ids = list(dict.fromkeys(one for run in runs.values() for one in run.lines))
    units: dict[str, str] = {}
    for run in runs.values():
        for one, unit in zip(run.lines, run.units or run.lines, strict=True):
            units.setdefault(one, unit)
    for name, run in runs.items():
        if run.n_failed:
            notes.append(f"{count_of(run.n_failed, 'answer')} of {name} ended in an error record, not compared")
    shared = _list_shared_metrics(list(runs.values()))
    values = {name: {metric: _place_values(run, metric, ids) for metric in shared} for name, run in runs.items()}
    scored = {name: np.array([one in run.place for one in ids]) for name, run in runs.items()}
    labels = [units[one] for one in ids]
    clustered = cluster_by is not None and len(set(labels)) < len(labels)
    why = {
        name: {
            (one, metric): run.why_missing(one, metric)
            for metric in shared
            for one, value in zip(ids, values[name][metric], strict=True)
            if np.isnan(value)
        }
        for name, run in runs.items()
    }
    paths = {name: run.path for name, run in runs.items()}
    return SystemTable(
        paths, _add_zeros(values, scored), labels if clustered else None, len(ids), tuple(notes), ids, why
    )


def tabulate_field(folder: Path, by: str, join_by: JoinRule) -> SystemTable:
    """One system a value of the field *by*, joined on the question; see `fas.report.systems.compare_systems`."""
    run = read_results(folder, field=by)
    owners = [None if value is None else name_system(value) for value in run.field]
    systems = list(dict.fromkeys(owner for owner in owners if owner is not None))
    if not systems:
        raise InputError(f"{run.path}: no answer has the field {by!r} in `meta`", kind="group", field=by)
    keys = [asked.key for asked in run.asked]
    if all(key is None for key in keys):
        raise InputError(
            f"{run.path}: no answer names its question, so that answers of {by!r} cannot be put side by side",
            kind="nothing_in_common",
        )
    notes = _note_unplaced(owners, keys, by) + _check_questions(run, keys, join_by)
    rows = list(dict.fromkeys(key for key, owner in zip(keys, owners, strict=True) if key and owner is not None))
    place = {key: row for row, key in enumerate(rows)}
    # A flag that nobody raised is no metric of the run, so that the names are those of all systems.
    shared = list(run.metrics)
    names = list(run.lines)
    values: dict[str, dict[str, FloatArray]] = {}
    scored: dict[str, np.ndarray] = {}
    why: dict[str, dict[tuple[str, str], str]] = {}
    zeros: dict[str, dict[str, FloatArray]] = {}
    left_out: dict[str, dict[str, list[tuple[str, str]]]] = {}
    n_answers, several = 0, False
    for system in systems:
        mine = [i for i, owner in enumerate(owners) if owner == system and keys[i] is not None]
        where = np.array([place[keys[i] or ""] for i in mine], dtype=np.intp)
        scored[system] = np.bincount(where, minlength=len(rows)) > 0
        columns = {metric: run.metrics[metric][mine] for metric in shared}
        values[system] = {metric: _average_by(column_, where, len(rows)) for metric, column_ in columns.items()}
        # A zero goes in before the mean: an answer without a verified claim counts among the others to its question.
        zeros[system] = {m: _average_by(np.nan_to_num(columns[m]), where, len(rows)) for m in shared if _is_support(m)}
        left_out[system] = {
            metric: [
                (names[i], run.why_missing(names[i], metric))
                for i, row, value in zip(mine, where, column_, strict=True)
                if np.isnan(value) and not np.isnan(values[system][metric][row])
            ]
            for metric, column_ in columns.items()
        }
        n_answers += len(mine)
        several = several or len(mine) > len(set(where.tolist()))
        first = {int(row): names[i] for row, i in zip(where[::-1], mine[::-1], strict=True)}
        why[system] = {
            (rows[row], metric): run.why_missing(first[row], metric) if row in first else "no answer"
            for metric in shared
            for row in np.flatnonzero(np.isnan(values[system][metric])).tolist()
        }
    if several:
        counts = f"{count_of(n_answers, 'answer')}, {count_of(len(rows), 'question')}"
        notes.append(f"of several answers of one system to a question the mean is taken: {counts}")
    # One row is one question: nothing is left to be clustered.
    return SystemTable(
        dict.fromkeys(systems, run.path), _add_zeros(values, scored, zeros), None, len(rows), tuple(notes), rows, why,
        n_answers if several else None, left_out,
    )  # fmt: skip


def _name_each(folders: Sequence[Path]) -> dict[str, Path]:
    """The folders by the shortest ends of their paths that tell them apart."""
    if len(set(folders)) < len(folders):
        raise InputError("the same folder was given twice", kind="usage")
    names = name_folders([path.parent if path.name == SCORES else path for path in folders])
    if len(set(names)) < len(names):
        raise InputError("the same folder was given twice", kind="usage")
    return dict(zip(names, folders, strict=True))


def name_folders(folders: Sequence[Path]) -> list[str]:
    """The shortest ends of the folders' paths that tell them apart; whole paths where two are one folder."""
    whole = [path.resolve().parts for path in folders]
    for depth in range(1, max(map(len, whole)) + 1):
        names = ["/".join(parts[-depth:]) for parts in whole]
        if len(set(names)) == len(names):
            return names
    return [str(path) for path in folders]


def _list_shared_metrics(runs: Sequence[Results]) -> list[str]:
    shared = [name for name in runs[0].metrics if all(name in run.metrics for run in runs)]
    plain = [name for name in shared if not name.startswith(FLAG_PREFIX)]
    if not plain:
        where = " and ".join(str(run.path) for run in runs)
        raise InputError(f"{where}: no metric in common", kind="nothing_in_common")
    flags = {name for run in runs for name in run.metrics if name.startswith(FLAG_PREFIX)}
    if any("|safety:off|" in f"|{run.signature}|" for run in runs):
        flags = set()  # a run that looked for none has no rate to compare with
    return [*plain, *sorted(flags)]


def _place_values(run: Results, metric: str, ids: Sequence[str]) -> FloatArray:
    values = np.full(len(ids), np.nan)
    mine = [i for i, one in enumerate(ids) if one in run.place]
    values[mine] = read_column(run, metric, [ids[i] for i in mine])
    return values


def _average_by(values: FloatArray, where: Any, n: int) -> FloatArray:
    present = ~np.isnan(values)
    sums = np.bincount(where[present], values[present], n)
    counts = np.bincount(where[present], minlength=n)
    means = np.full(n, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


def _is_support(metric: str) -> bool:
    return metric_field(metric) == "support"


def _add_zeros(
    values: Mapping[str, Mapping[str, FloatArray]],
    scored: Mapping[str, Any],
    zeros: Mapping[str, Mapping[str, FloatArray]] | None = None,
) -> dict[str, dict[str, FloatArray]]:
    """The metrics of every system, and behind support that with 0 for an answer without a verified claim."""

    def count_zeros(name: str, metric: str) -> FloatArray:
        own = values[name][metric]
        with_zero = own if zeros is None else zeros[name][metric]
        return np.where(scored[name], np.where(np.isnan(with_zero), 0.0, with_zero), own)

    added = {
        metric
        for name, own in values.items()
        for metric, column_ in own.items()
        if _is_support(metric) and not np.array_equal(count_zeros(name, metric), column_, equal_nan=True)
    }
    result: dict[str, dict[str, FloatArray]] = {}
    for name, own in values.items():
        result[name] = {}
        for metric, column_ in own.items():
            result[name][metric] = column_
            if metric in added:
                result[name][metric + ZERO] = count_zeros(name, metric)
    return result


def name_system(value: Any) -> str:
    """What the system is called that a field of an answer names by *value*."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _note_unplaced(owners: Sequence[str | None], keys: Sequence[str | None], by: str) -> list[str]:
    notes = []
    if n := sum(owner is None for owner in owners):
        notes.append(f"{count_of(n, 'answer')} without the field {by!r}, left out")
    if n := sum(key is None and owner is not None for key, owner in zip(keys, owners, strict=True)):
        notes.append(f"{count_of(n, 'answer')} without a question, left out")
    return notes


def _check_questions(run: Results, keys: Sequence[str | None], rule: JoinRule) -> list[str]:
    """Whether what has one `question_id` is one question with the same references."""
    first: dict[str, Asked] = {}
    unlike: list[str] = []
    for name, key, asked in zip(run.lines, keys, run.asked, strict=True):
        if key is not None and (said := list_differences(first.setdefault(key, asked), asked)):
            unlike.append(f"{name!r} ({said})")
    if not unlike:
        return []
    shown = "; ".join(unlike[:_SHOWN])
    if rule == "id":
        said = f"{len(unlike)} answers have other questions or references: {shown}"
        return [f"joined by question alone, as requested: {said}"]
    raise InputError(
        f"{run.path}: {len(unlike)} answers to one question have another text of it or other references: {shown}; "
        "--join id compares them all the same",
        kind="other_questions",
    )


def note_missing(table: SystemTable, metrics: Sequence[str]) -> Iterator[str]:
    """Who has no value: metrics that miss the same answers for the same reason in one line."""
    without = group_metrics(
        (metric, system, reason, ids)
        for system, reasons in table.why.items()
        for metric in metrics
        for reason, ids in _group_rows(table, system, metric, reasons).items()
    )
    for names, system, reason, who in without:
        yield f"{names}: {len(who)} without a value in {system} ({reason}): {list_some(who, _SHOWN)}"
    partly = group_metrics(
        (metric, system, reason, tuple(name for name, its in given if its == reason))
        for system, own in table.left_out.items()
        for metric in metrics
        for given in [own.get(metric, ())]
        for reason in dict.fromkeys(reason for _, reason in given)
    )
    for names, system, reason, who in partly:
        yield f"{names}: {len(who)} of {system} in no mean of a question ({reason}): {list_some(who, _SHOWN)}"


def _group_rows(
    table: SystemTable, system: str, metric: str, reasons: Mapping[tuple[str, str], str]
) -> dict[str, tuple[str, ...]]:
    """Reason to the rows of which *system* has no value and another system has one."""
    found: dict[str, tuple[str, ...]] = {}
    for at, row in enumerate(table.rows):
        reason = reasons.get((row, metric))
        others = (own[metric][at] for name, own in table.values.items() if name != system)
        if reason is not None and not all(map(np.isnan, others)):
            found[reason] = (*found.get(reason, ()), row.split("\0")[-1])
    return found
