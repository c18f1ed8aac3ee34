"""JSON schemas of replies: the few keywords that replies need, checked without a library.

Keywords outside this list are an error, so that a schema never promises what nobody checks:
`type`, `enum`, `const`, `properties`, `required`, `additionalProperties`, `items`, `minItems`,
`maxItems`, `minLength`, `maxLength`, `minimum`, `maximum`, `anyOf`, and the annotations `title`,
`description`, `default`, `examples`, `$schema`.
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
_ANNOTATIONS = frozenset({"title", "description", "default", "examples", "$schema"})
_KEYWORDS = _ANNOTATIONS | {
    "type", "enum", "const", "properties", "required", "additionalProperties", "items", "minItems",
    "maxItems", "minLength", "maxLength", "minimum", "maximum", "anyOf",
}  # fmt: skip


def violation(value: Any, schema: Mapping[str, Any], *, at: str = "$") -> str | None:
    """What first contradicts *schema* in *value*, with its place, or None.

    >>> violation({"label": "maybe"}, {"type": "object", "properties": {"label": {"enum": ["True", "False"]}}})
    "$.label: 'maybe' is none of 'True', 'False'"

    Raises:
        ValueError: The schema uses a keyword or a type that is not known here.
    """
    unknown = sorted(set(schema) - _KEYWORDS)
    if unknown:
        raise ValueError(f"JSON schema: keyword {unknown[0]!r} is not supported; supported: {', '.join(_KEYWORDS)}")
    if "type" in schema and not _is_type(value, schema["type"]):
        wanted = schema["type"] if isinstance(schema["type"], str) else " or ".join(schema["type"])
        return f"{at}: expected {wanted}, found {_name(value)}"
    if "const" in schema and not _same(value, schema["const"]):
        return f"{at}: {value!r} is not {schema['const']!r}"
    if "enum" in schema and not any(_same(value, allowed) for allowed in schema["enum"]):
        return f"{at}: {value!r} is none of {', '.join(map(repr, schema['enum']))}"
    if "anyOf" in schema:
        found = [violation(value, choice, at=at) for choice in schema["anyOf"]]
        if all(found):
            return found[0]
    if isinstance(value, dict):
        return _object_violation(value, schema, at)
    if isinstance(value, list):
        return _array_violation(value, schema, at)
    return _scalar_violation(value, schema, at)


def schema_text(schema: Mapping[str, Any] | None) -> str:
    """*schema* as JSON; keys in their own order, because models write them in it.

    Raises:
        TypeError: It holds something that is not JSON.
        ValueError: It holds itself.
    """
    return json.dumps(schema, default=_plain)


def is_strict(schema: Mapping[str, Any]) -> bool:
    """Whether servers that constrain decoding accept *schema* in strict mode.

    That needs an object at the top, and every object must forbid other keys and require all its own.
    """
    return schema.get("type") == "object" and _closed(schema)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def _closed(schema: Mapping[str, Any]) -> bool:
    parts = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    if isinstance(schema.get("items"), Mapping):
        parts.append(schema["items"])
    whole = schema.get("type") != "object" or (
        schema.get("additionalProperties") is False
        and set(schema.get("required", ())) == set(schema.get("properties", {}))
    )
    return whole and all(map(_closed, parts))


def _object_violation(value: dict[str, Any], schema: Mapping[str, Any], at: str) -> str | None:
    properties: Mapping[str, Any] = schema.get("properties", {})
    missing = [key for key in schema.get("required", ()) if key not in value]
    if missing:
        found = ", ".join(map(repr, list(value)[:5])) or "none"
        return f"{at}: the key {missing[0]!r} is missing (keys found: {found})"
    for key, item in value.items():
        rule = properties.get(key, schema.get("additionalProperties", True))
        if rule is False:
            return f"{at}: the key {key!r} is not allowed"
        if isinstance(rule, Mapping):
            wrong = violation(item, rule, at=f"{at}.{key}")
            if wrong:
                return wrong
    return None


def _array_violation(value: list[Any], schema: Mapping[str, Any], at: str) -> str | None:
    if len(value) < schema.get("minItems", 0):
        return f"{at}: {len(value)} items, at least {schema['minItems']} expected"
    if len(value) > schema.get("maxItems", len(value)):
        return f"{at}: {len(value)} items, at most {schema['maxItems']} expected"
    if isinstance(schema.get("items"), Mapping):
        for i, item in enumerate(value):
            wrong = violation(item, schema["items"], at=f"{at}[{i}]")
            if wrong:
                return wrong
    return None


def _scalar_violation(value: Any, schema: Mapping[str, Any], at: str) -> str | None:
    if isinstance(value, str):
        if len(value) < schema.get("minLength", 0):
            return f"{at}: {len(value)} characters, at least {schema['minLength']} expected"
        if len(value) > schema.get("maxLength", len(value)):
            return f"{at}: {len(value)} characters, at most {schema['maxLength']} expected"
    elif isinstance(value, int | float) and not isinstance(value, bool):
        if value < schema.get("minimum", value):
            return f"{at}: {value!r} is below {schema['minimum']!r}"
        if value > schema.get("maximum", value):
            return f"{at}: {value!r} is above {schema['maximum']!r}"
    return None


def _is_type(value: Any, wanted: str | list[str]) -> bool:
    names = [wanted] if isinstance(wanted, str) else wanted
    for name in names:
        if name not in _TYPES:
            raise ValueError(f"JSON schema: type {name!r} is not known; known: {', '.join(_TYPES)}")
    if isinstance(value, bool):  # JSON's true is no number
        return "boolean" in names
    if isinstance(value, float) and value.is_integer() and "integer" in names:
        return True  # 1.0 is an integer in JSON schema
    return any(isinstance(value, _TYPES[name]) for name in names)


def _same(value: Any, other: Any) -> bool:
    return isinstance(value, bool) == isinstance(other, bool) and bool(value == other)


def _name(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return next(name for name, types in _TYPES.items() if isinstance(value, types))
