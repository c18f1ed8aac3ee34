"""Answers of several clients, scored together in chunks by one worker."""

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
    """Too many answers are waiting."""


class ClosingError(Exception):
    """The service is shutting down."""


@dataclass(slots=True)
class Scored:
    """One answer's record, as in `scores.jsonl`, and the signature of its score."""

    record: dict[str, Any]
    signature: str


@dataclass(slots=True)
class _Waiting:
    answer: Answer
    done: asyncio.Future[Scored] = field(repr=False)


class Batcher:
    """Takes answers from many tasks and scores them in chunks, in order; refuses more than *most_waiting*.

    Answers with and without passages of their own never share a chunk: without a named source, an answer without
    passages would count as one with an empty search.
    """

    def __init__(self, worker: ServiceWorker, *, most_waiting: int) -> None:
        self.worker = worker
        self.most_waiting = most_waiting
        self._waiting: list[_Waiting] = []
        self._n_beside = 0
        self._ready = asyncio.Event()
        self._closing = False
        self._task: asyncio.Task[None] | None = None
        # It only waits for the worker.
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="fas-score")

    @property
    def n_waiting(self) -> int:
        """Answers that wait to be scored, and unfinished ones of `safety`."""
        return len(self._waiting) + self._n_beside

    async def start(self) -> None:
        """Load and begin to work; call it once, on the running loop."""
        await asyncio.get_running_loop().run_in_executor(self._pool, self.worker.load)
        self._task = asyncio.create_task(self._work())

    def stop(self) -> None:
        """End the work at once and refuse new answers; waiting ones fail with `ClosingError`."""
        self._closing = True
        self.worker.close()
        self._fail(self._waiting, ClosingError())
        self._waiting.clear()

    async def close(self) -> None:
        """`stop`, and wait for all threads and tasks."""
        self.stop()
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        await asyncio.to_thread(self._pool.shutdown, cancel_futures=True)

    def submit(self, answers: Sequence[Answer]) -> list[asyncio.Future[Scored]]:
        """One future for each answer, in order; accepts all answers or none.

        Raises:
            QueueFullError: They do not fit.
            ClosingError: The service is shutting down.
        """
        self._take(len(answers))
        loop = asyncio.get_running_loop()
        taken = [_Waiting(answer, loop.create_future()) for answer in answers]
        self._waiting.extend(taken)
        self._ready.set()
        return [item.done for item in taken]

    async def safety(self, answers: Sequence[Answer]) -> list[dict[str, Any]]:
        """`ServiceWorker.safety` of *answers*, which count among those that wait; raises as `submit`."""
        self._take(len(answers))
        self._n_beside += len(answers)
        working = asyncio.get_running_loop().run_in_executor(self._pool, self.worker.safety, answers)

        def forget(_: object) -> None:
            self._n_beside -= len(answers)

        working.add_done_callback(forget)
        try:
            return await working
        except WorkerLostError as error:
            raise self._explain_loss(error) from error

    def _take(self, n: int) -> None:
        if self._closing:
            raise ClosingError
        if self.n_waiting + n > self.most_waiting:
            raise QueueFullError

    async def _work(self) -> None:
        while True:
            await self._ready.wait()
            waiting = [item for item in self._waiting if not item.done.cancelled()]
            if not waiting:
                self._waiting.clear()
                self._ready.clear()
                continue
            # The next chunk: answers of the first one's kind.
            kind = waiting[0].answer.passages is None
            chunk = [item for item in waiting if (item.answer.passages is None) is kind][:CHUNK]
            taken = set(map(id, chunk))
            self._waiting = [item for item in waiting if id(item) not in taken]
            await self._score(chunk)

    async def _score(self, chunk: Sequence[_Waiting]) -> None:
        # Clients may use the same identifiers, so each answer gets its own while they are scored together.
        answers = [replace(item.answer, id=str(number)) for number, item in enumerate(chunk)]
        loop = asyncio.get_running_loop()
        try:
            records, signature = await loop.run_in_executor(self._pool, self.worker.score, answers)
        except (WorkTooLongError, WorkerLostError) as error:
            if len(chunk) > 1 and not self._closing:
                for item in chunk:  # one of them is at fault; each is tried alone
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
        """*error*, or `ClosingError` if the shutdown ended the worker."""
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
