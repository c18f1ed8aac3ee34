"""How much work a piece of work is, whatever the machine: processor time as a multiple of that of a fixed piece.

Both are measured in the same process, so a quick machine, a slow one or one with other instructions gives the same
multiple. Work that never ends is a failed test, not a hanging one.
"""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

#: How often the fixed piece fits in a unit: about a second of the machines these numbers were first written on.
_A_UNIT = 400
_PATTERN = re.compile(r"[^.]*x")


class TooLong(Exception):  # noqa: N818 - reads as what it is
    """The work did not end within the processor time it was given."""


def _fixed_piece() -> None:
    """What tests measure, in small: a pattern that searches, a loop, strings and a dictionary."""
    for _ in _PATTERN.finditer("a" * 800):
        pass
    counts: dict[str, int] = {}
    for number in range(8_000):
        word = f"word{number % 97}"
        counts[word] = counts.get(word, 0) + len(word.split("d"))


def _seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


@cache
def unit() -> float:
    """Processor seconds of a unit of work in this process; the least of several, as a measure may meet other work."""
    return _A_UNIT * min(_seconds(_fixed_piece) for _ in range(20))


@cache
def least() -> float:
    """Units below which a time says nothing: a few steps of the clock."""
    steps = set()
    while len(steps) < 4:
        steps.add(time.process_time())
    first, *_, last = sorted(steps)
    return max(0.02, 2 * (last - first) / unit())


@contextmanager
def at_most(units: float) -> Iterator[None]:
    """Ends what is done within it after so many units of work.

    `re` looks for signals while it searches, and processor time does not pass while another process has the machine.

    Raises:
        TooLong: It was not done by then.
    """

    def end(*_: Any) -> None:
        raise TooLong(f"not done after {units} units of work")

    seconds = units * unit()
    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def units_of(work: Callable[[], object], *, limit: float) -> float:
    """Units of work that *work* is.

    Raises:
        TooLong: More than *limit*.
    """
    with at_most(limit):
        return _seconds(work) / unit()


def times_as_long(work: Callable[[int], object], short: int, long: int, *, limit: float) -> float:
    """By what the time of *work* is multiplied from *short* to *long*, its argument.

    Each is measured at its best of three; a short one below `least` counts as that, so that no clock measures itself.

    Raises:
        TooLong: One of them is more than *limit* units.
    """
    first, second = (min(units_of(lambda: work(n), limit=limit) for _ in range(3)) for n in (short, long))  # noqa: B023
    return second / max(first, least())
