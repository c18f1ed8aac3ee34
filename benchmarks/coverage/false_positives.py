"""What the question as a cluster is worth: errors of tests and intervals where answers share questions, simulated.

    python -m benchmarks.coverage.false_positives            simulate, write false_positives.json and docs/coverage.md
    python -m benchmarks.coverage.false_positives --page     the page alone, from the stored results

30 questions with 6 answers each; six tenths of a value's variance is the question's. Every sample is looked at twice,
through the functions that `fas compare` and `fas correlate` use: with the question as the unit, as these commands do
where answers share questions, and with the answer as the unit (`--cluster-by none`). Seeds are fixed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.coverage.coverage import pages
from benchmarks.tables import write
from fas.stats.correlation import correlation
from fas.stats.dependent import correlation_difference
from fas.stats.paired import PairedDifference, paired_differences

STORED = Path(__file__).parent / "false_positives.json"
QUESTIONS, PER, SHARED = 30, 6, 0.6
PAIRED, CORRELATED = 2000, 1000
ALPHA = 0.05
CLUSTERS = np.repeat(np.arange(QUESTIONS), PER)
Rng = np.random.Generator


class Row(NamedTuple):
    """A figure of the table: its target, and what was found with either unit; None where nothing is given."""

    figure: str
    target: float
    samples: int
    questions: float | None
    answers: float | None


def values(rng: Rng, samples: int) -> np.ndarray:
    """Normal values, shape `[QUESTIONS * PER, samples]`, of which `SHARED` of the variance is the question's."""
    shared = np.sqrt(SHARED) * rng.normal(size=(QUESTIONS, 1, samples))
    own = np.sqrt(1 - SHARED) * rng.normal(size=(QUESTIONS, PER, samples))
    return (shared + own).reshape(QUESTIONS * PER, samples)


def compared(rng: Rng) -> Iterator[Row]:
    """Two systems that are equally good: how often they are called different, and what the interval covers."""
    deltas = values(rng, PAIRED)
    keys = [str(i) for i in range(PAIRED)]
    sides = {key: deltas[:, i] for i, key in enumerate(keys)}, dict.fromkeys(keys, np.zeros(len(deltas)))
    found: list[list[PairedDifference]] = [
        list(paired_differences(*sides, n_resamples=2000, clusters=clusters).values()) for clusters in (CLUSTERS, None)
    ]
    false = [_share([one.p_randomisation < ALPHA for one in side]) for side in found]
    held = [_share([one.low <= 0 <= one.high for one in side]) for side in found]
    yield Row("compare: two equal systems, p below 0.05", ALPHA, PAIRED, *false)
    yield Row("compare: the interval of their difference holds 0", 1 - ALPHA, PAIRED, *held)


def correlated(rng: Rng) -> Iterator[Row]:
    """A score and gold that share nothing, and that correlate: what the interval of Spearman's rho covers."""
    for weight, name in ((0.0, "unrelated"), (0.7, "related")):
        x, y = _related(np.random.default_rng(7), 4000, weight)
        truth = float(correlation(x[:, 0], y[:, 0], n_resamples=1).value) if weight else 0.0
        held: list[list[bool]] = [[], []]
        first, second = _related(rng, CORRELATED, weight, questions=QUESTIONS)
        for i in range(CORRELATED):
            for side, clusters in zip(held, (CLUSTERS, None), strict=True):
                one = correlation(first[:, i], second[:, i], clusters=clusters, n_resamples=500, seed=i)
                side.append(one.low <= truth <= one.high)
        yield Row(
            f"correlate: the interval of rho holds the truth, score and gold {name}",
            1 - ALPHA, CORRELATED, *(_share(side) for side in held),
        )  # fmt: skip


def against(rng: Rng) -> Iterator[Row]:
    """Two metrics that follow gold equally well: how often one is called better."""
    gold = values(rng, CORRELATED)
    first, second = gold + values(rng, CORRELATED), gold + values(rng, CORRELATED)
    shown: list[list[bool]] = [[], []]
    williams: list[bool] = []
    given = 0
    for i in range(CORRELATED):
        for side, clusters in zip(shown, (CLUSTERS, None), strict=True):
            one = correlation_difference(
                first[:, i], second[:, i], gold[:, i], clusters=clusters, n_resamples=500, seed=i
            )
            side.append(one.p < ALPHA)
            if clusters is None:
                williams.append(one.williams.p < ALPHA)
            else:
                given += one.williams.p == one.williams.p
    yield Row(
        "correlate --against: two metrics equally good, p below 0.05",
        ALPHA, CORRELATED, *(_share(side) for side in shown),
    )  # fmt: skip
    if given:
        raise SystemExit(f"Williams' test was given for {given} clustered samples, where it does not hold")
    yield Row("correlate --against: Williams' test, p below 0.05", ALPHA, CORRELATED, None, _share(williams))


def _related(rng: Rng, samples: int, weight: float, questions: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Score and gold; without *questions* one large sample of as many questions as *samples*."""
    if questions is None:
        shared = np.sqrt(SHARED) * rng.normal(size=(2, samples, 1))
        own = np.sqrt(1 - SHARED) * rng.normal(size=(2, samples, PER))
        x, e = (shared + own).reshape(2, samples * PER, 1)
    else:
        x, e = values(rng, samples), values(rng, samples)
    return x, weight * x + np.sqrt(1 - weight**2) * e


def _share(hits: list[bool]) -> float:
    return sum(map(bool, hits)) / len(hits)


def main() -> None:
    """Simulate unless the page alone is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", action="store_true", help="make the page anew from the stored results")
    if not parser.parse_args().page:
        rng = np.random.default_rng(20261125)
        rows = [row._asdict() for part in (compared, correlated, against) for row in part(rng)]
        STORED.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n", encoding="utf-8")
    write(pages())


if __name__ == "__main__":
    main()
