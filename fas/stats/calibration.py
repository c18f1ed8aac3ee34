"""Calibration of probabilities and the choice of a threshold.

Sources: Guo et al., On Calibration of Modern Neural Networks (2017), for ECE; Brier (1950).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from fas.stats.bootstrap import (
    Estimate,
    FloatArray,
    as_values,
    check_options,
    draw_counts,
    make_rng,
    make_units,
    unit_sums,
)
from fas.stats.error_limits import error_limits
from fas.stats.intervals import NONE, too_few

FEWEST_PER_BIN = 10
"""With fewer predictions (or clusters) per bin the calibration error has no interval."""
Strategy = Literal["width", "mass"]


class ReliabilityBin(NamedTuple):
    """One bin of a reliability curve.

    Attributes:
        low: Lower edge of the bin.
        high: Upper edge; the last bin includes it.
        confidence: Mean probability in the bin.
        accuracy: Share of the bin whose outcome is 1.
        n: Predictions in the bin.
    """

    low: float
    high: float
    confidence: float
    accuracy: float
    n: int


class ThresholdRow(NamedTuple):
    """What a threshold does to a detector; scores at or above it are called positive.

    Precision is NaN where nothing is called positive, recall where nothing is.
    """

    threshold: float
    precision: float
    recall: float
    f1: float
    accuracy: float
    n_positive: int


class VerdictRow(NamedTuple):
    """What a threshold does to verdicts: shares of claims (means over answers, where grouped).

    `agreement` is the share of claims whose verdict is the gold label; NaN without gold.
    """

    threshold: float
    supported: float
    contradicted: float
    unsupported: float
    agreement: float
    n: int


def reliability_curve(
    probabilities: npt.ArrayLike, outcomes: npt.ArrayLike, *, n_bins: int = 15, strategy: Strategy = "width"
) -> list[ReliabilityBin]:
    """How often what was given a probability came true, by bins of the probability.

    Args:
        probabilities: Shape `[n]`, in [0, 1]; pairs with a NaN are left out.
        outcomes: Shape `[n]`, 0 or 1. For several classes: the highest probability, and whether
            that class was right.
        n_bins: Bins of equal width, or of (nearly) equal numbers.
        strategy: `"width"` or `"mass"`.

    Returns:
        The bins that have a prediction, ascending.

    Raises:
        ValueError: Lengths differ, a probability or outcome is out of range, or an option is.
    """
    p, y = _probabilities(probabilities, outcomes)
    edges, where = _bins(p, n_bins, strategy)
    rows = []
    for i in range(len(edges) - 1):
        inside = where == i
        if inside.any():
            confidence, accuracy = float(p[inside].mean()), float(y[inside].mean())
            rows.append(ReliabilityBin(float(edges[i]), float(edges[i + 1]), confidence, accuracy, int(inside.sum())))
    return rows


def calibration_error(
    probabilities: npt.ArrayLike,
    outcomes: npt.ArrayLike,
    *,
    n_bins: int = 15,
    strategy: Strategy = "width",
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
    clusters: npt.ArrayLike | None = None,
) -> Estimate:
    """Expected calibration error: mean distance of confidence and accuracy over the bins.

    The bins stay those of the whole sample in every resample. The error of a sample is biased upwards, because noise
    in a bin counts as error: the bootstrap's estimate of that bias is taken off. The interval is that of
    `fas.stats.error_limits`. None is given for fewer than `FEWEST_PER_BIN` predictions a bin with any.

    Args:
        probabilities: See `reliability_curve`.
        outcomes: See `reliability_curve`.
        n_bins: See `reliability_curve`.
        strategy: See `reliability_curve`.
        n_resamples: Resamples.
        level: Confidence level.
        seed: Seed.
        clusters: Answer (or question) each prediction belongs to; whole clusters are drawn.

    Returns:
        The error in [0, 1], the bias taken off; NaN without a prediction.
    """
    check_options(n_resamples, level)
    p_all, y_all = as_values(probabilities, "probabilities"), as_values(outcomes, "outcomes")
    p, y = _probabilities(p_all, y_all)
    n = len(p)
    if n == 0:
        return Estimate(float("nan"), float("nan"), float("nan"), 0)
    labels = None if clusters is None else np.asarray(clusters)[~np.isnan(p_all + y_all)]
    edges, where = _bins(p, n_bins, strategy)
    gaps = np.zeros((n, len(edges) - 1))
    gaps[np.arange(n), where] = p - y
    units = make_units(n, labels)
    sums, sizes = unit_sums(gaps, units)
    value = float(np.abs(sums.sum(axis=0)).sum() / n)
    if units.n < 2:
        return Estimate(value, float("nan"), float("nan"), n, too_few(units.n))
    gap = sums.sum(axis=0) / n
    drawn = np.concatenate(
        [(counts @ sums) / (counts @ sizes[:, :1]) for counts in draw_counts(units.n, n_resamples, make_rng(seed))]
    )
    unbiased = float(np.clip(2 * value - np.abs(drawn).sum(axis=1).mean(), 0.0, 1.0))
    if min(n, units.n) < FEWEST_PER_BIN * len(np.unique(where)):
        return Estimate(unbiased, float("nan"), float("nan"), n, f"{NONE}too few for {len(np.unique(where))} bins")
    weights = np.bincount(where, minlength=len(gap)) / n
    low, high = error_limits(gap, weights, drawn - gap, level)
    # Two ways to take the same bias off: where they differ, the interval is the wider for it.
    return Estimate(unbiased, min(low, unbiased), max(high, unbiased), n, "inversion")


def brier_score(probabilities: npt.ArrayLike, outcomes: npt.ArrayLike) -> float:
    """Mean squared distance of probability and outcome, in [0, 1]; NaN without a prediction."""
    p, y = _probabilities(probabilities, outcomes)
    return float(((p - y) ** 2).mean()) if len(p) else float("nan")


def threshold_sweep(
    scores: npt.ArrayLike, gold: npt.ArrayLike, thresholds: Sequence[float] | npt.NDArray[Any] | None = None
) -> list[ThresholdRow]:
    """Precision, recall, F1 and accuracy of "the score is at least t" for every threshold t.

    Args:
        scores: Shape `[n]`; pairs with a NaN are left out.
        gold: Shape `[n]`, 0 or 1.
        thresholds: By default 0.5, 0.55, ..., 0.9.

    Raises:
        ValueError: Lengths differ, or gold is not 0 or 1.
    """
    x, y = _pairs(scores, gold, "scores", "gold")
    rows = []
    for t in _thresholds(thresholds):
        called = x >= t
        hits, n_called, n_true = float((called & (y == 1)).sum()), int(called.sum()), int((y == 1).sum())
        precision = hits / n_called if n_called else float("nan")
        recall = hits / n_true if n_true else float("nan")
        f1 = 2 * hits / (n_called + n_true) if n_called + n_true else float("nan")
        accuracy = float((called == (y == 1)).mean()) if len(x) else float("nan")
        rows.append(ThresholdRow(t, precision, recall, f1, accuracy, n_called))
    return rows


def verdict_sweep(
    p_support: npt.ArrayLike,
    p_contradict: npt.ArrayLike,
    thresholds: Sequence[float] | npt.NDArray[Any] | None = None,
    *,
    answers: npt.ArrayLike | None = None,
    gold: Sequence[str | None] | None = None,
) -> list[VerdictRow]:
    """Shares of supported, contradicted and unsupported claims for every threshold.

    A claim is supported if `p_support >= t` and `p_support >= p_contradict`; contradicted if
    `p_contradict >= t` and `p_contradict > p_support`; else unsupported.

    Args:
        p_support: Highest P(support) of each claim, shape `[n_claims]`; claims with a NaN
            (unverified ones) are left out.
        p_contradict: Highest P(contradict) of each claim.
        thresholds: By default 0.5, 0.55, ..., 0.9.
        answers: Answer of each claim. With it, shares are taken per answer first and then
            averaged, as in Support@k and Contra@k.
        gold: True label of each claim, None where unknown.

    Raises:
        ValueError: Lengths differ.
    """
    e, c = as_values(p_support, "p_support"), as_values(p_contradict, "p_contradict")
    lengths = {len(e), len(c)}
    labels = None if answers is None else np.asarray(answers)
    truth = None if gold is None else np.array(gold, dtype=object)
    for extra in (labels, truth):
        if extra is not None:
            lengths.add(len(extra))
    if len(lengths) > 1:
        raise ValueError(f"one value per claim is needed of each, got lengths {sorted(lengths)}")
    kept = ~np.isnan(e + c)
    e, c = e[kept], c[kept]
    units = make_units(len(e), None if labels is None else labels[kept])
    truth = None if truth is None else truth[kept]
    rows = []
    for t in _thresholds(thresholds):
        supported = (e >= t) & (e >= c)
        contradicted = (c >= t) & (c > e)
        shares = np.column_stack([supported, contradicted, ~(supported | contradicted)]).astype(np.float64)
        agreement = float("nan")
        if truth is not None and (known := np.array([label is not None for label in truth], dtype=bool)).any():
            verdict = np.where(supported, "supported", np.where(contradicted, "contradicted", "unsupported"))
            agreement = float((verdict[known] == truth[known].astype(str)).mean())
        if len(e):
            sums, sizes = unit_sums(shares, units)
            means = (sums / sizes).mean(axis=0)
        else:
            means = np.full(3, np.nan)
        rows.append(VerdictRow(t, float(means[0]), float(means[1]), float(means[2]), agreement, len(e)))
    return rows


def _thresholds(thresholds: Sequence[float] | npt.NDArray[Any] | None) -> list[float]:
    return [round(0.5 + 0.05 * i, 2) for i in range(9)] if thresholds is None else [float(t) for t in thresholds]


def _pairs(first: npt.ArrayLike, second: npt.ArrayLike, name: str, other: str) -> tuple[FloatArray, FloatArray]:
    x, y = as_values(first, name), as_values(second, other)
    if len(x) != len(y):
        raise ValueError(f"`{name}` and `{other}` need the same length, got {len(x)} and {len(y)}")
    kept = ~np.isnan(x + y)
    x, y = x[kept], y[kept]
    odd = y[(y != 0) & (y != 1)]
    if len(odd):
        raise ValueError(f"`{other}` must be 0 or 1, got {odd[0]}")
    return x, y


def _probabilities(probabilities: npt.ArrayLike, outcomes: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    p, y = _pairs(probabilities, outcomes, "probabilities", "outcomes")
    odd = p[(p < 0) | (p > 1)]
    if len(odd):
        raise ValueError(f"`probabilities` must lie in [0, 1], got {odd[0]}")
    return p, y


def _bins(p: FloatArray, n_bins: int, strategy: str) -> tuple[FloatArray, npt.NDArray[np.intp]]:
    """Edges, and the bin of every probability; an edge belongs to the bin above it, 1 to the last."""
    if n_bins < 1:
        raise ValueError(f"`n_bins` must be at least 1, got {n_bins}")
    if strategy == "width":
        edges = np.linspace(0.0, 1.0, n_bins + 1)
    elif strategy == "mass":
        # Equal probabilities cannot be told apart, so tied quantiles become one edge.
        edges = np.unique(np.quantile(p, np.linspace(0, 1, n_bins + 1))) if len(p) else np.array([0.0, 1.0])
        if len(edges) == 1:
            edges = np.array([edges[0], edges[0]])
    else:
        raise ValueError(f"`strategy` must be 'width' or 'mass', got {strategy!r}")
    where = np.clip(np.searchsorted(edges, p, side="right") - 1, 0, len(edges) - 2)
    return edges, where
