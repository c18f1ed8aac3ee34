"""Adjusted p values for many comparisons: Holm (1979), and Benjamini and Hochberg (1995) by SciPy."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np
import numpy.typing as npt

from fas.stats.draws import FloatArray


def holm(p_values: npt.ArrayLike, same: Sequence[Hashable] | None = None) -> FloatArray:
    """Adjusted p values that control the chance of any false finding.

    Compare them with the wanted level: `holm(p) <= 0.05`. NaN stays NaN and is no comparison. Equal keys in *same* are
    one comparison, printed more than once.

    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]

    Raises:
        ValueError: A p value lies outside [0, 1].
    """

    def adjusted(p: FloatArray) -> FloatArray:
        order = np.argsort(p, kind="stable")
        found = np.empty(len(p))
        found[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
        return found

    return _adjust_distinct(p_values, same, adjusted)


def benjamini_hochberg(p_values: npt.ArrayLike, same: Sequence[Hashable] | None = None) -> FloatArray:
    """Adjusted p values that control the false discovery rate; see `holm`.

    The comparisons may depend on each other positively, as metrics of the same answers do.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    from scipy.stats import false_discovery_control

    return _adjust_distinct(p_values, same, false_discovery_control)


def _adjust_distinct(
    p_values: npt.ArrayLike, same: Sequence[Hashable] | None, adjusted: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    p = np.asarray(p_values, dtype=np.float64)
    outside = p[(p < 0) | (p > 1)]
    if len(outside):
        raise ValueError(f"p values lie in [0, 1], got {outside[0]}")
    seen: dict[Hashable, int] = {}
    keys = np.array([seen.setdefault(key, len(seen)) for key in (range(len(p)) if same is None else same)], dtype=int)
    found, known = np.full(len(p), np.nan), ~np.isnan(p)
    if known.any():
        _, first, of_key = np.unique(keys[known], return_index=True, return_inverse=True)
        found[known] = adjusted(p[known][first])[of_key]
    return found
