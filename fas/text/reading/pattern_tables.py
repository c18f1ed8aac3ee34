"""Patterns as data: a table with an alternative and an example in each row.

Beside a module `phrases.py` lies `patterns/phrases.tsv`; `PHRASES = patterns_of(__file__)` compiles it once, and
`PHRASES.denies` is the compiled pattern whose rows are named `denies`. A row has a name, a regular expression and an
example that the pattern is found in with this row alone; rows of one name are alternatives, in their order. Three more
kinds of line:

- `denies:` is the frame, an expression with `{}` in the place of the rows, and flags (`i`: capitals do not count).
  Without a frame, the pattern is the rows alone, and capitals count.
- A name in capitals is a part: `{NOT}` in another expression of the table inserts it, `{cues.NOT}` that of `cues.tsv`
  beside it. A part of several rows is a group of them. A part has no example of its own.
- A line that begins with `#` is a comment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

_PART = re.compile(r"\{((?:[a-z_]+\.)?[A-Z][A-Z_]*)\}")
_FLAGS = {"i": re.IGNORECASE, "s": re.DOTALL, "m": re.MULTILINE, "a": re.ASCII}


class PatternRow(NamedTuple):
    """An alternative of a pattern.

    Attributes:
        line: Its line in the table.
        name: Name of the pattern.
        expression: The alternative, as written.
        example: A text that the pattern is found in with this row alone; empty for a part.
    """

    line: int
    name: str
    expression: str
    example: str


class Patterns:
    """The compiled patterns of a table, an attribute each.

    *given* holds parts that are in no table, by name. A ValueError names table and line of a row that is malformed.
    """

    def __init__(self, path: Path, given: Mapping[str, str] | None = None) -> None:
        self._path = path
        self._given = dict(given or {})
        self._frames: dict[str, tuple[str, re.RegexFlag]] = {}
        self._rows: dict[str, list[PatternRow]] = {}
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if line.strip() and not line.startswith("#"):
                self._read(number, line.split("\t"))
        for name in self.names:
            if hasattr(type(self), name):
                raise self._make_error(self._rows[name][0].line, f"{name} is an attribute of every table")
            setattr(self, name, self.compiled(self._rows[name]))

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> re.Pattern[str]: ...

    def _read(self, number: int, cells: list[str]) -> None:
        name, expression, example = (*cells, "", "")[:3]
        framed = name.endswith(":")
        if not name.removesuffix(":").isidentifier() or not expression or len(cells) > 3:
            raise self._make_error(number, "expected a name, an expression and an example")
        if framed:
            if expression.count("{}") != 1 or not set(example) <= _FLAGS.keys():
                raise self._make_error(number, f"expected an expression with {{}} and flags of {''.join(_FLAGS)}")
            flags = re.RegexFlag(0)
            for letter in example:
                flags |= _FLAGS[letter]
            self._frames[name[:-1]] = expression, flags
            return
        if not example and not name.isupper():
            raise self._make_error(number, "an example is missing")
        self._rows.setdefault(name, []).append(PatternRow(number, name, expression, example))

    def _make_error(self, number: int, problem: str) -> ValueError:
        return ValueError(f"{self._path.parent.name}/{self._path.name}, line {number}: {problem}")

    @property
    def rows(self) -> list[PatternRow]:
        """Every alternative, those of parts included, in the order of the table."""
        return sorted(row for rows in self._rows.values() for row in rows)

    def part(self, name: str) -> str:
        """The expression of the part *name*."""
        if name in self._given:
            return self._given[name]
        table, _, own = name.rpartition(".")
        if table:
            return _load_table(self._path.with_name(f"{table}.tsv")).part(own)
        if name not in self._rows:
            raise ValueError(f"{self._path.name}: no part {{{name}}}")
        rows = [self._fill_parts(row.expression) for row in self._rows[name]]
        return rows[0] if len(rows) == 1 else f"(?:{'|'.join(rows)})"

    def _fill_parts(self, expression: str) -> str:
        return _PART.sub(lambda found: self.part(found[1]), expression)

    @property
    def names(self) -> list[str]:
        """The patterns."""
        return [name for name in self._rows if not name.isupper()]

    def compiled(self, rows: Sequence[PatternRow]) -> re.Pattern[str]:
        """The pattern of *rows*, which are all or some of the rows of one name."""
        frame, flags = self._frames.get(rows[0].name, ("{}", re.RegexFlag(0)))
        # Parts are inserted before the rows, as a row may hold braces of its own.
        before, after = (self._fill_parts(text) for text in frame.split("{}", 1))
        expression = before + "|".join(self._fill_parts(row.expression) for row in rows) + after
        try:
            return re.compile(expression, flags)
        except re.error as error:
            raise self._make_error(rows[0].line, f"{rows[0].name}: {error}") from error


@cache
def _load_table(path: Path) -> Patterns:
    return Patterns(path)


def load_patterns(module: str, **given: str) -> Patterns:
    """The patterns beside the module with the `__file__` *module*, with parts *given* by name."""
    path = Path(module)
    path = path.parent / "patterns" / f"{path.stem}.tsv"
    return Patterns(path, given) if given else _load_table(path)
