"""Workers elsewhere that score one run, of which this process alone reads and writes.

A worker gets one chunk at a time and sends the records back, which are given on in the order of the input: the run
folder is what one process would have written. So a worker may die at any time:

- The chunk of a dead worker is scored again by another; nothing that was not sent back was written.
- Where that one dies too, the answers of the chunk are scored one by one, and one that twice ended the worker that had
  nothing else to do becomes an error record.

A subclass says what a worker is: a process (`fas.pipeline.runs.processes`) or an actor of a cluster
(`fas.integrations.ray`).
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Self

from fas.core.answers.files import BadLine
from fas.core.errors import PartUnavailable, ProfileError, RunStopped
from fas.core.profile import Profile
from fas.core.records import AnswerScore, RecordError
from fas.core.records.signature import Signature
from fas.llm.parts import has_budget
from fas.pipeline import PipelineTally, choose_evidence_source
from fas.pipeline.runs.folder import find_difference
from fas.pipeline.runs.work import Chunk, Records, WorkStats
from fas.pipeline.runs.worker import Ready, WorkerPlan

logger = logging.getLogger(__name__)

_TRIES = 2
"""How often a worker may die over the same work before that work is made smaller, or given up."""


@dataclass(frozen=True, slots=True)
class Died:
    """The message of a worker that died; *how* is a clause, e.g. `was ended by SIGKILL`."""

    how: str


@dataclass
class _Unit:
    """Neighbouring answers of a chunk that are scored together; all of them, unless a worker died of them."""

    number: int
    at: int
    items: Chunk
    deaths: int = 0


@dataclass(eq=False)
class PoolWorker:
    """A worker.

    Attributes:
        handle: The subclass's handle.
        ready: It has loaded.
        unit: Its current work.
        stats: Its last report.
    """

    handle: Any
    ready: bool = False
    unit: _Unit | None = None
    stats: WorkStats = field(default_factory=WorkStats)

    @property
    def expected(self) -> bool:
        """Whether something is to come from it."""
        return self.unit is not None or not self.ready


class WorkerPool(ABC):
    """The work of several workers, as `fas.pipeline.runs.work.Work`; a context manager.

    The first worker is started, and its settings are known, when the context is entered; the others when there are
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

    def __init__(self, plan: WorkerPlan, jobs: int) -> None:
        if jobs < 1:
            raise ValueError(f"--jobs must be at least 1, got {jobs}")
        self.plan = plan
        self.jobs = jobs
        self.k = plan.profile.k
        self.settings: Mapping[str, str] = {}
        self.can_verify = True
        self._workers: list[PoolWorker] = []
        self._gone: list[WorkStats] = []
        self._ready: Ready | None = None
        self._lost = 0

    @abstractmethod
    def start(self) -> Any:
        """Start a worker; its handle."""

    @abstractmethod
    def send(self, handle: Any, items: Chunk) -> None:
        """Give a worker a chunk; `receive` reports a dead one."""

    @abstractmethod
    def receive(self, handles: Sequence[Any]) -> Iterable[tuple[Any, Any]]:
        """Wait until at least one of them sends something, and return it: `Ready`, (records, stats), an error, `Died`.

        May return nothing after a while.
        """

    @abstractmethod
    def end(self, handles: Sequence[Any], *, at_once: bool) -> None:
        """End them, at once or when they have closed what they opened."""

    def __enter__(self) -> Self:
        try:
            while self._ready is None:
                if not self._workers:
                    self._start()
                self._receive_results({}, deque())
        except BaseException:
            self._end(at_once=True)
            raise
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._end(at_once=kind is not None)

    @property
    def tally(self) -> PipelineTally:
        """Claims and pairs of all workers."""
        stats = self.stats()
        return PipelineTally(dict(stats.seconds), stats.n_claims, stats.n_pairs)

    def signature(self, n: int) -> Signature:
        """What pins a score over *n* answers."""
        assert self._ready is not None, "entered"
        return self._ready.signature.with_field("n", str(n))

    def stats(self) -> WorkStats:
        """What all workers did, those that died included, as far as they sent it."""
        return merge_counts([*self._gone, *(worker.stats for worker in self._workers)])

    def score(self, chunks: Iterable[Chunk]) -> Iterator[Records]:
        """The records of each chunk, in order; at most four chunks a worker are under way or wait for an earlier one.

        Raises:
            RunStopped: A worker says that going on is pointless, or its settings are not those of the others.
        """
        fresh = enumerate(chunks)
        waiting: deque[_Unit] = deque()
        slots: dict[int, list[dict[str, Any] | None]] = {}
        turn, exhausted = 0, False
        while True:
            while not exhausted and len(waiting) < self.jobs and len(slots) < 4 * self.jobs:
                number, chunk = next(fresh, (-1, ()))
                if number < 0:
                    exhausted = True
                    break
                waiting.append(_Unit(number, 0, chunk))
                slots[number] = [None] * len(chunk)
            self._assign_chunks(waiting)
            if exhausted and not slots:
                return
            if any(worker.expected for worker in self._workers):
                self._receive_results(slots, waiting)
            while turn in slots and None not in slots[turn]:
                yield [record for record in slots.pop(turn) if record is not None]
                turn += 1

    def _assign_chunks(self, waiting: deque[_Unit]) -> None:
        for worker in self._workers:
            if waiting and worker.ready and worker.unit is None:
                worker.unit = waiting.popleft()
                self.send(worker.handle, worker.unit.items)
        while len(self._workers) < self.jobs and len(waiting) > sum(not worker.ready for worker in self._workers):
            self._start()

    def _start(self) -> None:
        self._workers.append(PoolWorker(self.start()))

    def _receive_results(self, slots: dict[int, list[dict[str, Any] | None]], waiting: deque[_Unit]) -> None:
        """Take in what the workers send next."""
        expected = [worker for worker in self._workers if worker.expected]
        for handle, message in self.receive([worker.handle for worker in expected]):
            worker = next(worker for worker in expected if worker.handle is handle)
            if isinstance(message, BaseException):
                raise message
            if isinstance(message, Died):
                self._replace_dead_worker(worker, message.how, slots, waiting)
            elif isinstance(message, Ready):
                self._accept_worker(worker, message)
            else:
                records, worker.stats = message
                unit, worker.unit = worker.unit, None
                assert unit is not None, "records come for a unit"
                slots[unit.number][unit.at : unit.at + len(records)] = records

    def _accept_worker(self, worker: PoolWorker, ready: Ready) -> None:
        if self._ready is None:
            self._ready, self.settings, self.can_verify = ready, ready.settings, ready.can_verify
        check_same(self.settings, ready.settings, f"a {self.what}")
        worker.ready, worker.stats, self._lost = True, ready.stats, 0

    def _replace_dead_worker(
        self, worker: PoolWorker, how: str, slots: dict[int, list[dict[str, Any] | None]], waiting: deque[_Unit]
    ) -> None:
        """What a dead worker was at goes to another, in smaller pieces if it was not the first to die of it."""
        self._workers.remove(worker)
        self.end([worker.handle], at_once=True)
        if not worker.ready:
            self._lost += 1
            if self._lost >= self.loads:
                raise PartUnavailable(f"a {self.what} {how} while it loaded; is there enough memory for {self.jobs}?")
            return
        self._gone.append(worker.stats)
        unit = worker.unit
        if unit is None:
            return
        unit.deaths += 1
        logger.warning("a %s %s; its answers are scored again", self.what, how)
        if unit.deaths < _TRIES:
            waiting.appendleft(unit)
        elif len(unit.items) > 1:
            singles = [_Unit(unit.number, unit.at + i, [item]) for i, item in enumerate(unit.items)]
            waiting.extendleft(reversed(singles))
        else:
            slots[unit.number][unit.at] = record_death(unit.items[0], self.what, how, self.k)

    def _end(self, *, at_once: bool) -> None:
        self.end([worker.handle for worker in self._workers], at_once=at_once)
        self._gone += [worker.stats for worker in self._workers]
        self._workers.clear()


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


