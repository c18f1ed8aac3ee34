"""Requests and tokens per minute, kept over every 60 seconds and not only on average."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

# Two requests may take unlike times to reach the server, which then sees them closer together.
_SLACK = 0.01


@dataclass(eq=False, slots=True)
class Turn:
    """A request that was let through; it counts until a window after it has left.

    Attributes:
        tokens: What it uses, at most; lowered or raised when the server has counted.
        left: When it was on the wire; None while it may still be on its way.
    """

    tokens: int
    left: float | None = None


class PromptRateLimiter:
    """A sliding window over what was sent; belongs to one event loop.

    A request is let through only if, with it, no window of that length holds more than the
    limits; so there is no burst at the turn of a minute. Requests go in the order in which
    they asked.

    Args:
        requests: At most so many per window; None for no limit.
        tokens: At most so many per window; None for no limit.
        window_s: Length of the window.
        clock: Monotone seconds.

    Raises:
        ValueError: A limit is not above 0.
    """

    def __init__(
        self,
        *,
        requests: int | None = None,
        tokens: int | None = None,
        window_s: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        for name, limit in (("requests", requests), ("tokens", tokens), ("window_s", window_s)):
            if limit is not None and not limit > 0:
                raise ValueError(f"`{name}` must be above 0, got {limit!r}")
        self.requests, self.tokens, self.window_s = requests, tokens, window_s
        self._clock = clock
        self._turns: deque[Turn] = deque()
        self._queue = asyncio.Lock()
        self._not_before = -float("inf")

    def allows(self, tokens: int) -> bool:
        """Whether a request of so many tokens can ever be let through."""
        return self.tokens is None or tokens <= self.tokens

    async def take_turn(self, tokens: int) -> Turn:
        """Wait until a request of so many tokens may be sent; call `left` or `cancel` afterwards.

        Raises:
            ValueError: It is larger than the limit, so that it would wait for ever.
        """
        if not self.allows(tokens):
            raise ValueError(f"a request of {tokens} tokens is above the limit of {self.tokens} per window")
        async with self._queue:
            while (wait := self._wait(tokens)) > 0:
                await asyncio.sleep(wait)
            turn = Turn(tokens)
            self._turns.append(turn)
            return turn

    def left(self, turn: Turn) -> None:
        """The request is on the wire; its time counts from now. Later calls change nothing."""
        if turn.left is None:
            turn.left = self._clock()

    def cancel(self, turn: Turn) -> None:
        """The request was never sent."""
        if turn.left is None and turn in self._turns:
            self._turns.remove(turn)

    def pause(self, seconds: float) -> None:
        """Let nothing through for so long, because the server asked for it."""
        self._not_before = max(self._not_before, self._clock() + seconds)

    def _wait(self, tokens: int) -> float:
        """Seconds until the next look; 0 if the request may go now."""
        now = self._clock()
        if now < self._not_before:
            return self._not_before - now
        if self.requests is None and self.tokens is None:
            self._turns.clear()
            return 0.0
        length = self.window_s * (1 + _SLACK)
        while self._turns and (left := self._turns[0].left) is not None and left + length <= now:
            self._turns.popleft()
        live = [turn for turn in self._turns if turn.left is None or turn.left + length > now]
        over_requests = len(live) + 1 - self.requests if self.requests is not None else 0
        over_tokens = sum(turn.tokens for turn in live) + tokens - self.tokens if self.tokens is not None else 0
        if over_requests <= 0 and over_tokens <= 0:
            return 0.0
        # Enough turns must grow old; one that is still leaving says nothing yet about when.
        ages = sorted((turn.left + length, turn.tokens) for turn in live if turn.left is not None)
        for free_at, freed in ages:
            over_requests -= 1
            over_tokens -= freed
            if over_requests <= 0 and over_tokens <= 0:
                return max(free_at - now, 0.001)
        return 0.01
