"""What the intervals of a table resample: said beside them and in the signature, by one rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

from fas.core.checks import count_of
from fas.core.records.signature import Signature
from fas.report.results import NO_CLUSTERS
from fas.stats.draws import BootstrapOptions, Resampling
from fas.stats.intervals import explain_missing


@dataclass(frozen=True, slots=True)
class Sampling:
    """What was resampled.

    Attributes:
        n_units: Independent units among them: questions where answers share one, else the answers.
        by: What answers of one unit share: `question` or a field; None where every answer is a unit of its own.
        kinds: Kinds of interval in the table (`fas.stats.intervals`), sorted.
        metrics: The metrics asked for; empty for all.
    """

    n: int
    n_units: int
    by: str | None
    n_resamples: int
    level: float
    seed: int
    kinds: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()

    @classmethod
    def of(cls, n: int, units: Sequence[str] | None, by: str | None, **options: Unpack[BootstrapOptions]) -> Sampling:
        """The sampling of *n* answers; *units* is None where no two of them share a unit."""
        n_units = n if units is None else len(set(units))
        clustered = units is not None and by not in (None, NO_CLUSTERS)
        how = Resampling(**options)
        return cls(n, n_units, by if clustered else None, how.n_resamples, how.level, how.seed)

    @property
    def signature(self) -> str:
        """How the numbers were made, e.g. `n:180|boot:10000[question,inverted]|level:0.95|seed:12345`."""
        settings = [*([self.by] if self.by is not None else []), *self.kinds]
        kind = f"[{','.join(one.translate(_SAFE) for one in settings)}]" if settings else ""
        fields = {"n": str(self.n), "boot": f"{self.n_resamples}{kind}", "level": f"{self.level:g}"}
        if self.metrics:
            fields["metrics"] = ",".join(one.translate(_SAFE) for one in self.metrics)
        return str(Signature(fields | {"seed": str(self.seed)}))

    def with_kinds(self, kinds: Iterable[str], metrics: Sequence[str] | None = None) -> Sampling:
        """With what else moves the numbers of a table: its kinds of interval and the metrics asked for."""
        given = sorted({kind for kind in kinds if kind and kind != "percentile" and not explain_missing(kind)})
        return replace(self, kinds=tuple(given), metrics=tuple(sorted(metrics or ())))

    def text(self, kind: str) -> str:
        """*kind* of interval with what it is over, e.g. `percentile bootstrap, over 30 questions (180 answers)`."""
        if self.by is None:
            return f"{kind}, over {count_of(self.n, 'answer')}"
        units = count_of(self.n_units, "question") if self.by == "question" else f"{self.n_units} values of {self.by!r}"
        return f"{kind}, over {units} ({count_of(self.n, 'answer')})"

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "level": self.level,
            "clusters": {"by": self.by, "n": self.n_units, "answers": self.n},
            "sampling": self.signature,
        }


_SAFE = str.maketrans(dict.fromkeys("|:[]\n\r", "_"))
