"""How many requests a server gets at once: as many as it answers in time.

Additive increase, multiplicative decrease, as TCP finds the pace of a network (Chiu and Jain, 1989): a request that
timed out halves the number, each reply raises it again by a part of one.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable


class Pace:
    """Slots for requests under way; belongs to the shared event loop.

    Args:
        most: At most so many; what is begun with.
        clock: Monotone seconds.

    Attributes:
        limit: So many at once now, from 1 to *most*.
    """

    def __init__(self, most: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.most = most
        self.limit = float(most)
        self._clock = clock
        self._under_way = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._lowered = -float("inf")

    async def acquire(self) -> None:
        """Wait for a slot; slots are given in the order in which they were asked for."""
        if self._under_way < int(self.limit) and not self._waiting:
            self._under_way += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.release()
            else:
                self._waiting.remove(turn)
            raise

    def release(self) -> None:
        """Give a slot back."""
        self._under_way -= 1
        self._admit()

    def replied(self) -> None:
        """A reply came in time."""
        self.limit = min(self.most, self.limit + 1 / self.limit)
        self._admit()

    def timed_out(self, begun: float) -> bool:
        """A request that began at *begun* came to no reply in time; whether fewer at once may help it.

        What began before the number was last lowered says nothing about the number now.
        """
        crowded = self.limit > 1 or begun < self._lowered
        if begun >= self._lowered and self.limit > 1:
            self.limit = max(1.0, self.limit / 2)
            self._lowered = self._clock()
        return crowded

    def now(self) -> float:
        """The clock that `timed_out` goes by."""
        return self._clock()

    def _admit(self) -> None:
        while self._waiting and self._under_way < int(self.limit):
            turn = self._waiting.popleft()
            if not turn.done():
                self._under_way += 1
                turn.set_result(None)
