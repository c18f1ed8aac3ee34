"""Patterns that note which of their rows find what the pattern found, and in which text."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from fas.text.reading.pattern_tables import Patterns
from fas.text.reading.pattern_tables import PatternRow as TableRow

PACKAGES = ("fas.claims", "fas.text.reading", "fas.safety")


class Row(NamedTuple):
    """A row of a module's table."""

    module: str
    row: TableRow


class Counts:
    """How many independent texts each row fired on.

    Attributes:
        tables: Modules to their tables.
        fired: Row to the texts it fired on.
        whole: Module and pattern to the texts it fired on.
        text: The text that is being read.
    """

    def __init__(self) -> None:
        self.tables = tables()
        self.fired: dict[Row, set[str]] = defaultdict(set)
        self.whole: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.text = ""

    @property
    def rows(self) -> list[Row]:
        """Every row there is, fired or not; those of parts are counted with what they are in."""
        return [
            Row(module, row) for module, table in self.tables.items() for row in table.rows if not row.name.isupper()
        ]

    @property
    def patterns(self) -> list[tuple[str, str]]:
        """Every pattern, by module and name."""
        return [(module, name) for module, table in self.tables.items() for name in table.names]


class Counting:
    """A compiled pattern that does what it did and counts.

    Args:
        module: Whose it is.
        table: The table it is in.
        name: Its name there.
        counts: Where it counts.
    """

    def __init__(self, module: str, table: Patterns, name: str, counts: Counts) -> None:
        self._pattern: re.Pattern[str] = getattr(table, name)
        self._key = module, name
        self._counts = counts
        # Each row by itself: groups around the rows of one pattern are more than `re` can follow beside its atomic repeats.
        self._rows = [(Row(module, row), table.compiled([row])) for row in table.rows if row.name == name]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pattern, name)

    def search(self, *args: Any) -> re.Match[str] | None:
        """As of the pattern."""
        return self._noted("search", args)

    def match(self, *args: Any) -> re.Match[str] | None:
        """As of the pattern."""
        return self._noted("match", args)

    def fullmatch(self, *args: Any) -> re.Match[str] | None:
        """As of the pattern."""
        return self._noted("fullmatch", args)

    def finditer(self, *args: Any) -> Iterator[re.Match[str]]:
        """As of the pattern."""
        self._note("search", args)
        return self._pattern.finditer(*args)

    def findall(self, *args: Any) -> list[Any]:
        """As of the pattern."""
        self._note("search", args)
        return self._pattern.findall(*args)

    def sub(self, repl: Any, string: str, count: int = 0) -> str:
        """As of the pattern."""
        self._note("search", (string,))
        return self._pattern.sub(repl, string, count)

    def split(self, string: str, maxsplit: int = 0) -> list[Any]:
        """As of the pattern."""
        self._note("search", (string,))
        return self._pattern.split(string, maxsplit)

    def _noted(self, method: str, args: Any) -> re.Match[str] | None:
        self._note(method, args)
        found: re.Match[str] | None = getattr(self._pattern, method)(*args)
        return found

    def _note(self, method: str, args: Any) -> None:
        if getattr(self._pattern, method)(*args) is None:
            return
        self._counts.whole[self._key].add(self._counts.text)
        for row, alone in self._rows:
            seen = self._counts.text in self._counts.fired.get(row, ())
            if not seen and getattr(alone, method)(*args) is not None:
                self._counts.fired[row].add(self._counts.text)


def tables() -> dict[str, Patterns]:
    """The tables of both readers, by module."""
    found = {}
    for package in PACKAGES:
        for one in pkgutil.iter_modules(importlib.import_module(package).__path__):
            if not one.ispkg:
                module = importlib.import_module(f"{package}.{one.name}")
                own = getattr(module, one.name.upper(), None)
                if isinstance(own, Patterns):
                    found[module.__name__] = own
    return found


@contextmanager
def counted() -> Iterator[Counts]:
    """Count as long as the block lasts; afterwards every table is as it was."""
    counts = Counts()
    before = [(table, name, getattr(table, name)) for table in counts.tables.values() for name in table.names]
    for module, table in counts.tables.items():
        for name in table.names:
            setattr(table, name, Counting(module, table, name, counts))
    try:
        yield counts
    finally:
        for table, name, pattern in before:
            setattr(table, name, pattern)
