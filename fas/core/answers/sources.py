"""Where answers come from: a file, columns of other names in it, or objects of Python."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fas.core.errors import InputError
from fas.core.records import Answer


@dataclass(frozen=True)
class AnswerSource:
    """Answers that can be read more than once.

    Attributes:
        path: The file; None for answers that were given as objects.
        name: What messages call it.
        columns: Field to the column it is read from, where that has another name.
        answers: The answers that were given.
        others: Further files, read after the first; each is called by its own name.
        keeps: Whatever has to live as long as the file does.
    """

    path: Path | None
    name: str
    columns: Mapping[str, str] = field(default_factory=dict)
    answers: tuple[Answer, ...] = ()
    others: tuple[Path, ...] = ()
    keeps: object = None

    @property
    def files(self) -> list[Path]:
        """The files that are read; a data set that `datasets` saved is one, though a folder."""
        return [] if self.path is None else [self.path, *self.others]

    def name_of(self, path: Path) -> str:
        """What messages call one of the files."""
        return f"{self.name.rstrip('/')}/{path.name}" if self.others else self.name


def as_source(source: Path | AnswerSource) -> AnswerSource:
    """*source*, if need be a path with the names of the fields as they are."""
    return source if isinstance(source, AnswerSource) else AnswerSource(source, str(source))


def iterate_rows(items: Iterable[Any]) -> Iterator[Any]:
    """The rows of a table or list: of a pandas DataFrame its records, of anything else its items.

    Raises:
        TypeError: It has no rows: a text, one answer, or a `DatasetDict`, of which one split is meant.
    """
    pandas, datasets = sys.modules.get("pandas"), sys.modules.get("datasets")
    if pandas is not None and isinstance(items, pandas.DataFrame):
        twice = items.columns[items.columns.duplicated()]
        if len(twice):
            raise InputError(f"answers: more than one column is called {twice[0]!r}", kind="duplicate_key")
        names = [str(name) for name in items.columns]
        for row in items.itertuples(index=False, name=None):
            yield dict(zip(names, row, strict=True))
        return
    if datasets is not None and isinstance(items, datasets.DatasetDict | datasets.IterableDatasetDict):
        splits = ", ".join(map(str, items))
        raise TypeError(
            f"a DatasetDict holds several splits ({splits}); give one of them, e.g. data[{next(iter(items))!r}]"
        )
    if isinstance(items, Mapping | Answer):
        raise TypeError("expected a list of answers, got one; put it into a list")
    yield from items
