"""Pairs whose premise says something else besides, and denies it; what it says of the claim stays as it was.

Rules that turn a claim by a denial in its premise teach a small model more than they should: that a denial anywhere is a
contradiction. "Folic acid lowers the risk of spina bifida; it does not prevent every case" then contradicts its own
first half. Here a pair made by the rules is given a second premise, a reservation of ours or a sentence from another
abstract, before or behind its own and mostly with a denial in it. The label is the claim's own. So that the second half
is not simply passed over, one claim in six is about the reservation.
"""

from __future__ import annotations

import random
import re

from benchmarks.embedded_models.nli.comparisons.words import CONTROLS, DRUGS, EVENTS, MEASURES, PEOPLE, were
from benchmarks.embedded_models.nli.data import Pair
from benchmarks.embedded_models.nli.perturb import CONTRADICTION, ENTAILMENT
from benchmarks.embedded_models.nli.phrases import read, upper

WORDS = read("asides")
_DENIAL = re.compile(r"\b(?:no|not|never|none|neither|nor|without|lack(?:s|ed)?|failed|unlikely|cannot)\b")
# Shares of the pairs whose second premise is a sentence from elsewhere, of the reservations that nothing can be claimed of,
# and of all pairs whose claim is about the reservation.
_ELSEWHERE, _NOTHING_CLAIMED, _CLAIM_IS_ABOUT_IT = 0.35, 0.4, 1 / 6
# Characters of a second premise.
_LONGEST = 450


def _reservation(claim: str, rng: random.Random) -> tuple[str, str, str]:
    """A reservation, a claim that follows from it and one that it rules out (both "" where there is none).

    What it speaks of does not stand in *claim*.
    """
    if rng.random() < _NOTHING_CLAIMED:
        return rng.choice(WORDS["unclaimed"]), "", ""
    words = set(re.findall(r"\w{3,}", claim.lower()))

    def other(names: list[str]) -> str:
        return rng.choice([name for name in names if words.isdisjoint(name.lower().split())] or names)

    outcome = other([*EVENTS, *(name for name, *_ in MEASURES)])
    people = other([name for pair in PEOPLE for name in pair])
    fillings = {"o": outcome, "w": were(outcome), "g": people, "d": other(DRUGS), "c": other(CONTROLS)}
    aside, follows, ruled_out = (form.format(**fillings) for form in rng.choice(WORDS["claimed"]))
    return aside, upper(follows) + ".", upper(ruled_out) + "."


def _joined(premise: str, aside: str, rng: random.Random) -> str:
    if rng.random() < 0.15:
        return f"{upper(aside)}. {premise}"
    joint = rng.choice(WORDS["joints"]) if premise.endswith(".") else " {A}."
    return premise.removesuffix(".") + joint.format(a=aside, A=upper(aside))


def aside_pairs(made: list[Pair], n: int, *, seed: int) -> list[Pair]:
    """*n* of the pairs of *made* with a second premise beside their own.

    Args:
        made: Pairs made by the rules (`perturb.perturbed_pairs`), at least *n* of them.
        n: How many.
        seed: Decides which, and what is put beside them.

    Raises:
        ValueError: *made* has fewer than *n* pairs, or none with a denial in its premise.
    """
    rng = random.Random(f"asides:{seed}")
    denials = [pair for pair in made if _DENIAL.search(pair.premise) and len(pair.premise) < _LONGEST]
    if not denials:
        raise ValueError("no pair has a premise with a denial")
    of_reservations = _CLAIM_IS_ABOUT_IT / ((1 - _ELSEWHERE) * (1 - _NOTHING_CLAIMED))
    found = []
    for pair in rng.sample(made, n):
        if rng.random() < _ELSEWHERE:
            second = rng.choice(denials).premise
            parts = [pair.premise, second]
            rng.shuffle(parts)
            found.append(Pair(" ".join(parts), pair.hypothesis, pair.label, pair.weight))
            continue
        aside, follows, ruled_out = _reservation(f"{pair.premise} {pair.hypothesis}", rng)
        premise = _joined(pair.premise, aside, rng)
        if follows and rng.random() < of_reservations:
            said = rng.random() < 0.5
            found.append(Pair(premise, follows if said else ruled_out, ENTAILMENT if said else CONTRADICTION))
        else:
            found.append(Pair(premise, pair.hypothesis, pair.label, pair.weight))
    return found
