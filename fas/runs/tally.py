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

_COUNTS = ("n_cut", "n_same", "n_over", "n_long")
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
        self._before: dict[str, int] = {name: earlier.get(name, 0) for name in _COUNTS}
        self._now = dict(self._before)
        # What a part says before it has worked holds for the whole run; the rest it counted in this process.
        self._standing = _part_notes(pipeline)
        self._worked = False

    def count(self, *, again: bool = False) -> None:
        """Take in what the pipeline did; *again* if only answers that were counted when first done are new."""
        self._worked = True
        if not again:
            self._now = {name: self._before[name] + n for name, n in _counted(self._pipeline).items()}

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
        return [*count_notes(self._now, self._pipeline.profile.k), *self._of_parts()]

    def _of_parts(self) -> list[str]:
        if not self._worked:
            return [*self._notes, *(note for note in self._standing if note not in self._notes)]
        # Parts count in words of their own, which cannot be added up.
        earlier = [_EARLIER + note.removeprefix(_EARLIER) for note in self._notes if note not in self._standing]
        return [*earlier, *_part_notes(self._pipeline)]


def _counted(pipeline: Pipeline) -> dict[str, int]:
    tally = pipeline.tally
    return dict(zip(_COUNTS, (tally.n_cut, tally.n_same, tally.n_over, pipeline.references.n_long), strict=True))


def process_notes(pipeline: Pipeline) -> list[str]:
    """The notes of a run that was done in this process alone."""
    return [
        *count_notes(_counted(pipeline), pipeline.profile.k),
        *_part_notes(pipeline),
    ]


def count_notes(counts: Mapping[str, int], k: int) -> list[str]:
    """Notes on passages that were not read, and on texts that are longer than the encoder reads at once."""
    n_cut, n_same, n_over, n_long = (counts.get(name, 0) for name in _COUNTS)
    notes = []
    if n_cut:
        notes.append(f"{n_cut} given passages were ranked below the best {k} of a claim and not read")
    if n_same:
        notes.append(f"{n_same} passages repeat another one of their claim and were read once")
    if n_over:
        notes.append(
            f"the evidence source gave more than k={k} passages: {n_over} beyond the first {k} of a claim were not read"
        )
    if n_long:
        what = "1 text is" if n_long == 1 else f"{n_long} texts are"
        notes.append(f"{what} longer than the encoder reads at once; BERTScore reads overlapping windows")
    return notes


def _part_notes(pipeline: Pipeline) -> list[str]:
    notes: list[str] = list(pipeline.notes)
    for part in (pipeline.extractor, pipeline.retriever, pipeline.verifier, pipeline.safety):
        reported = getattr(part, "notes", None)
        if reported is not None:
            notes.extend(reported())
    return [*notes, *pipeline.models.notes()]