def merge_counts(every: Iterable[WorkStats]) -> WorkStats:
    """The sum; of notes each text once."""
    every = list(every)
    return WorkStats(
        seconds=_add_up(stats.seconds for stats in every),
        counts=_add_up(stats.counts for stats in every),
        n_claims=sum(stats.n_claims for stats in every),
        n_pairs=sum(stats.n_pairs for stats in every),
        notes=tuple(dict.fromkeys(chain.from_iterable(stats.notes for stats in every))),
        truncated=any(stats.truncated for stats in every),
    )


def _add_up(tables: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for table in tables:
        for name, value in table.items():
            result[name] = result.get(name, 0) + value
    return result


def check_same(expected: Mapping[str, str], found: Mapping[str, str], who: str) -> None:
    """Refuse a worker that scores otherwise than the run does: another index in the same place, say.

    Raises:
        RunStopped: A setting differs; the message names it.
    """
    if (key := find_difference(expected, found)) is not None:
        raise RunStopped(
            f"{who} has {key!r} {found.get(key)!r}, the run has {expected.get(key)!r}: they would not score alike; "
            "give every machine the same version, models and evidence"
        )


def record_death(item: Any, what: str, how: str, k: int) -> dict[str, Any]:
    """The record of an answer of which processes die."""
    assert not isinstance(item, BadLine), "nothing is scored of a bad line"
    message = f"the {what} that scored it {how}, {_TRIES} times with nothing else to do; the others went on"
    return AnswerScore(item, error=RecordError("WorkerDied", item.line, "prediction", message)).as_dict(k)
