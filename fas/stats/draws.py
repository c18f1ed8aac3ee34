"""Resamples as counts: how often each unit was drawn.

The sums of all metrics in all resamples are then one matrix product, and every metric of one call sees
the same draws, so that what is correlated in the data stays correlated in the resamples.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]

_DRAWS_PER_BATCH = 1_000_000  # a batch of draws and its counts stay near 32 MB whatever the input


def make_rng(seed: int | np.random.Generator) -> np.random.Generator:
    """The generator itself, or a new one from a seed."""
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(seed)


def draw_counts(n_units: int, n_resamples: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """How often each unit was drawn, in batches of shape `[n_in_batch, n_units]`.

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
