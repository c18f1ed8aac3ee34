"""The stored scores of several result folders as one run, for tables.

Everything a table needs is in `scores.jsonl` and the signature beside it, so no table runs a
model. `fas.scoring.rescoring` decides what another threshold, or fewer passages, would have changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fas.bench.prepare import RESERVED
from fas.core.checks import parse_finite
from fas.core.errors import InputError
from fas.core.files.own import REPORT, SCORES
from fas.core.records.as_json import number_or_nan
from fas.core.records.signature import Signature
from fas.core.records.stored import AnswerRecord
from fas.results import read_records, scores_path, signature_of
from fas.scoring.aggregate import add_intervals, question_key
from fas.scoring.rescoring import Settings, rescore
from fas.stats.bootstrap import Estimate, FloatArray, mean_intervals

NO_VALUE = "(none)"
"""The value of a field that a record lacks."""
Field = Literal["model", "dataset", "kind"]


@dataclass(frozen=True, slots=True)
class StoredRun:
    """The scored answers of one or several result folders with the same settings.

    Attributes:
        settings: What decided their scores; the threshold is NaN if no signature says.
        answers: The records, failed ones left out, without the texts of their passages.
    """

    paths: tuple[Path, ...]
    signatures: tuple[str, ...]
    settings: Settings
    answers: tuple[AnswerRecord, ...]
    n_failed: int

    @property
    def k(self) -> int:
        """Passages per claim."""
        return self.settings.k

    def select(self, **wanted: str) -> StoredRun:
        """The answers whose `model`, `dataset` or `kind` are those wanted."""
        kept = [a for a in self.answers if all(read_field(a, name) == value for name, value in wanted.items())]  # type: ignore[arg-type]
        return replace(self, answers=tuple(kept))

    def split(self, *fields: Field) -> Iterator[tuple[tuple[str, ...], StoredRun]]:
        """The parts of the run by the values of *fields*; parts without an answer are left out."""
        for values in product(*map(self.values, fields)):
            part = self.select(**dict(zip(fields, values, strict=True)))
            if part.answers:
                yield values, part

    def values(self, field: Field) -> list[str]:
        """Distinct values of `model`, `dataset` or `kind`, in the order of first appearance."""
        return list(dict.fromkeys(read_field(answer, field) for answer in self.answers))

    def column(self, metric: str) -> FloatArray:
        """A metric over the answers, NaN where undefined."""
        return _numbers(answer.get(metric) for answer in self.answers)

    def means(self, metrics: Sequence[str], **options: Any) -> tuple[Estimate, ...]:
        """Mean of each metric over the answers, questions resampled."""
        found = mean_intervals({name: self.column(name) for name in metrics}, clusters=self.units, **options)
        return tuple(Estimate(*found[name]) for name in metrics)

    def gold(self, name: str) -> FloatArray:
        """A gold judgement over the answers, NaN where there is none."""
        return _numbers(answer["meta"].get(name) for answer in self.answers)

    def golds(self) -> list[str]:
        """Names of the gold judgements any answer has."""
        return list(dict.fromkeys(name for answer in self.answers for name in _golds(answer["meta"])))

    def signature_lines(self, kinds: Collection[str] = ()) -> list[str]:
        """The signatures; those that differ in the number of answers alone become one with the sum.

        *kinds*: what `how` says of the intervals beside them.
        """
        clustered = self.n_questions < len(self.answers)
        counts: dict[str, int] = {}
        for signature in self.signatures:
            own = Signature.of(signature)
            if "boot" in own.fields:
                # Of a run alone the line says what its report resampled; these tables resample what they merge.
                own = own.with_field("boot", own.part("boot").name)
                own = add_intervals(own, clustered=clustered, kinds=kinds)
            fields = dict(own.fields)
            n = int(fields.pop("n", "0"))
            rest = str(Signature(fields))
            counts[rest] = counts.get(rest, 0) + n
        return [f"n:{n}|{rest}" for rest, n in counts.items()]

    @property
    def units(self) -> list[str]:
        """The question of each answer."""
        return [question_key(answer) or f"answer\0{answer['id']}" for answer in self.answers]

    @property
    def n_questions(self) -> int:
        """Distinct questions."""
        return len(set(self.units))


def find_runs(folder: Path) -> list[Path]:
    """Result folders in *folder*: itself (or its `scores.jsonl`), or those directly below it.

    An InputError where there is none.
    """
    if folder.is_file() or (folder / SCORES).is_file():
        return [folder]
    found = sorted(path.parent for path in folder.glob(f"*/{SCORES}") if path.parent.name not in RESERVED)
    if not found:
        raise InputError(
            f"{folder}: no scores.jsonl in it or in a folder directly below; `fas bench run NAME -o DIR` and "
            "`fas score FILE -o DIR` write one",
            kind="missing_file",
        )
    return found


def read_runs(paths: Sequence[Path]) -> StoredRun:
    """The answers of several result folders as one run.

    An InputError where a file is missing or cannot be used, or the folders were made with different settings (k,
    threshold, weights), so that their scores do not belong in one table.
    """
    runs = [_read(path) for path in paths]
    if not runs:
        raise InputError("no result folder to make tables of", kind="missing_file")
    first = runs[0]
    for run in runs[1:]:
        for name, mine, other in zip(Settings._fields, first.settings, run.settings, strict=True):
            if mine != other and not (mine != mine and other != other):
                raise InputError(
                    f"{first.paths[0]} and {run.paths[0]}: scored with different settings ({name} {mine} and {other}); "
                    "make the tables of each alone",
                    kind="settings",
                )
    paths, signatures, answers = (
        tuple(one for run in runs for one in getattr(run, name)) for name in ("paths", "signatures", "answers")
    )
    return StoredRun(paths, signatures, first.settings, answers, sum(run.n_failed for run in runs))


def rescore_run(run: StoredRun, *, threshold: float | None = None, n_passages: int | None = None) -> StoredRun:
    """The run as it would have been with another threshold, in [0.5, 1), or with fewer passages per claim.

    A run with a threshold of contradiction of its own keeps it; see `rescore`.
    """
    own = run.settings
    settings = own._replace(threshold=own.threshold if threshold is None else threshold, k=n_passages or own.k)
    answers = tuple(rescore(answer, settings, n_passages) for answer in run.answers)
    return replace(run, settings=settings, answers=answers)


def read_field(answer: AnswerRecord, field: Field) -> str:
    """Model, data set or kind (also called `type`) of an answer by its meta; or `NO_VALUE`."""
    meta = answer["meta"]
    value = meta.get("kind", meta.get("type")) if field == "kind" else meta.get(field)
    return NO_VALUE if value is None else str(value)


def _read(path: Path) -> StoredRun:
    source = scores_path(path)
    signature = signature_of(source)
    answers: list[AnswerRecord] = []
    n_failed = 0
    for number, record in read_records(source):
        if record["error"] is not None:
            n_failed += 1
            continue
        if record["k"] is None or (answers and record["k"] != answers[0]["k"]):
            expected = answers[0]["k"] if answers else "a whole number"
            raise InputError(
                f"{source}, line {number}: field 'k': expected {expected}, as in every record, got {record['k']}",
                kind="k",
            )
        for name, value in _golds(record["meta"]).items():
            if parse_finite(value) is None:
                raise InputError(
                    f"{source}, line {number}: field 'meta.{name}': must be a number, true, false or null, "
                    f"got {value!r}",
                    kind="gold",
                    field=name,
                )
        for claim in record["claims"]:
            for passage in claim["evidence"]:  # their texts are most of a record, and no table reads them
                passage["title"] = passage["sentence"] = passage["before"] = passage["after"] = None
        answers.append(record)
    if not answers:
        raise InputError(f"{source}: no scored answer", kind="empty_file")
    try:
        settings = Settings.of(signature, answers[0]["k"] or 0)
    except ValueError as error:
        raise InputError(
            f"{source.with_name(REPORT)}: signature {str(signature)!r} names no settings: {error}", kind="signature"
        ) from error
    return StoredRun((source,), (signature,) if signature else (), settings, tuple(answers), n_failed)


def name_of(answer: AnswerRecord) -> tuple[str, str, str]:
    """Data set, model and id of an answer; two models' answers to a question may have one id."""
    return read_field(answer, "dataset"), read_field(answer, "model"), answer["id"]


def _golds(meta: Mapping[str, Any]) -> dict[str, Any]:
    """The gold judgements of an answer: the fields of `meta` called `gold` or `gold_...`."""
    return {
        name: value
        for name, value in meta.items()
        if (name == "gold" or name.startswith("gold_")) and value is not None
    }


def _numbers(values: Iterable[Any]) -> FloatArray:
    return np.array([number_or_nan(value) for value in values], dtype=np.float64)
