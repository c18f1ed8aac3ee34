"""Resamples as counts: how often each unit was drawn.

The sums of all metrics in all resamples are then one matrix product, and every metric of one call sees
the same draws, so that what is correlated in the data stays correlated in the resamples.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]
_DRAWS_PER_BATCH = 1_000_000  # a batch of draws and its counts stay near 32 MB whatever the input


class BootstrapOptions(TypedDict, total=False):
    """The keywords of every function that resamples; `Resampling` says what they mean."""

    n_resamples: int
    level: float
    seed: int
    clusters: npt.ArrayLike | None


@dataclass(frozen=True, slots=True)
class Resampling:
    """Options of resampling; a ValueError where an option is out of range.

    Attributes:
        level: Confidence level in the open interval (0, 1).
        clusters: Shape `[n_items]`: the question (or other unit) that an item belongs to. Whole clusters are drawn;
            without it every item is its own unit.
    """

    n_resamples: int = 10_000
    level: float = 0.95
    seed: int = 12345
    clusters: npt.ArrayLike | None = None

    def __post_init__(self) -> None:
        if self.n_resamples < 1:
            raise ValueError(f"`n_resamples` must be at least 1, got {self.n_resamples}")
        if not 0.0 < self.level < 1.0:
            raise ValueError(f"`level` must be in the open interval (0, 1), got {self.level}")

    @property
    def tails(self) -> tuple[float, float]:
        """The two quantiles between which the interval lies."""
        return (1 - self.level) / 2, (1 + self.level) / 2

    def counts(self, n_units: int) -> Iterator[FloatArray]:
        """`draw_counts` of this seed."""
        return draw_counts(n_units, self.n_resamples, np.random.default_rng(self.seed))


def draw_counts(n_units: int, n_resamples: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Counts of draws of each unit, in batches of shape `[n_in_batch, n_units]`.

    The draws are those of `rng.integers(n_units, size=(n_resamples, n_units))`, whatever the
    size of a batch, so that a plain loop over that array gives the same resamples.
    """
    per_batch = max(1, _DRAWS_PER_BATCH // max(1, n_units))
    for start in range(0, n_resamples, per_batch):
        n_rows = min(per_batch, n_resamples - start)
        picks = rng.integers(n_units, size=(n_rows, n_units))
        picks += np.arange(n_rows)[:, None] * n_units
        counts = np.bincount(picks.ravel(), minlength=n_rows * n_units)
        yield counts.reshape(n_rows, n_units).astype(np.float64)
