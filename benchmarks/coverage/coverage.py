"""How often every kind of interval holds the truth, by simulation: a stored result and a page made of it.

    python -m benchmarks.coverage.coverage            simulate, write coverage.json and docs/coverage.md
    python -m benchmarks.coverage.coverage --page     the page alone, from coverage.json

Means and differences: 2,000 samples a cell; correlations and areas: 400. Every sample goes through the functions
that the commands use. Seeds are fixed.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.tables import write

from fas.stats.bootstrap import mean_intervals
from fas.stats.calibration import calibration_error
from fas.stats.correlation import auroc_estimate, correlation
from fas.stats.dependent import correlation_difference
from fas.stats.independent import group_difference
from fas.stats.intervals import FEW_EVENTS, FEWEST, PERCENTILE_FROM
from fas.stats.paired import paired_differences
from fas.stats.sign_flips import FEWEST_THAT_DIFFER

HERE = Path(__file__).parent
STORED = HERE / "coverage.json"
FALSE_POSITIVES = HERE / "false_positives.json"
MODELS = HERE / "models.json"
PAGE = HERE.parent.parent / "docs" / "coverage.md"
SIZES = (5, 10, 30, 100)
MANY, SOME = 2000, 400
Rng = np.random.Generator
Draw = Callable[[Rng, int, int], np.ndarray]


def shares(rng: Rng, n: int, s: int) -> np.ndarray:
    """Shares of 1 to about 10 claims, a tenth on average, differing between answers."""
    return rng.binomial(m := 1 + rng.poisson(5, (n, s)), rng.beta(0.3, 2.7, (n, s))) / m


MEANS: dict[str, tuple[Draw, float]] = {
    "scores, symmetric": (lambda rng, n, s: rng.beta(2, 2, (n, s)), 0.5),
    "scores, skewed to 1": (lambda rng, n, s: rng.beta(5, 0.8, (n, s)), 5 / 5.8),
    "scores, skewed to 0": (lambda rng, n, s: rng.beta(0.5, 4, (n, s)), 0.5 / 4.5),
    "shares of claims, a tenth": (shares, 0.1),
    "beyond one, exponential": (lambda rng, n, s: rng.exponential(1, (n, s)) + 1, 2.0),
}
RATES = (0.02, 0.1, 0.3)


def clustered(rng: Rng, n: int, s: int) -> np.ndarray:
    """Four answers to each of n questions, of which half the variance is the question's; skewed to 1."""
    normal = np.sqrt(0.5) * rng.normal(size=(n, 1, s)) + np.sqrt(0.5) * rng.normal(size=(n, 4, s))
    return _squash(normal).reshape(4 * n, s)


def _squash(normal: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-1.5 * normal - 1.5))


def cells(rng: Rng) -> Iterator[tuple[str, str, int, list[Any], float]]:
    """Figure, data, n, the intervals of the samples, and the truth."""
    wide = float(_squash(rng.normal(size=4_000_000)).mean())
    for n in SIZES:
        for name, (draw, truth) in MEANS.items():
            data = draw(rng, n, MANY)
            yield "mean", name, n, _means(data), truth
        groups = np.repeat(np.arange(n), 4)
        yield "mean", "scores, four answers a question", n, _means(clustered(rng, n, MANY), groups), wide
        for rate in RATES:
            data = (rng.random((n, MANY)) < rate).astype(float)
            yield "rate of flags", f"{rate:.0%}", n, _means(data, proportion=True), rate
            own = (rng.random((n, 1, MANY)) < rate) & (rng.random((n, 4, MANY)) < 0.6)
            other = rng.random((n, 4, MANY)) < 0.4 * rate
            data = (own | other).reshape(4 * n, MANY).astype(float)
            truth = 1 - (1 - 0.6 * rate) * (1 - 0.4 * rate)
            yield "rate of flags", f"{rate:.0%}, four answers a question", n, _means(data, groups, True), truth
        for name, deltas, truth in _pairs(rng, n):
            keys = [str(i) for i in range(MANY)]
            zero = np.zeros(len(deltas))
            found = paired_differences(
                {k: deltas[:, i] for i, k in enumerate(keys)},
                dict.fromkeys(keys, zero),
                n_resamples=2000,
                clusters=groups if len(deltas) > n else None,
            )
            yield "paired difference", name, n, list(found.values()), truth
        a, b = rng.beta(5, 0.8, (n, SOME)), rng.beta(4, 1.2, (n, SOME))
        apart = [group_difference(a[:, i], b[:, i], n_resamples=500, seed=i) for i in range(SOME)]
        yield "difference of two groups", "scores, skewed to 1", n, apart, 5 / 5.8 - 4 / 5.2
        yield from _correlations(rng, n)
        yield from _calibration(rng, n)


def _means(data: np.ndarray, clusters: np.ndarray | None = None, proportion: bool = False) -> list[Any]:
    columns = {str(i): data[:, i] for i in range(data.shape[1])}
    names = set(columns) if proportion else ()
    return list(mean_intervals(columns, n_resamples=2000, clusters=clusters, proportions=names).values())


