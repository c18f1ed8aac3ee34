"""How much faster the bootstrap intervals are than scipy.stats.bootstrap at the same number of draws.

    python -m benchmarks.speed.stats

Prints a Markdown table. Times are processor seconds of one process (the best of several runs), so that
other work on the machine disturbs them little; run it with one BLAS thread to compare like with like.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from fas.stats.bootstrap import mean_intervals
from fas.stats.correlation import correlation

N_METRICS = 12  # what a run with references reports


def seconds(call: Callable[[], Any], repeats: int) -> float:
    """Processor time of the fastest of *repeats* calls."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def row(name: str, n: int, ours: Callable[[], Any], scipys: Callable[[], Any], repeats: int) -> str:
    """One line of the table."""
    ours()  # imports and first-use costs are not what is compared
    fast, slow = seconds(ours, repeats), seconds(scipys, max(1, repeats // 3))
    return f"| {name} | {n:,} | {fast:.3f} | {slow:.2f} | {slow / fast:.0f} |"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    b, repeats = options.resamples, options.repeats
    rng = np.random.default_rng(0)

    print("| interval | answers | fas, s | scipy, s | ratio |")
    print("|---|--:|--:|--:|--:|")
    for n in (100, 250, 1000):
        table = rng.beta(4, 3, (N_METRICS, n))
        values = {f"metric{i}": column for i, column in enumerate(table)}
        for ours, scipys in (("percentile", "percentile"), ("bca", "BCa")):
            print(
                row(
                    f"{N_METRICS} means, {ours}",
                    n,
                    lambda values=values, ours=ours: mean_intervals(values, n_resamples=b, method=ours),
                    lambda table=table, scipys=scipys: [
                        stats.bootstrap((column,), np.mean, n_resamples=b, method=scipys, rng=1) for column in table
                    ],
                    repeats,
                ),
                flush=True,
            )
    table = rng.beta(4, 3, (N_METRICS, 250))
    print(
        row(
            f"{N_METRICS} means in one paired call of scipy, percentile",
            250,
            lambda: mean_intervals({f"metric{i}": column for i, column in enumerate(table)}, n_resamples=b),
            lambda: stats.bootstrap(
                tuple(table),
                lambda *columns, axis: np.stack([np.mean(column, axis=axis) for column in columns]),
                n_resamples=b,
                method="percentile",
                paired=True,
                vectorized=True,
                rng=1,
            ),
            repeats,
        ),
        flush=True,
    )
    x = rng.normal(size=250)
    y = np.round(x + rng.normal(size=250), 1)
    for name, reference in (
        ("pearson", stats.pearsonr),
        ("spearman", stats.spearmanr),
        ("kendall", stats.kendalltau),
    ):
        print(
            row(
                name.capitalize(),
                250,
                lambda name=name: correlation(x, y, name=name, n_resamples=b),
                lambda reference=reference: stats.bootstrap(
                    (x, y),
                    lambda a, c: reference(a, c).statistic,
                    n_resamples=b,
                    method="percentile",
                    paired=True,
                    vectorized=False,
                    rng=1,
                ),
                repeats,
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
