"""Records checked against their types, field by field: one reader for every file of results.

A type is a `TypedDict`, a list, a union with None, a `Literal`, `dict[str, Any]` or a plain type. A field that is
absent gets what says so (null, no items, false), so that older runs read like new ones; one that has no such value is
an error. Fields that the type does not name are kept.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from functools import cache
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints, is_typeddict

from fas.core.checks import parse_finite
from fas.core.records.stored import SCHEMA, AnswerRecord


class Fault(NamedTuple):
    """What is wrong with a value: where it is, as `claims[0].label`, and what was expected there."""

    path: str
    expected: str
    value: object

    def __str__(self) -> str:
        shown = repr(self.value) if isinstance(self.value, str | int | float | None) else type(self.value).__name__
        return f"expected {self.expected}, got {shown if len(shown) <= 60 else shown[:60] + '...'}"


Check = Callable[[Any], Fault | None]

_PLAIN: dict[Any, tuple[str, dict[str, str], Callable[[Any], bool]]] = {
    str: ("a string", {"type": "string"}, lambda value: isinstance(value, str)),
    bool: ("true or false", {"type": "boolean"}, lambda value: isinstance(value, bool)),
    int: ("a whole number", {"type": "integer"}, lambda value: type(value) is int and -(2**63) <= value < 2**63),
    float: (
        "a number",
        {"type": "number"},
        lambda value: not isinstance(value, bool) and parse_finite(value) is not None,
    ),
    type(None): ("null", {"type": "null"}, lambda value: value is None),
    Any: ("anything", {}, lambda value: True),
}


@cache
def checker(hint: Any) -> Check:
    """What finds the first fault of a value that ought to be a *hint*; absent fields of the value are filled in."""
    if is_typeddict(hint):
        return _object_checker(hint)
    origin = get_origin(hint)
    if origin is list:
        return _list_checker(get_args(hint)[0])
    if origin in (Union, types.UnionType):
        (inner,) = (one for one in get_args(hint) if one is not type(None))
        inside = checker(inner)

        def check_optional(value: Any) -> Fault | None:
            if value is None or (fault := inside(value)) is None:
                return None
            return fault if fault.path else fault._replace(expected=f"{fault.expected} or null")

        return check_optional
    if origin is Literal:
        choices = get_args(hint)
        return _plain_checker(f"one of {', '.join(choices)}", lambda value: isinstance(value, str) and value in choices)
    if origin is dict:
        return _map_checker(get_args(hint)[1])
    expected, _, holds = _PLAIN[hint]
    return _plain_checker(expected, holds)


def _plain_checker(expected: str, holds: Callable[[Any], bool]) -> Check:
    return lambda value: None if holds(value) else Fault("", expected, value)


def _prefix_step(step: str, fault: Fault) -> Fault:
    dot = "." if fault.path and not fault.path.startswith("[") else ""
    return fault._replace(path=f"{step}{dot}{fault.path}")


def _list_checker(hint: Any) -> Check:
    inside = checker(hint)

    def check(value: Any) -> Fault | None:
        if not isinstance(value, list):
            return Fault("", "a list", value)
        faults = ((i, inside(item)) for i, item in enumerate(value))
        return next((_prefix_step(f"[{i}]", fault) for i, fault in faults if fault is not None), None)

    return check


def _map_checker(hint: Any) -> Check:
    inside = checker(hint)

    def check(value: Any) -> Fault | None:
        if not isinstance(value, dict):
            return Fault("", "an object", value)
        faults = () if hint is Any else ((name, inside(item)) for name, item in value.items())
        return next((_prefix_step(name, fault) for name, fault in faults if fault is not None), None)

    return check


def _object_checker(hint: Any) -> Check:
    @cache  # not before the first value: a type may hold itself
    def fields() -> list[tuple[str, Check, bool, Callable[[], Any]]]:
        return [(name, checker(own), *_absent(own)) for name, own in get_type_hints(hint).items()]

    def check(value: Any) -> Fault | None:
        if not isinstance(value, dict):
            return Fault("", "an object", value)
        for name, inside, absent, make in fields():
            found = value.get(name)
            if found is None and (absent or name not in value):
                if not absent:
                    return Fault(name, "a value", None)
                value[name] = make()
            elif (fault := inside(found)) is not None:
                return _prefix_step(name, fault)
        return None

    return check


def _absent(hint: Any) -> tuple[bool, Callable[[], Any]]:
    """Whether a field may be absent or null, and what makes the value that says so."""
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
    if is_typeddict(hint):
        hints = get_type_hints(hint)
        return {
            "type": "object",
            "description": (hint.__doc__ or "").strip(),
            "properties": {name: json_schema(own) for name, own in hints.items()},
            "required": [name for name, own in hints.items() if not _absent(own)[0]],
        }
    origin, inner = get_origin(hint), get_args(hint)
    if origin is list:
        return {"type": "array", "items": json_schema(inner[0])}
    if origin in (Union, types.UnionType):
        return {"anyOf": [json_schema(one) for one in inner]}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin is dict:
        return {"type": "object", "additionalProperties": json_schema(inner[1])}
    return dict(_PLAIN[hint][1])
