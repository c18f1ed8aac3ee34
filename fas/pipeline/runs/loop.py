"""The one loop of every run: units of work in, records on disk.

Scoring, detecting, revising and generating all do the same with units of their own:

- Units with a record are skipped, so that the same command resumes an interrupted run.
- The rest is done in chunks. The records of a chunk are on disk before the next chunk begins; a process that is
  killed, interrupted or stopped by an error loses the chunk it is at, and nothing else.
- Units whose records are unsettled (a search failed, say) are done again after the new ones, and their old records
  stay until every new one is there.

A `Store` keeps the records: `fas.pipeline.runs.folder.RunFolder`, which locks its folder, or a file of lines
(`fas.pipeline.runs.lines.Lines`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from fas.core.answers.files import BadLine
from fas.pipeline import CHUNK, split_into_chunks
from fas.scoring.verdicts.isolation import isolate_errors

if TYPE_CHECKING:
    from fas.pipeline.runs.tally import RunTally

U = TypeVar("U")
R = TypeVar("R")
V = TypeVar("V")
Records = Sequence[Mapping[str, Any]]


class Store:
    """Where a run keeps its records; this one keeps none, for runs whose results stay in memory.

    Attributes:
        finished: Ids of the units that are not done again.
        unverified: Ids of the units that have a record and are done again.
    """

    finished: Collection[str] = frozenset()
    unverified: Collection[str] = frozenset()

    def append(self, records: Records, *, tally: Mapping[str, Any] | None = None) -> None:
        """Keep *records* of new units; on return they are on disk."""

    def redo(self, records: Records, *, tally: Mapping[str, Any] | None = None) -> None:
        """Keep *records* of units that have some; `settle` exchanges them."""

    def settle(self) -> None:
        """Replace the old records of units that were done again, all at once."""


@dataclass(frozen=True)
class RunLoop(Generic[U]):
    """Does units of work and keeps their records.

    Attributes:
        store: Where records are kept.
        size: Units a chunk.
        key: Id of a unit.
        progress: Called after each chunk with how many units were done.
    """

    store: Store
    size: int = CHUNK
    key: Callable[[U], str] = field(default=attrgetter("id"))
    progress: Callable[[int], None] | None = None

    def run(
        self,
        units: Callable[[], Iterable[U]],
        work: Callable[[Iterable[list[U]]], Iterable[Records]],
        *,
        tally: RunTally | None = None,
    ) -> None:
        """Do what is not finished.

        Args:
            units: Gives all units in order, each time it is called.
            work: The records of each chunk, in order, as they are done; a unit without one is tried by the next run.
            tally: Counts beside the records, kept with them.

        Raises:
            InputError: Records cannot be written; those of earlier chunks are kept.
            RunStopped: The run cannot continue; records of earlier chunks are kept.
        """
        for again in (False, True) if self.store.unverified else (False,):
            keep = self.store.redo if again else self.store.append
            for done, records in self._count_chunks(work, self._list_todo(units(), again=again)):
                if tally is not None:
                    tally.count(again=again)
                keep(records, tally=None if tally is None else tally.state())
                if self.progress is not None:
                    self.progress(done)
        self.store.settle()

    def _list_todo(self, units: Iterable[U], *, again: bool) -> Iterator[U]:
        """Units with a record come by themselves: the tally counted them when they were first done."""
        for unit in units:
            name = self.key(unit)
            if name not in self.store.finished and (name in self.store.unverified) is again:
                yield unit

    def _count_chunks(
        self, work: Callable[[Iterable[list[U]]], Iterable[Records]], todo: Iterable[U]
    ) -> Iterator[tuple[int, Records]]:
        """The records of each chunk with the number of its units, which may be ahead of them by several chunks."""
        sizes: list[int] = []

        def count_given() -> Iterator[list[U]]:
            for chunk in split_into_chunks(todo, self.size):
                sizes.append(len(chunk))
                yield chunk

        for records in work(count_given()):
            yield sizes.pop(0), records


def run_each_alone(
    stage: Callable[[Sequence[U]], Sequence[R]],
    result: Callable[[U, R], V],
    failure: Callable[[Any, Exception], V],
    *,
    seconds: float = 0,
) -> Callable[[Sequence[U | BadLine]], list[V]]:
    """*stage* over a chunk in which bad lines, and units that *stage* fails on, ruin nothing but themselves.

    Args:
        stage: What is done with units.
        result: What comes of a unit and its outcome.
        failure: What comes of a bad line or a unit and its error.
        seconds: As for `fas.scoring.verdicts.isolation.isolate_errors`.

    Returns:
        A function from a chunk to what comes of each of its items, in order. It raises `RunStopped` if going on is
        pointless.
    """

    def run_chunk(chunk: Sequence[U | BadLine]) -> list[V]:
        outcomes = iter(
            isolate_errors(stage, [item for item in chunk if not isinstance(item, BadLine)], seconds=seconds)
        )
        found = []
        for item in chunk:
            outcome = item.error if isinstance(item, BadLine) else next(outcomes)
            found.append(failure(item, outcome) if isinstance(outcome, Exception) else result(item, outcome))  # type: ignore[arg-type]
        return found

    return run_chunk