def _pairs(rng: Rng, n: int) -> Iterator[tuple[str, np.ndarray, float]]:
    base = rng.beta(2, 2, (n, MANY))
    yield "two systems, equal", (base + rng.normal(0, 0.2, base.shape)) - base, 0.0
    yield "two systems, skewed", rng.beta(5, 0.8, base.shape) - rng.beta(2, 1, base.shape), 5 / 5.8 - 2 / 3
    fails = rng.random(base.shape) < 0.15
    yield "one system fails on 15%", np.where(fails, rng.beta(2, 2, base.shape), 0.0), 0.075
    shared = rng.normal(0, 0.2, (n, 1, MANY)) + rng.normal(0, 0.2, (n, 4, MANY))
    yield "four answers a question", shared.reshape(4 * n, MANY), 0.0


def _correlations(rng: Rng, n: int) -> Iterator[tuple[str, str, int, list[Any], float]]:
    names = ("spearman", "kendall", "pearson")
    for rho in (0.0, 0.5, 0.9):
        big = _related(np.random.default_rng(1), 4000 if rho else 100, rho)
        for name in names:
            truth = 0.0 if rho == 0 else float(correlation(*big, name=name, n_resamples=1).value)
            found = [correlation(*_related(rng, n, rho), name=name, n_resamples=500, seed=i) for i in range(SOME)]
            yield name, f"scores, {rho:g} before squashing", n, found, truth
    found = []
    for i in range(SOME):
        x, y = _related(rng, 4 * n, 0.5, per=4)
        found.append(correlation(x, y, clusters=np.repeat(np.arange(n), 4), n_resamples=500, seed=i))
    big = _related(np.random.default_rng(2), 8000, 0.5, per=4)
    yield "spearman", "four answers a question", n, found, float(correlation(*big, n_resamples=1).value)
    for shift, area in ((0.0, 0.5), (1.0, 0.7602), (2.0, 0.9214)):
        found = []
        for i in range(SOME):
            gold = (rng.random(n) < 0.3).astype(float)
            found.append(auroc_estimate(rng.normal(size=n) + shift * gold, gold, n_resamples=500, seed=i))
        yield "area under the curve", f"{area:.2f}, 30% positive", n, found, area
    found = []
    for i in range(SOME):
        gold = rng.normal(size=n)
        a, b = gold + rng.normal(size=n), gold + rng.normal(size=n)
        found.append(correlation_difference(a, b, gold, n_resamples=500, seed=i))
    yield "difference of correlations", "equally good", n, found, 0.0


