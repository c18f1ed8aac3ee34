"""The rate of requests to a server: as many at once as it answers in time, and as many a minute as it allows.

Waiting threads (`fas.llm.retrying`) poll both, so nothing here blocks.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

# Two requests may take different times to reach the server, which then sees them closer together.
_SLACK = 0.01


class Pace:
    """Slots for requests under way: additive increase, multiplicative decrease (Chiu and Jain, 1989).

    A request that timed out halves `limit`, from *most* down to 1; each reply raises it again by a part of one.
    """

    def __init__(self, most: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.most = most
        self.limit = float(most)
        self.now = clock
        self._under_way = 0
        self._lowered = -float("inf")
        self._lock = threading.Lock()

    def take(self) -> bool:
        """Take a slot; False if all are taken."""
        with self._lock:
            free = self._under_way < int(self.limit)
            self._under_way += free
            return free

    def release(self) -> None:
        """Give a slot back."""
        with self._lock:
            self._under_way -= 1

    def replied(self) -> None:
        """A reply came in time."""
        with self._lock:
            self.limit = min(self.most, self.limit + 1 / self.limit)

    def timed_out(self, begun: float) -> bool:
        """Record the time-out of a request that began at *begun*; return whether fewer at once may help.

        A request from before the last reduction says nothing about the present limit.
        """
        with self._lock:
            crowded = self.limit > 1 or begun < self._lowered
            if begun >= self._lowered and self.limit > 1:
                self.limit = max(1.0, self.limit / 2)
                self._lowered = self.now()
            return crowded


@dataclass(eq=False, slots=True)
class Turn:
    """A request that was let through; its *tokens* count for one window."""

    tokens: int
    at: float


class RateLimiter:
    """Limits on the requests and the tokens within any window of `window_s` seconds.

    Requests that take different times may reach the server closer together; it replies 429, and they are repeated.
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
        self.queue = threading.Lock()
        """The next thread holds it, so that smaller requests cannot overtake a large one forever."""
        self._clock = clock
        self._turns: deque[Turn] = deque()
        self._lock = threading.Lock()
        self._not_before = -float("inf")

    def allows(self, tokens: int) -> bool:
        """Whether a request of *tokens* tokens can ever pass."""
        return self.tokens is None or tokens <= self.tokens

    def take(self, tokens: int) -> Turn | None:
        """Let a request of *tokens* tokens through; None if it must wait, a ValueError if it can never pass."""
        if not self.allows(tokens):
            raise ValueError(f"a request of {tokens} tokens is above the limit of {self.tokens} per window")
        with self._lock:
            now = self._clock()
            while self._turns and self._turns[0].at + self.window_s * (1 + _SLACK) <= now:
                self._turns.popleft()
            full = self.requests is not None and len(self._turns) >= self.requests
            full |= self.tokens is not None and sum(turn.tokens for turn in self._turns) + tokens > self.tokens
            if full or now < self._not_before:
                return None
            turn = Turn(tokens, now)
            if self.requests is not None or self.tokens is not None:
                self._turns.append(turn)
            return turn

    def cancel(self, turn: Turn) -> None:
        """Remove a request that was not sent."""
        with self._lock:
            if turn in self._turns:
                self._turns.remove(turn)

    def pause(self, seconds: float) -> None:
        """Let nothing through for *seconds*, as the server asked."""
        with self._lock:
            self._not_before = max(self._not_before, self._clock() + seconds)
