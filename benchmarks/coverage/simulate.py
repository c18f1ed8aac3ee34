"""Simulated samples, with the intervals and p values that the functions behind the commands compute of them.

Every cell has its own generator, seeded by `SEED` and its name, so that a cell can be simulated alone.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks.coverage.page import STUDY
from fas.stats.agreement import cohen_kappa, krippendorff_alpha
from fas.stats.binary import answer_counts, binary_summaries, pair_tests
from fas.stats.bootstrap import mean_intervals
from fas.stats.correlation import auroc_estimate, correlation
from fas.stats.correlation import correlation_difference
from fas.stats.bootstrap import group_difference
from fas.stats.intervals import Interval
from fas.stats.paired import paired_differences
from fas.stats.prediction_powered import Side, adjusted_mean

SEED = 20261127
MANY, SOME, DRAWS = 1000, 400, 999
Rng = np.random.Generator


class Cell(NamedTuple):
    """The intervals of one figure of one kind of data over *n* units, in many samples."""

    figure: str
    data: str
    n: int
    truth: float
    found: list[Any]


def rng_of(*name: object) -> Rng:
    """The generator of a cell."""
    return np.random.default_rng([SEED, zlib.crc32(repr(name).encode())])


def squash(normal: np.ndarray) -> np.ndarray:
    """Scores in (0, 1), skewed to 1."""
    return 1 / (1 + np.exp(-1.5 * normal - 1.5))


WIDE = float(squash(np.random.default_rng(1).normal(size=2_000_000)).mean())


def of_claims(rng: Rng, n: int, share: float) -> np.ndarray:
    """Shares of 1 to about 10 claims, the answers differing in how many hold."""
    claims = 1 + rng.poisson(5, (n, MANY))
    own = rng.beta(3 * share, 3 * (1 - share), (n, MANY)) if 0 < share < 1 else np.full((n, MANY), share)
    return rng.binomial(claims, own) / claims


def means() -> Iterator[Cell]:
    """Means of scores and of other values, and rates of flags."""
    values: dict[str, tuple[Callable[[Rng, int], np.ndarray], float]] = {
        "scores, symmetric": (lambda rng, n: rng.beta(2, 2, (n, MANY)), 0.5),
        "scores, skewed to 1": (lambda rng, n: rng.beta(5, 0.8, (n, MANY)), 5 / 5.8),
        "scores, skewed to 0": (lambda rng, n: rng.beta(0.5, 4, (n, MANY)), 0.5 / 4.5),
        "scores, nearly all 0": (lambda rng, n: rng.beta(0.1, 4, (n, MANY)), 0.1 / 4.1),
        "scores, narrow (.85, sd .02)": (lambda rng, n: np.clip(rng.normal(0.85, 0.02, (n, MANY)), 0, 1), 0.85),
        "beyond one, exponential": (lambda rng, n: rng.exponential(1, (n, MANY)) + 1, 2.0),
    }
    for n in (5, 10, 30, 100, 300):
        for name, (draw, truth) in values.items():
            data = draw(rng_of(name, n), n)
            yield Cell("mean", name, n, truth, _means(data))
            yield Cell(STUDY, name, n, truth, _percentiles(data, rng_of(STUDY, name, n)))
        data = squash(_clustered(rng_of("clusters", n), np.full(n, 4)))
        yield Cell("mean", "scores, four answers a question", n, WIDE, _means(data, np.repeat(np.arange(n), 4)))
        sizes = np.where(np.arange(n) < max(1, n // 10), 40, 1)
        data = squash(_clustered(rng_of("unequal", n), sizes))
        yield Cell("mean", "scores, a tenth of the questions with 40 answers", n, WIDE,
                   _means(data, np.repeat(np.arange(n), sizes)))  # fmt: skip
        data = _clustered(rng_of("unequal lengths", n), sizes) ** 2
        yield Cell("mean", "beyond one, a tenth of the questions with 40 answers", n, 1.0,
                   _means(data, np.repeat(np.arange(n), sizes)))  # fmt: skip
        for rate in (0.01, 0.1, 0.3):
            rng = rng_of("flags", rate, n)
            data = (rng.random((n, MANY)) < rate).astype(float)
            yield Cell("rate of flags", f"{rate:.0%}", n, rate, _means(data, proportion=True))
            own = (rng.random((n, 1, MANY)) < rate) & (rng.random((n, 4, MANY)) < 0.6)
            data = (own | (rng.random((n, 4, MANY)) < 0.4 * rate)).reshape(4 * n, MANY).astype(float)
            truth = 1 - (1 - 0.6 * rate) * (1 - 0.4 * rate)
            yield Cell("rate of flags", f"{rate:.0%}, four answers a question", n, truth,
                       _means(data, np.repeat(np.arange(n), 4), True))  # fmt: skip
    for n in (5, 9, 20, 50):
        for share in (0.0, 0.05, 0.4, 0.9, 1.0):
            found = _means(of_claims(rng_of("shares", share, n), n, share))
            yield Cell("mean of shares of claims", f"{share:g}", n, share, found)


def _percentiles(data: np.ndarray, rng: Rng) -> list[Interval]:
    """The study's interval of each column's mean: percentiles of resamples, however few the answers are."""
    weights = rng.multinomial(len(data), np.full(len(data), 1 / len(data)), DRAWS) / len(data)
    low, high = np.quantile(weights @ data, (0.025, 0.975), axis=0)
    return [Interval(float(a), float(b), "percentile") for a, b in zip(low, high, strict=True)]


def differences() -> Iterator[Cell]:
    """Differences of two systems on the same answers, and of two groups of answers."""
    for n in (10, 30, 100, 300):
        rng = rng_of("pairs", n)
        shape = (n, MANY)
        fails = rng.random(shape) < 0.15
        own = {
            "equal": (rng.normal(0, 0.2, shape), 0.0),
            "skewed": (rng.beta(5, 0.8, shape) - rng.beta(2, 1, shape), 5 / 5.8 - 2 / 3),
            "very skewed, equal": (rng.exponential(1, shape) - 1, 0.0),
            "one fails on 15%": (np.where(fails, rng.beta(2, 2, shape), 0.0), 0.075),
            "flags, 5% and 5%": ((rng.random(shape) < 0.05) * 1.0 - (rng.random(shape) < 0.05), 0.0),
            "flags, 15% and 5%": ((rng.random(shape) < 0.15) * 1.0 - (rng.random(shape) < 0.05), 0.1),
        }
        for name, (deltas, truth) in own.items():
            yield Cell("difference of two systems", name, n, truth, _paired(deltas))
        for name, sizes in (
            ("four answers a question, equal", np.full(n, 4)),
            ("a tenth of the questions with 40 answers, equal", np.where(np.arange(n) < n // 10, 40, 1)),
        ):
            deltas = _clustered(rng_of(name, n), sizes)
            yield Cell("difference of two systems", name, n, 0.0, _paired(deltas, np.repeat(np.arange(n), sizes)))
        rng = rng_of("groups", n)
        a, b = rng.beta(5, 0.8, (n, SOME)), rng.beta(4, 1.2, (n, SOME))
        found = [group_difference(a[:, i], b[:, i], n_resamples=DRAWS, seed=i) for i in range(SOME)]
        yield Cell("difference of two groups", "scores, skewed to 1", n, 5 / 5.8 - 4 / 5.2, found)


def detectors() -> Iterator[Cell]:
    """Precision, recall and F1 of decisions, and the difference of two F1."""
    for n in (10, 30, 100):
        for positive, hit, alarm in ((0.05, 0.6, 0.05), (0.3, 0.7, 0.2)):
            rng = rng_of("detector", n, positive)
            found: dict[str, list[Any]] = {"precision": [], "recall": [], "f1": []}
            pairs = []
            for i in range(SOME):
                gold = rng.random(n) < positive
                sides = [(rng.random(n) < np.where(gold, hit, alarm)).astype(float) for _ in range(2)]
                systems = {name: answer_counts(side, gold) for name, side in zip("ab", sides, strict=True)}
                for name, one in binary_summaries(systems)["a"].items():
                    found[name].append(one)
                pairs += pair_tests(systems, n_resamples=DRAWS, seed=i)
            share = positive * hit / (positive * hit + (1 - positive) * alarm)
            f1 = 2 * positive * hit / (positive * hit + (1 - positive) * alarm + positive)
            data = f"{positive:.0%} positive"
            for name, truth in (("precision", share), ("recall", hit), ("f1", f1)):
                yield Cell(name, data, n, truth, found[name])
            yield Cell("difference of two F1", f"{data}, equal", n, 0.0, pairs)


def correlations() -> Iterator[Cell]:
    """Correlations, areas under the curve and their differences, of scores and of rare events."""
    for n in (10, 30, 100):
        for name in ("spearman", "kendall", "pearson"):
            for rho in (0.0, 0.5):
                rng = rng_of(name, n, rho)
                found = [correlation(*_related(rng, n, rho), name=name, n_resamples=DRAWS, seed=i) for i in range(SOME)]  # type: ignore[arg-type]
                yield Cell(name, "scores, unrelated" if rho == 0 else "scores, related", n, _true(name, rho), found)
        rng = rng_of("clustered", n)
        found = []
        for i in range(SOME):
            x, y = (squash(_clustered(rng, np.full(n, 4), samples=1))[:, 0] for _ in range(2))
            found.append(correlation(x, y, clusters=np.repeat(np.arange(n), 4), n_resamples=DRAWS, seed=i))
        yield Cell("spearman", "four answers a question, unrelated", n, 0.0, found)
        rng = rng_of("against", n)
        found = []
        for i in range(SOME):
            gold = rng.normal(size=n)
            a, b = gold + rng.normal(size=n), gold + rng.normal(size=n)
            found.append(correlation_difference(a, b, gold, n_resamples=DRAWS, seed=i))
        yield Cell("difference of correlations", "equally good", n, 0.0, found)
        for shift, area in ((0.0, 0.5), (2.0, 0.9214)):
            for positive in (0.05, 0.3):
                rng = rng_of("area", shift, positive, n)
                found = []
                for i in range(SOME):
                    gold = (rng.random(n) < positive).astype(float)
                    found.append(auroc_estimate(rng.normal(size=n) + shift * gold, gold, n_resamples=DRAWS, seed=i))
                yield Cell("area under the curve", f"{area:.2f}, {positive:.0%} positive", n, area, found)


def rare() -> Iterator[Cell]:
    """Agreement and correlation of two variables of two values, one of them rare."""
    for n in (30, 100, 200):
        for first, second, kappa in (
            (0.02, 0.02, 0.0), (0.05, 0.05, 0.0), (0.05, 0.05, 0.6), (0.1, 0.1, 0.0), (0.1, 0.1, 0.8), (0.1, 0.3, 0.0),
            (0.3, 0.3, 0.0), (0.3, 0.3, 0.6),
        ):  # fmt: skip
            chance = first * second + (1 - first) * (1 - second)
            both = (kappa * (1 - chance) + chance - 1 + first + second) / 2
            cells = np.array([both, first - both, second - both, 1 - first - second + both])
            rng = rng_of("rare", n, first, second, kappa)
            found: dict[str, list[Any]] = {"kappa": [], "alpha": [], "spearman": []}
            for i in range(SOME):
                drawn = rng.choice(4, n, p=cells)
                x, y = np.isin(drawn, (0, 1)).astype(float), np.isin(drawn, (0, 2)).astype(float)
                found["kappa"].append(cohen_kappa(x, y, n_resamples=DRAWS, seed=i))
                found["alpha"].append(krippendorff_alpha([x, y], n_resamples=DRAWS, seed=i))
                found["spearman"].append(correlation(x, y, n_resamples=DRAWS, seed=i))
            of = (first + second) / 2
            truths = {
                "kappa": kappa,
                "alpha": 1 - (first + second - 2 * both) / (2 * of * (1 - of)),
                "spearman": (both - first * second) / math.sqrt(first * second * (1 - first) * (1 - second)),
            }
            for name, truth in truths.items():
                yield Cell(name, f"events, {first:.0%} and {second:.0%}, kappa {kappa:g}", n, truth, found[name])


def labels() -> Iterator[Cell]:
    """A share corrected by few labels, drawn simply and by verdict, of a verifier that lets much pass."""
    for n in (16, 20, 40, 80):
        for design in ("simple", "by verdict"):
            rng = rng_of("labels", n, design)
            found = []
            for _ in range(SOME):
                found.append(adjusted_mean(_labelled(rng, n, design == "by verdict"), share=True))
            yield Cell("share adjusted by labels", f"lenient verifier, drawn {design}", n, 0.7, found)


def cells() -> Iterator[Cell]:
    """Every cell."""
    for part in (means, differences, detectors, correlations, rare, labels):
        yield from part()


def _labelled(rng: Rng, n: int, by_verdict: bool) -> Side:
    """600 claims in 120 answers, 70% of them true on average; the verifier passes 98% of these and 60% of the others."""
    answer = np.repeat(np.arange(120), 5)
    gold = (rng.random(600) < rng.beta(7, 3, 120)[answer]).astype(float)
    verdict = (rng.random(600) < np.where(gold > 0, 0.98, 0.6)).astype(float)
    strata = (2 * verdict + (rng.random(600) < 0.3)).astype(np.intp) if by_verdict else np.zeros(600, dtype=np.intp)
    pi, drawn = np.zeros(600), np.zeros(600, dtype=bool)
    names, counts = np.unique(strata, return_counts=True)
    for name, there in zip(names, counts, strict=True):
        take = min(int(there), max(1, round((n / len(names) + n * there / 600) / 2)))  # half evenly, half by size
        members = np.flatnonzero(strata == name)
        pi[members] = take / there
        drawn[rng.choice(members, take, replace=False)] = True
    return Side(
        np.where(drawn, gold, np.nan), verdict, pi, np.full(600, 0.2), answer, np.ones(120), np.zeros(120), strata
    )


def _clustered(rng: Rng, sizes: np.ndarray, samples: int | None = None) -> np.ndarray:
    """Normal values, half of whose variance is the question's, shape `[sum of sizes, samples]`."""
    shared = np.repeat(rng.normal(size=(len(sizes), samples or MANY)), sizes, axis=0)
    return np.sqrt(0.5) * shared + np.sqrt(0.5) * rng.normal(size=shared.shape)


