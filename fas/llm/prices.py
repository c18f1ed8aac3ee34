"""What tokens cost: a table that the user can edit."""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fas.core.errors import InputError
from fas.core.files.plain import parse_toml

_BUILT_IN = Path(__file__).with_name("prices.toml")
_MILLION = 1_000_000
_FIELDS = ("models", "endpoint", "input", "cached_input", "output", "noted", "source")


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


def price_of(model: str, endpoint: str, *, table: str | Path | None = None) -> Price | None:
    """The price of *model* at *endpoint* (`fas.llm.endpoint.endpoint_identity`), or None if no table knows it.

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
    return [_entry(path, number, entry) for number, entry in enumerate(entries, start=1)]


def _entry(path: Path, number: int, entry: Mapping[str, Any]) -> tuple[list[str], str | None, Price]:
    def wrong(field: str, expected: str) -> InputError:
        found = repr(entry[field]) if field in entry else "nothing"
        return InputError(
            f"{path}: [[price]] number {number}: field {field!r}: expected {expected}, found {found}",
            kind="prices",
            field=field,
        )

    unknown = sorted(set(entry) - set(_FIELDS))
    if unknown:
        raise wrong(unknown[0], f"one of the fields {', '.join(_FIELDS)}")
    models = entry.get("models")
    if not isinstance(models, list) or not models or not all(isinstance(name, str) for name in models):
        raise wrong("models", "a list of names")
    for field in ("input", "output", "cached_input"):
        value = entry.get(field)
        if value is None and field == "cached_input":
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise wrong(field, "US dollars per million tokens, 0 or more")
    if not isinstance(entry.get("noted"), datetime.date):
        raise wrong("noted", "the day of the price, as 2026-01-31")
    for field in ("endpoint", "source"):
        if not isinstance(entry.get(field, ""), str):
            raise wrong(field, "a text")
    endpoint = entry.get("endpoint")
    price = Price(
        float(entry["input"]),
        float(entry["output"]),
        None if entry.get("cached_input") is None else float(entry["cached_input"]),
        entry["noted"],
        entry.get("source", ""),
    )
    return models, endpoint.rstrip("/") if endpoint else None, price
