"""How many replies of language models could be used, and why the others could not."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable


class ReplyTally:
    """Counts replies by what became of them; safe to use from several threads."""

    def __init__(self) -> None:
        self.n = 0
        self.reasons: Counter[str] = Counter()
        self._lock = threading.Lock()

    def count(self, failures: Iterable[str | None]) -> None:
        """Take in replies: None for one that could be used, else the reason, whose part before a colon is its kind."""
        with self._lock:
            for failure in failures:
                self.n += 1
                if failure is not None:
                    self.reasons[failure.partition(":")[0].strip()] += 1

    @property
    def n_failed(self) -> int:
        """Replies that could not be used."""
        return self.reasons.total()

    def note(self) -> str | None:
        """A sentence for the report, or None where every reply could be used.

        >>> tally = ReplyTally()
        >>> tally.count([None, "the reply is empty", None, "the model refused: 'Sorry'", "the reply is empty"])
        >>> tally.note()
        '3 of 5 replies could not be used (2: the reply is empty; 1: the model refused)'
        """
        if not self.reasons:
            return None
        # Equal counts by name: which reply came first is a matter of threads.
        ranked = sorted(self.reasons.items(), key=lambda kind: (-kind[1], kind[0]))
        kinds = "; ".join(f"{n}: {reason}" for reason, n in ranked)
        return f"{self.n_failed} of {self.n} replies could not be used ({kinds})"