def _means(data: np.ndarray, clusters: np.ndarray | None = None, proportion: bool = False) -> list[Any]:
    columns = {str(i): data[:, i] for i in range(data.shape[1])}
    names = set(columns) if proportion else ()
    return list(mean_intervals(columns, n_resamples=DRAWS, clusters=clusters, proportions=names).values())


def _paired(deltas: np.ndarray, clusters: np.ndarray | None = None) -> list[Any]:
    keys = [str(i) for i in range(deltas.shape[1])]
    found = []
    for start in range(0, len(keys), 250):  # a few at a time bound the memory
        some = keys[start : start + 250]
        a, b = {key: deltas[:, int(key)] for key in some}, dict.fromkeys(some, np.zeros(len(deltas)))
        found += paired_differences(a, b, n_resamples=DRAWS, clusters=clusters, seed=start).values()
    return found


def _related(rng: Rng, n: int, rho: float) -> tuple[np.ndarray, np.ndarray]:
    x, e = rng.normal(size=n), rng.normal(size=n)
    return squash(x), squash(rho * x + math.sqrt(1 - rho**2) * e)


def _true(name: str, rho: float) -> float:
    return (
        float(correlation(*_related(np.random.default_rng(2), 4000, rho), name=name, n_resamples=1).value)
        if rho
        else 0.0
    )  # type: ignore[arg-type]
