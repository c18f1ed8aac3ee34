"""Answers of several clients scored together: one queue, one worker, a chunk at a time."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from fas.core.records import Answer
from fas.integrations.service.workers import ServiceWorker, WorkerLostError, WorkTooLongError
from fas.pipeline import CHUNK


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
        worker: What scores; closed with this.
        most_waiting: Answers that may wait; one more is refused.
        chunk: Answers scored together.
    """

    def __init__(self, worker: ServiceWorker, *, most_waiting: int = 512, chunk: int = CHUNK) -> None:
        self.worker = worker
        self.most_waiting = most_waiting
        self._chunk = chunk
        self._waiting: list[_Waiting] = []
        self._n_beside = 0
        self._ready = asyncio.Event()
        self._closing = False
        self._task: asyncio.Task[None] | None = None
        # It only waits for the worker.
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="fas-score")

    @property
    def n_waiting(self) -> int:
        """Answers that have not been begun, and those of `safety` that are not done."""
        return len(self._waiting) + self._n_beside

    async def start(self) -> None:
        """Load, and begin to work; called once, on the running loop."""
        await asyncio.get_running_loop().run_in_executor(self._pool, self.worker.load)
        self._task = asyncio.create_task(self._work())

    def stop(self) -> None:
        """End the work at once; what waits fails with `ClosingError`, and nothing new is taken."""
        self._closing = True
        self.worker.close()
        for item in self._waiting:
            if not item.done.done():
                item.done.set_exception(ClosingError())
        self._waiting.clear()

    async def close(self) -> None:
        """`stop`, and wait until all threads and tasks have ended."""
        self.stop()
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        await asyncio.to_thread(self._pool.shutdown, cancel_futures=True)

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

    async def safety(self, answers: Sequence[Answer]) -> list[dict[str, Any]]:
        """`Worker.safety` of *answers*; they count among those that wait.

        Raises:
            QueueFullError: They do not fit.
            ClosingError: The service goes down.
        """
        self._take(len(answers))
        self._n_beside += len(answers)
        working = asyncio.get_running_loop().run_in_executor(self._pool, self.worker.safety, answers)
        working.add_done_callback(lambda _: self._forget(len(answers)))
        try:
            return await working
        except WorkerLostError as error:
            raise self._explain_loss(error) from error

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
            records, signature = await loop.run_in_executor(self._pool, self.worker.score, answers)
        except (WorkTooLongError, WorkerLostError) as error:
            if len(chunk) > 1 and not self._closing:
                for item in chunk:  # which of them it was is not known, and the others are not to pay for it
                    if not item.done.done():
                        await self._score([item])
                return
            self._fail(chunk, self._explain_loss(error))
        except Exception as error:
            self._fail(chunk, error)
        else:
            for item, record in zip(chunk, records, strict=True):
                if not item.done.done():
                    item.done.set_result(Scored({**record, "id": item.answer.id}, signature))

    def _explain_loss(self, error: Exception) -> Exception:
        """What is told of *error*: a worker that is ended because the service goes down is no fault of the work."""
        return ClosingError() if self._closing else error

    def _fail(self, chunk: Sequence[_Waiting], error: Exception) -> None:
        for item in chunk:
            if not item.done.done():
                item.done.set_exception(error)


def count_into_signature(signature: str, n: int) -> str:
    """*signature* for *n* answers, whichever chunks they were scored in.

    >>> count_into_signature("n:16|claims:spacy", 2)
    'n:2|claims:spacy'
    """
    return re.sub(r"^n:\d+", f"n:{n}", signature)
