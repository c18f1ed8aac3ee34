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
        self._before: tuple[int, int] = earlier.get("n_cut", 0), earlier.get("n_long", 0)
        self._n_cut, self._n_long = self._before
        # What a part says before it has worked holds for the whole run; the rest it counted in this process.
        self._standing = _part_notes(pipeline)
        self._worked = False

    def count(self, *, again: bool = False) -> None:
        """Take in what the pipeline did; *again* if only answers that were counted when first done are new."""
        self._worked = True
        if not again:
            self._n_cut = self._before[0] + self._pipeline.tally.n_cut
            self._n_long = self._before[1] + self._pipeline.references.n_long

    def state(self) -> dict[str, Any]:
        """The tally as `run.json` keeps it."""
        return {"seconds": self.seconds(), "n_cut": self._n_cut, "n_long": self._n_long, "notes": self._of_parts()}

    def seconds(self) -> dict[str, float]:
        """Stage to seconds; `total` is the time of whole processes."""
        here = {**self._pipeline.tally.seconds, "total": time.perf_counter() - self._began}
        return {
            stage: self._seconds.get(stage, 0.0) + here.get(stage, 0.0)
            for stage in dict.fromkeys((*self._seconds, *here))
        }

    def notes(self) -> list[str]:
        """What a reader must know about this run besides the counts of its records."""
        return [*count_notes(self._n_cut, self._n_long, self._pipeline.profile.k), *self._of_parts()]

    def _of_parts(self) -> list[str]:
        if not self._worked:
            return [*self._notes, *(note for note in self._standing if note not in self._notes)]
        # Parts count in words of their own, which cannot be added up.
        earlier = [_EARLIER + note.removeprefix(_EARLIER) for note in self._notes if note not in self._standing]
        return [*earlier, *_part_notes(self._pipeline)]


def process_notes(pipeline: Pipeline) -> list[str]:
    """The notes of a run that was done in this process alone."""
    return [
        *count_notes(pipeline.tally.n_cut, pipeline.references.n_long, pipeline.profile.k),
        *_part_notes(pipeline),
    ]


def count_notes(n_cut: int, n_long: int, k: int) -> list[str]:
    """Notes on given passages that were not read, and on texts that are longer than the encoder reads at once."""
    notes = []
    if n_cut:
        notes.append(f"{n_cut} given passages were ranked below the best {k} of a claim and not read")
    if n_long:
        what = "1 text is" if n_long == 1 else f"{n_long} texts are"
        notes.append(f"{what} longer than the encoder reads at once; BERTScore reads overlapping windows")
    return notes


def _part_notes(pipeline: Pipeline) -> list[str]:
    notes: list[str] = []
    for part in (pipeline.retriever, pipeline.verifier, pipeline.safety):
        reported = getattr(part, "notes", None)
        if reported is not None:
            notes.extend(reported())
    return [*notes, *pipeline.models.notes()]
