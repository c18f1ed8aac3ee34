"""How often the intervals of `fas labels adjust` hold the truth, whatever the verifier does; makes simulated.md.

Run as `python -m benchmarks.adjust.simulate` (two minutes); with --page the page is written from what is stored.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.tables import write

from fas.stats.prediction_powered import Adjusted, Side, adjusted_mean

HERE = Path(__file__).parent
STORED = HERE / "simulated.json"
PAGE = HERE / "simulated.md"
RUNS, SEED, QUESTIONS, ANSWERS, LABELS = 2000, 20261125, 200, 2, 150
# The probability that the verdict is the gold value, where that is 1 and where it is 0.
VERIFIERS = {"good": (0.92, 0.88), "useless": (0.50, 0.50), "adversarial": (0.15, 0.12)}
DESIGNS = ("simple", "stratified", "active", "whole answers")
FIGURES = ("mean over answers", "share of claims", "mean over answers, rare", "difference of two systems")


class World(NamedTuple):
    """Claims in answers to questions, with their gold values and the verifier's verdicts and confidences."""

    question: np.ndarray
    answer: np.ndarray
    gold: np.ndarray
    verdict: np.ndarray
    confidence: np.ndarray


def world(rng: np.random.Generator, verifier: tuple[float, float], rate: float, effect: np.ndarray) -> World:
    """One system's answers, two to each question; questions and answers differ in how much of them is true."""
    of_answer = np.repeat(np.arange(QUESTIONS), ANSWERS)
    lift = effect[of_answer] + rng.normal(0, 0.6, len(of_answer))
    p = 1 / (1 + np.exp(-(math.log(rate / (1 - rate)) + lift)))
    n_claims = 1 + rng.poisson(4, len(p))
    answer = np.repeat(np.arange(len(p)), n_claims)
    gold = (rng.random(len(answer)) < p[answer]).astype(float)
    confidence = rng.beta(2, 1, len(answer))
    right = np.where(gold > 0, *verifier)
    # What it is less confident of it gets wrong more often, with the same rate over all.
    right = np.clip(right + (confidence - 2 / 3) * 2 * np.minimum(right, 1 - right), 0, 1)
    verdict = np.where(rng.random(len(answer)) < right, gold, 1 - gold)
    return World(of_answer[answer], answer, gold, verdict, confidence)


