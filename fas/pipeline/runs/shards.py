"""One run cut into shards that know nothing of each other, for batch systems (`--shard 3/40`).

A shard holds every N-th chunk of the input, so that each chunk is what it is in one process, shards are of equal size,
and the input's order comes back by taking a chunk of each shard in turn (`fas.pipeline.runs.merging`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from fas.pipeline import CHUNK, split_into_chunks

T = TypeVar("T")

_FORM = re.compile(r"([0-9]+)/([0-9]+)")


@dataclass(frozen=True, slots=True)
class Shard:
    """Number *number* of *of*, counted from 1.

    >>> Shard.parse("2/3").size(40), list(Shard(2, 3).of(range(40)))
    (16, [16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31])

    Raises:
        ValueError: There is no such shard.
    """

    number: int
    count: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.count:
            raise ValueError(f"shard {self}: expected I/N with I from 1 to N, e.g. 3/40")

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    @classmethod
    def parse(cls, text: str) -> Shard:
        """The shard that `I/N` names.

        Raises:
            ValueError: It is of another form, or there is no such shard.
        """
        found = _FORM.fullmatch(text)
        if found is None:
            raise ValueError(f"shard {text!r}: expected I/N with I from 1 to N, e.g. 3/40")
        return cls(int(found[1]), int(found[2]))

    def of(self, items: Iterable[T]) -> Iterator[T]:
        """Those of *items*, all of the input in order, that are in the shard."""
        for chunk in islice(split_into_chunks(items, CHUNK), self.number - 1, None, self.count):
            yield from chunk

    def size(self, n: int) -> int:
        """How many of *n* answers are in the shard."""
        whole, rest = divmod(n, CHUNK)
        size = CHUNK * len(range(self.number - 1, whole, self.count))
        return size + (rest if whole % self.count == self.number - 1 else 0)

    def settings(self, n: int) -> Mapping[str, str]:
        """What `run.json` notes of a shard of *n* answers, beside the settings of every run."""
        return {"shard": str(self), "answers": str(n)}
