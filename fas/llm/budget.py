"""A limit on calls, tokens or money that stops a run before it is passed."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from fas.core.errors import BudgetExceeded

LOOK_S = 0.02
"""Seconds between two checks of a request that waits."""


@dataclass(frozen=True, slots=True)
class Spending:
    """Calls, tokens (prompt and reply together) and US dollars."""

    calls: int = 0
    tokens: int = 0
    cost: float = 0.0

    def __add__(self, other: Spending) -> Spending:
        return Spending(self.calls + other.calls, self.tokens + other.tokens, self.cost + other.cost)

    def __sub__(self, other: Spending) -> Spending:
        return Spending(self.calls - other.calls, self.tokens - other.tokens, self.cost - other.cost)


class Budget:
    """What may be spent in one process, by every model that is given this object; for US dollars each needs a price.

    A request sets aside the most it can cost (its estimated prompt and `max_tokens` of reply)
    before it is sent, and what it did cost when it is answered, so the limit is passed only by
    as much as the estimate of a prompt's tokens was too low. A prompt counts as one call,
    however often it must be sent; a request that was given up without a reply counts in full,
    because a server may bill it. What the cache answers costs nothing. A ValueError where a limit
    is negative or not a number, or there is none at all.
    """

    def __init__(self, *, calls: int | None = None, tokens: int | None = None, cost: float | None = None) -> None:
        limits = {"calls": calls, "tokens": tokens, "cost": cost}
        if all(limit is None for limit in limits.values()):
            raise ValueError("a budget needs at least one of `calls`, `tokens` and `cost`")
        for name, limit in limits.items():
            if limit is not None and (isinstance(limit, bool) or not 0 <= limit < float("inf")):
                raise ValueError(f"budget: `{name}` must be a number of at least 0, got {limit!r}")
        self._limits = {name: limit for name, limit in limits.items() if limit is not None}
        self.cost = cost
        self._lock = threading.Lock()
        self._spent = Spending()
        self._held = Spending()
        self._under_way = 0

    @property
    def spent(self) -> Spending:
        """What was spent."""
        with self._lock:
            return self._spent

    def hold(self, most: Spending) -> bool:
        """Reserve *most*; False if it must wait for requests under way, a BudgetExceeded if waiting cannot help."""
        with self._lock:
            if self._fits(self._spent + self._held + most):
                self._held += most
                self._under_way += 1
                return True
            if self._under_way:
                return False
            raise BudgetExceeded(self._explain(most))

    def settle(self, held: Spending, actual: Spending) -> None:
        """Replace a reservation by the actual spending."""
        with self._lock:
            self._under_way -= 1
            # Floating-point sums do not cancel exactly; with nothing under way nothing is held.
            self._held = self._held - held if self._under_way else Spending()
            self._spent += actual

    def _fits(self, total: Spending) -> bool:
        return all(getattr(total, name) <= limit for name, limit in self._limits.items())

    def _explain(self, most: Spending) -> str:
        limits = [f"${limit:g}" if name == "cost" else f"{limit} {name}" for name, limit in self._limits.items()]
        spent = self._spent
        return (
            f"the budget of {' and '.join(limits)} does not allow the next request (up to {most.tokens} tokens"
            + (f", ${most.cost:.4f}" if self.cost is not None else "")
            + f"); spent so far: {spent.calls} calls, {spent.tokens} tokens"
            + (f", ${spent.cost:.4f}" if self.cost is not None else "")
            + ". Finished replies are in the cache: the same command with a larger budget resumes"
        )


def choose_budget(shared: Budget | None, *, calls: int | None, tokens: int | None, cost: float | None) -> Budget | None:
    """The budget of a model: the shared one, one of its own, or none."""
    if calls is None and tokens is None and cost is None:
        return shared
    if shared is not None:
        raise ValueError("give either `budget` or `max_calls`, `max_total_tokens`, `max_cost`, not both")
    return Budget(calls=calls, tokens=tokens, cost=cost)
