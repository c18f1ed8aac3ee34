"""Several batches at once on a processor, each on its share of the threads (inter-op parallelism).

A batch of short texts is many small matrix products, and threads that share one wait for each other after every
one of them. Threads that each have a batch of their own wait once, at the end.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

from fas.core.loading import fork_safe_lock

Batch = TypeVar("Batch")
Result = TypeVar("Result")

# Beyond this many batches at once their activations compete for the cache and for memory.
_MOST_WORKERS = 8
# Batches on one thread each take less of both; with more of them, Python's lock becomes the bottleneck.
_MOST_STEADY = 32

_pools: dict[tuple[int, int], ThreadPoolExecutor] = {}
_lock = fork_safe_lock()


def map_batches(
    run: Callable[[Batch], Result], batches: Iterable[Batch], *, device: str = "cpu", steady: bool = False
) -> Iterator[Result]:
    """The result of *run* for each batch, in order.

    On a processor with several torch threads, four or more batches run at once, in threads of ours that share the
    caller's number of torch threads among them; the caller's own setting is neither used up nor changed. On other
    devices, with one thread or with fewer batches, everything runs in the caller's thread. With *steady* each batch has
    one thread, however many there are of either, as sums depend on the threads that share one in the last digit (oneDNN
    in bfloat16, from three threads on). *run* must be safe to call from several threads and set torch's modes itself
    (`inference_mode` holds for one thread only).

    Where *run* raises, or the caller stops, what has not begun is not run, and what has is waited for.
    """
    batches = list(batches)
    workers, threads = _share_threads(None if steady else len(batches)) if device.partition(":")[0] == "cpu" else (1, 1)
    if workers == 1:
        yield from map(run, batches)
        return
    pool = _make_pool(workers, threads)
    futures = [pool.submit(run, batch) for batch in batches]
    try:
        for future in futures:
            yield future.result()
    finally:
        for future in futures:
            future.cancel()
        wait(futures)


def _share_threads(n_batches: int | None) -> tuple[int, int]:
    """How many batches run at once, and how many threads each has; with None for however many batches."""
    import torch

    threads = torch.get_num_threads()
    if n_batches is None:
        return min(threads, _MOST_STEADY), 1
    # With fewer than two batches each, one long batch would leave the other threads idle.
    workers = max(1, min(threads, n_batches // 2, _MOST_WORKERS))
    return workers, threads // workers


def _make_pool(workers: int, threads: int) -> ThreadPoolExecutor:
    """Threads that each compute with *threads* torch threads; made once and kept."""
    import torch

    with _lock:
        if (workers, threads) not in _pools:
            before = torch.get_num_threads()
            ready = threading.Barrier(workers + 1)

            def start() -> None:
                torch.get_num_threads()  # makes torch set this thread up, which would undo what is set before
                torch.set_num_threads(threads)
                ready.wait()

            pool = ThreadPoolExecutor(workers, thread_name_prefix="fas-batch", initializer=start)
            for _ in range(workers):
                pool.submit(int)
            ready.wait()
            # A setting holds for the thread that made it and for all that have yet to compute; for those it is undone.
            torch.set_num_threads(before)
            _pools[workers, threads] = pool
        return _pools[workers, threads]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pools.clear)  # in a forked child the threads are gone
