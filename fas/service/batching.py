"""Answers of several clients scored together: one queue, one thread that scores, a chunk at a time."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from fas.pipeline import CHUNK
from fas.records import Answer
from fas.runs.scorer import Scorer

T = TypeVar("T")


class QueueFullError(Exception):
    """More answers are waiting than the service takes."""


class ClosingError(Exception):
    """The service goes down and begins nothing new."""


@dataclass(slots=True)
class Scored:
    """One answer's record and the signature of what scored it.

    Attributes:
        record: As in `scores.jsonl`.
        signature: The run's, for one answer.
    """

    record: dict[str, Any]
    signature: str


@dataclass(slots=True)
class _Waiting:
    answer: Answer
    done: asyncio.Future[Scored] = field(repr=False)


class Batcher:
    """Takes answers from many tasks and scores them in chunks, in the order in which they came.

    Answers with and without passages of their own never share a chunk: without a named source, one that has none would
    be taken for one with an empty search.

    Args:
        scorer: What scores; used by one thread at a time.
        most_waiting: Answers that may wait; one more is refused.
        chunk: Answers scored together.
    """

    def __init__(self, scorer: Scorer, *, most_waiting: int = 512, chunk: int = CHUNK) -> None:
        self.scorer = scorer
        self.most_waiting = most_waiting
        self._chunk = chunk
        self._waiting: list[_Waiting] = []
        self._n_beside = 0
        self._ready = asyncio.Event()
        self._closing = False
        self._task: asyncio.Task[None] | None = None
        self.pool = ThreadPoolExecutor(1, thread_name_prefix="fas-score")

    @property
    def n_waiting(self) -> int:
        """Answers that have not been begun, and those of `run` that are not done."""
        return len(self._waiting) + self._n_beside

    def start(self) -> None:
        """Begin to work; called once, on the running loop."""
        self._task = asyncio.create_task(self._work())

    async def close(self) -> None:
        """Finish what has been taken, then stop."""
        self._closing = True
        self._ready.set()
        if self._task is not None:
            await self._task
        self.pool.shutdown()
        self.scorer.close()

    def submit(self, answers: Sequence[Answer]) -> list[asyncio.Future[Scored]]:
        """One future an answer, in order; all are taken or none is.

        Raises:
            QueueFullError: They do not fit.
            ClosingError: The service goes down.
        """
        self._take(len(answers))
        loop = asyncio.get_running_loop()
        taken = [_Waiting(answer, loop.create_future()) for answer in answers]
        self._waiting.extend(taken)
        self._ready.set()
        return [item.done for item in taken]

    async def run(self, work: Callable[[Sequence[Answer]], T], answers: Sequence[Answer]) -> T:
        """*work* on *answers* in the thread that scores; they count among those that wait.

        Raises:
            QueueFullError: They do not fit.
            ClosingError: The service goes down.
        """
        self._take(len(answers))
        self._n_beside += len(answers)
        working = asyncio.get_running_loop().run_in_executor(self.pool, work, answers)
        working.add_done_callback(lambda _: self._forget(len(answers)))
        return await working

    def _take(self, n: int) -> None:
        if self._closing:
            raise ClosingError
        if self.n_waiting + n > self.most_waiting:
            raise QueueFullError

    def _forget(self, n: int) -> None:
        self._n_beside -= n

    async def _work(self) -> None:
        while True:
            await self._ready.wait()
            if not self._waiting:
                if self._closing:
                    return
                self._ready.clear()
                continue
            await self._score(self._next())

    def _next(self) -> list[_Waiting]:
        """The next chunk: those of the first one's kind; what nobody waits for any more is dropped."""
        waiting = [item for item in self._waiting if not item.done.cancelled()]
        kind = waiting[0].answer.passages is not None if waiting else True
        chunk = [item for item in waiting if (item.answer.passages is not None) is kind][: self._chunk]
        taken = set(map(id, chunk))
        self._waiting = [item for item in waiting if id(item) not in taken]
        return chunk

    async def _score(self, chunk: Sequence[_Waiting]) -> None:
        if not chunk:
            return
        # Clients number their answers alike; while they are scored together each has an id of its own.
        answers = [replace(item.answer, id=str(number)) for number, item in enumerate(chunk)]
        loop = asyncio.get_running_loop()
        try:
            report = await loop.run_in_executor(self.pool, self.scorer.score, answers)
        except Exception as error:
            for item in chunk:
                if not item.done.done():
                    item.done.set_exception(error)
            return
        for item, score in zip(chunk, report.answers, strict=True):
            record = {**score.as_dict(self.scorer.profile.k), "id": item.answer.id}
            if not item.done.done():
                item.done.set_result(Scored(record, str(report.signature)))


def signature_of(signature: str, n: int) -> str:
    """*signature* for *n* answers, whichever chunks they were scored in.

    >>> signature_of("n:16|claims:spacy", 2)
    'n:2|claims:spacy'
    """
    return re.sub(r"^n:\d+", f"n:{n}", signature)
