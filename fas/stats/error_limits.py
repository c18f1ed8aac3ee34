"""The interval of a calibration error, by turning round the test "the true error is c".

The error is a sum of distances, so noise only adds to it, and the more the smaller the distances are: percentiles of
its draws lie too high, and mirrored ones cover as little as 81% where every bin is a tenth off. Here c stays in the
interval unless the sample's error would be rare for it (below or above in less than (1 - level) / 2 of the draws). What
a true error of c does to a sample hangs on how it is spread over the bins, which is not known; three spreads are tried,
and what any of them leaves standing is in the interval: as the sample has it; evenly over the predictions, each bin
to the side to which it errs; evenly, all to one side. Coverage by simulation: `docs/coverage.md`.

Source: the inversion of tests by the bootstrap, Carpenter, Test inversion bootstrap confidence intervals (1999).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fas.stats.draws import FloatArray

_STEPS = 60
_HALVINGS = 8


def error_limits(gap: FloatArray, weights: FloatArray, noise: FloatArray, level: float) -> tuple[float, float]:
    """Lower and upper limit of the error of which *gap* is the sample's.

    Args:
        gap: Confidence less accuracy of every bin, times the bin's share of the predictions; shape `[n_bins]`.
        weights: Those shares.
        noise: How far *gap* of each resample lies from *gap*, shape `[n_resamples, n_bins]`.
        level: Confidence level.

    Returns:
        Limits in [0, 1].
    """
    seen, tail = float(np.abs(gap).sum()), (1 - level) / 2
    one_side = 1.0 if gap.sum() >= 0 else -1.0
    spreads = [gap / seen] if seen > 0 else []
    spreads += [np.where(gap >= 0, 1.0, -1.0) * weights, one_side * weights]
    highest = seen + float(np.abs(noise).sum(axis=1).max())
    grid = np.linspace(0.0, max(highest, 1e-12), _STEPS + 1)
    lows, highs = [], []
    for spread in spreads:

        def stands(error: float, spread: FloatArray = spread) -> bool:
            drawn = np.abs(error * spread + noise).sum(axis=1)
            return bool((drawn >= seen).mean() >= tail and (drawn <= seen).mean() >= tail)

        standing = [stands(float(error)) for error in grid]
        if not any(standing):
            continue
        first, last = standing.index(True), _STEPS - standing[::-1].index(True)
        step = float(grid[1])
        lows.append(_edge(stands, float(grid[first]), -step) if first else 0.0)
        highs.append(_edge(stands, float(grid[last]), step) if last < _STEPS else float(grid[last]))
    low, high = min(lows, default=seen), max(highs, default=seen)
    return max(0.0, low), min(1.0, high)


def _edge(stands: Callable[[float], bool], inside: float, step: float) -> float:
    """Where between *inside*, which stands, and one step from it, which does not, the test begins to refuse."""
    outside = inside + step
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if stands(middle) else (inside, middle)
    return inside
