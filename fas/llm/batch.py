"""What one call of `complete` is working on, and how it is stopped without losing what is under way."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import TypeVar

from fas.core.errors import RunStopped
from fas.llm.budget import LOOK_S
from fas.llm.usage_tracker import RequestPlan

T = TypeVar("T")


class EndedError(Exception):
    """The batch was stopped while a thread only waited."""


class Batch:
    """The jobs of one call and the threads that do them.

    Attributes:
        plan: The replies so far.
        stopped: What ends the run, once something does.
    """

    def __init__(self, plan: RequestPlan) -> None:
        self.plan = plan
        self.stopped: RunStopped | None = None
        self.queue = deque(plan.jobs)
        self._ended = threading.Event()

    @property
    def ended(self) -> bool:
        """Whether nothing more may be started."""
        return self._ended.is_set()

    def work(self, do: Callable[[], None], n_threads: int) -> None:
        """Run *do* in so many threads; an interrupt (Ctrl-C) leaves requests under way to themselves.

        Raises:
            RunStopped: What stopped the batch, when all that was under way is finished.
        """
        # Daemons, so that a reply that never comes does not keep an interrupted program alive.
        threads = [threading.Thread(target=do, name="fas-llm", daemon=True) for _ in range(n_threads)]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            self._ended.set()
        if self.stopped is not None:
            raise self.stopped

    def stop(self, why: RunStopped) -> None:
        """Start nothing more."""
        self.stopped = self.stopped or why
        self._ended.set()

    def pause(self, seconds: float) -> None:
        """Wait.

        Raises:
            EndedError: The batch was stopped.
        """
        if self._ended.wait(seconds):
            raise EndedError

    def until(self, look: Callable[[], T | None]) -> T:
        """What *look* gives once it is something.

        Raises:
            EndedError: The batch was stopped.
        """
        while not (found := look()):
            self.pause(LOOK_S)
        return found
