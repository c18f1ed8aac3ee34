"""What was asked, what came from the cache, and what it cost."""

from __future__ import annotations

import threading
from dataclasses import dataclass, fields, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Usage:
    """Totals since a model was made.

    Attributes:
        calls: Requests that brought a reply; what a server bills.
        cached: Prompts answered by the cache or by an equal prompt of the batch.
        failed: Prompts without a reply.
        retries: Requests sent again after a fault.
        abandoned: Requests given up without a reply after they were sent (time-out, broken
            connection); a server may bill them, and they are in no other number.
        prompt_tokens: Tokens of the prompts of `calls`.
        completion_tokens: Tokens of the replies.
        reasoned: Replies, cached ones included, that held reasoning, which is no part of what they say.
        estimated: Calls whose tokens the server did not count, so that they were estimated.
        cost: US dollars for `calls`; None if the model has no price.
    """

    calls: int = 0
    cached: int = 0
    failed: int = 0
    retries: int = 0
    abandoned: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoned: int = 0
    estimated: int = 0
    cost: float | None = 0.0

    def __add__(self, other: Usage) -> Usage:
        """The sum; its cost is unknown if either is."""
        costs = (self.cost, other.cost)
        counts = {
            field.name: getattr(self, field.name) + getattr(other, field.name)
            for field in fields(self)
            if field.name != "cost"
        }
        return Usage(**counts, cost=None if costs[0] is None or costs[1] is None else costs[0] + costs[1])

    def as_dict(self) -> dict[str, Any]:
        """All totals by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


class Meter:
    """Adds up usage from several threads.

    Args:
        priced: Whether the model has a price; without one the cost stays unknown.
    """

    def __init__(self, *, priced: bool) -> None:
        self._lock = threading.Lock()
        self._usage = Usage(cost=0.0 if priced else None)

    def add(self, *, cost: float | None = 0.0, **counts: int) -> None:
        """Count more."""
        with self._lock:
            now = self._usage
            total = None if now.cost is None or cost is None else now.cost + cost
            self._usage = replace(
                now, cost=total, **{name: getattr(now, name) + count for name, count in counts.items()}
            )

    def read(self) -> Usage:
        """The totals now."""
        with self._lock:
            return self._usage
