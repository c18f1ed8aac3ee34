"""Pairs in which the claim holds a condition that the passage does not have, or has another for it.

The verdict on a claim must rest on all it says: the drug, the disease, the people, the dose, the time, the strength of
the tie. A passage on the same topic that lacks one of them is no support: neutral, or, where it names another value for
the same thing, not entailed. Each kind comes with its twin in which nothing is exchanged, so that the words themselves
give nothing away, and with one that is turned.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

from benchmarks.embedded_models.nli import perturb_rules as rules
from benchmarks.embedded_models.nli.abstracts import documents
from benchmarks.embedded_models.nli.claim_forms import main_verb
from benchmarks.embedded_models.nli.comparisons.words import CONTROLS, MEASURES
from benchmarks.embedded_models.nli.data import LABELS, Pair, distinct_pairs, usable
from benchmarks.embedded_models.nli.negations import words
from benchmarks.embedded_models.nli.perturb import CONTRADICTION, ENTAILMENT, NEUTRAL, NOT_ENTAILMENT, Source, claims_of
from benchmarks.embedded_models.nli.phrases import filled, read

WORDS = read("qualifiers")
_PLACED = re.compile(
    r"\b(?:in (?:patients|women|men|children|adults|infants|mice|rats|people|humans)|mg|daily|weeks?|months?|years?|hours?|days?|most|half)\b|%"
)


def _takes_more(source: Source) -> bool:
    """Whether a condition can be put behind the claim: its verb says what something does, and nothing stands there yet."""
    claim = source.claim
    verb = main_verb(claim)
    plain = verb is not None and verb[0] != "aux" and not source.design
    return plain and len(claim) < 200 and not _PLACED.search(claim) and "," not in claim


def _told(claim: str, qualifier: str) -> str:
    return f"{claim.rstrip('.')} {qualifier}."


def qualified_pairs(root: Path, n: int, *, seed: int) -> list[Pair]:
    """At most *n* pairs of claims of real abstracts: a condition added to the claim, to both, or another to each."""
    rng = random.Random(f"qualifiers:{seed}")
    claims = [
        (document.sentences[source.index], source.claim)
        for document in documents(root, "train")
        for source in claims_of(document)
        if _takes_more(source)
    ]
    rng.shuffle(claims)
    found: list[Pair] = []
    for sentence, claim in claims:
        if len(found) >= n:
            break
        kind = rng.choice(list(WORDS["added"]))
        one, other = rng.sample(WORDS["added"][kind], 2)
        draw = rng.random()
        if draw < 0.35:
            found.append(Pair(sentence, _told(claim, one), NEUTRAL))
        elif draw < 0.6:
            label = NEUTRAL if kind != "strength" else NOT_ENTAILMENT
            found.append(Pair(_told(claim, one), _told(claim, other), label))
        elif draw < 0.8:
            found.append(Pair(f"We found that {_told(rules.lower_first(claim), one)}", _told(claim, one), ENTAILMENT))
        elif (changed := rules.direction(claim, rng) or rules.negation_in(claim, rng)) is not None:
            found.append(Pair(_told(claim, one), _told(changed, one), CONTRADICTION))
    return usable(found)


def exchanged_pair(rng: random.Random) -> Pair:
    """One pair of invented facts, as often entailed as contradicted or left open where the form has all three."""
    form = rng.choice(WORDS["forms"])
    claims = [(text, LABELS.index(label)) for text, label in form["claims"]]
    label = rng.choice(sorted({label for _, label in claims}))
    claim = rng.choice([text for text, own in claims if own == label])
    fillings = words(rng)
    one, other = rng.sample(range(2, 10), 2)
    fillings |= {"n": str(one), "q": str(other), "m": rng.choice(MEASURES)[0], "k": rng.choice(CONTROLS)}
    return Pair(filled(form["passage"], **fillings) + ".", filled(claim, **fillings) + ".", label)


def exchanged_pairs(n: int, *, seed: int) -> list[Pair]:
    """*n* different pairs; the same *seed* gives the same."""
    rng = random.Random(f"exchanged:{seed}")
    return distinct_pairs(n, lambda: exchanged_pair(rng))
