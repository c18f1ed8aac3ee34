"""Whether an endpoint works at all, judged from what happens to all its requests together."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NoReturn

from fas.core.errors import ModelUnavailable

# So many prompts in a row given up, with no reply to any other between, make the endpoint suspect;
# twice as many each time that suspicion was wrong.
_SUSPICIOUS = 3


class Health:
    """The fate of one model's requests; belongs to the shared event loop.

    Args:
        name: What messages call the model and its endpoint.
        clock: Monotone seconds.
    """

    def __init__(self, name: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._clock = clock
        self._last_reply: float | None = None
        self._given_up = 0
        self._suspicious = _SUSPICIOUS
        self._stopped: str | None = None

    def now(self) -> float:
        """The clock that `replied_since` goes by."""
        return self._clock()

    def check(self) -> None:
        """Raise what stopped the run, if anything did.

        Raises:
            ModelUnavailable: The endpoint was found not to work.
        """
        if self._stopped is not None:
            raise ModelUnavailable(self._stopped)

    def replied(self) -> None:
        """A reply arrived."""
        self._last_reply = self._clock()
        self._given_up = 0
        self._stopped = None

    def replied_since(self, moment: float) -> bool:
        """Whether any reply arrived since then."""
        return self._last_reply is not None and self._last_reply >= moment

    @property
    def never_replied(self) -> bool:
        """Whether no reply has ever arrived."""
        return self._last_reply is None

    def gave_up(self) -> bool:
        """Count a prompt given up; whether that makes the endpoint suspect."""
        self._given_up += 1
        return self._given_up >= self._suspicious

    def probed(self) -> None:
        """The endpoint was suspected and works."""
        self.replied()
        self._suspicious *= 2

    def stop(self, why: str, advice: str) -> NoReturn:
        """Stop the run.

        Raises:
            ModelUnavailable: Always.
        """
        told = f"{self._name} {why}. {advice}".rstrip()
        self._stopped = f"{told} Finished replies are in the cache: the same command goes on from there"
        raise ModelUnavailable(self._stopped)

    def revive(self) -> None:
        """Forget what stopped an earlier run; a new one tries again."""
        if self._stopped is not None:
            self._stopped = None
            self._given_up = 0
