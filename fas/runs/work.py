"""What scores the chunks of a run: this process (`Here`), or several (`fas.runs.processes`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from fas.answers.files import BadLine
from fas.pipeline import Pipeline, Tally
from fas.records import Answer, AnswerScore
from fas.records.signature import Signature
from fas.runs.notes import COUNTS, part_notes

Chunk = Sequence[Answer | BadLine]
Records = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Told:
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

    def told(self) -> Told:
        """What is known of the work so far."""
        ...

    @property
    def tally(self) -> Tally:
        """Claims and pairs so far, for a progress bar."""
        ...


class Here:
    """The work of this process.

    Args:
        pipeline: What does it.
    """

    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline = pipeline
        self.k = pipeline.profile.k
        self.settings: Mapping[str, str] = pipeline.settings()
        self.can_verify = not pipeline.evidence.is_none or not pipeline.verifier.needs_evidence

    @property
    def tally(self) -> Tally:
        """That of the pipeline."""
        return self.pipeline.tally

    def signature(self, n: int) -> Signature:
        """That of the pipeline."""
        return self.pipeline.signature(n)

    def score(self, chunks: Iterable[Chunk]) -> Iterator[Records]:
        """The records of each chunk."""
        for chunk in chunks:
            yield records_of(self.pipeline, chunk)

    def told(self) -> Told:
        """What the pipeline and its parts say."""
        return told_by(self.pipeline)


def told_by(pipeline: Pipeline) -> Told:
    """What *pipeline* and its parts say of the work so far."""
    tally = pipeline.tally
    return Told(
        seconds=dict(tally.seconds),
        counts=counted(pipeline),
        n_claims=tally.n_claims,
        n_pairs=tally.n_pairs,
        notes=tuple(part_notes(pipeline)),
        truncated=pipeline.references.truncated,
    )


def counted(pipeline: Pipeline) -> dict[str, int]:
    """What *pipeline* counted beside its records, by the names of `COUNTS`."""
    tally = pipeline.tally
    return dict(zip(COUNTS, (tally.n_cut, tally.n_same, tally.n_over, pipeline.references.n_long), strict=True))


def records_of(pipeline: Pipeline, chunk: Chunk) -> Records:
    """The lines of `scores.jsonl` for *chunk*; a bad line becomes an error record."""
    answers = [item for item in chunk if isinstance(item, Answer)]
    scores = iter(pipeline.score(answers))
    records = []
    for item in chunk:
        score = error_score(item) if isinstance(item, BadLine) else next(scores)
        records.append(score.as_dict(pipeline.profile.k))
    return records


def error_score(item: BadLine) -> AnswerScore:
    """The record of a line that is no answer."""
    return AnswerScore(Answer(item.id, ""), error=item.as_error())
