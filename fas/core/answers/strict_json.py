"""JSON from others, read without guessing: no NaN or Infinity, and no object that gives a key twice."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from typing import Any, NoReturn

from fas.core.errors import InputError


class RepeatingObject(dict[str, Any]):
    """An object that gives a key more than once, with the last value of each key.

    Attributes:
        key: The key that is the first to be given again.
    """

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                self.key = name
                break
            seen.add(name)


def load_strict_json(text: str, *, control_characters: bool = False, nan_as_null: bool = False) -> Any:
    """The value of *text*; objects with a repeated key come as `RepeatingObject`.

    The caller decides what those spoil: ask `find_repeated_key`.

    Args:
        text: One JSON value.
        control_characters: Allow them inside strings.
        nan_as_null: Read NaN and Infinity as null.

    Raises:
        ValueError: It is not JSON; NaN and Infinity are not.
        RecursionError: It is nested too deeply.
    """
    constant = (lambda _: None) if nan_as_null else _refuse
    return json.loads(text, strict=not control_characters, parse_constant=constant, object_pairs_hook=_make_object)


def load_list(text: str) -> Any:
    """The list or object that a cell of a table holds, as JSON or exactly as Python prints it (pandas writes it so).

    numpy prints lists without commas, which Python would read as one text; they are refused.

    >>> load_list("['a', 'b, c']")
    ['a', 'b, c']

    Raises:
        ValueError: It is neither.
    """
    try:
        return load_strict_json(text)
    except ValueError as problem:
        try:
            value = ast.literal_eval(text.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            raise problem from None
        if repr(value) != text.strip():
            raise
        return value


def find_repeated_key(value: Any) -> tuple[str, ...] | None:
    """Where in *value*, as `load_strict_json` gave it, a key is given more than once.

    >>> find_repeated_key(load_strict_json('{"a": 1, "a": 2}'))
    ('a',)
    >>> find_repeated_key(load_strict_json('[{"a": {"b": 1}}, {"a": [{"b": 1, "b": 1}]}]'))
    ('a', 'b')
    >>> find_repeated_key(load_strict_json('{"a": {"b": 1}, "b": 1}'))

    Returns:
        The keys from the outermost object down to the repeated one, or None. An outer object
        is reported before the objects inside it.
    """
    # No recursion: a value may be nested nearly as deep as Python allows. A path is (outer path, key), so that each
    # costs the same however deep it is.
    waiting: list[tuple[_Path | None, Any]] = [(None, value)]
    while waiting:
        path, part = waiting.pop()
        if isinstance(part, RepeatingObject):
            return _list_keys((path, part.key))
        if isinstance(part, dict):
            waiting.extend(((path, name), inner) for name, inner in reversed(part.items()))
        elif isinstance(part, list):
            waiting.extend((path, inner) for inner in reversed(part))
    return None


_Path = tuple[Any, str]


def _list_keys(path: _Path | None) -> tuple[str, ...]:
    found: list[str] = []
    while path is not None:
        path, key = path
        found.append(key)
    return tuple(reversed(found))


def repeated_key_error(path: Sequence[str], line: int, where: str) -> InputError:
    """Return the error for a line whose *path*, from `find_repeated_key`, ends in a repeated key.

    Args:
        path: Its first key is the field that is named.
        line: The line, counted from 1.
        where: How the message begins, e.g. `answers.jsonl, line 3`.
    """
    field, key = path[0], path[-1]
    problem = "given more than once" if len(path) == 1 else f"gives the key {key!r} of an object more than once"
    return InputError(
        f"{where}: field {field!r}: {problem}; the intended value is ambiguous",
        kind="duplicate_key",
        line=line,
        field=field,
    )


def _make_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    return value if len(value) == len(pairs) else RepeatingObject(pairs)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
