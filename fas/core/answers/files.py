"""Answers from files and Python objects, each with its place in the input.

How a file is read is `fas.core.answers.formats`, what an answer may hold is `fas.core.answers.schema`.
"""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fas.core.answers.columns import ColumnMapping
from fas.core.answers.formats import read_objects
from fas.core.answers.schema import find_misnamed_fields, strip_reasoning, to_answer
from fas.core.answers.sources import AnswerSource, as_source
from fas.core.arguments import option_or_argument
from fas.core.checks import count_of
from fas.core.errors import InputError
from fas.core.records import Answer, RecordError


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that could not be read as an answer.

    Attributes:
        error: What is wrong with it.
        file: Name of its file, where there are several.
    """

    error: InputError
    file: str | None = None

    def as_error(self) -> RecordError:
        """The error record of the output."""
        return RecordError(self.error.kind, self.error.line, self.error.field, str(self.error))

    @property
    def id(self) -> str:
        """Identifier of its record in `scores.jsonl`."""
        return f"line:{self.error.line}" if self.file is None else f"{self.file}:line:{self.error.line}"


@dataclass(frozen=True, slots=True)
class Scan:
    """The result of a first pass over an input.

    Attributes:
        n: Number of answers, bad lines included.
        has_passages: At least one answer carries passages.
        has_claims: At least one answer carries claims.
        meta: Names of the other fields that occur, by which answers can be grouped.
        bad: The bad lines, in order.
        digest: Hash of the content.
        misnamed: Name in `meta` and the field that it resembles, to the number of answers that lack this field.
        n_labelled: Given claims with a `label`, which scoring does not read.
        n_reasoning: Answers from which reasoning was removed.
        recognised: Field to the column of another tool that it is read from, where no mapping was given.
    """

    n: int
    has_passages: bool
    has_claims: bool
    meta: frozenset[str]
    bad: tuple[BadLine, ...]
    digest: str
    misnamed: Mapping[tuple[str, str], int]
    n_labelled: int = 0
    n_reasoning: int = 0
    recognised: Mapping[str, str] = field(default_factory=dict)


def first_mistake(bad: Sequence[BadLine]) -> InputError:
    """The error of the first bad line, with the number of the others."""
    first = bad[0].error
    if len(bad) == 1:
        return first
    rest = count_of(len(bad) - 1, "more bad line") + option_or_argument("; --on-error record scores the others", "")
    return InputError(f"{first} ({rest})", kind=first.kind, line=first.line, field=first.field)


def read_answers(
    source: Path | AnswerSource, *, recognised: dict[str, str] | None = None
) -> Iterator[Answer | BadLine]:
    """The answers of *source* in order; a line that cannot be used, or repeats an id, comes as `BadLine`.

    *recognised* is filled with the columns of another tool that the fields are read from. An InputError is raised for a
    file that is missing, unreadable or of an unknown format.
    """
    source = as_source(source)
    if source.path is None:
        yield from source.answers
        return
    seen: dict[str, str] = {}
    for path in source.files:
        columns, name = ColumnMapping(source.columns), source.name_of(path)
        rows = read_objects(path, name=name, columns=columns)
        yield from _read_rows(rows, name, seen, file=path.name if source.others else None)
        columns.check_seen(name)
        if recognised is not None:
            recognised.update(columns.recognised)


def _read_rows(
    rows: Iterable[tuple[int, Mapping[str, Any] | Answer | InputError, int]],
    name: str,
    seen: dict[str, str],
    *,
    file: str | None = None,
) -> Iterator[Answer | BadLine]:
    """The answers of *rows*; *seen* maps earlier ids to their places; *file* names one of several."""
    for number, record, line in rows:
        where = f"{name}, line {line}"
        try:
            if isinstance(record, InputError):
                raise record
            if isinstance(record, Answer):
                answer = strip_reasoning(record)
            else:
                answer = to_answer(record, line=line, where=where, number=number)
            if answer.id in seen:
                hint = "" if file is None else "; give ids in several files"
                problem = f"{answer.id!r} was already used in {seen[answer.id]}; ids are unique"
                raise InputError(
                    f"{where}: field 'id': {problem} (a missing id is the line's number{hint})",
                    kind="duplicate_id",
                    line=line,
                    field="id",
                )
            seen[answer.id] = f"line {line}" if file is None else f"{file}, line {line}"
        except InputError as error:
            yield BadLine(error, file)
        else:
            yield answer


def scan(source: Path | AnswerSource) -> Scan:
    """Check every line of *source* without keeping the answers; an InputError if there are none, or as for
    `read_answers`.
    """
    source = as_source(source)
    n = n_labelled = n_reasoning = 0
    has_passages = has_claims = False
    meta: set[str] = set()
    bad = []
    misnamed: Counter[tuple[str, str]] = Counter()
    recognised: dict[str, str] = {}
    for item in read_answers(source, recognised=recognised):
        n += 1
        if isinstance(item, BadLine):
            bad.append(item)
            continue
        has_passages = has_passages or item.passages is not None
        has_claims = has_claims or item.claims is not None
        n_labelled += count_labelled(item)
        n_reasoning += item.reasoning > 0
        meta.update(item.meta)
        misnamed.update(find_misnamed_fields(item))
    if n == 0:
        problem = "no answers; expected one JSON object a line with at least a `prediction`"
        raise InputError(f"{source.name}: {problem}", kind="empty_file")
    return Scan(
        n, has_passages, has_claims, frozenset(meta), tuple(bad), digest_source(source), misnamed, n_labelled,
        n_reasoning, recognised,
    )  # fmt: skip


def scan_tolerantly(source: Path | AnswerSource, on_error: str) -> Scan:
    """As `scan`; unless *on_error* is `record`, a bad line is an InputError, too."""
    found = scan(source)
    if found.bad and on_error == "stop":
        raise first_mistake(found.bad)
    return found


def digest_source(source: AnswerSource) -> str:
    """A hash of 16 characters that changes with the content, and with the columns that it is read from."""
    digest = hashlib.sha256()
    for path in source.files:
        inside = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
        for file in inside:
            with file.open("rb") as data:
                while block := data.read(1 << 20):
                    digest.update(block)
    for answer in source.answers:
        digest.update(repr(answer).encode("utf-8", "surrogatepass"))
    if source.columns:
        digest.update(repr(sorted(source.columns.items())).encode())
    return digest.hexdigest()[:16]


def count_labelled(answer: Answer) -> int:
    """How many claims of *answer* came with a `label`."""
    return sum(claim.given_label is not None for claim in answer.claims or ())


def answers_from(
    items: Any, *, columns: Mapping[str, str] | None = None, recognised: dict[str, str] | None = None
) -> list[Answer]:
    """Answers from Python objects.

    Args:
        items: Dicts or `Answer`s, a pandas DataFrame, a `datasets.Dataset`, or the path of a file.
        columns: Field to the column it is read from, where that has another name.
        recognised: Filled with the columns of another tool that the fields are read from.

    Raises:
        InputError: An item cannot be used, an id occurs twice, or a column is missing.
        TypeError: An item is neither a mapping nor an `Answer`, or *items* has no rows.
    """
    if isinstance(items, str | Path):
        return read_whole(AnswerSource(Path(items), str(items), dict(columns or {})), recognised)
    named = ColumnMapping(columns)
    answers = []
    for item in _read_rows(_number_items(items, named), "answers", {}):
        if isinstance(item, BadLine):
            raise item.error
        answers.append(item)
    named.check_seen("answers")
    if recognised is not None:
        recognised.update(named.recognised)
    return answers


def _number_items(items: Any, columns: ColumnMapping) -> Iterator[tuple[int, Mapping[str, Any] | Answer, int]]:
    for number, item in enumerate(_iterate_rows(items), start=1):
        if isinstance(item, Mapping):
            item = columns.apply(item)
        elif not isinstance(item, Answer):
            raise TypeError(f"answers, line {number}: expected a dict or an Answer, got {type(item).__name__}")
        yield number, item, number


def _iterate_rows(items: Any) -> Iterator[Any]:
    """The records of a pandas DataFrame, or the items of a list; a TypeError if *items* has no rows."""
    pandas, datasets = sys.modules.get("pandas"), sys.modules.get("datasets")
    if pandas is not None and isinstance(items, pandas.DataFrame):
        twice = items.columns[items.columns.duplicated()]
        if len(twice):
            raise InputError(f"answers: more than one column is called {twice[0]!r}", kind="duplicate_key")
        names = [str(name) for name in items.columns]
        return (dict(zip(names, row, strict=True)) for row in items.itertuples(index=False, name=None))
    if datasets is not None and isinstance(items, datasets.DatasetDict | datasets.IterableDatasetDict):
        example = f"data[{next(iter(items))!r}]"
        raise TypeError(f"a DatasetDict holds several splits ({', '.join(items)}); give one of them, e.g. {example}")
    if isinstance(items, Mapping | Answer):
        raise TypeError("expected a list of answers, got one; put it into a list")
    return iter(items)


def read_whole(source: AnswerSource, recognised: dict[str, str] | None = None) -> list[Answer]:
    """All answers of *source*; an InputError if it cannot be read, or one of its lines is bad."""
    items = list(read_answers(source, recognised=recognised))
    if bad := [item for item in items if isinstance(item, BadLine)]:
        raise first_mistake(bad)
    return [item for item in items if not isinstance(item, BadLine)]
