"""One event loop per process, in a thread of its own, for every request of every thread.

Limits, connections and requests under way are shared by all threads of the process because
they all live here; nothing needs a lock.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")
_PATIENCE_S = 5.0


class _Loop:
    def __init__(self) -> None:
        self.owner = os.getpid()
        self.loop = asyncio.new_event_loop()
        self.closers: list[Callable[[], Coroutine[Any, Any, None]]] = []
        self.thread = threading.Thread(target=self._run, name="fas-llm", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    def close(self) -> None:
        if self.owner != os.getpid() or self.loop.is_closed():
            return

        async def shut() -> None:
            for closer in self.closers:
                await closer()
            rest = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in rest:
                task.cancel()
            await asyncio.gather(*rest, return_exceptions=True)

        try:
            asyncio.run_coroutine_threadsafe(shut(), self.loop).result(timeout=5)
        except (TimeoutError, RuntimeError):
            return  # the interpreter is ending; the thread is a daemon
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(timeout=5)
        self.loop.close()


_lock = threading.Lock()
_current: _Loop | None = None


def _shared() -> _Loop:
    global _current
    with _lock:
        # Threads do not survive a fork.
        if _current is None or _current.owner != os.getpid():
            _current = _Loop()
            atexit.register(_current.close)
        return _current


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of *coroutine*, run in the shared loop while this thread waits.

    An interrupted wait (Ctrl-C) cancels it, and returns when it has ended.
    """
    shared = _shared().loop
    future = asyncio.run_coroutine_threadsafe(coroutine, shared)
    try:
        return future.result()
    except CancelledError as error:
        raise RuntimeError("the request was cancelled because the process is ending") from error
    except BaseException:
        future.cancel()
        # Else what still runs would find the interpreter half taken down, and report that as its failure.
        with suppress(TimeoutError, RuntimeError, CancelledError):
            asyncio.run_coroutine_threadsafe(_cancelled(), shared).result(timeout=_PATIENCE_S)
        raise


async def _cancelled() -> None:
    """Return when every task that was cancelled has ended."""
    ending = [task for task in asyncio.all_tasks() if task.cancelling()]
    await asyncio.gather(*ending, return_exceptions=True)


def at_end(closer: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run *closer* in the loop when the process ends; call from the loop."""
    _shared().closers.append(closer)
