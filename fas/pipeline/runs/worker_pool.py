"""Workers elsewhere that score one run, of which this process alone reads and writes.

A thread for each worker sends one chunk at a time to whichever is idle, and the records are given on in the order of
the input: the run folder is what one process would have written. So a worker may die at any time:

- The chunk of a dead worker is scored again by another; nothing that was not sent back was written.
- Where that one dies too, the answers of the chunk are scored one by one, and one that twice ended the worker that had
  nothing else to do becomes an error record.

A subclass says what a worker is: a process (`fas.pipeline.runs.processes`).
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ThreadPoolExecutor, wait
from itertools import chain, count
from operator import methodcaller
from queue import Empty, Queue
from threading import Lock, Thread
from typing import Any, Protocol, Self

from fas.core.answers.files import BadLine
from fas.core.errors import PartUnavailable, ProfileError, RunStopped
from fas.core.profile import Profile
from fas.core.records import AnswerScore, RecordError
from fas.core.records.signature import Signature
from fas.llm.parts import has_budget
from fas.pipeline import PipelineTally, choose_evidence_source
from fas.pipeline.runs.settings import find_difference
from fas.pipeline.runs.work import Chunk, Records, WorkStats
from fas.pipeline.runs.worker import Ready, WorkerPlan

logger = logging.getLogger(__name__)

_TRIES = 2
"""How often a worker may die over the same work before that work is made smaller, or given up."""


class WorkerDiedError(Exception):
    """A worker died; the message is a clause, e.g. `was ended by SIGKILL`."""


class PoolWorker(Protocol):
    """A worker; `load` and `score` raise `WorkerDiedError` when it does, or the error that it sends."""

    def load(self) -> Ready:
        """Wait until it has loaded."""
        ...

    def score(self, items: Chunk) -> tuple[Records, WorkStats]:
        """The records of *items*, and what the worker did so far."""
        ...

    def close(self) -> None:
        """End it when it has closed what it opened."""
        ...

    def kill(self) -> None:
        """End it at once, from any thread."""
        ...


class WorkerPool(ABC):
    """The work of several workers, as `fas.pipeline.runs.work.Work`; a context manager.

    The first worker is loaded, and its settings are known, when the context is entered; the others when there are
    chunks for them.

    Args:
        plan: What each worker builds its parts of.
        jobs: How many workers.

    Raises:
        PartUnavailable: A worker ended while it loaded.
    """

    what = "worker"
    """What messages call a worker."""
    loads = 1
    """How many workers in a row may die while they load before the run stops."""
    patience: float | None = None
    """After so many seconds without an idle worker, `warn_waiting` is called."""

    def __init__(self, plan: WorkerPlan, jobs: int) -> None:
        if jobs < 1:
            raise ValueError(f"--jobs must be at least 1, got {jobs}")
        self.plan = plan
        self.jobs = jobs
        self.k = plan.profile.k
        self.settings: Mapping[str, str] = {}
        self.can_verify = True
        self._signature = Signature({})
        self._threads = ThreadPoolExecutor(jobs, "fas-worker")
        self._idle: Queue[PoolWorker | BaseException] = Queue()
        self._lock = Lock()
        self._n = 0  # workers that load, work or are idle
        self._workers: dict[int, PoolWorker] = {}
        self._stats: dict[PoolWorker, WorkStats] = {}
        self._closed = False

    @abstractmethod
    def start(self, number: int) -> PoolWorker:
        """Start a worker: the *number*-th of those alive, from 0."""

    def warn_waiting(self) -> None:
        """Say that no worker was idle for long, and why that may be."""
        logger.warning("no %s was free for %.0f s", self.what, self.patience)

    def __enter__(self) -> Self:
        try:
            self._idle.put(self._take_idle())
        except BaseException:
            self.__exit__(True)
            raise
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        with self._lock:
            self._closed = True
            workers = list(self._workers.values())
        self._idle.put(CancelledError())
        if kind is None:
            with ThreadPoolExecutor(self.jobs) as threads:
                list(threads.map(methodcaller("close"), workers))
        for worker in workers:
            worker.kill()
        self._threads.shutdown(cancel_futures=True)

    @property
    def tally(self) -> PipelineTally:
        """Claims and pairs of all workers."""
        stats = self.stats()
        return PipelineTally(dict(stats.seconds), stats.n_claims, stats.n_pairs)

    def signature(self, n: int) -> Signature:
        """What pins a score over *n* answers."""
        return self._signature.with_field("n", str(n))

    def stats(self) -> WorkStats:
        """What all workers did, those that died included, as far as they sent it; of notes each text once."""
        every = list(self._stats.values())
        return WorkStats(
            seconds=_add_up(stats.seconds for stats in every),
            counts=_add_up(stats.counts for stats in every),
            n_claims=sum(stats.n_claims for stats in every),
            n_pairs=sum(stats.n_pairs for stats in every),
            notes=tuple(dict.fromkeys(chain.from_iterable(stats.notes for stats in every))),
            truncated=any(stats.truncated for stats in every),
        )

    def score(self, chunks: Iterable[Chunk]) -> Iterator[Records]:
        """The records of each chunk, in order; at most four chunks a worker are under way or wait for an earlier one.

        Raises:
            RunStopped: A worker says that going on is pointless, or its settings are not those of the others.
        """
        waiting: deque[Future[Records]] = deque()
        for chunk in chunks:
            waiting.append(self._threads.submit(self._score_chunk, chunk))
            while waiting and (waiting[0].done() or len(waiting) == 4 * self.jobs):
                yield _wait_for_first(waiting)
        while waiting:
            yield _wait_for_first(waiting)

    def _score_chunk(self, items: Chunk) -> Records:
        """The records of *items*, one by one if workers die of them all."""
        how = ""
        for _ in range(_TRIES):
            worker = self._take_idle()
            try:
                records, self._stats[worker] = worker.score(items)
            except WorkerDiedError as death:
                how = str(death)
                self._forget(worker)
                logger.warning("a %s %s; its answers are scored again", self.what, how)
            else:
                self._idle.put(worker)
                return records
        if len(items) > 1:
            return [record for item in items for record in self._score_chunk([item])]
        (item,) = items
        assert not isinstance(item, BadLine), "nothing is scored of a bad line"
        message = f"the {self.what} that scored it {how}, {_TRIES} times with nothing else to do; the others went on"
        return [AnswerScore(item, error=RecordError("WorkerDied", item.line, "prediction", message)).as_dict(self.k)]

    def _take_idle(self) -> PoolWorker:
        """A worker for the calling thread alone; another is started if there is none and may be more."""
        while True:
            with self._lock:
                if self._idle.empty() and self._n < self.jobs and not self._closed:
                    self._n += 1
                    Thread(target=self._add_worker, daemon=True, name="fas-load").start()
            try:
                found = self._idle.get(timeout=self.patience)
            except Empty:
                self.warn_waiting()
                continue
            if isinstance(found, BaseException):
                self._idle.put(found)  # for every other thread, and what each would do next
                raise found
            return found

    def _add_worker(self) -> None:
        """Load another worker, which then is idle; in a thread of its own, so that the others go on."""
        try:
            worker, ready = self._load()
            with self._lock:
                if not self._stats:
                    self.settings, self.can_verify = ready.settings, ready.can_verify
                    self._signature = ready.signature
                self._stats[worker] = ready.stats
            if (key := find_difference(self.settings, ready.settings)) is not None:
                raise RunStopped(
                    f"a {self.what} has {key!r} {ready.settings.get(key)!r}, the run has {self.settings.get(key)!r}: "
                    "they would not score alike; give every machine the same version, models and evidence"
                )
            self._idle.put(worker)
        except Exception as error:
            self._idle.put(error)

    def _load(self) -> tuple[PoolWorker, Ready]:
        how = ""
        for _ in range(self.loads):
            with self._lock:
                if self._closed:
                    raise CancelledError
                number = next(number for number in count() if number not in self._workers)
                worker = self._workers[number] = self.start(number)
            try:
                return worker, worker.load()
            except WorkerDiedError as death:
                how = str(death)
                with self._lock:
                    del self._workers[number]
        raise PartUnavailable(f"a {self.what} {how} while it loaded; is there enough memory for {self.jobs}?")

    def _forget(self, dead: PoolWorker) -> None:
        """Make room for another worker in the place of *dead*."""
        with self._lock:
            if self._closed:
                raise CancelledError
            self._n -= 1
            self._workers = {number: worker for number, worker in self._workers.items() if worker is not dead}
        dead.kill()


def _wait_for_first(waiting: deque[Future[Records]]) -> Records:
    """The records of the first chunk, or the error of any."""
    while not waiting[0].done():
        for chunk in wait([chunk for chunk in waiting if not chunk.done()], return_when=FIRST_COMPLETED).done:
            chunk.result()
    return waiting.popleft().result()


def _add_up(tables: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    result: Counter[str] = Counter()
    for table in tables:
        result.update(table)
    return dict(result)


def check_shareable(profile: Profile, *, has_passages: bool) -> None:
    """Refuse what only one process can keep.

    Raises:
        ProfileError: The profile has a budget for language models, or its evidence is PubMed's server, whose
            limit of requests a second holds for all of a user's processes together.
    """
    if has_budget(profile.llm):
        raise ProfileError(
            "a budget for language models (max_calls, max_total_tokens, max_cost) is kept by one process and cannot be "
            "shared by several: leave the budget out, or take --engine single"
        )
    evidence = choose_evidence_source(profile, has_passages=has_passages)
    if evidence.name == "entrez":
        raise ProfileError(
            "evidence 'entrez' has a limit of requests a second for all processes together, which several could not "
            "keep: take --engine single, an index (fas index build), or a search server (opensearch:URL/INDEX)"
        )