def chosen(rng: np.random.Generator, made: World, design: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which claims are labelled, with which probability, in which stratum."""
    n = len(made.gold)
    strata = np.zeros(n, dtype=np.intp)
    pi = np.full(n, LABELS / n)
    drawn = np.zeros(n, dtype=bool)
    if design == "simple":
        drawn[rng.choice(n, LABELS, replace=False)] = True
    elif design == "stratified":  # as many of each verdict and confidence, however many there are
        strata = (2 * made.verdict + (made.confidence < 0.7)).astype(np.intp)
        for stratum in range(4):
            there = np.flatnonzero(strata == stratum)
            take = min(len(there), LABELS // 4)
            pi[there] = take / max(1, len(there))
            drawn[rng.choice(there, take, replace=False)] = True
    elif design == "active":
        score = 1.2 - made.confidence
        pi = np.minimum(1.0, LABELS * (0.5 / n + 0.5 * score / score.sum()))
        drawn = rng.random(n) < pi
    else:
        n_answers = int(made.answer.max()) + 1
        take = LABELS // 5
        pi[:] = take / n_answers
        drawn = np.isin(made.answer, rng.choice(n_answers, take, replace=False))
    return drawn, pi, strata


def side(rng: np.random.Generator, made: World, design: str, figure: str) -> Side:
    drawn, pi, strata = chosen(rng, made, design)
    by_claim = figure == "share of claims"
    per_answer = np.bincount(made.answer)
    weights = np.ones(len(made.gold)) if by_claim else 1.0 / per_answer[made.answer]
    sizes = np.bincount(made.question, weights, QUESTIONS)
    gold = np.where(drawn, made.gold, np.nan)
    return Side(gold, made.verdict, pi, weights, made.question, sizes, np.zeros(QUESTIONS), strata)


def rates(figure: str) -> tuple[float, ...]:
    return {"mean over answers, rare": (0.08,), "difference of two systems": (0.70, 0.60)}.get(figure, (0.70,))


def truth(figure: str) -> float:
    """The figure of infinitely many answers: the logistic of a normal variable, by quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    values = []
    for rate in rates(figure):
        lift = math.log(rate / (1 - rate)) + math.hypot(0.6, 0.6) * nodes
        values.append(float((weights / (1 + np.exp(-lift))).sum() / weights.sum()))
    return values[0] - (values[1] if len(values) == 2 else 0.0)


def once(rng: np.random.Generator, verifier: str, design: str, figure: str) -> Adjusted:
    effect = rng.normal(0, 0.6, QUESTIONS)
    sides = [side(rng, world(rng, VERIFIERS[verifier], rate, effect), design, figure) for rate in rates(figure)]
    return adjusted_mean(*sides, share=len(sides) == 1)


def measure(verifier: str, design: str, figure: str, n_runs: int) -> dict[str, object]:
    key = [SEED, list(VERIFIERS).index(verifier), DESIGNS.index(design), FIGURES.index(figure)]
    rng = np.random.default_rng(key)
    found = [once(rng, verifier, design, figure) for _ in range(n_runs)]
    value = truth(figure)
    given = [one for one in found if not math.isnan(one.low)]
    return {
        "verifier": verifier,
        "design": design,
        "figure": figure,
        "runs": n_runs,
        "given": len(given) / n_runs,
        "coverage": sum(one.low <= value <= one.high for one in given) / len(given),
        "bias": float(np.mean([one.value for one in given]) - value),
        "width": float(np.mean([one.width for one in given])),
        "width_alone": float(np.mean([one.alone_high - one.alone_low for one in given])),
        "wider": sum(one.width > one.alone_high - one.alone_low + 1e-12 for one in given) / len(given),
        "coverage_alone": sum(one.alone_low <= value <= one.alone_high for one in given) / len(given),
    }


def page(rows: list[dict[str, object]]) -> str:
    lines = [
        "# What the adjusted intervals cover",
        "",
        "Made by `python -m benchmarks.adjust.simulate` from `benchmarks/adjust/simulated.json`; not edited by hand.",
        "",
        f"{QUESTIONS} questions, {ANSWERS} answers to each, about five claims an answer, about {LABELS} labels (for a "
        f"difference, of each system); {RUNS:,} runs a row, so that a share is known to half a point. Claims of one "
        "answer and answers to one question go together. The good verifier is right on 92% of the true and 88% of the "
        "other claims, the useless one tosses a coin, the adversarial one is right on 15% and 12%; the less confident, "
        "the more often wrong. Target: 93.5 to 96.5%.",
        "",
        "| verifier | labels drawn | figure | holds the truth | labels alone | width | labels alone | bias |",
        "|:---|:---|:---|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        lines.append(
            f"| {row['verifier']} | {row['design']} | {row['figure']} | {100 * row['coverage']:.1f}% | "
            f"{100 * row['coverage_alone']:.1f}% | {row['width']:.3f} | {row['width_alone']:.3f} | {row['bias']:+.4f} |"
        )
    out = [row for row in rows if not 0.935 <= row["coverage"] <= 0.965]
    named = "; ".join(
        f"{row['verifier']}, {row['design']}, {row['figure']}: {100 * row['coverage']:.1f}%" for row in out
    )
    wider = sum(row["wider"] > 0 for row in rows)
    lines += [
        "",
        f"Outside the target: {named or 'none'}. Rows in which an adjusted interval was ever wider than that of the "
        f"labels alone: {wider}. Least share of runs with an interval: {100 * min(float(r['given']) for r in rows):.1f}%.",
    ]
    return "\n".join(lines) + "\n"


def pages() -> dict[Path, str]:
    """The page of the stored results."""
    return {PAGE: page(json.loads(STORED.read_text(encoding="utf-8")))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", action="store_true", help="only write the page from what is stored")
    parser.add_argument("--runs", type=int, default=RUNS)
    options = parser.parse_args()
    if not options.page:
        rows = [
            measure(verifier, design, figure, options.runs)
            for figure in FIGURES
            for design in (DESIGNS if figure == FIGURES[0] else DESIGNS[:3:2] if "rare" in figure else DESIGNS[:2])
            for verifier in VERIFIERS
        ]
        if options.runs != RUNS:
            print(page(rows))
            return
        STORED.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    write(pages())


if __name__ == "__main__":
    main()
