"""Adjusted p values for many comparisons: Holm and Benjamini-Hochberg."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fas.stats.bootstrap import FloatArray


def holm(p_values: npt.ArrayLike) -> FloatArray:
    """Adjusted p values that control the chance of any false finding (Holm, 1979).

    Compare them with the wanted level: `holm(p) <= 0.05`. NaN stays NaN and is no comparison.

    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]

    Raises:
        ValueError: A p value lies outside [0, 1].
    """
    return _adjust(p_values, step_up=False)


def benjamini_hochberg(p_values: npt.ArrayLike) -> FloatArray:
    """Adjusted p values that control the false discovery rate (Benjamini and Hochberg, 1995).

    The comparisons may depend on each other positively, as metrics of the same answers do.
    NaN stays NaN and is no comparison.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.04, 0.04]

    Raises:
        ValueError: A p value lies outside [0, 1].
    """
    return _adjust(p_values, step_up=True)


def _adjust(p_values: npt.ArrayLike, *, step_up: bool) -> FloatArray:
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1:
        raise ValueError(f"`p_values` must be one-dimensional, got shape {p.shape}")
    present = ~np.isnan(p)
    kept = p[present]
    if ((kept < 0) | (kept > 1)).any():
        raise ValueError(f"p values lie in [0, 1], got {kept[(kept < 0) | (kept > 1)][0]}")
    order = np.argsort(kept, kind="stable")
    rank = np.arange(1, len(kept) + 1)
    if step_up:
        raw = kept[order] * len(kept) / rank
        monotone = np.minimum.accumulate(raw[::-1])[::-1]
    else:
        raw = kept[order] * (len(kept) - rank + 1)
        monotone = np.maximum.accumulate(raw)
    adjusted = np.empty(len(kept))
    adjusted[order] = np.minimum(monotone, 1.0)
    result = np.full(len(p), np.nan)
    result[present] = adjusted
    return result
