"""What a run tells beside its records: seconds, counts and notes, over all processes that worked on it.

The counts that a record holds are made from the records (`fas.scoring.aggregate`). What is known to the
process that did the work only is added up here and kept in `run.json` after every chunk, so that
the report of a resumed run tells the same as that of one that ran through. A killed run loses the
tally of the answers in flight; at worst it also misses that of the one chunk just written.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from fas.pipeline.runs.notes import COUNTS, note_work
from fas.pipeline.runs.work import Work

EARLIER = "before the run was resumed: "


class RunTally:
    """The tally of a run so far.

    Args:
        work: What does the work of this process, in it or in others; has not begun.
        earlier: What `state` gave in the last process that worked on the run; empty for a new run.
        began: When this process began, by `time.perf_counter`.
        given: Notes on the input.
    """

    def __init__(self, work: Work, earlier: Mapping[str, Any], *, began: float, given: Sequence[str] = ()) -> None:
        self._work = work
        self._began = began
        self._given = list(given)
        self._seconds: Mapping[str, float] = earlier.get("seconds", {})
        self._notes: list[str] = earlier.get("notes", [])
        self._before: dict[str, int] = {name: earlier.get(name, 0) for name in COUNTS}
        self._now = dict(self._before)
        # What a part says before it has worked holds for the whole run; the rest it counted in this process.
        stats = work.stats()
        self._standing, self._truncated = stats.notes, stats.truncated
        self._worked = False

    def count(self, *, again: bool = False) -> None:
        """Take in what the work did; *again* if only answers that were counted when first done are new."""
        self._worked = True
        if not again:
            self._now = {name: self._before[name] + n for name, n in self._work.stats().counts.items()}

    def state(self) -> dict[str, Any]:
        """The tally as `run.json` keeps it."""
        return {
            "seconds": self.seconds(),
            **self._now,
            "notes": self._list_part_notes(),
            "given": self._given,
            "truncated": self._truncated,
        }

    def seconds(self) -> dict[str, float]:
        """Stage to seconds, added up over the processes of a run; `total` is the time that this one's took."""
        here = {**self._work.stats().seconds, "total": time.perf_counter() - self._began}
        return {
            stage: self._seconds.get(stage, 0.0) + here.get(stage, 0.0)
            for stage in dict.fromkeys((*self._seconds, *here))
        }

    def notes(self) -> list[str]:
        """What a reader must know about this run besides the counts of its records."""
        return [*self._given, *note_work(self._now, self._work.k, truncated=self._truncated), *self._list_part_notes()]

    def _list_part_notes(self) -> list[str]:
        if not self._worked:
            return [*self._notes, *(note for note in self._standing if note not in self._notes)]
        # Parts count in words of their own, which cannot be added up.
        earlier = [EARLIER + note.removeprefix(EARLIER) for note in self._notes if note not in self._standing]
        return [*earlier, *self._work.stats().notes]
