"""Two or more systems on the same answers: paired bootstrap and approximate randomisation.

Sources: Koehn, Statistical significance tests for machine translation evaluation (2004), and
Efron and Tibshirani (1993) for the bootstrap; Noreen, Computer-Intensive Methods for Testing
Hypotheses (1989), for approximate randomisation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from fas.stats.bootstrap import (
    FloatArray,
    Method,
    as_values,
    check_options,
    interval,
    make_rng,
    make_units,
    resample_means,
    stack,
    two_sided_p,
    unit_sums,
)
from fas.stats.effects import cohen_dz
from fas.stats.intervals import NONE, many, too_few
from fas.stats.multiple import benjamini_hochberg, holm
from fas.stats.sign_flips import flip_tests

_FLIP_STREAM = 1  # the sign flips must not reuse the draws of the bootstrap


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """How far two systems lie apart on the answers that both have a value for.

    Attributes:
        mean_a: Mean of the first system over those answers.
        mean_b: Mean of the second.
        difference: `mean_a - mean_b`.
        low: Lower limit of the difference; NaN where too few answers or questions differ.
        high: Upper limit.
        p_bootstrap: Two-sided p by inverting the percentile interval; NaN where another kind is given.
        p_randomisation: Two-sided p of approximate randomisation.
        effect_size: Cohen's d_z.
        n: Answers with a value from both.
        n_units: Independent units among them (questions, where clustered).
        how: Kind of interval: `randomisation` below 100 units, which agrees with the test, else `percentile` (or
            `bca`); or `none: ` and why there is none.
    """

    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    p_bootstrap: float
    p_randomisation: float
    effect_size: float
    n: int
    n_units: int
    how: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class PairComparison:
    """One row of the table of all pairs.

    Attributes:
        a: Name of the first system.
        b: Name of the second.
        result: Their difference.
        p_holm: `p_randomisation` adjusted over the table by Holm.
        p_bh: The same by Benjamini and Hochberg.
    """

    a: str
    b: str
    result: PairedDifference
    p_holm: float
    p_bh: float


def paired_difference(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
    clusters: npt.ArrayLike | None = None,
    method: Method = "auto",
) -> PairedDifference:
    """The difference of two systems on the same answers, with interval and tests.

    >>> result = paired_difference([0.9, 0.8, 0.7, 0.9], [0.5, 0.6, 0.5, 0.4], n_resamples=1000)
    >>> round(result.difference, 3), result.p_randomisation
    (0.325, 0.125)

    Args:
        a: Scores of one system, shape `[n_answers]`.
        b: Scores of the other on the same answers in the same order.
        n_resamples: Resamples, and random sign assignments.
        level: Confidence level.
        seed: Seed of both.
        clusters: Shape `[n_answers]`: question of each answer; whole questions are drawn and flipped.
        method: Interval: `"auto"` (by size), `"percentile"` or `"bca"`.

    Raises:
        ValueError: Lengths differ, a value is infinite, or an option is out of range.
    """
    results = paired_differences(
        {"": a}, {"": b}, n_resamples=n_resamples, level=level, seed=seed, clusters=clusters, method=method
    )
    return results[""]


def paired_differences(
    a: Mapping[str, npt.ArrayLike],
    b: Mapping[str, npt.ArrayLike],
    *,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
    clusters: npt.ArrayLike | None = None,
    method: Method = "auto",
) -> dict[str, PairedDifference]:
    """`paired_difference` for every metric of two systems, all from the same draws.

    Raises:
        ValueError: The metrics are not the same, lengths differ, or an option is out of range.
    """
    check_options(n_resamples, level, method)
    if list(a) != list(b):
        raise ValueError(f"both systems need the same metrics in the same order, got {list(a)} and {list(b)}")
    if not a:
        return {}
    first, second = stack(a), stack(b)
    if first.shape != second.shape:
        raise ValueError(f"both systems need the same answers, got {len(first)} and {len(second)}")
    deltas = first - second
    units = make_units(len(deltas), clusters)
    sums, sizes = unit_sums(deltas, units)
    draws = resample_means(sums, sizes, n_resamples, make_rng(seed))
    low, high, how = interval(draws, sums, sizes, level=level, method="percentile" if method == "auto" else method)
    flipped = flip_tests(sums, sizes, n_resamples, np.random.default_rng([_FLIP_STREAM, seed]), level=level)
    results = {}
    for column, name in enumerate(a):
        both = ~np.isnan(deltas[:, column])
        n_units = int((sizes[:, column] > 0).sum())
        enough = n_units >= 2
        test = flipped[column]
        limits, p_bootstrap = (float(low[column]), float(high[column]), how[column]), float("nan")
        if method == "auto" and (not many(n_units) or test.how.startswith(NONE)):
            limits = test.low, test.high, test.how if enough else too_few(n_units)
        elif enough:
            p_bootstrap = two_sided_p(draws[:, column])
        results[name] = PairedDifference(
            mean_a=_mean(first[both, column]),
            mean_b=_mean(second[both, column]),
            difference=_mean(deltas[both, column]),
            low=limits[0],
            high=limits[1],
            p_bootstrap=p_bootstrap,
            p_randomisation=test.p if enough else float("nan"),
            effect_size=cohen_dz(deltas[:, column]),
            n=int(both.sum()),
            n_units=n_units,
            how=limits[2],
        )
    return results


def all_pairs(
    systems: Mapping[str, npt.ArrayLike],
    *,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
    clusters: npt.ArrayLike | None = None,
    method: Method = "auto",
) -> list[PairComparison]:
    """Every pair of systems, with p values adjusted for the number of pairs.

    Args:
        systems: Name to scores on the same answers in the same order.
        n_resamples: See `paired_difference`.
        level: Confidence level of each interval alone.
        seed: Seed.
        clusters: Question of each answer.
        method: Interval.

    Returns:
        One row per pair, in the order of *systems*.
    """
    columns = {name: as_values(values, name) for name, values in systems.items()}
    pairs = list(combinations(columns, 2))
    keys = [f"{i}" for i in range(len(pairs))]
    results = paired_differences(
        {key: columns[one] for key, (one, _) in zip(keys, pairs, strict=True)},
        {key: columns[other] for key, (_, other) in zip(keys, pairs, strict=True)},
        n_resamples=n_resamples,
        level=level,
        seed=seed,
        clusters=clusters,
        method=method,
    )
    p = [results[key].p_randomisation for key in keys]
    return [
        PairComparison(one, other, results[key], float(strict), float(discovery))
        for key, (one, other), strict, discovery in zip(keys, pairs, holm(p), benjamini_hochberg(p), strict=True)
    ]


def _mean(values: FloatArray) -> float:
    return float(values.mean()) if len(values) else float("nan")
