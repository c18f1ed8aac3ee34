"""Several processes that score one run on one machine (`--engine processes`).

Each worker is a fresh interpreter (spawned, not forked) with the parts of the profile and its share of the processors.
Workers end when the process that started them does, however it ends.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from multiprocessing import connection, get_context, resource_tracker
from typing import Any

from fas.core.profile import Profile
from fas.pipeline.runs.work import Chunk
from fas.pipeline.runs.worker import WorkerPlan, serve
from fas.pipeline.runs.worker_pool import Died, WorkerPool, check_shareable


def count_processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(eq=False)
class _Process:
    process: Any
    pipe: Any
    number: int


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
        self._context = get_context("spawn")

    def start(self) -> _Process:
        """Start a process."""
        ours, theirs = self._context.Pipe()
        taken = {worker.handle.number for worker in self._workers}
        # That of a process that died is free again, so that cards stay evenly shared.
        number = next(number for number in count() if number not in taken)
        process = self._context.Process(target=serve, args=(theirs, self.plan, number), daemon=True, name="fas-worker")
        with ignore_interrupts():
            process.start()
        theirs.close()
        return _Process(process, ours, number)

    def send(self, handle: _Process, items: Chunk) -> None:
        """Give a process a chunk."""
        with suppress(OSError):
            handle.pipe.send(items)

    def receive(self, handles: Sequence[_Process]) -> Iterable[tuple[_Process, Any]]:
        """What the processes send next."""
        pipes = {handle.pipe: handle for handle in handles}
        for pipe in connection.wait(list(pipes)):
            handle = pipes[pipe]
            try:
                yield handle, handle.pipe.recv()
            except (EOFError, OSError):
                handle.process.join()
                yield handle, Died(describe_exit(handle.process.exitcode))

    def end(self, handles: Sequence[_Process], *, at_once: bool) -> None:
        """End processes."""
        for handle in handles:
            if at_once:
                handle.process.terminate()
            else:
                with suppress(OSError):
                    handle.pipe.send(None)
        for handle in handles:
            handle.process.join(1 if at_once else 30)
            if handle.process.is_alive():
                handle.process.kill()
                handle.process.join()
            handle.pipe.close()


def describe_exit(code: int | None) -> str:
    """How a process with this exit code ended, in words."""
    if code is not None and code < 0:
        try:
            return f"was ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"was ended by signal {-code}"
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
