"""Every alternative of every regular expression of the two readers, with the place in the source where it is written.

A pattern is written in pieces: raw strings one after the other, and f-strings that put shared words in (`{NOT}`). A
row is one alternative of a group (`a` and `b` of `(?:a|b)`), at any depth; what several patterns share is one row. In
lookbehinds and negative lookarounds an alternative is there to keep something from firing, and is no row.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

Place = tuple[str, int, int]
"""Module, first character and one past the last of a stretch of its source."""

_PREFIX = re.compile(r"(?i)(rf|fr|r|f)?(\"\"\"|'''|\"|')")
_OPENINGS = re.compile(r"\(\?(?:P<\w+>|P=\w+\)|<=|<!|[=!:>]|[a-zA-Z-]*:|#|\()?|\(")
_CALLS = frozenset("compile search match fullmatch sub subn split finditer findall".split())


class Traced(NamedTuple):
    """A pattern, and for each character where it is written: the places that lead to it, outermost first."""

    pattern: str
    paths: list[tuple[Place, ...]]


@dataclass(frozen=True)
class Alternative:
    """One alternative of a group of a pattern.

    Attributes:
        start: Its first character in the pattern.
        end: One past its last.
        bar: A bar beside it.
        counted: Whether that it took part in a match can be seen.
    """

    start: int
    end: int
    bar: int
    counted: bool


def alternatives(pattern: str) -> list[Alternative]:
    """The alternatives of every group that has several, the whole pattern included.

    >>> [(a.start, a.end) for a in alternatives("x(?:a|b[|)]|c)")]
    [(4, 5), (6, 11), (12, 13)]
    """
    found: list[Alternative] = []
    stack: list[tuple[int, list[int], bool]] = [(0, [], True)]
    at = 0

    def close(end: int) -> None:
        start, bars, counted = stack.pop()
        edges = [start - 1, *bars, end]
        if bars:
            for number in range(len(edges) - 1):
                left, right = edges[number] + 1, edges[number + 1]
                if left < right:
                    found.append(Alternative(left, right, bars[max(number - 1, 0)], counted))

    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            at += 2
        elif character == "[":
            at += 1 + (pattern[at + 1 : at + 2] == "^")
            at += pattern[at] == "]"
            while pattern[at] != "]":
                at += 2 if pattern[at] == "\\" else 1
            at += 1
        elif character == "(":
            opening = _OPENINGS.match(pattern, at)
            assert opening is not None
            text = opening.group()
            if not text.endswith(")"):
                silent = text in ("(?!", "(?<!", "(?<=", "(?(", "(?#")
                stack.append((opening.end(), [], stack[-1][2] and not silent))
            at = opening.end()
        elif character == ")":
            close(at)
            at += 1
        else:
            if character == "|":
                stack[-1][1].append(at)
            at += 1
    close(len(pattern))
    return sorted(found, key=lambda one: (one.start, -one.end))


def instrumented(pattern: str) -> tuple[str, list[int]] | None:
    """The pattern with a group around each alternative that can be counted, and the numbers of these groups.

    None where groups are referred to by number.
    """
    if re.search(r"\\[1-9]|\(\?\(", pattern):
        return None
    inserted: list[tuple[int, int, str]] = []
    for one in alternatives(pattern):
        if one.counted:
            inserted.append((one.start, one.end - one.start, "("))
            inserted.append((one.end, -(one.end - one.start), ")"))
    # Of groups that begin at one place the longer opens first; of those that end at one place the shorter closes first.
    opens = sorted((at, -length) for at, length, text in inserted if text == "(")
    closes = sorted((at, -length) for at, length, text in inserted if text == ")")
    pieces: list[str] = []
    numbers: list[int] = []
    groups = 0
    at = 0
    while at <= len(pattern):
        pieces += [")" for place, _ in closes if place == at]
        for place, _ in opens:
            if place == at:
                groups += 1
                numbers.append(groups)
                pieces.append("(")
        if at == len(pattern):
            break
        step = 1
        if pattern[at] == "\\":
            step = 2
        elif pattern[at] == "[":
            end = at + 1 + (pattern[at + 1 : at + 2] == "^")
            end += pattern[end] == "]"
            while pattern[end] != "]":
                end += 2 if pattern[end] == "\\" else 1
            step = end + 1 - at
        elif pattern[at] == "(" and (pattern[at + 1 : at + 2] != "?" or pattern.startswith("(?P<", at)):
            groups += 1
        pieces.append(pattern[at : at + step])
        at += step
    return "".join(pieces), numbers


def written(modules: Iterator[str] | list[str]) -> dict[str, Traced]:
    """Every pattern that these modules write out as an argument of a function of `re`, by its text."""
    found: dict[str, Traced] = {}
    for module in modules:
        for node in ast.walk(_tree(module)):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                continue
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id == "re" and node.func.attr in _CALLS:
                traced = trace(module, node.args[0])
                if traced is not None:
                    found.setdefault(traced.pattern, traced)
    return found


def trace(module: str, node: ast.expr) -> Traced | None:
    """What an expression that is only strings, and names of such, says and where; None for any other."""
    if isinstance(node, ast.Name):
        return _named(module, node.id)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = trace(module, node.left), trace(module, node.right)
        return None if left is None or right is None else Traced(left.pattern + right.pattern, left.paths + right.paths)
    if not isinstance(node, ast.Constant | ast.JoinedStr):
        return None
    start, end = _span(module, node)
    return _strings(module, start, end)


def _strings(module: str, start: int, end: int) -> Traced | None:
    source = source_of(module)
    text: list[str] = []
    paths: list[tuple[Place, ...]] = []
    at = start
    while at < end:
        if source[at].isspace():
            at += 1
            continue
        if source[at] == "#":
            at = source.index("\n", at)
            continue
        opening = _PREFIX.match(source, at)
        if opening is None:
            return None
        prefix, quote = (opening.group(1) or "").lower(), opening.group(2)
        at = opening.end()
        while not source.startswith(quote, at):
            character = source[at]
            if "f" in prefix and character in "{}":
                if source[at + 1] == character:
                    text.append(character)
                    paths.append(((module, at, at + 2),))
                    at += 2
                    continue
                close = source.index("}", at)
                inner = _named(module, source[at + 1 : close].strip())
                if inner is None:
                    return None
                text.append(inner.pattern)
                paths += [((module, at, close + 1), *path) for path in inner.paths]
                at = close + 1
                continue
            if character == "\\":
                if "r" not in prefix:
                    return None
                text.append(source[at : at + 2])
                paths += [((module, at, at + 1),), ((module, at + 1, at + 2),)]
                at += 2
                continue
            text.append(character)
            paths.append(((module, at, at + 1),))
            at += 1
        at += len(quote)
    return Traced("".join(text), paths)


def _named(module: str, name: str) -> Traced | None:
    if not name.isidentifier():
        return None
    for node in _tree(module).body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            found = trace(module, node.value)
            if found is not None:
                return found
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("fas."):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return _named(node.module, alias.name)
    value: Any = getattr(importlib.import_module(module), name, None)
    return Traced(value, [() for _ in value]) if isinstance(value, str) else None


def row_of(traced: Traced, one: Alternative) -> Place | None:
    """Where the alternative is written: in the piece of source that its bar stands in; None if nowhere."""
    depth = len(traced.paths[one.bar]) - 1
    first, last = traced.paths[one.start], traced.paths[one.end - 1]
    if depth < 0 or len(first) <= depth or len(last) <= depth:
        return None
    (module, start, _), (other, _, end) = first[depth], last[depth]
    return (module, start, end) if module == other and start < end else None


@cache
def source_of(module: str) -> str:
    """The source of a module."""
    path = importlib.import_module(module).__file__
    assert path is not None
    return Path(path).read_text(encoding="utf-8")


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(source_of(module))


@cache
def _line_starts(module: str) -> list[int]:
    starts = [0]
    for line in source_of(module).splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def _span(module: str, node: ast.expr) -> tuple[int, int]:
    """First character and one past the last of an expression; `ast` counts columns in bytes."""
    lines = source_of(module).splitlines(keepends=True)
    starts = _line_starts(module)

    def place(line: int, column: int) -> int:
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return place(node.lineno, node.col_offset), place(node.end_lineno, node.end_col_offset)
