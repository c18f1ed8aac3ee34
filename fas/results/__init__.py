"""Results of runs, read back: the only code that knows how `scores.jsonl`, `report.json` and `run.json` look."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Self, cast

from fas.core.checks import parse_finite, plain_number
from fas.core.errors import InputError
from fas.core.files.own import FINDINGS, REPORT, RUN, SCORES
from fas.core.files.plain import json_lines, read_json
from fas.core.profile import Profile
from fas.core.records.frames import frame_of
from fas.core.records.shown import ShownAnswer, find_answer
from fas.core.records.signature import Signature
from fas.core.records.stored import (
    METRICS,
    AnswerRecord,
    ClaimRecord,
    FindingRecord,
    FindingsRecord,
    FlagRecord,
    PassageRecord,
    metric_name,
)
from fas.results.migration import check_version, migrate_record
from fas.results.schema import Fault, checker

_check_answer, _check_findings, _check_number = checker(AnswerRecord), checker(FindingsRecord), checker(float | None)


@dataclass(frozen=True)
class Run:
    """The results of one run; a file is read when something in it is asked for.

    Attributes:
        path: Its `scores.jsonl`.
    """

    path: Path

    @classmethod
    def open(cls, folder: str | Path) -> Self:
        """The run in *folder*, or that of a `scores.jsonl`; a folder of `fas detect` has findings alone.

        Raises:
            InputError: There is none.

        Examples:
            >>> from tempfile import TemporaryDirectory
            >>> from fas import score
            >>> answer = {"id": "q1", "prediction": "Aspirin relieves pain.", "passages": ["Aspirin relieved pain."]}
            >>> with TemporaryDirectory() as folder:
            ...     report = score([answer], output_dir=folder, safety=False)
            ...     [(of, claim["label"]) for of, claim in Run.open(folder).claims]
            [('q1', 'supported')]
        """
        place = Path(folder)
        return cls(place / SCORES if (place / FINDINGS).is_file() else scores_path(place))

    def records(self) -> Iterator[tuple[int, AnswerRecord]]:
        """Line and record of every answer, failed ones included, one at a time; see `read_records`."""
        return read_records(self.path)

    @cached_property
    def answers(self) -> tuple[AnswerRecord, ...]:
        """Every answer, failed ones included, kept in memory."""
        return tuple(record for _, record in self.records())

    def _iterate_answers(self) -> Iterable[AnswerRecord]:
        """Every answer: those that `answers` keeps, else one at a time."""
        return self.__dict__.get("answers") or (record for _, record in self.records())

    @property
    def claims(self) -> Iterator[tuple[str, ClaimRecord]]:
        """Every claim with the id of its answer."""
        return ((answer["id"], claim) for answer in self._iterate_answers() for claim in answer["claims"])

    @property
    def flags(self) -> Iterator[tuple[str, FlagRecord]]:
        """Every safety flag with the id of its answer."""
        return ((answer["id"], flag) for answer in self._iterate_answers() for flag in answer["flags"])

    @property
    def findings(self) -> Iterator[tuple[str, FindingRecord]]:
        """Every finding of `fas detect` with the id of its answer; none in a folder of `fas score`."""
        path = self.path.with_name(FINDINGS)
        records = read_findings(path) if path.is_file() else ()
        return ((record["id"], finding) for _, record in records for finding in record["findings"])

    @property
    def passages(self) -> Iterator[tuple[str, int, PassageRecord]]:
        """Every passage that was judged, with the id of its answer and the number of the claim, counted from 1."""
        return (
            (answer["id"], number, passage)
            for answer in self._iterate_answers()
            for number, claim in enumerate(answer["claims"], start=1)
            for passage in claim["evidence"]
        )

    @cached_property
    def signature(self) -> Signature | None:
        """The signature of its scores; see `signature_of`."""
        return signature_of(self.path)

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """The content of `run.json`, which decided the scores; empty where there is none."""
        return read_settings(self.path.parent)

    @cached_property
    def profile(self) -> Profile | None:
        """The settings of the run; None where `run.json` has none, as in earlier versions.

        Options that are objects of Python are there as their `repr`.
        """
        found = self.settings.get("profile")
        return Profile.from_dict(found) if isinstance(found, dict) else None

    @property
    def answers_file(self) -> str | None:
        """Name of the input file; None where `run.json` has none."""
        found = self.settings.get("answers_file")
        return found if isinstance(found, str) else None

    @property
    def written(self) -> datetime:
        """When its folder last changed, in UTC, by `run.json`, else by the modification time of the scores."""
        found = self.settings.get("written")
        try:
            return datetime.fromisoformat(found).astimezone(UTC)  # type: ignore[arg-type]  # no text: TypeError
        except (TypeError, ValueError):
            return datetime.fromtimestamp(self.path.stat().st_mtime, UTC)

    @cached_property
    def versions(self) -> Mapping[str, str]:
        """Packages and their versions, as `report.json` has them; empty where it has none."""
        beside = self.path.with_name(REPORT)
        return cast(Mapping[str, str], read_object(beside).get("versions") or {}) if beside.is_file() else {}

    def show(self, answer_id: object) -> ShownAnswer:
        """One answer for display; see `fas.core.records.Report.show`. A LookupError names similar ids."""
        answers = {answer["id"]: answer for answer in self.answers}
        return ShownAnswer(answers[find_answer(answer_id, answers)])

    def frame(self, table: str) -> Any:
        """A pandas DataFrame: `answers`, `claims`, `flags` or `passages`; see `fas.core.records.frames.frame_of`."""
        return frame_of(self._iterate_answers(), table)


def scores_path(path: Path) -> Path:
    """The `scores.jsonl` of a result folder, or the file itself; an InputError if there is none."""
    found = path / SCORES if path.is_dir() else path
    if not found.is_file():
        hint = "the folder has no scores.jsonl; `fas score FILE -o DIR` writes one" if path.is_dir() else "no such file"
        raise InputError(f"{found}: {hint}", kind="missing_file")
    return found


def read_records(path: Path) -> Iterator[tuple[int, AnswerRecord]]:
    """Line number and record of every line of a `scores.jsonl`, ids as text.

    Raises:
        InputError: A line is not what a run writes, or an id occurs twice, with file, line and field; or the run is
            of a version before 0.2.
    """
    check_version(read_settings(path.parent).get("v"), path)
    return check_records(json_lines(path), path)


def check_records(lines: Iterable[tuple[int, dict[str, Any]]], path: Path) -> Iterator[tuple[int, AnswerRecord]]:
    """*lines* of *path* as records; see `read_records`."""
    seen: dict[str, int] = {}
    for number, record in lines:
        record["id"] = read_id(record, path, number, seen)
        seen[record["id"]] = number
        yield number, check_record(record, f"{path}, line {number}", line=number)


def read_findings(path: Path) -> Iterator[tuple[int, FindingsRecord]]:
    """Line number and record of every line of a `findings.jsonl`.

    Raises:
        InputError: A line is not what a detector's run writes, or an id occurs twice, with file, line and field.
    """
    seen: dict[str, int] = {}
    for number, record in json_lines(path):
        record["id"] = read_id(record, path, number, seen)
        seen[record["id"]] = number
        fault = _check_findings(record) or _find_item_fault(record, ("findings", "deleted"))
        _refuse(fault, f"{path}, line {number}", number)
        yield number, cast(FindingsRecord, record)


def check_record(record: dict[str, Any], where: str, *, line: int | None = None) -> AnswerRecord:
    """*record* in the form of today, with its absent fields filled in.

    The InputError about a field that no run writes begins with *where*.
    """
    record = migrate_record(record)
    fault = _check_answer(record)
    for name in METRICS:
        if fault is None and name in record and (fault := _check_number(record[name])) is not None:
            fault = fault._replace(path=name)
    _refuse(fault or _find_item_fault(record, ("claims", "flags")), where, line)
    return cast(AnswerRecord, record)


def _refuse(fault: Fault | None, where: str, line: int | None) -> None:
    if fault is not None:
        raise InputError(f"{where}: field {fault.path!r}: {fault}", kind="type", line=line, field=fault.path)


def _find_item_fault(record: Mapping[str, Any], fields: Sequence[str]) -> Fault | None:
    for field in fields:
        for i, item in enumerate(record[field]):
            start, end = item["start"], item["end"]
            if (start is None) != (end is None) or (start is not None and not 0 <= start <= end):
                return Fault(f"{field}[{i}].end", f"the end of a span from {start!r}", end)
            if not 0 <= item.get("confidence", 0) <= 1:
                return Fault(f"{field}[{i}].confidence", "a number in [0, 1]", item["confidence"])
    return None


def metrics_of(record: AnswerRecord) -> dict[str, float | None]:
    """The metrics of a record by their displayed names; unknown fields that are numbers are metrics."""
    return {
        metric_name(name, record["k"]): value  # type: ignore[misc]  # a number, by the condition
        for name, value in record.items()
        if name not in AnswerRecord.__annotations__ and (value is None or parse_finite(value) is not None)
    }


def read_id(record: Mapping[str, Any], path: Path, number: int, seen: Mapping[str, int]) -> str:
    """The identifier of the record in line *number*, as a string; *seen* maps earlier ones to their lines.

    An InputError is raised if it is missing, of a wrong type, or was used before.
    """
    value = plain_number(record.get("id"))
    where = f"{path}, line {number}: field 'id'"
    if isinstance(value, bool) or not isinstance(value, str | int):
        found = "missing" if "id" not in record else f"must be a string or a whole number, got {value!r}"
        raise InputError(f"{where}: {found}", kind="id", line=number, field="id")
    name = str(value)
    if name in seen:
        problem = f"{name!r} was already used in line {seen[name]}; ids are unique"
        raise InputError(f"{where}: {problem}", kind="duplicate_id", line=number, field="id")
    return name


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object in *path*; an InputError if it cannot be read or holds something else."""
    found = read_json(path)
    if not isinstance(found, dict):
        raise InputError(f"{path}: expected a JSON object, got {type(found).__name__}", kind="json")
    return found


def read_settings(folder: Path) -> Mapping[str, Any]:
    """The content of a folder's `run.json`, empty where there is none; an InputError if it cannot be read."""
    path = folder / RUN
    return read_object(path) if path.is_file() else {}


def signature_of(source: Path) -> Signature | None:
    """The signature in the `report.json` beside *source*, None without a report; an InputError if it cannot be read."""
    beside = source.with_name(REPORT)
    if not beside.is_file():
        return None
    found = read_object(beside).get("signature")
    try:
        if not isinstance(found, str):
            raise ValueError(f"expected a string, got {found!r}")
        return Signature.parse(found)
    except ValueError as error:
        raise InputError(f"{beside}: field 'signature': {error}", kind="signature", field="signature") from error
