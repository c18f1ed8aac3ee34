"""The spread of answers around a mean, and the share of each term of the Fact-Aligned Score in its variance.

FAS is a weighted sum of three terms, so that Var(FAS) = sum of w_i Cov(term_i, FAS): two terms share their covariance
evenly. A term's share is its part in the difference between answers; a term that works against the others has a
negative share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from fas.core.profile import Weights

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


def variance_shares(metrics: Mapping[str, Sequence[float]], k: int, weights: Weights) -> dict[str, dict[str, float]]:
    """`fas`, or `fas_evidence` where no two answers have FAS, to the share of each term; empty if it does not vary.

    The shares sum to 1. Answers without the score (NaN) are left out.

    >>> column = {"fas": [0.3, 0.7], "bertscore_f1": [0.5, 0.5], "support@5": [0.0, 1.0], "contra@5": [0.5, 0.5]}
    >>> variance_shares(column, 5, Weights())
    {'fas': {'bertscore_f1': 0.0, 'support@5': 1.0, 'contra@5': 0.0}}
    """
    terms = {f"support@{k}": weights.support, f"contra@{k}": -weights.no_contradiction}
    for score, own in (("fas", {"bertscore_f1": weights.bertscore, **terms}), ("fas_evidence", terms)):
        if score not in metrics or not own.keys() <= metrics.keys():
            continue
        known = ~np.isnan(np.asarray(metrics[score], dtype=np.float64))
        if known.sum() < 2:  # one answer alone varies in nothing
            continue
        parts = {name: weight * np.asarray(metrics[name], dtype=np.float64)[known] for name, weight in own.items()}
        whole = np.sum(list(parts.values()), axis=0)
        total = float(np.var(whole))
        if total < 1e-18:  # equal up to rounding
            return {}
        means = {name: np.mean((part - part.mean()) * (whole - whole.mean())) for name, part in parts.items()}
        return {score: {name: round(float(mean) / total, 6) + 0.0 for name, mean in means.items()}}
    return {}
