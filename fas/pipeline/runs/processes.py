"""Several processes that score one run on one machine (`--engine processes`).

Each worker is a fresh interpreter (spawned, not forked) with the parts of the profile and its share of the processors.
Workers end when the process that started them does, however it ends.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context, resource_tracker
from typing import Any

from fas.core.profile import Profile
from fas.pipeline.runs.work import Chunk
from fas.pipeline.runs.worker import WorkerPlan, serve
from fas.pipeline.runs.worker_pool import WorkerDiedError, WorkerPool, check_shareable


def count_processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Process:
    """A spawned process; see `PoolWorker`."""

    def __init__(self, plan: WorkerPlan, number: int) -> None:
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, plan, number), daemon=True, name="fas-worker")
        with ignore_interrupts():
            self._process.start()
        theirs.close()

    def load(self) -> Any:
        return self._receive()

    def score(self, items: Chunk) -> Any:
        with suppress(OSError):  # `_receive` reports it
            self._pipe.send(items)
        return self._receive()

    def _receive(self) -> Any:
        try:
            message = self._pipe.recv()
        except (EOFError, OSError):
            self._process.join()
            raise WorkerDiedError(describe_exit(self._process.exitcode)) from None
        if isinstance(message, Exception):
            raise message
        return message

    def close(self) -> None:
        with suppress(OSError):
            self._pipe.send(None)
        self._process.join(30)

    def kill(self) -> None:
        self._process.kill()
        self._process.join()


class Processes(WorkerPool):
    """The work of *jobs* processes; see `WorkerPool`.

    Args:
        profile: The settings.
        jobs: Processes; by default as many as there are processors.
        has_passages: As for `Pipeline`.
        has_claims: As for `Pipeline`.
        offline: As for `Pipeline`.

    Raises:
        ProfileError: The run cannot be shared among processes.
    """

    what = "worker process"

    def __init__(
        self,
        profile: Profile,
        *,
        jobs: int | None = None,
        has_passages: bool,
        has_claims: bool = False,
        offline: bool = False,
    ) -> None:
        check_shareable(profile, has_passages=has_passages)
        jobs = count_processors() if jobs is None else jobs
        super().__init__(
            WorkerPlan(profile, has_passages, has_claims, offline, max(1, count_processors() // max(jobs, 1))), jobs
        )

    def start(self, number: int) -> _Process:
        """Start a process."""
        return _Process(self.plan, number)


def describe_exit(code: int | None) -> str:
    """How a process with this exit code ended, in words."""
    if code is not None and code < 0:
        names = {one.value: one.name for one in signal.Signals}
        return f"was ended by {names.get(-code, f'signal {-code}')}"
    return f"ended with code {code}"


@contextmanager
def ignore_interrupts() -> Iterator[None]:
    """Processes that are started within never see Ctrl-C, which a terminal sends to all of them: this one ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # The tracker's own start unblocks interrupts, so it comes first.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
