"""How the time of a piece of work grows, whatever the machine: processor times compared within one process."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

#: Seconds below which a single measurement says little: shorter work is repeated until it has taken as long.
LEAST = 0.02


class TooLong(Exception):  # noqa: N818 - reads as what it is
    """The work did not end within the processor time it was given."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Ends what is done within it after so much processor time: work that never ends fails, and hangs nothing.

    It judges no speed: give it many times what the work takes. `re` looks for signals while it searches, and processor
    time does not pass while another process has the machine.

    Raises:
        TooLong: It was not done by then.
    """

    def end(*_: Any) -> None:
        raise TooLong(f"not done after {seconds} seconds of the processor")

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def seconds_of(work: Callable[[], object]) -> float:
    """Processor seconds of *work*, which is repeated until it has taken `LEAST`."""
    times = 0
    began = time.process_time()
    while True:
        work()
        times += 1
        if (taken := time.process_time() - began) >= LEAST:
            return taken / times


def times_as_long(work: Callable[[int], object], short: int, long: int, *, below: float) -> float:
    """By what the time of *work* is multiplied from *short* to *long*, its argument.

    The first of three measurements under *below*, or else the least of them: a measurement may meet other work.
    """
    grown = float("inf")
    for _ in range(3):
        grown = min(grown, seconds_of(lambda: work(long)) / seconds_of(lambda: work(short)))
        if grown < below:
            break
    return grown
