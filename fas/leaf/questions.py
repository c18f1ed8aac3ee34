"""Questions to be answered, from a file: checked line by line, read again and again, never held in memory.

    {"id": "q1", "question": "...", "options": {"A": "...", "B": "..."}, "answer": "A"}

`id` (the line's number by default), `options` and `answer` (a letter, or the text of an option) may be missing;
`passages`, `references` and every other field travel along to the answers. A `prediction` is a first answer that
somebody gave already.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fas.core.answers.formats import read_objects
from fas.core.answers.schema import to_answer
from fas.core.errors import InputError
from fas.text.choices.options import append_options, read_options

_OWN = ("id", "question", "options", "answer", "prediction", "claims")


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes:
        id: Unique in the file.
        options: Letter to text; None for an open question.
        answer: Letter of the right option; None where it is not known.
        prediction: A first answer that came with the question, or None.
    """

    id: str
    text: str
    options: Mapping[str, str] | None = None
    answer: str | None = None
    prediction: str | None = None
    rest: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        """The question with its options, as a checker sees it."""
        return append_options(self.text, self.options)

    def record(self) -> dict[str, Any]:
        """The fields of an answers file that every answer to it has."""
        own: dict[str, Any] = {"question": self.shown}
        if self.options is not None:
            own["options"] = dict(self.options)
        if self.answer is not None:
            own["answer"] = self.answer
        return {**own, **self.rest}


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """What a first pass over a file of questions found.

    Attributes:
        digest: Hash of the content, 16 hexadecimal digits.
        has_passages: At least one brings passages.
    """

    path: Path
    n: int
    digest: str
    has_passages: bool

    def __iter__(self) -> Iterator[Question]:
        return (question for _, question in _read_lines(self.path))


def open_questions(path: Path) -> QuestionFile:
    """Check every line of *path*.

    Raises:
        InputError: A line cannot be used, an id occurs twice, or there is no question.
    """
    n, has_passages = 0, False
    seen: dict[str, int] = {}
    for line, question in _read_lines(path):
        if question.id in seen:
            raise InputError(
                f"{path}, line {line}: field 'id': {question.id!r} was already used in line {seen[question.id]}",
                kind="duplicate_id",
                line=line,
                field="id",
            )
        seen[question.id] = line
        n += 1
        has_passages = has_passages or "passages" in question.rest
    if not n:
        raise InputError(f"{path}: no questions; expected one JSON object a line with a `question`", kind="empty_file")
    with path.open("rb") as data:
        digest = hashlib.file_digest(data, "sha256").hexdigest()[:16]
    return QuestionFile(path, n, digest, has_passages)


def _read_lines(path: Path) -> Iterator[tuple[int, Question]]:
    for _, record, line in read_objects(path):
        if isinstance(record, InputError):
            raise record
        yield line, to_question(record, line=line, where=f"{path}, line {line}")


def to_question(record: Mapping[str, Any], *, line: int, where: str) -> Question:
    """One question from a JSON object.

    Raises:
        InputError: A field is missing or has a value that is not allowed.
    """
    given = record.get("prediction")
    # Checks the fields that it shares with answers, and knows how each is written.
    answer = to_answer({**record, "prediction": given if given is not None else ""}, line=line, where=where)
    if not (answer.question or "").strip():
        raise InputError(f"{where}: field 'question' is missing or empty", kind="question", line=line, field="question")
    options = read_options(record["options"], where) if record.get("options") is not None else None
    rest = {name: value for name, value in record.items() if name not in _OWN and value is not None}
    return Question(
        answer.id,
        str(answer.question).strip(),
        options,
        _read_right_option(record.get("answer"), options, where),
        given,
        rest,
    )


def _read_right_option(value: Any, options: Mapping[str, str] | None, where: str) -> str | None:
    if value is None or options is None:
        return None
    text = str(value).strip()
    if text in options:
        return text
    for letter, option in options.items():
        if option.casefold() == text.casefold():
            return letter
    raise InputError(
        f"{where}: field 'answer': {value!r} is no option; available: {', '.join(options)}",
        kind="answer",
        field="answer",
    )
