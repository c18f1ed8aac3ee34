"""JSON from others, read without guessing: no NaN or Infinity, and no object that gives a key twice."""

from __future__ import annotations

import ast
import json
from collections import Counter
from typing import Any, NoReturn

from fas.core.errors import InputError


class RepeatingObject(dict[str, Any]):
    """An object that gives *key* more than once, with the last value of each key."""

    key: str


def load_strict_json(text: str, *, control_characters: bool = False, nan_as_null: bool = False) -> Any:
    """The value of *text*; objects with a repeated key come as `RepeatingObject`, for `find_repeated_key`.

    *control_characters* allows them inside strings; *nan_as_null* reads NaN and Infinity, which are else a ValueError
    as anything that is not JSON, as null. A RecursionError is raised for a value that is nested too deeply.
    """
    constant = (lambda _: None) if nan_as_null else _refuse
    return json.loads(text, strict=not control_characters, parse_constant=constant, object_pairs_hook=_make_object)


def load_list(text: str) -> Any:
    """The list or object in a cell of a table, as JSON or exactly as Python prints it (pandas writes it so).

    numpy prints lists without commas, which Python would read as one text; they are a ValueError as anything else.

    >>> load_list("['a', 'b, c']")
    ['a', 'b, c']
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


def find_repeated_key(value: Any, field: str | None = None) -> tuple[str, str] | None:
    """The field of *value* in which an object gives a key twice, and that key; None if there is none.

    *value* is as `load_strict_json` gave it, and *field* the field that it belongs to, if any. Outer objects are
    searched before inner ones.

    >>> find_repeated_key(load_strict_json('{"a": 1, "a": 2}'))
    ('a', 'a')
    >>> find_repeated_key(load_strict_json('[{"a": {"b": 1}}, {"a": [{"b": 1, "b": 1}]}]'))
    ('a', 'b')
    >>> find_repeated_key(load_strict_json('{"a": {"b": 1}, "b": 1}'))
    """
    waiting = [(field, value)]  # no recursion: a value may be nested nearly as deep as Python allows
    while waiting:
        name, part = waiting.pop()
        if isinstance(part, RepeatingObject):
            return name or part.key, part.key
        if isinstance(part, dict):
            waiting.extend((name or key, inner) for key, inner in reversed(part.items()))
        elif isinstance(part, list):
            waiting.extend((name, inner) for inner in reversed(part))
    return None


def repeated_key_error(repeated: tuple[str, str], line: int, where: str) -> InputError:
    """The error for a line, counted from 1, with a *repeated* key as `find_repeated_key` gives it.

    The message begins with *where*, e.g. `answers.jsonl, line 3`.
    """
    field, key = repeated
    problem = "given more than once" if field == key else f"gives the key {key!r} of an object more than once"
    message = f"{where}: field {field!r}: {problem}; the intended value is ambiguous"
    return InputError(message, kind="duplicate_key", line=line, field=field)


def _make_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) == len(pairs):
        return value
    repeating = RepeatingObject(pairs)
    repeating.key = next(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
    return repeating


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
