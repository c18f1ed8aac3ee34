"""What tokens cost: a table that the user can edit."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fas.core.errors import InputError
from fas.core.files.plain import parse_toml

_BUILT_IN = Path(__file__).with_name("prices.toml")
_MILLION = 1_000_000


def _is_rate(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")


_DOLLARS = "US dollars per million tokens, 0 or more"
_FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "models": (lambda v: isinstance(v, list) and v != [] and all(isinstance(n, str) for n in v), "a list of names"),
    "endpoint": (lambda v: isinstance(v, str), "a text"),
    "input": (_is_rate, _DOLLARS),
    "cached_input": (_is_rate, _DOLLARS),
    "output": (_is_rate, _DOLLARS),
    "noted": (lambda v: isinstance(v, datetime.date), "the day of the price, as 2026-01-31"),
    "source": (lambda v: isinstance(v, str), "a text"),
}
_OPTIONAL = ("endpoint", "cached_input", "source")


@dataclass(frozen=True, slots=True)
class Price:
    """What one model costs in US dollars per million tokens; *cached_input* as *input* where it is None."""

    input: float
    output: float
    cached_input: float | None = None
    noted: datetime.date | None = None
    source: str = ""

    def cost(self, prompt_tokens: int, completion_tokens: int, *, cached_prompt_tokens: int = 0) -> float:
        """US dollars for one reply.

        >>> Price(input=1.0, output=10.0).cost(1_000_000, 100_000)
        2.0
        """
        cached = min(cached_prompt_tokens, prompt_tokens)
        cached_rate = self.input if self.cached_input is None else self.cached_input
        fresh = prompt_tokens - cached
        return (fresh * self.input + cached * cached_rate + completion_tokens * self.output) / _MILLION


def find_price(model: str, endpoint: str, *, table: str | Path | None = None) -> Price | None:
    """The price of *model* at *endpoint* (`fas.llm.endpoint.normalize_address`), or None if no table knows it.

    *table* is the user's file, `FAS_PRICES` by default. Its entries come before the built-in ones.

    Raises:
        InputError: A table cannot be read or has a wrong entry.
    """
    own = table or os.environ.get("FAS_PRICES")
    for path in [Path(own), _BUILT_IN] if own else [_BUILT_IN]:
        for models, where, price in _read(path):
            if model in models and where in (None, endpoint):
                return price
    return None


def _read(path: Path) -> list[tuple[list[str], str | None, Price]]:
    try:
        _, document = parse_toml(path.read_bytes())
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: the table of prices cannot be read: {error}", kind="prices") from error
    entries = document.get("price", [])
    if set(document) - {"price"} or not isinstance(entries, list):
        raise InputError(f"{path}: a table of prices holds [[price]] entries only", kind="prices")
    return [_read_entry(path, number, entry) for number, entry in enumerate(entries, start=1)]


def _read_entry(path: Path, number: int, entry: Mapping[str, Any]) -> tuple[list[str], str | None, Price]:
    for field in [*sorted(set(entry) - set(_FIELDS)), *_FIELDS]:
        is_right, expected = _FIELDS.get(field, (None, f"one of the fields {', '.join(_FIELDS)}"))
        if is_right is None or not (is_right(entry[field]) if field in entry else field in _OPTIONAL):
            found = repr(entry[field]) if field in entry else "nothing"
            raise InputError(
                f"{path}: [[price]] number {number}: field {field!r}: expected {expected}, found {found}",
                kind="prices",
                field=field,
            )
    rates = {name: float(entry[name]) for name in ("input", "output", "cached_input") if name in entry}
    where = entry.get("endpoint", "").rstrip("/") or None
    return entry["models"], where, Price(**rates, noted=entry["noted"], source=entry.get("source", ""))
