"""Records checked against their types, field by field: one reader for every file of results.

A type is a `TypedDict`, a list, a union with None, a `Literal`, `dict[str, Any]` or a plain type. An absent field gets
its empty value (null, no items, false), so that older runs read like new ones; a field without an empty value is an
error. Fields that the type does not name are kept.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints, is_typeddict

from fas.core.checks import parse_finite
from fas.core.records.stored import SCHEMA, AnswerRecord


class Fault(NamedTuple):
    """A wrong value: its place, such as `claims[0].label`, and what was expected there."""

    path: str
    expected: str
    value: object

    def __str__(self) -> str:
        shown = repr(self.value) if isinstance(self.value, str | int | float | None) else type(self.value).__name__
        return f"expected {self.expected}, got {shown if len(shown) <= 60 else shown[:60] + '...'}"

    def within(self, step: str) -> Fault:
        """The same fault, seen from the value that holds it at *step*."""
        return self._replace(path=f"{step}.{self.path}" if self.path[:1] not in ("", "[") else step + self.path)


Check = Callable[[Any], Fault | None]

_PLAIN: dict[Any, tuple[str, str, Callable[[Any], bool]]] = {
    str: ("a string", "string", lambda value: isinstance(value, str)),
    bool: ("true or false", "boolean", lambda value: isinstance(value, bool)),
    int: ("a whole number", "integer", lambda value: type(value) is int and -(2**63) <= value < 2**63),
    float: ("a number", "number", lambda value: not isinstance(value, bool) and parse_finite(value) is not None),
    type(None): ("null", "null", lambda value: value is None),
    Any: ("anything", "", lambda value: True),
}


@cache
def checker(hint: Any) -> Check:
    """A function that finds the first fault of a value that ought to be a *hint*, and fills in its absent fields."""
    origin, inner = get_origin(hint), get_args(hint)
    if is_typeddict(hint):
        return _make_object_checker(hint)
    if origin is list:
        return _make_collection_checker(list, "a list", checker(inner[0]))
    if origin is dict:
        return _make_collection_checker(dict, "an object", checker(inner[1]))
    if origin in (Union, types.UnionType):
        (own,) = (one for one in inner if one is not type(None))
        return _make_optional_checker(checker(own))
    expected, _, holds = _PLAIN[str] if origin is Literal else _PLAIN[hint]
    if origin is Literal:
        expected = f"one of {', '.join(inner)}"
    return lambda value: None if holds(value) and (not inner or value in inner) else Fault("", expected, value)


def _make_optional_checker(inside: Check) -> Check:
    def check(value: Any) -> Fault | None:
        if value is None or (fault := inside(value)) is None:
            return None
        return fault if fault.path else fault._replace(expected=f"{fault.expected} or null")

    return check


def _make_collection_checker(kind: type[list[Any]] | type[dict[str, Any]], expected: str, inside: Check) -> Check:
    def check(value: Any) -> Fault | None:
        if not isinstance(value, kind):
            return Fault("", expected, value)
        steps: Iterable[Any] = value if isinstance(value, dict) else range(len(value))
        for step in steps:
            if (fault := inside(value[step])) is not None:
                return fault.within(step if isinstance(value, dict) else f"[{step}]")
        return None

    return check


def _make_object_checker(hint: Any) -> Check:
    @cache  # not before the first value: a type may hold itself
    def fields() -> list[tuple[str, Check, bool, Callable[[], Any]]]:
        return [(name, checker(own), *_read_default(own)) for name, own in get_type_hints(hint).items()]

    def check(value: Any) -> Fault | None:
        if not isinstance(value, dict):
            return Fault("", "an object", value)
        for name, inside, optional, make in fields():
            found = value.get(name)
            if found is None and (optional or name not in value):
                if not optional:
                    return Fault(name, "a value", None)
                value[name] = make()
            elif (fault := inside(found)) is not None:
                return fault.within(name)
        return None

    return check


def _read_default(hint: Any) -> tuple[bool, Callable[[], Any]]:
    """Whether a field may be absent or null, and what makes its empty value."""
    origin = get_origin(hint)
    if origin in (list, dict):
        return True, origin
    return hint is bool or type(None) in get_args(hint), bool if hint is bool else types.NoneType


def scores_schema() -> dict[str, Any]:
    """The JSON Schema of a line of `scores.jsonl`, as it is shipped; its `$id` ends with the version of the records."""
    about = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:fas:scores:{SCHEMA}"}
    return {**about, **json_schema(AnswerRecord)}


def json_schema(hint: Any) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a *hint*."""
    origin, inner = get_origin(hint), get_args(hint)
    if is_typeddict(hint):
        hints = get_type_hints(hint)
        return {
            "type": "object",
            "description": (hint.__doc__ or "").strip(),
            "properties": {name: json_schema(own) for name, own in hints.items()},
            "required": [name for name, own in hints.items() if not _read_default(own)[0]],
        }
    if origin is list:
        return {"type": "array", "items": json_schema(inner[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": json_schema(inner[1])}
    if origin in (Union, types.UnionType):
        return {"anyOf": [json_schema(one) for one in inner]}
    if origin is Literal:
        return {"enum": list(inner)}
    name = _PLAIN[hint][1]
    return {"type": name} if name else {}
