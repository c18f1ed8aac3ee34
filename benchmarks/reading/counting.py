"""Regular expressions that note which of their alternatives took part in a match, and in which text."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.reading.rows import Place, alternatives, instrumented, row_of, written

PACKAGES = ("fas.claims", "fas.reading", "fas.safety")


class Counts:
    """How many independent texts each row fired on.

    Attributes:
        fired: Row to the texts it fired on.
        whole: Pattern to the texts it fired on.
        text: The text that is being read.
    """

    def __init__(self) -> None:
        self.modules = modules()
        self.traced = written(self.modules)
        self.fired: dict[Place, set[str]] = defaultdict(set)
        self.whole: dict[str, set[str]] = defaultdict(set)
        self.text = ""
        self._known: dict[tuple[str, int], Counting] = {}

    def rows(self) -> set[Place]:
        """Every row there is, fired or not."""
        found: set[Place] = set()
        for traced in self.traced.values():
            if instrumented(traced.pattern) is None:
                continue
            for one in alternatives(traced.pattern):
                place = row_of(traced, one) if one.counted else None
                if place is not None:
                    found.add(place)
        return found

    def counting(self, pattern: re.Pattern[str]) -> Counting:
        """*pattern*, counted."""
        key = (pattern.pattern, pattern.flags)
        if key not in self._known:
            self._known[key] = Counting(pattern, self)
        return self._known[key]


class Counting:
    """A compiled pattern that does what it did and counts."""

    def __init__(self, pattern: re.Pattern[str], counts: Counts) -> None:
        self._pattern = pattern
        self._counts = counts
        self._rows: list[Place | None] = []
        self._inside: re.Pattern[str] | None = None
        traced = counts.traced.get(pattern.pattern)
        made = instrumented(pattern.pattern) if traced is not None else None
        if traced is not None and made is not None:
            counted = [one for one in alternatives(traced.pattern) if one.counted]
            self._rows = [row_of(traced, one) for one in counted]
            self._inside = re.compile(made[0], pattern.flags)
            self._groups = made[1]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pattern, name)

    def __hash__(self) -> int:
        return hash(self._pattern)

    def __eq__(self, other: object) -> bool:
        return other is self or other == self._pattern

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
        self._all(*args)
        return self._pattern.finditer(*args)

    def findall(self, *args: Any) -> list[Any]:
        """As of the pattern."""
        self._all(*args)
        return self._pattern.findall(*args)

    def sub(self, repl: Any, string: str, count: int = 0) -> str:
        """As of the pattern."""
        self._all(string)
        return self._pattern.sub(repl, string, count)

    def split(self, string: str, maxsplit: int = 0) -> list[Any]:
        """As of the pattern."""
        self._all(string)
        return self._pattern.split(string, maxsplit)

    def _noted(self, method: str, args: Any) -> re.Match[str] | None:
        found: re.Match[str] | None = getattr(self._pattern, method)(*args)
        if found is not None:
            self._counts.whole[self._pattern.pattern].add(self._counts.text)
            if self._inside is not None:
                self._note(getattr(self._inside, method)(*args))
        return found

    def _all(self, *args: Any) -> None:
        for found in (self._inside or self._pattern).finditer(*args):
            self._counts.whole[self._pattern.pattern].add(self._counts.text)
            self._note(found)

    def _note(self, found: re.Match[str] | None) -> None:
        if found is None or self._inside is None:
            return
        for group, row in zip(self._groups, self._rows, strict=True):
            if row is not None and found.start(group) >= 0:
                self._counts.fired[row].add(self._counts.text)


class CountingRe:
    """The module `re`, as one of the readers' modules sees it."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts

    def __getattr__(self, name: str) -> Any:
        value = getattr(re, name)
        if name == "compile":
            return lambda *args, **kwargs: self._counts.counting(value(*args, **kwargs))
        if name in ("search", "match", "fullmatch", "finditer", "findall"):
            return lambda pattern, string, flags=0: getattr(self._of(pattern, flags), name)(string)
        if name == "sub":
            return lambda pattern, repl, string, count=0, flags=0: self._of(pattern, flags).sub(repl, string, count)
        if name == "split":
            return lambda pattern, string, maxsplit=0, flags=0: self._of(pattern, flags).split(string, maxsplit)
        return value

    def _of(self, pattern: Any, flags: int) -> Counting:
        if isinstance(pattern, Counting):
            return pattern
        return self._counts.counting(re.compile(pattern, flags))


def modules() -> list[str]:
    """The modules of both readers by their names."""
    found = []
    for package in PACKAGES:
        folder = importlib.import_module(package).__path__
        found += [f"{package}.{one.name}" for one in pkgutil.iter_modules(folder) if not one.ispkg]
    return found


@contextmanager
def counted() -> Iterator[Counts]:
    """Count as long as the block lasts; afterwards every module is as it was."""
    counts = Counts()
    before: list[tuple[Any, str, Any]] = []
    for name in counts.modules:
        module = importlib.import_module(name)
        for key, value in list(vars(module).items()):
            if value is re:
                changed: Any = CountingRe(counts)
            else:
                changed = _changed(value, counts)
            if changed is not value:
                before.append((module, key, value))
                setattr(module, key, changed)
    try:
        yield counts
    finally:
        for module, key, value in before:
            setattr(module, key, value)


def _changed(value: Any, counts: Counts) -> Any:
    """*value* with every pattern in it counted; itself where there is none."""
    if isinstance(value, re.Pattern):
        return counts.counting(value) if isinstance(value.pattern, str) else value
    if type(value) in (tuple, list):
        made = [_changed(one, counts) for one in value]
        return type(value)(made) if any(a is not b for a, b in zip(made, value, strict=True)) else value
    if type(value) is dict:
        pairs = [(_changed(key, counts), _changed(one, counts)) for key, one in value.items()]
        same = all(a is c and b is d for (a, b), (c, d) in zip(pairs, value.items(), strict=True))
        return value if same else dict(pairs)
    return value
