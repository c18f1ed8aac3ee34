"""Adjusted p values for many comparisons: Holm (1979) and Benjamini and Hochberg (1995)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np
import numpy.typing as npt

from fas.stats.draws import FloatArray


def holm(p_values: npt.ArrayLike, same: Sequence[Hashable] | None = None) -> FloatArray:
    """Adjusted p values that control the chance of any false finding.

    Compare them with the wanted level: `holm(p) <= 0.05`. NaN stays NaN and is no comparison.

    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]

    Args:
        p_values: Shape `[n]`.
        same: A key for each; equal keys are one comparison, printed more than once.

    Raises:
        ValueError: A p value lies outside [0, 1].
    """

    def adjusted(p: FloatArray) -> FloatArray:
        order = np.argsort(p, kind="stable")
        raw = p[order] * np.arange(len(p), 0, -1)
        found = np.empty(len(p))
        found[order] = np.minimum(np.maximum.accumulate(raw), 1.0)
        return found

    return _of_distinct(p_values, same, adjusted)


def benjamini_hochberg(p_values: npt.ArrayLike, same: Sequence[Hashable] | None = None) -> FloatArray:
    """Adjusted p values that control the false discovery rate; see `holm`.

    The comparisons may depend on each other positively, as metrics of the same answers do.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.04, 0.04]
    """

    def adjusted(p: FloatArray) -> FloatArray:
        from scipy.stats import false_discovery_control

        found: FloatArray = false_discovery_control(p)
        return found

    return _of_distinct(p_values, same, adjusted)


def _of_distinct(
    p_values: npt.ArrayLike, same: Sequence[Hashable] | None, adjusted: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1:
        raise ValueError(f"`p_values` must be one-dimensional, got shape {p.shape}")
    outside = p[(p < 0) | (p > 1)]
    if len(outside):
        raise ValueError(f"p values lie in [0, 1], got {outside[0]}")
    keys: Sequence[Hashable] = range(len(p)) if same is None else same
    first = {key: i for i, key in reversed(list(enumerate(keys))) if not np.isnan(p[i])}
    found = np.full(len(p), np.nan)
    if first:
        values = dict(zip(first, adjusted(p[list(first.values())]), strict=True))
        for i, key in enumerate(keys):
            found[i] = values[key] if not np.isnan(p[i]) else np.nan
    return found
