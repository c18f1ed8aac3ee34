"""Other names for the fields of an answer: `prediction=response` reads the prediction from the column `response`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fas.errors import InputError

FIELDS = ("id", "question", "prediction", "references", "passages", "claims", "statements")


class Columns:
    """Which column of an input each field is read from; a field that is not named has its own.

    A column that is named for a field goes before a column of the field's own name, which is then not read.

    Args:
        names: Field to column.

    Raises:
        InputError: A key is no field, a value no name, or two fields are to be read from one column.
    """

    def __init__(self, names: Mapping[str, str] | None = None) -> None:
        self.names = dict(names or {})
        for field, column in self.names.items():
            if field not in FIELDS:
                raise InputError(f"columns: {field!r} is no field of an answer; there are: {', '.join(FIELDS)}")
            if not isinstance(column, str) or not column:
                raise InputError(f"columns: {field!r} must be given the name of a column, got {column!r}")
        if len(set(self.names.values())) < len(self.names):
            raise InputError(f"columns: two fields are read from one column: {self.names!r}")
        self._missing = set(self.names.values())
        self._found: dict[str, None] = {}

    def apply(self, record: Mapping[Any, Any]) -> dict[Any, Any]:
        """*record* under the names of the fields."""
        if not self.names:
            return dict(record)
        if self._missing:
            self._missing.difference_update(record)
            self._found.update(dict.fromkeys(map(str, record)))
        taken = {*self.names.values(), *self.names}
        kept = {key: value for key, value in record.items() if key not in taken}
        return {field: record[column] for field, column in self.names.items() if column in record} | kept

    def check_seen(self, name: str) -> None:
        """Refuse an input, called *name*, in which a named column never occurred.

        Raises:
            InputError: There is such a column; the message lists the columns there are.
        """
        for field, column in self.names.items():
            if column in self._missing and self._found:
                raise InputError(
                    f"{name}: no column {column!r}, from which {field!r} was to be read; there are: "
                    f"{', '.join(self._found)}",
                    kind="column",
                    field=field,
                )


def parse_columns(text: str) -> dict[str, str]:
    """The mapping that `FIELD=COLUMN,FIELD=COLUMN` spells.

    >>> parse_columns("prediction=response,references=gold")
    {'prediction': 'response', 'references': 'gold'}

    Raises:
        InputError: It is of another form, or a field is named twice.
    """
    names: dict[str, str] = {}
    for item in text.split(","):
        field, equals, column = (part.strip() for part in item.partition("="))
        if not equals or not field or not column:
            raise InputError(f"expected FIELD=COLUMN, separated by commas, got {text!r}", kind="column")
        if field in names:
            raise InputError(f"{field!r} is named twice in {text!r}", kind="column")
        names[field] = column
    return names
