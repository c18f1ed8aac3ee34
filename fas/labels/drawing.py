"""Claims to label: a random sample of a run whose probabilities are known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fas.labels.files import COVERED
from fas.labels.judged import JudgedClaim, number_names

BORDERS = (0.6, 0.8, 0.95)
"""Upper limits of the strata of confidence."""
_NAMES = ("at most 0.60", "0.60 to 0.80", "0.80 to 0.95", "above 0.95")


class DrawnSample(NamedTuple):
    """A claim chosen to be labelled, the probability with which it was, and the stratum it was drawn from."""

    claim: JudgedClaim
    pi: float
    stratum: str


def assign_stratum(claim: JudgedClaim) -> str:
    """Verdict and confidence of a claim, e.g. `supported, 0.80 to 0.95`; of a statement its kind comes first."""
    verdict = f"{claim.kind}, {COVERED[claim.verdict]}" if claim.kind else claim.verdict
    if math.isnan(claim.confidence):
        return verdict
    return f"{verdict}, {_NAMES[int(np.searchsorted(BORDERS, claim.confidence, side='left'))]}"


def draw_claims(
    claims: Sequence[JudgedClaim], n: int, *, seed: int = 12345, stratify: bool = True
) -> list[DrawnSample]:
    """*n* claims (all where there are fewer) without replacement, in random order; a ValueError for *n* below 1.

    Half of them are shared out by the size of the strata (verdict and confidence), half evenly: rare verdicts are seen
    often enough to say something of them. Inside a stratum every claim has the same probability.
    """
    if n < 1:
        raise ValueError(f"the number of claims to draw must be at least 1, got {n}")
    rng = np.random.default_rng(seed)
    names = [assign_stratum(claim) if stratify else "" for claim in claims]
    strata = number_names(names)
    sizes = np.bincount(strata)
    taken = allocate(sizes, n)
    chosen: list[DrawnSample] = []
    for stratum, take in enumerate(taken):
        there = np.flatnonzero(strata == stratum)
        for place in rng.choice(there, take, replace=False):
            chosen.append(DrawnSample(claims[place], take / len(there), names[place]))
    return [chosen[i] for i in rng.permutation(len(chosen))]


def draw_answers(claims: Sequence[JudgedClaim], n: int, *, seed: int = 12345) -> list[DrawnSample]:
    """All claims of *n* answers, answer by answer in random order; a ValueError for *n* below 1."""
    if n < 1:
        raise ValueError(f"the number of answers to draw must be at least 1, got {n}")
    names = list(dict.fromkeys(claim.id for claim in claims))
    take = min(n, len(names))
    picked = np.random.default_rng(seed).permutation(len(names))[:take]
    order = {names[i]: place for place, i in enumerate(picked)}
    kept = [claim for claim in claims if claim.id in order]
    return [
        DrawnSample(claim, take / len(names), "") for claim in sorted(kept, key=lambda one: (order[one.id], one.claim))
    ]


def allocate(sizes: np.ndarray, n: int) -> list[int]:
    """The number to draw from each stratum: half by size, half evenly, at least one, at most all.

    >>> allocate(np.array([900, 90, 10]), 100)
    [65, 25, 10]
    """
    n = min(n, int(sizes.sum()))
    if n < len(sizes):  # fewer than strata: by size alone would leave some out, so that one sample is drawn of all
        raise ValueError(f"too few claims for {len(sizes)} strata, got {n}: draw more, or without strata")
    wanted = 0.5 * n * sizes / sizes.sum() + 0.5 * n / len(sizes)
    taken = np.minimum(sizes, np.maximum(1, np.floor(wanted))).astype(int)
    while taken.sum() < n and (taken < sizes).any():
        short = np.where(taken < sizes, wanted - taken, -np.inf)
        taken[int(np.argmax(short))] += 1
    while taken.sum() > n:
        taken[int(np.argmax(taken - wanted))] -= 1
    return [int(one) for one in taken]
