"""How much faster the bootstrap intervals are than scipy.stats.bootstrap at the same number of draws.

    python -m benchmarks.speed.stats

Prints its rows; with `--store` they go to the page. Times are processor seconds of one process (the best of several runs), so that
other work on the machine disturbs them little; run it with one BLAS thread to compare like with like.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.speed.page import store
from benchmarks.stored import load, row

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


def compared(name: str, n: int, ours: Callable[[], Any], scipys: Callable[[], Any], repeats: int) -> dict[str, Any]:
    """A row of the results."""
    ours()  # imports and first-use costs are not what is compared
    fast, slow = seconds(ours, repeats), seconds(scipys, max(1, repeats // 3))
    found = {"ours_s": round(fast, 4), "scipy_s": round(slow, 3), "ratio": round(slow / fast, 1)}
    made = row("stats", f"{name}, {n:,} answers", n, found, packages=("numpy", "scipy"), load=load())
    print(json.dumps(made), flush=True)
    return made


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--store", action="store_true", help="put the rows into results.jsonl and the page")
    options = parser.parse_args()
    b, repeats = options.resamples, options.repeats
    rng = np.random.default_rng(0)

    rows = []
    for n in (100, 250, 1000):
        table = rng.beta(4, 3, (N_METRICS, n))
        values = {f"metric{i}": column for i, column in enumerate(table)}
        rows.append(
            compared(
                f"{N_METRICS} means, percentile",
                n,
                lambda values=values: mean_intervals(values, n_resamples=b),
                lambda table=table: [
                    stats.bootstrap((column,), np.mean, n_resamples=b, method="percentile", rng=1) for column in table
                ],
                repeats,
            )
        )
    table = rng.beta(4, 3, (N_METRICS, 250))
    rows.append(
        compared(
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
        )
    )
    x = rng.normal(size=250)
    y = np.round(x + rng.normal(size=250), 1)
    for name, reference in (
        ("pearson", stats.pearsonr),
        ("spearman", stats.spearmanr),
        ("kendall", stats.kendalltau),
    ):
        rows.append(
            compared(
                "Kendall's tau-b" if name == "kendall" else name.capitalize(),
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
            )
        )
    if options.store:
        store(rows, whole=True)


if __name__ == "__main__":
    main()
