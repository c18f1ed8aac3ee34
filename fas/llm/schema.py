"""JSON schemas of replies: the few keywords that replies need, checked without a library.

Keywords outside this list are an error, so that a schema never promises what nobody checks:
`type` (a name or a list of names), `enum`, `properties`, `required`, `additionalProperties` (false) and `items`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_KEYWORDS = ("type", "enum", "properties", "required", "additionalProperties", "items")


def find_violation(value: Any, schema: Mapping[str, Any], *, at: str = "$") -> str | None:
    """What first contradicts *schema* in *value*, with its place, or None.

    >>> find_violation({"label": "maybe"}, {"type": "object", "properties": {"label": {"enum": ["True", "False"]}}})
    "$.label: 'maybe' is not one of 'True', 'False'"

    Raises:
        ValueError: The schema uses a keyword or a type that is not known here.
    """
    unknown = sorted(set(schema) - set(_KEYWORDS))
    if unknown:
        raise ValueError(f"JSON schema: keyword {unknown[0]!r} is not supported; supported: {', '.join(_KEYWORDS)}")
    wanted = schema.get("type", [])
    names = [wanted] if isinstance(wanted, str) else wanted
    if names and not any(_is_of_type(value, name) for name in names):
        return f"{at}: expected {' or '.join(names)}, found {_name(value)}"
    if "enum" in schema and not any(type(value) is type(allowed) and value == allowed for allowed in schema["enum"]):
        return f"{at}: {value!r} is not one of {', '.join(map(repr, schema['enum']))}"
    if isinstance(value, list):
        parts = [(f"{at}[{i}]", item, schema.get("items", {})) for i, item in enumerate(value)]
    elif isinstance(value, dict):
        properties: Mapping[str, Any] = schema.get("properties", {})
        missing = [key for key in schema.get("required", ()) if key not in value]
        if missing:
            found = ", ".join(map(repr, list(value)[:5])) or "none"
            return f"{at}: the key {missing[0]!r} is missing (keys found: {found})"
        more = [key for key in value if key not in properties]
        if more and schema.get("additionalProperties") is False:
            return f"{at}: the key {more[0]!r} is not allowed"
        parts = [(f"{at}.{key}", value[key], rule) for key, rule in properties.items() if key in value]
    else:
        return None
    return next((wrong for place, item, rule in parts if (wrong := find_violation(item, rule, at=place))), None)


def _is_of_type(value: Any, name: str) -> bool:
    if name not in _TYPES:
        raise ValueError(f"JSON schema: type {name!r} is not known; known: {', '.join(_TYPES)}")
    # In JSON, true is not a number.
    return isinstance(value, _TYPES[name]) and (not isinstance(value, bool) or name == "boolean")


def format_schema(schema: Mapping[str, Any] | None) -> str:
    """*schema* as JSON; keys in their own order, because models write them in it.

    Raises:
        TypeError: It holds something that is not JSON.
        ValueError: It holds itself.
    """
    return json.dumps(schema, default=_to_plain)


def is_strict(schema: Mapping[str, Any]) -> bool:
    """Whether servers that constrain decoding accept *schema* in strict mode.

    That needs an object at the top, and every object must forbid other keys and require all its own.
    """
    return schema.get("type") == "object" and _is_closed(schema)


def _to_plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def _is_closed(schema: Mapping[str, Any]) -> bool:
    properties = schema.get("properties", {})
    whole = schema.get("additionalProperties") is False and set(schema.get("required", ())) == set(properties)
    parts = [*properties.values(), *([schema["items"]] if "items" in schema else [])]
    return (whole or schema.get("type") != "object") and all(map(_is_closed, parts))


def _name(value: Any) -> str:
    return "boolean" if isinstance(value, bool) else next(n for n, types in _TYPES.items() if isinstance(value, types))
