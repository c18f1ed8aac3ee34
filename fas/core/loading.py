"""Packages, weights and tables are loaded once a process, by one thread, and a forked child inherits no held lock.

Libraries of models are not made for a cold start in threads: a package that is being imported lacks names, and
loading weights may change the number format of the whole process. So one lock guards all loading: with a lock for
each, two loaders that need each other could deadlock. Access to loaded objects takes no lock.

Fork after loading. A fork waits for a loader, but not for an import that another thread has begun outside of one:
the child then holds Python's own lock of that module for good.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from importlib import import_module
from typing import Any, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_lock = threading.RLock()
_fork_safe: weakref.WeakSet[threading.Lock] = weakref.WeakSet()
_loading: dict[int, int] = {}  # thread to how many loaders deep it is in


@contextmanager
def loading() -> Iterator[None]:
    """Alone among all threads: for imports of heavy packages and for loading weights; may be nested, and may decorate.

    Nothing within may wait for another thread that loads.
    """
    _wait_at_forks()
    with _lock, _note_loading():
        yield


def import_extra(module: str, extra: str) -> Any:
    """*module* of a package that comes with *extra*; if it is missing, a LookupError says how to install it."""
    with loading():
        try:
            return import_module(module)
        except ModuleNotFoundError as error:
            package = (error.name or module).partition(".")[0]
            raise LookupError(
                f"this needs {package}, which is not installed: pip install 'fact-aligned-score[{extra}]'"
            ) from error


def is_loading(thread: int | None = None) -> bool:
    """Whether a thread, by default the one that asks, is loading something."""
    return bool(_loading.get(threading.get_ident() if thread is None else thread))


def count_imports(thread: int) -> int:
    """How deep a thread is in imports of any kind: an exception within one leaves half a package behind."""
    frame, n = sys._current_frames().get(thread), 0
    while frame is not None:
        n += frame.f_code.co_filename == "<frozen importlib._bootstrap>"
        frame = frame.f_back
    return n


_doing: list[str] = []


@contextmanager
def track_loading(what: str) -> Iterator[None]:
    """Note what this process is doing, in a few words, for a display of progress (`list_loading`); may be nested."""
    _doing.append(what)
    try:
        yield
    finally:
        _doing.remove(what)


def list_loading() -> str:
    """What this process is doing, by the last note; empty without one."""
    return _doing[-1] if _doing else ""


@contextmanager
def _note_loading() -> Iterator[None]:
    """Note that this thread, which holds the lock, loads; meanwhile no garbage is collected.

    Loaded objects stay, and collecting takes a sixth of the time of importing torch and transformers.
    """
    thread = threading.get_ident()
    _loading[thread] = _loading.get(thread, 0) + 1
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
        _loading[thread] -= 1
        if not _loading[thread]:
            del _loading[thread]


def fork_safe_lock() -> threading.Lock:
    """A lock for shared objects, which is free in a forked child, even if the parent held it.

    A plain lock, taken and freed in C: an exception that is sent into a thread (`fas.text.time_limit`) arrives before
    it is taken, within the block, or after it is free. In an `__enter__` or `__exit__` of Python it could arrive in
    between, and the lock would be held for good.
    """
    lock = threading.Lock()
    _fork_safe.add(lock)
    return lock


class Once(Generic[P, R]):
    """A function whose results are kept by its (hashable) arguments; one thread computes while the others wait.

    `functools.cache` would let every thread compute that comes before the first is done. A call that raises keeps
    nothing. The last *most* results are kept; all by default. Made by `load_once`.
    """

    def __init__(self, function: Callable[P, R], most: int | None = None) -> None:
        wraps(function)(self)
        self._function = function
        self._most = most
        self._results: dict[Any, R] = {}

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """The result for these arguments."""
        key = (args, tuple(sorted(kwargs.items())))
        try:
            return self._results[key]
        except KeyError:
            pass
        _wait_at_forks()
        with _lock, _note_loading():
            if key not in self._results:
                result = self._function(*args, **kwargs)
                if self._most is not None and len(self._results) >= self._most:
                    self._results.pop(next(iter(self._results)))
                self._results[key] = result
            return self._results[key]

    def cache_clear(self) -> None:
        """Forget every result."""
        with _lock:
            self._results.clear()


def load_once(most: int | None = None) -> Callable[[Callable[P, R]], Once[P, R]]:
    """Decorate a loader: `@load_once()`, or `@load_once(4)` to keep the last four results; see `Once`."""
    return lambda function: Once(function, most)


_LOCKED_AT_FORKS = ("logging", "concurrent.futures.thread", "filelock")
_waits_at_forks = False


def _wait_at_forks() -> None:
    """From now on let a fork wait until a loader is done: its child could not finish half of a model.

    A fork takes other modules' locks, too, the last registered first. A loader that logs, starts threads or locks files
    would wait for a fork that holds theirs, and the fork for the loader, unless the fork takes ours before them: they
    are registered first, by being imported.
    """
    global _waits_at_forks
    if _waits_at_forks or not hasattr(os, "register_at_fork"):
        return
    for name in _LOCKED_AT_FORKS:
        import_module(name)
    # Two threads may both come here: the lock is then taken and freed twice, which it allows.
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)
    _waits_at_forks = True


def _free_in_child() -> None:
    for lock in list(_fork_safe):
        if lock.locked():
            lock.release()
    _limit_torch_threads()


def _limit_torch_threads() -> None:
    """One torch thread in a forked child: the parent's do not exist there, and work given to them never ends."""
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "set_num_threads"):
        torch.set_num_threads(1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_in_child)
