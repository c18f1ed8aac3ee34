"""What a run tells beside its records: seconds, counts and notes, over all processes that worked on it.

The counts that a record holds are made from the records (`fas.scores.aggregate`). What is known to the
process that did the work only is added up here and kept in `run.json` after every chunk, so that
the report of a resumed run tells the same as that of one that ran through. A killed run loses the
tally of the answers in flight; at worst it also misses that of the one chunk just written.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from fas.pipeline import Pipeline
from fas.runs.notes import COUNTS, part_notes, work_notes

_EARLIER = "before the run was resumed: "


class RunTally:
    """The tally of a run so far.

    Args:
        pipeline: What does the work in this process; has not begun.
        earlier: What `state` gave in the last process that worked on the run; empty for a new run.
        began: When this process began, by `time.perf_counter`.
    """

    def __init__(self, pipeline: Pipeline, earlier: Mapping[str, Any], *, began: float) -> None:
        self._pipeline = pipeline
        self._began = began
        self._seconds: Mapping[str, float] = earlier.get("seconds", {})
        self._notes: list[str] = earlier.get("notes", [])
        self._before: dict[str, int] = {name: earlier.get(name, 0) for name in COUNTS}
        self._now = dict(self._before)
        # What a part says before it has worked holds for the whole run; the rest it counted in this process.
        self._standing = part_notes(pipeline)
        self._worked = False

    def count(self, *, again: bool = False) -> None:
        """Take in what the pipeline did; *again* if only answers that were counted when first done are new."""
        self._worked = True
        if not again:
            self._now = {name: self._before[name] + n for name, n in counted(self._pipeline).items()}

    def state(self) -> dict[str, Any]:
        """The tally as `run.json` keeps it."""
        return {"seconds": self.seconds(), **self._now, "notes": self._of_parts()}

    def seconds(self) -> dict[str, float]:
        """Stage to seconds; `total` is the time of whole processes."""
        here = {**self._pipeline.tally.seconds, "total": time.perf_counter() - self._began}
        return {
            stage: self._seconds.get(stage, 0.0) + here.get(stage, 0.0)
            for stage in dict.fromkeys((*self._seconds, *here))
        }

    def notes(self) -> list[str]:
        """What a reader must know about this run besides the counts of its records."""
        return [
            *work_notes(self._now, self._pipeline.profile.k, truncated=self._pipeline.references.truncated),
            *self._of_parts(),
        ]

    def _of_parts(self) -> list[str]:
        if not self._worked:
            return [*self._notes, *(note for note in self._standing if note not in self._notes)]
        # Parts count in words of their own, which cannot be added up.
        earlier = [_EARLIER + note.removeprefix(_EARLIER) for note in self._notes if note not in self._standing]
        return [*earlier, *part_notes(self._pipeline)]


def counted(pipeline: Pipeline) -> dict[str, int]:
    """What *pipeline* counted beside its records, by the names of `COUNTS`."""
    tally = pipeline.tally
    return dict(zip(COUNTS, (tally.n_cut, tally.n_same, tally.n_over, pipeline.references.n_long), strict=True))
