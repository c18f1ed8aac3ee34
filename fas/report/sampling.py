"""What the intervals of a table resample: said beside them and in the signature, by one rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fas.records.signature import Signature
from fas.report.results import NO_CLUSTERS


@dataclass(frozen=True, slots=True)
class Sampling:
    """What was resampled.

    Attributes:
        n: Answers.
        n_units: Independent units among them: questions where answers share one, else the answers.
        by: What answers of one unit share: `question` or a field; None where every answer is a unit of its own.
        n_resamples: Draws.
        level: Confidence level.
        seed: Seed.
    """

    n: int
    n_units: int
    by: str | None
    n_resamples: int
    level: float
    seed: int

    @classmethod
    def of(
        cls,
        n: int,
        clusters: Sequence[str] | None,
        by: str | None,
        *,
        n_resamples: int,
        level: float,
        seed: int,
    ) -> Sampling:
        """The sampling of *n* answers; *clusters* is None where no two of them share a unit."""
        n_units = n if clusters is None else len(set(clusters))
        clustered = clusters is not None and by not in (None, NO_CLUSTERS)
        return cls(n, n_units, by if clustered else None, n_resamples, level, seed)

    @property
    def signature(self) -> str:
        """How the numbers were made, e.g. `n:180|boot:10000[question]|level:0.95|seed:12345`."""
        kind = "" if self.by is None else f"[{self.by.translate(_SAFE)}]"
        fields = {"n": str(self.n), "boot": f"{self.n_resamples}{kind}", "level": f"{self.level:g}"}
        return str(Signature(fields | {"seed": str(self.seed)}))

    def text(self, kind: str) -> str:
        """*kind* of interval with what it is over, e.g. `percentile bootstrap, over 30 questions (180 answers)`."""
        if self.by is None:
            return f"{kind}, over {_many(self.n, 'answer')}"
        units = _many(self.n_units, "question") if self.by == "question" else f"{self.n_units} values of {self.by!r}"
        return f"{kind}, over {units} ({_many(self.n, 'answer')})"

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "level": self.level,
            "clusters": {"by": self.by, "n": self.n_units, "answers": self.n},
            "sampling": self.signature,
        }


_SAFE = str.maketrans(dict.fromkeys("|:[]\n\r", "_"))


def _many(n: int, what: str) -> str:
    return f"1 {what}" if n == 1 else f"{n} {what}s"
