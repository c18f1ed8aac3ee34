"""Processor time of a piece of work, with an end to it: what never ends is a failed test, not a hanging one."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class TooLong(Exception):  # noqa: N818 - reads as what it is
    """The work did not end within the processor time it was given."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Ends what is done within it after *seconds* of processor time.

    `re` looks for signals while it searches, and processor time does not pass while another process has the machine.

    Raises:
        TooLong: It was not done by then.
    """

    def end(*_: Any) -> None:
        raise TooLong(f"not done after {seconds} s of processor time")

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def seconds_of(work: Callable[[], object], *, limit: float) -> float:
    """Processor seconds that *work* takes.

    Raises:
        TooLong: More than *limit*.
    """
    began = time.process_time()
    with at_most(limit):
        work()
    return time.process_time() - began
