"""How the answers of a run spread around a mean: standard deviation, extremes and quartiles of each metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

QUANTILES = {"min": 0.0, "q1": 0.25, "median": 0.5, "q3": 0.75, "max": 1.0}


def spread(metrics: Mapping[str, Sequence[float] | npt.NDArray[np.float64]]) -> dict[str, dict[str, float]]:
    """Metric to `sd` (n - 1 in the denominator; NaN for one answer), `min`, `q1`, `median`, `q3` and `max`.

    Quartiles are interpolated linearly between answers (Hyndman and Fan's type 7). NaN is left out; a metric
    without a value has no entry.

    >>> found = spread({"fas": [0.2, 0.4, float("nan"), 0.6]})["fas"]
    >>> round(found["sd"], 6), found["median"]
    (0.2, 0.4)
    """
    found = {}
    for name, column in metrics.items():
        values = np.asarray(column, dtype=np.float64)
        values = values[~np.isnan(values)]
        if not len(values):
            continue
        quantiles = np.quantile(values, list(QUANTILES.values()))
        sd = float(values.std(ddof=1)) if len(values) > 1 else float("nan")
        found[name] = {"sd": sd, **dict(zip(QUANTILES, map(float, quantiles), strict=True))}
    return found
