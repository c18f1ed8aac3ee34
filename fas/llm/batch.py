"""What one call of `complete` is working on, and how it is stopped without losing what is under way."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from fas.core.errors import RunStopped
from fas.llm.pace import Pace
from fas.llm.usage_tracker import RequestPlan


class Batch:
    """The jobs of one call; belongs to the shared event loop.

    Attributes:
        plan: The replies so far.
        queue: Jobs that nobody has taken yet.
        stopped: What ends the run, once something does.
    """

    def __init__(self, plan: RequestPlan) -> None:
        self.plan = plan
        self.queue = deque(plan.jobs)
        self.stopped: RunStopped | None = None
        self._idle: set[asyncio.Task[Any]] = set()

    @contextmanager
    def idle(self) -> Iterator[None]:
        """While a task only waits, a stop ends it; one whose request is under way is left to finish."""
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("only tasks of the event loop wait here")
        self._idle.add(task)
        try:
            yield
        finally:
            self._idle.discard(task)

    @asynccontextmanager
    async def slot(self, slots: Pace) -> AsyncIterator[None]:
        """One of the slots for requests under way; waiting for it is idle."""
        with self.idle():
            await slots.acquire()
        try:
            yield
        finally:
            slots.release()

    def stop(self, why: RunStopped) -> None:
        """Start nothing more."""
        if self.stopped is None:
            self.stopped = why
            for task in list(self._idle):
                task.cancel()
