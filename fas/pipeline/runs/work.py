"""What scores the chunks of a run: this process (`LocalWorker`), or several (`fas.pipeline.runs.processes`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from fas.core.answers.files import BadLine
from fas.core.records import Answer, AnswerScore
from fas.core.records.signature import Signature
from fas.pipeline import Pipeline, PipelineTally, make_error
from fas.pipeline.runs.loop import run_each_alone
from fas.pipeline.runs.notes import COUNTS, note_parts

Chunk = Sequence[Answer | BadLine]
Records = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class WorkStats:
    """What is known of the work so far besides its records; of several processes the sum.

    Attributes:
        seconds: Stage to seconds.
        counts: What is counted beside the records, by the names of `COUNTS`.
        n_claims: Claims found.
        n_pairs: Claims judged against a passage.
        notes: What the parts say.
        truncated: Whether BERTScore cuts texts that are too long.
    """

    seconds: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    n_claims: int = 0
    n_pairs: int = 0
    notes: tuple[str, ...] = ()
    truncated: bool = False


class Work(Protocol):
    """Scores chunks of answers.

    Attributes:
        k: Passages per claim.
        settings: What decides an answer's score (`Pipeline.settings`).
        can_verify: Whether claims that are unverified might be verified by trying again.
    """

    k: int
    settings: Mapping[str, str]
    can_verify: bool

    def signature(self, n: int) -> Signature:
        """What pins a score over *n* answers."""
        ...

    def score(self, chunks: Iterable[Chunk]) -> Iterator[Records]:
        """The records of each chunk, in order, as they are done."""
        ...

    def stats(self) -> WorkStats:
        """What is known of the work so far."""
        ...

    @property
    def tally(self) -> PipelineTally:
        """Claims and pairs so far, for a progress bar."""
        ...


class LocalWorker:
    """The work of this process.

    Args:
        pipeline: What does it.
        keep: Called with each score, for callers that want them whole.
    """

    def __init__(self, pipeline: Pipeline, keep: Callable[[AnswerScore], object] | None = None) -> None:
        self.pipeline = pipeline
        self.k = pipeline.profile.k
        self.settings: Mapping[str, str] = pipeline.settings()
        self.can_verify = not pipeline.evidence.is_none or not pipeline.verifier.needs_evidence
        self._keep = keep
        self._scored = run_each_alone(pipeline.score, lambda _, score: self._make_record(score), self._make_failure)

    @property
    def tally(self) -> PipelineTally:
        """That of the pipeline."""
        return self.pipeline.tally

    def signature(self, n: int) -> Signature:
        """That of the pipeline."""
        return self.pipeline.signature(n)

    def score(self, chunks: Iterable[Chunk]) -> Iterator[Records]:
        """The records of each chunk; a bad line becomes an error record."""
        return map(self._scored, chunks)

    def stats(self) -> WorkStats:
        """What the pipeline and its parts say."""
        tally = self.pipeline.tally
        counted = (tally.n_cut, tally.n_same, tally.n_over, self.pipeline.references.n_long)
        return WorkStats(
            seconds=dict(tally.seconds),
            counts=dict(zip(COUNTS, counted, strict=True)),
            n_claims=tally.n_claims,
            n_pairs=tally.n_pairs,
            notes=tuple(note_parts(self.pipeline)),
            truncated=self.pipeline.references.truncated,
        )

    def _make_record(self, score: AnswerScore) -> dict[str, Any]:
        if self._keep is not None:
            self._keep(score)
        return score.as_dict(self.k)

    def _make_failure(self, item: Answer | BadLine, error: Exception) -> dict[str, Any]:
        if isinstance(item, BadLine):
            return self._make_record(AnswerScore(Answer(item.id, ""), error=item.as_error()))
        return self._make_record(AnswerScore(item, error=make_error(item, error, "prediction")))
