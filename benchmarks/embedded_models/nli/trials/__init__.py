"""Pairs of a trial record's section and a statement that it bears out or refutes; the trials are invented.

    python -m trials --n 20

Registries print what a trial gave, to whom, what it measured and what went wrong as lists of codes and counts, without a
sentence to lean on, and the list is the whole: an event that it does not name was not seen. Each form of statement
(`adverse`, `eligibility`, `interventions`, `results`) is asked for a true or a false one of a record drawn at random, so
that neither the form nor its words tell the label; what a statement says is computed from the same numbers as what is
printed. One statement in ten is about another section, and settled by nothing in this one.
"""

from __future__ import annotations

import random
from types import ModuleType

from data import Pair, distinct_pairs
from perturb import CONTRADICTION, ENTAILMENT, NEUTRAL

from . import adverse, eligibility, interventions, results

SECTIONS: tuple[ModuleType, ...] = (adverse, eligibility, interventions, results)
SHARE_NEUTRAL = 0.1
# Statements that say two things.
SHARE_JOINED = 0.15


def statement(section: ModuleType, truth: bool, rng: random.Random) -> tuple[str, str]:
    """A record of *section* and a statement about it that is true or false as asked."""
    form = rng.choice(section.FORMS)
    while True:
        record = section.draw(rng)
        said = form(record, truth, rng)
        if said is None:
            continue
        if rng.random() < SHARE_JOINED:
            said = joined(section, record, said, truth, rng)
        return record.text(), said


def joined(section: ModuleType, record: object, said: str, truth: bool, rng: random.Random) -> str:
    """*said* and a second statement about the record; a false one is false in one part or in both."""
    first_truth, second_truth = (
        rng.choice(((True, False), (False, True), (False, False))) if not truth else (True, True)
    )
    one = said if first_truth == truth else rng.choice(section.FORMS)(record, first_truth, rng)
    two = rng.choice(section.FORMS)(record, second_truth, rng)
    if one is None or two is None or one == two:
        return said
    two = two if two[1].isupper() else two[0].lower() + two[1:]
    return one.removesuffix(".") + rng.choice((", and ", " and ", "; ", ", while ")) + two


def trial_pair(rng: random.Random) -> Pair:
    """One pair."""
    section = rng.choice(SECTIONS)
    truth = rng.random() < 0.5
    text, said = statement(section, truth, rng)
    if rng.random() < SHARE_NEUTRAL:
        elsewhere = rng.choice([other for other in SECTIONS if other is not section])
        return Pair(text, statement(elsewhere, True, rng)[1], NEUTRAL)
    return Pair(text, said, ENTAILMENT if truth else CONTRADICTION)


def trial_pairs(n: int, *, seed: int) -> list[Pair]:
    """*n* pairs, each once."""
    rng = random.Random(f"trials:{seed}")
    return distinct_pairs(n, lambda: trial_pair(rng))
