"""Values as pandas, numpy and datasets hold them, made into what JSON would have given."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

_BASIC = (str, int, bool, type(None))
# What pandas writes for "no value" beside NaN; known by name, so that pandas is not loaded to find out.
_NOTHING = ("NAType", "NaTType")
# Deeper than this nothing is looked into; whoever reads the value refuses it for its depth.
_DEEPEST = 110


def plain_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """*record* with lists for arrays, Python numbers for numpy's, and None for NaN, NaT and NA."""
    return {key: value if type(value) in _BASIC else _plain(value, 1) for key, value in record.items()}


def _plain(value: Any, depth: int) -> Any:
    if type(value) in _BASIC or depth > _DEEPEST:
        return value
    if isinstance(value, float) and math.isnan(value):
        return None
    if type(value).__name__ in _NOTHING:
        return None
    if hasattr(value, "dtype") and callable(getattr(value, "tolist", None)):
        # An array gives a list, a number of numpy's the number of Python's.
        return _plain(value.tolist(), depth + 1)
    if isinstance(value, list | tuple):
        return [_plain(inner, depth + 1) for inner in value]
    if isinstance(value, Mapping):
        return {key: _plain(inner, depth + 1) for key, inner in value.items()}
    return value
