"""Pairs that hang on what a denial denies: use, strength, frequency, certainty, or the thing itself.

"X is not typically used" says nothing against a trial in which X worked, "is not independent of" is what "depends on"
says, and "does not cure" leaves room for help. Each of the forms is a passage and what follows from it, what it rules out
and what it leaves open, so that a denial in either half, in both or in neither comes with every label.
"""

from __future__ import annotations

import random

from recipes.verifier.pairs.comparisons.words import CONTROLS, DRUGS, EVENTS, MEASURES, PEOPLE, invented_drug
from recipes.verifier.public import LABELS, Pair, distinct_pairs
from recipes.verifier.pairs.phrases import one_of, read, upper

WORDS = read("negations")


def words(rng: random.Random) -> dict[str, str]:
    """Fillings for the forms, different from one another where they stand for different things."""
    d, b = (invented_drug(rng) if rng.random() < 0.35 else name for name in rng.sample(DRUGS, 2))
    c, h = rng.sample(WORDS["conditions"], 2)
    e, f = rng.sample(EVENTS, 2)
    x, y = rng.sample(WORDS["factors"], 2)
    return {
        "d": d, "b": b, "c": c, "h": h, "e": e, "f": f, "x": x, "y": y,
        "m": rng.choice(MEASURES)[0], "k": rng.choice(CONTROLS), "g": rng.choice(rng.choice(PEOPLE)),
    }  # fmt: skip


def negation_pair(rng: random.Random) -> Pair:
    """One pair; the three labels are equally likely."""
    form = rng.choice(WORDS["forms"])
    label = rng.choice(("entailment", "contradiction", "neutral"))
    fillings = words(rng)
    passage, lead = rng.choice(form["passages"]).format(**fillings), rng.choice(WORDS["leads"])
    premise = f"{lead}{passage}." if lead and not lead.endswith(": ") else f"{lead}{upper(passage)}."
    return Pair(premise, one_of(form[label], rng, **fillings) + ".", LABELS.index(label))


def negation_pairs(n: int, *, seed: int) -> list[Pair]:
    """*n* different pairs; the same *seed* gives the same."""
    rng = random.Random(f"negations:{seed}")
    return distinct_pairs(n, lambda: negation_pair(rng))