def _related(rng: Rng, n: int, rho: float, per: int = 1) -> tuple[np.ndarray, np.ndarray]:
    def one() -> np.ndarray:
        own = rng.normal(size=n)
        return own if per == 1 else np.sqrt(0.5) * np.repeat(rng.normal(size=n // per), per) + np.sqrt(0.5) * own

    x, e = one(), one()
    return _squash(x), _squash(rho * x + math.sqrt(1 - rho**2) * e)


def _calibration(rng: Rng, n: int) -> Iterator[tuple[str, str, int, list[Any], float]]:
    for name, off, other, truth in (
        ("calibrated", 0.0, 0.0, 0.0),
        ("a tenth off", 0.1, 0.1, 0.1),
        ("a tenth off, to either side in turn", 0.1, -0.1, 0.1),
    ):
        found = []
        for i in range(SOME):
            # A tenth can be taken off and added without leaving [0, 1]; the fifth bin has none.
            p = rng.uniform(0.1, 0.8, 4 * n)
            side = np.where((p * 5).astype(int) % 2 == 0, off, other)
            y = (rng.random(4 * n) < p + side).astype(float)
            found.append(calibration_error(p, y, n_bins=5, n_resamples=500, seed=i))
        yield "calibration error, 5 bins, 4n predictions", name, n, found, truth


def simulate() -> list[dict[str, Any]]:
    """A row for every cell."""
    rows = []
    for figure, data, n, intervals, truth in cells(np.random.default_rng(20261125)):
        given = [one for one in intervals if not math.isnan(one.low)]
        held = sum(one.low - 1e-9 <= truth <= one.high + 1e-9 for one in given)
        values = [getattr(one, "value", getattr(one, "mean", getattr(one, "difference", math.nan))) for one in given]
        outside = sum(not one.low <= v <= one.high for one, v in zip(given, values, strict=True))
        kinds = sorted({one.how for one in given})
        rows.append(
            {
                "figure": figure, "data": data, "n": n, "samples": len(intervals), "given": len(given) / len(intervals),
                "coverage": held / len(given) if len(given) >= len(intervals) / 20 else None,
                "excludes_estimate": outside, "kinds": kinds,
            }
        )  # fmt: skip
        print(json.dumps(rows[-1]), flush=True)
    return rows


def page(rows: list[dict[str, Any]], tests: list[dict[str, Any]], models: dict[str, Any] | None = None) -> str:
    """The page, of what is covered, of the errors where answers share questions, and of real models compared."""
    order = dict.fromkeys((row["figure"], row["data"]) for row in rows)
    by = {(row["figure"], row["data"], row["n"]): row for row in rows}
    lines = [
        "# What the intervals cover",
        "",
        "Made by `python -m benchmarks.coverage.coverage` from `benchmarks/coverage/coverage.json`; not edited by hand.",
        "",
        "A cell is the share of simulated samples whose 95% interval holds the truth, among those for which an interval "
        "is given; behind a slash the share for which one is given where that is not all. n counts independent units: "
        "answers, or questions where answers share one. A dash: none is given (or for less than one sample in twenty). "
        f"With {MANY} samples a cell is known to about one point, with {SOME} to about two.",
        "",
        f"An interval of a mean needs {FEWEST} units; a difference needs {FEWEST_THAT_DIFFER} units that differ. Below "
        f"{PERCENTILE_FROM} units, and for shares of which fewer than {FEW_EVENTS} units are off either end, no "
        "percentiles are read: the last column names what stands there at each n.",
        "",
        "| figure | data | " + " | ".join(f"n = {n}" for n in SIZES) + " | kinds |",
        "|:---|:---|" + "---:|" * len(SIZES) + ":---|",
    ]
    for figure, data in order:
        own = [by[figure, data, n] for n in SIZES]
        kinds = ", ".join(dict.fromkeys(kind for row in own for kind in row["kinds"]))
        lines.append(f"| {figure} | {data} | " + " | ".join(_cell(row) for row in own) + f" | {kinds} |")
    low = [row for row in rows if row["coverage"] is not None and row["coverage"] < 0.9]
    known = [row for row in rows if row["n"] >= 30 and row["coverage"] is not None]
    off = [row for row in known if not 0.93 <= row["coverage"] <= 0.97]
    lines += ["", "## What misses its target", "", "Targets: 93 to 97% from n = 30 on, never below 90%.", ""]
    lines.append(f"Below 90%: {_named(low)}.")
    lines += ["", f"From n = 30 on outside 93 to 97%: {_named(off)}."]
    lines += ["", f"Intervals that leave out their own estimate: {sum(row['excludes_estimate'] for row in rows)}."]
    lines += ["", *_clusters(tests)]
    if models is not None:
        lines += ["", *_models(models)]
    return "\n".join(lines) + "\n"


def _clusters(tests: list[dict[str, Any]]) -> Iterator[str]:
    yield "## Answers that share questions"
    yield ""
    yield (
        "Made by `python -m benchmarks.coverage.false_positives` from `benchmarks/coverage/false_positives.json`: 30 "
        "questions with 6 answers each, six tenths of a value's variance the question's. The unit is the question "
        "wherever two answers share one; the last column takes every answer for a unit, as `--cluster-by none` does."
    )
    yield ""
    yield "| figure | samples | target | unit: question | unit: answer |"
    yield "|:---|---:|---:|---:|---:|"
    for row in tests:
        cells = (row["target"], row["questions"], row["answers"])
        shown = " | ".join("not given" if cell is None else f"{100 * cell:.1f}%" for cell in cells)
        yield f"| {row['figure']} | {row['samples']:,} | {shown} |"


def _models(found: dict[str, Any]) -> Iterator[str]:
    rows = found["comparisons"]
    differ = [row for row in rows if row["answers"]["excludes_0"]]
    vanish = [row for row in differ if not row["questions"]["excludes_0"]]
    yield "## Real models compared"
    yield ""
    yield (
        "Made by `python -m benchmarks.coverage.models` from `benchmarks/coverage/models.json`: "
        f"{found['n_answers']:,} stored answers of {len(found['models'])} models to {found['n_questions']} questions of "
        f"{found['data']}, {found['per_question']} of a model to a question; every two models, answer by answer, by "
        f"{', '.join(found['metrics'])}."
    )
    yield ""
    yield (
        f"Of {len(rows)} comparisons {len(differ)} have an interval without 0 where every answer is a unit; "
        f"{len(vanish)} of these differences vanish where the question is. Intervals over questions are "
        f"{found['median_ratio']:.2f} times as wide (median; {found['ratios'][0]:.2f} to {found['ratios'][1]:.2f})."
    )
    yield ""
    yield f"Run: {found['date']}; `{found['signature']}`"


def _cell(row: dict[str, Any]) -> str:
    if row["coverage"] is None:
        return "–"
    return f"{100 * row['coverage']:.1f}" + ("" if row["given"] > 0.995 else f" / {100 * row['given']:.0f}")


def _named(rows: list[dict[str, Any]]) -> str:
    return "; ".join(f"{r['figure']}, {r['data']}, n = {r['n']}: {100 * r['coverage']:.1f}%" for r in rows) or "none"


def main() -> None:
    """Simulate unless the page alone is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", action="store_true", help="make the page anew from the stored result")
    if not parser.parse_args().page:
        rows = simulate()
        STORED.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n", encoding="utf-8")
    write(pages())


def pages() -> dict[Path, str]:
    """The page, of what is stored."""
    return {PAGE: page(*stored())}


def stored() -> list[Any]:
    """What the page is made of; the comparison of real models is left out as long as none is stored."""
    paths = [STORED, FALSE_POSITIVES, *([MODELS] if MODELS.exists() else [])]
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


if __name__ == "__main__":
    main()
