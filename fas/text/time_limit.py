"""A time limit for work on text that does not end by itself.

Python's regular expressions look for signals while they search, so a timer of the process with a handler that raises
ends a pattern that runs on as well as a loop. Handlers run in the main thread only. In any other thread an exception
is set for the thread instead: Python loops meet it, but a pattern does not, and as it holds the interpreter's lock,
nothing else runs in the process before it is done.
"""

from __future__ import annotations

import ctypes
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from types import FrameType
from typing import ParamSpec, TypeVar

from fas.core.errors import FasError
from fas.core.loading import count_imports, is_loading

P = ParamSpec("P")
T = TypeVar("T")

_LOOK_AGAIN = 0.1  # seconds until it is asked again whether something is still being loaded


class TextTimeoutError(FasError):
    """Work on the text of one answer took longer than `text_timeout`."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(args or ("the text took longer than it may (text_timeout)",)))


class _Wait:
    """For how long to wait on when the time of the calling thread is over."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._loaded = False
        self._thread = threading.get_ident()
        self._imports = count_imports(self._thread)  # the caller itself may be within an import

    def after(self) -> float:
        """Seconds: some while the work is loading, the whole time once when it has loaded, then 0: it is over."""
        if is_loading(self._thread) or count_imports(self._thread) > self._imports:
            self._loaded = True
            return min(_LOOK_AGAIN, self._seconds)
        loaded, self._loaded = self._loaded, False
        return self._seconds if loaded else 0.0


@contextmanager
def limit_time(seconds: float) -> Iterator[None]:
    """A context that raises a TextTimeoutError in its block after so many seconds on the wall clock; 0 sets no limit.

    The end waits while packages or models are loaded, since half a package is unusable; a full time begins afterwards.
    A timer and a handler of the caller for the same signal (SIGALRM) stay in force: the handler is called at its
    time, also within the block, and both are restored at the end.
    """
    if not seconds:
        yield
    elif threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):
        with _limit_by_signal(seconds):
            yield
    else:
        with _limit_by_exception(seconds):
            yield


REPLY_SECONDS = 10.0
"""Limit for reading one reply of a language model; with the slowest grammar a reply takes less than 0.1 s."""


def read_in_time(unreadable: Callable[[str], T]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A decorator for readers of replies of a language model, with a limit of `REPLY_SECONDS`.

    Replies are kept, so one that never ends would stop a run again each time it is resumed. *unreadable* makes the
    value of a reply that could not be read, from the reason.
    """

    def decorated(read: Callable[P, T]) -> Callable[P, T]:
        @wraps(read)
        def reading(*args: P.args, **options: P.kwargs) -> T:
            try:
                with limit_time(REPLY_SECONDS):
                    return read(*args, **options)
            except TextTimeoutError:
                return unreadable(f"the reply could not be read within {REPLY_SECONDS:g} s")

        return reading

    return decorated


@contextmanager
def _limit_by_signal(seconds: float) -> Iterator[None]:
    previous = signal.getsignal(signal.SIGALRM)
    if previous is None:  # not set by Python, and could not be restored
        yield
        return
    remaining, interval = signal.getitimer(signal.ITIMER_REAL)
    began = time.monotonic()
    theirs = began + (remaining or math.inf)
    ours = began + seconds
    wait = _Wait(seconds)
    inside = True

    def arm() -> None:
        signal.setitimer(signal.ITIMER_REAL, max(min(ours, theirs) - time.monotonic(), 1e-4))

    def ring(number: int, frame: FrameType | None) -> None:
        nonlocal ours, theirs
        now = time.monotonic()
        if now >= theirs:
            theirs = now + (interval or math.inf)
            if inside:
                arm()
            if callable(previous):
                previous(number, frame)
        elif inside and now < ours:
            arm()
        elif inside:
            further = wait.after()
            ours = now + (further or seconds)  # should the exception be swallowed, it comes again
            arm()
            if not further:
                raise TextTimeoutError(f"the text took longer than {seconds:g} s (text_timeout)")

    signal.signal(signal.SIGALRM, ring)
    arm()
    try:
        yield
    finally:
        inside = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
        if theirs < math.inf:
            signal.setitimer(signal.ITIMER_REAL, max(theirs - time.monotonic(), 1e-4), interval)


@contextmanager
def _limit_by_exception(seconds: float) -> Iterator[None]:
    thread = threading.get_ident()
    lock = threading.Lock()
    done = threading.Event()
    pending = False

    wait = _Wait(seconds)

    def watch() -> None:
        nonlocal pending
        further = seconds
        while not done.wait(further):
            with lock:
                if done.is_set():
                    return
                further = wait.after()
                if not further:
                    _set_exception(thread, TextTimeoutError)
                    pending, further = True, seconds

    watcher = threading.Thread(target=watch, name="fas-text-timeout", daemon=True)
    watcher.start()
    try:
        yield
    except TextTimeoutError:
        pending = False
        raise
    finally:
        with lock:
            done.set()
            if pending:
                _set_exception(thread, None)


def _set_exception(thread: int, kind: type[Exception] | None) -> None:
    """Have *thread* raise *kind* at its next bytecode; None takes back what it has not met yet."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), ctypes.py_object(kind) if kind is not None else None
    )
