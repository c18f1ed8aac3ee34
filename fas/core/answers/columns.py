"""Other names for the fields of an answer: `prediction=response` reads the prediction from the column `response`.

Other tools name their columns otherwise. `recognise` knows the usual names (`OTHER_NAMES`), so that a file of theirs
needs no mapping where only one column can be meant.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any, TypeGuard

from fas.core.arguments import option_or_argument
from fas.core.checks import parse_pairs
from fas.core.errors import InputError

FIELDS = ("id", "question", "prediction", "references", "passages", "claims", "statements")

# By tool, in the order of these columns: ragas (before 0.2), deepeval, Inspect, promptfoo, MLflow (traces, tables),
# HealthBench; then names of no one tool. `tests/core/answers/test_other_names.py` has each tool's own file.
OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "prediction": (
        "response",  # ragas; traces of MLflow
        "answer",  # ragas before 0.2
        "actual_output",  # deepeval
        "output",  # Inspect, promptfoo
        "outputs",  # MLflow
        "completion",  # HealthBench
        *("generation", "model_output", "model_answer"),
    ),
    "question": (
        "user_input",  # ragas
        "input",  # deepeval, Inspect
        "prompt",  # promptfoo, HealthBench
        "request",  # traces of MLflow
        "inputs",  # MLflow
        *("query", "question_text"),
    ),
    "references": (
        "reference",  # ragas
        *("ground_truth", "ground_truths"),  # ragas before 0.2, MLflow
        "expected_output",  # deepeval
        "target",  # Inspect
        *("expectations", "expected_response"),  # MLflow
        *("ideal_completions_data", "ideal_completion"),  # HealthBench
        "expected",
    ),
    "passages": (
        "retrieved_contexts",  # ragas
        "contexts",  # ragas before 0.2
        "retrieval_context",  # deepeval
        "retrieved_context",  # MLflow
        *("context", "source_documents"),
    ),
}
"""Field to the columns that other tools read it from."""

_CHAT = "messages"


class ColumnMapping:
    """The column of an input for each field; a field that *names* leaves out has a column of its own name.

    A named column takes the place of one with the field's own name, which is then not read. With *recognises*, columns
    of other tools are read where *names* is empty. An InputError names a field, column or pair of columns that is
    impossible.
    """

    def __init__(self, names: Mapping[str, str] | None = None, *, recognises: bool = True) -> None:
        self.names = dict(names or {})
        for field, column in self.names.items():
            if field not in FIELDS:
                raise InputError(f"columns: {field!r} is not a field of an answer; available: {', '.join(FIELDS)}")
            if not isinstance(column, str) or not column:
                raise InputError(f"columns: {field!r} needs the name of a column, got {column!r}")
        if len(set(self.names.values())) < len(self.names):
            raise InputError(f"columns: two fields use the same column: {self.names!r}")
        self._missing = set(self.names.values())
        self._found: dict[str, None] = {}
        self._first = recognises and not self.names
        self.recognised: dict[str, str] = {}

    def apply(self, record: Mapping[Any, Any]) -> dict[Any, Any]:
        """*record* under the names of the fields.

        The first record decides which columns of another tool are recognised; later records are read alike.
        """
        if self._first:
            self._first, self.recognised = False, recognise(record)
        if self.recognised:
            return _read_recognised(record, self.recognised)
        if not self.names:
            return dict(record)
        if self._missing:
            self._missing.difference_update(record)
            self._found.update(dict.fromkeys(map(str, record)))
        taken = {*self.names.values(), *self.names}
        kept = {key: value for key, value in record.items() if key not in taken}
        return {field: record[column] for field, column in self.names.items() if column in record} | kept

    def check_seen(self, name: str) -> None:
        """Refuse (InputError) an input, called *name*, in which a named column never occurred."""
        for field, column in self.names.items():
            if column in self._missing and self._found:
                raise InputError(
                    f"{name}: no column {column!r}, from which {field!r} was to be read; available: "
                    f"{', '.join(self._found)}",
                    kind="column",
                    field=field,
                )


def name_columns(columns: Mapping[str, str]) -> str:
    """What a message advises for reading fields from *columns*: an option, or in Python an argument.

    >>> name_columns({"prediction": "response"})
    "columns={'prediction': 'response'}"
    """
    spelt = ",".join(f"{field}={column}" for field, column in columns.items())
    return option_or_argument(f"--map {shlex.quote(spelt)}", f"columns={dict(columns)!r}")


def parse_columns(text: str) -> dict[str, str]:
    """The mapping that `FIELD=COLUMN,FIELD=COLUMN` spells; an InputError for any other form.

    >>> parse_columns("prediction=response,references=gold")
    {'prediction': 'response', 'references': 'gold'}
    """
    try:
        return parse_pairs(text, "FIELD=COLUMN", str)
    except ValueError as error:
        raise InputError(str(error), kind="column") from None


def recognise(record: Mapping[Any, Any]) -> dict[str, str]:
    """The columns of another tool's *record*, by field; empty where it has a `prediction` of its own or none is clear.

    A field is read from a column of another name only if *record* has no column of the field's own name and exactly
    one of `OTHER_NAMES`. A list of chat messages gives the prediction (the last message, if the assistant wrote it) and
    the question.

    >>> recognise({"user_input": "What lowers fever?", "response": "Paracetamol does.", "retrieved_contexts": ["..."]})
    {'prediction': 'response', 'question': 'user_input', 'passages': 'retrieved_contexts'}
    >>> recognise({"answer": "Yes", "response": "Yes, it does."})
    {}
    """
    if "prediction" in record:
        return {}
    found = {
        field: columns[0]
        for field in OTHER_NAMES
        if field not in record and len(columns := candidates(record, field)) == 1
    }
    chat = record.get(_CHAT)
    if _is_chat(chat):
        if not candidates(record, "prediction") and chat[-1]["role"] == "assistant":
            found["prediction"] = _CHAT
        if "question" not in record and not candidates(record, "question"):
            found["question"] = _CHAT
    return found if "prediction" in found else {}


def candidates(record: Mapping[Any, Any], field: str) -> list[str]:
    """The columns of *record* that other tools read *field* from."""
    return [name for name in OTHER_NAMES[field] if name in record]


def _read_recognised(record: Mapping[Any, Any], columns: Mapping[str, str]) -> dict[Any, Any]:
    """*record* with each field read from its column; a field under its own name goes first."""
    taken = set(columns.values())
    fields = {field: _read_chat(record[column], field) for field, column in columns.items() if column in record}
    return fields | {key: value for key, value in record.items() if key not in taken}


def _is_chat(value: object) -> TypeGuard[list[Mapping[str, Any]]]:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(turn, Mapping) and isinstance(turn.get("role"), str) and "content" in turn for turn in value)
    )


def _read_chat(value: Any, field: str) -> Any:
    """What a list of chat messages says for *field*: the assistant's last words, or all of the user's; else *value*.

    Of an object (`inputs` of MLflow) it is the value of its one name for the field, or its only value; else nothing.
    """
    if isinstance(value, Mapping) and field in ("question", "references"):
        inside = [name for name in (field, *OTHER_NAMES[field]) if name in value] or list(value)
        return _read_chat(value[inside[0]], field) if len(inside) == 1 else None
    if not _is_chat(value):
        return value
    if field == "prediction":
        return _read_content(value[-1]["content"]) if value[-1]["role"] == "assistant" else None
    return "\n\n".join(_read_content(turn["content"]) for turn in value if turn["role"] == "user")


def _read_content(value: Any) -> Any:
    """The text of one message, which may come in parts (`[{"type": "text", "text": ...}]`)."""
    if not isinstance(value, list):
        return value if value is not None else ""
    return "".join(part["text"] for part in value if isinstance(part, Mapping) and isinstance(part.get("text"), str))
