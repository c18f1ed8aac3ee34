"""The progress of long commands on standard error, in one style."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from shutil import get_terminal_size
from types import SimpleNamespace
from typing import TYPE_CHECKING, Self, TypeVar

from fas.core.guards.streams import clear_before_messages, escape_for_terminal, progress_stream
from fas.core.loading import list_loading

if TYPE_CHECKING:
    from fas.core.answers.files import Scan
    from fas.pipeline.runs.work import Work

_CLEAR = "\r\x1b[K"
T = TypeVar("T")


class ProgressBar:
    """The stage of a command, how much of it is done, and how long the rest will take.

    On a terminal one line changes each second. Elsewhere each new stage gets a line, and counts get one every ten
    seconds.

    Args:
        quiet: Show nothing.
        verbose: Show every step on a line of its own, on a terminal, too, and what libraries log.
        doing: The first stage; shown if it takes a second, so that a mistake is one line.
        every: Seconds between two lines with counts.
    """

    def __init__(self, *, quiet: bool = False, verbose: bool = False, doing: str = "", every: float = 10.0) -> None:
        self._quiet, self._verbose, self._every = quiet, verbose, every
        self._live = not quiet and not verbose and sys.stderr.isatty()
        self._done = self._n = 0
        self._unit = self._speed = ""
        self._first: tuple[float, int] | None = None  # when the first chunk was done, and how many units there were
        self._doing, self._shown = doing, set[str]()
        self._began = self._last = time.monotonic()
        self._replies_before = _count_replies()  # a process may have run others
        self._closed = threading.Event()
        if verbose:
            logging.basicConfig(level=logging.INFO, format="fas: %(message)s")
        if quiet:
            return
        if verbose and doing:
            self._print_stage(doing)
        if self._live:
            clear_before_messages(lambda: progress_stream().write(_CLEAR))
        threading.Thread(target=self._tick, daemon=True, name="fas-progress").start()

    @classmethod
    def of(cls, o: SimpleNamespace, doing: str = "") -> ProgressBar:
        """The bar that `--quiet` and `--verbose` ask for."""
        return cls(quiet=o.quiet, verbose=o.verbose and not o.quiet, doing=doing)

    def start(self, found: Scan, n_finished: int) -> None:
        """Begin to count answers, once the size of the run is known."""
        from fas.pipeline.runs.notes import note_input

        for note in note_input(found.misnamed, found.n_labelled, found.n_reasoning, found.recognised):
            print(f"fas: {note}", file=sys.stderr)
        if n_finished:
            print(f"fas: {n_finished} of {found.n} answers are already scored; resuming", file=sys.stderr)
        self._unit = ""  # a run of several has the size of the one before
        self.count(n_finished, found.n)

    def count(self, done: int, n: int, unit: str = "answers") -> None:
        """Show how many of *n* units are done (0: the number is not known); the first call begins a stage."""
        if (n, unit) != (self._n, self._unit):
            self._first, self._speed, self._began = None, "", time.monotonic()
        elif self._first is None:
            self._first = time.monotonic(), done
        self._done, self._n, self._unit = done, n, unit
        self._show_counts()

    def update(self, n: int, work: Work | None = None) -> None:
        """Count *n* more units."""
        now = time.monotonic()
        self._done += n
        if work is not None:
            seconds = max(now - self._began, 1e-9)
            claims, pairs = work.tally.n_claims / seconds, work.tally.n_pairs / seconds
            self._speed = f", {claims:.{int(claims < 10)}f} claims/s, {pairs:.{int(pairs < 10)}f} pairs/s"
        if self._first is None:
            self._first = now, self._done  # models were loaded before, so that only what follows tells the speed
        self._show_counts()

    def follow(self, items: Iterable[T], every: int = 16) -> Iterator[T]:
        """*items* as they are, counted as units, *every* at a time."""
        passed = 0
        for passed, item in enumerate(items, 1):
            yield item
            if passed % every == 0:
                self.update(every)
        self.update(passed % every)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        if self._live:
            clear_before_messages(None)
            progress_stream().write(_CLEAR)

    def _show_counts(self) -> None:
        now = time.monotonic()
        if self._live:
            self._rewrite_line()
        elif not self._quiet and (self._verbose or now - self._last >= self._every):
            self._last = now
            print(f"fas: {self._format_counts()}", file=sys.stderr, flush=True)

    def _format_counts(self) -> str:
        left = ""
        if self._first is not None and self._first[1] < self._done < self._n:
            began, before = self._first
            seconds = int((time.monotonic() - began) / (self._done - before) * (self._n - self._done))
            left = f", {seconds // 60}:{seconds % 60:02} left"
        of = f" of {self._n}" if self._n else ""
        return f"{self._done}{of} {self._unit}{left}{self._speed}{self._format_replies()}"

    def _format_replies(self) -> str:
        n = _count_replies() - self._replies_before
        return f", {n} replies of language models" if n > 0 else ""

    def _tick(self) -> None:
        """Show the stage each second; in a chunk of answers nothing else moves."""
        while not self._closed.wait(1.0):
            doing = self._find_stage()
            if self._live:
                self._rewrite_line()
            elif doing not in {"", *self._shown} and (self._verbose or not self._shown or "loading" in doing):
                self._print_stage(doing)
            elif self._unit and self._format_replies() and not self._verbose:
                self._show_counts()

    def _find_stage(self) -> str:
        return list_loading() or ("" if self._unit else self._doing)

    def _print_stage(self, doing: str) -> None:
        self._shown.add(doing)
        print(f"fas: {doing}", file=sys.stderr, flush=True)

    def _rewrite_line(self) -> None:
        doing = self._find_stage()
        text = f"fas: {self._format_counts()}{f' · {doing}' if doing else ''}" if self._unit else f"fas: {doing}"
        line = escape_for_terminal(text).replace("\n", " ")[: get_terminal_size().columns - 1]
        progress_stream().write(_CLEAR + line)
        progress_stream().flush()


def _count_replies() -> int:
    """Replies of language models in this process so far; loads nothing."""
    models = sys.modules.get("fas.llm.models")
    usage = models.total_usage().values() if models is not None else ()
    return sum(one.calls + one.cached + one.failed for one in usage)
