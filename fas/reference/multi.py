"""What to do with several references."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


def check_choice(name: str, value: str, allowed: Sequence[str]) -> str:
    """*value*, if it is one of *allowed*; else a ValueError."""
    if value not in allowed:
        raise ValueError(f"`{name}` must be one of {', '.join(allowed)}, got {value!r}")
    return value


def normalise_references(references: str | Sequence[str]) -> tuple[str, ...]:
    """One string or several, as a tuple; a TypeError where a reference is no string."""
    if isinstance(references, str):
        return (references,)
    found: tuple[Any, ...] = tuple(references)
    for reference in found:
        if not isinstance(reference, str):
            raise TypeError(f"a reference must be a string, got {reference!r}")
    return found


def best_index(scores: Sequence[float]) -> int:
    """Position of the highest score, the first of equals; NaN counts as lowest."""
    if not scores:
        raise ValueError("no scores to choose the best of")
    return max(range(len(scores)), key=lambda i: (-math.inf if math.isnan(scores[i]) else scores[i], -i))


def mean(scores: Sequence[float]) -> float:
    """Arithmetic mean of the scores that are not NaN; NaN if there are none."""
    known = [score for score in scores if not math.isnan(score)]
    return math.fsum(known) / len(known) if known else math.nan
