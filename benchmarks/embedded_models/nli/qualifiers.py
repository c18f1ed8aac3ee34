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
from benchmarks.embedded_models.nli.comparisons.words import CONTROLS, MEASURES, upper
from benchmarks.embedded_models.nli.data import MAX_HYPOTHESIS, Pair, distinct_pairs
from benchmarks.embedded_models.nli.negations import words
from benchmarks.embedded_models.nli.perturb import CONTRADICTION, ENTAILMENT, NEUTRAL, NOT_ENTAILMENT, Source, claims_of

# What can be added behind a claim, by what it answers; one of a kind exchanged for another is neutral.
_ADDED = {
    "people": ("in pregnant women", "in children under five", "in patients with kidney failure", "in older adults", "in smokers", "in athletes",
               "in premature infants", "in men over 70", "in people with HIV", "in patients with liver cirrhosis"),
    "dose": ("at a dose of 500 mg twice daily", "at a dose of 10 mg once daily", "at doses above 40 mg", "when given as a single injection", "when taken every other day"),
    "time": ("within 24 hours", "after ten years", "during long-term maintenance", "only in the first week", "for up to six months", "even after it is stopped"),
    "course": ("when combined with methotrexate", "as first-line treatment", "when used alone", "after surgery", "when other treatments have failed", "in the intensive care unit"),
    "strength": ("by more than half", "in most patients", "in every case", "almost completely", "to a clinically important extent", "by about 5%"),
}  # fmt: skip
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


def qualified_pairs(root: Path, n: int, *, seed: int, split: str = "train") -> list[Pair]:
    """At most *n* pairs of real claims with a condition added to the claim, to both, or another to each.

    Args:
        root: The training-data folder.
        n: How many.
        seed: Decides which and what.
        split: Documents of `train`, `dev` or `test`.
    """
    rng = random.Random(f"qualifiers:{seed}")
    claims = [
        (document.sentences[source.index], source.claim)
        for document in documents(root, split)
        for source in claims_of(document)
        if _takes_more(source)
    ]
    rng.shuffle(claims)
    found: list[Pair] = []
    for sentence, claim in claims:
        if len(found) >= n:
            break
        kind = rng.choice(list(_ADDED))
        one, other = rng.sample(_ADDED[kind], 2)
        draw = rng.random()
        if draw < 0.35:
            found.append(Pair(sentence, _told(claim, one), NEUTRAL))
        elif draw < 0.6:
            found.append(
                Pair(_told(claim, one), _told(claim, other), NEUTRAL if kind != "strength" else NOT_ENTAILMENT)
            )
        elif draw < 0.8:
            found.append(Pair(f"We found that {_told(rules.lower_first(claim), one)}", _told(claim, one), ENTAILMENT))
        elif (changed := rules.direction(claim, rng) or rules.negation_in(claim, rng)) is not None:
            found.append(Pair(_told(claim, one), _told(changed, one), CONTRADICTION))
    return [
        pair
        for pair in dict.fromkeys(found)
        if len(pair.hypothesis) <= MAX_HYPOTHESIS and pair.premise != pair.hypothesis
    ]


# Passage, claim, label; fillings as in `negations.words`, {n}, {q} two numbers, {m} a measure.
_FORMS: tuple[tuple[str, tuple[tuple[str, int], ...]], ...] = (
    ("{x} is associated with {e}", (("{x} causes {e}", NEUTRAL), ("{x} prevents {e}", NEUTRAL), ("{e} is linked to {x}", ENTAILMENT), ("{x} has nothing to do with {e}", CONTRADICTION))),
    ("{d} causes {e}", (("{d} is associated with {e}", ENTAILMENT), ("{d} causes {f}", NEUTRAL), ("{b} causes {e}", NEUTRAL), ("{d} prevents {e}", CONTRADICTION))),
    ("{d} is used to treat {c}", (("{d} prevents {c}", NEUTRAL), ("{d} is the first-line treatment of {c}", NEUTRAL), ("{d} is used for maintenance in {c}", NEUTRAL), ("{c} can be treated with {d}", ENTAILMENT), ("{d} is used to treat {h}", NEUTRAL), ("{d} causes {c}", NEUTRAL))),
    ("{d} prevents {c}", (("{d} treats {c}", NEUTRAL), ("{d} lowers the risk of {c}", ENTAILMENT), ("{d} cures {c}", NEUTRAL), ("{d} causes {c}", CONTRADICTION))),
    ("the recommended dose of {d} in {c} is {n} mg once daily", (("{d} is taken twice daily in {c}", NOT_ENTAILMENT), ("the usual dose of {d} in {c} is {q} mg once daily", NOT_ENTAILMENT), ("the dose of {d} in {c} is {n} mg once a day", ENTAILMENT), ("the recommended dose of {b} in {c} is {n} mg once daily", NEUTRAL), ("the recommended dose of {d} in {h} is {n} mg once daily", NEUTRAL))),
    ("treatment of {c} with {d} lasts {n} days", (("treatment of {c} with {d} lasts {q} days", CONTRADICTION), ("{c} is treated with {d} for {n} days", ENTAILMENT), ("treatment of {c} with {b} lasts {n} days", NEUTRAL), ("treatment of {c} with {d} lasts {n} weeks", CONTRADICTION))),
    ("in adults with {c}, {d} reduced {e}", (("{d} reduces {e} in children with {c}", NEUTRAL), ("{d} reduced {e} in adults with {h}", NEUTRAL), ("{b} reduced {e} in adults with {c}", NEUTRAL), ("{d} reduced {f} in adults with {c}", NEUTRAL), ("adults with {c} had less {e} with {d}", ENTAILMENT), ("{d} reduced {e} and {f} in adults with {c}", NEUTRAL), ("{d} increased {e} in adults with {c}", CONTRADICTION))),
    ("{d} was effective in {c}. {B} was not studied", (("{b} is effective in {c}", NEUTRAL), ("{b} is not effective in {c}", NEUTRAL), ("{d} works in {c}", ENTAILMENT), ("{d} does not work in {c}", CONTRADICTION))),
    ("{b} increased {m} in {c}", (("{d} increases {m}", NEUTRAL), ("{d} lowers {m} in {c}", NEUTRAL), ("{m} rose with {b} in {c}", ENTAILMENT), ("{b} lowered {m} in {c}", CONTRADICTION), ("{d} does not affect {m} in {c}", NEUTRAL))),
    ("{b} was stopped early because of {e}", (("{d} causes {e}", NEUTRAL), ("{d} does not cause {e}", NEUTRAL), ("{d} is safe", NEUTRAL), ("{e} led to an early end of {b}", ENTAILMENT))),
    ("symptoms of {c} include {e}", (("{h} causes {e}", NEUTRAL), ("{c} can cause {e}", ENTAILMENT), ("{c} is cured by {d}", NEUTRAL), ("symptoms of {c} include {e} and {f}", NEUTRAL))),
    ("{c} is a chronic disease with several subtypes", (("{c} is treated with {d}", NEUTRAL), ("{c} has only one subtype", CONTRADICTION), ("{c} leads to {e}", NEUTRAL), ("{c} is long-lasting", ENTAILMENT))),
    ("there are {n} known types of {c}", (("there is one type of {c}", NOT_ENTAILMENT), ("there are {q} types of {c}", NOT_ENTAILMENT), ("{c} has {n} known types", ENTAILMENT), ("there are {n} known types of {h}", NEUTRAL))),
    ("{d} may reduce {e}", (("{d} reduces {e} by half", NEUTRAL), ("{d} can possibly lower the risk of {e}", ENTAILMENT), ("{d} always prevents {e}", NEUTRAL), ("{b} may reduce {e}", NEUTRAL))),
    ("both {d} and {b} reduced {e} in {c}", (("{d} reduced {e} in {c}", ENTAILMENT), ("{d} reduced {e} more than {b} in {c}", NEUTRAL), ("{b} did not reduce {e} in {c}", CONTRADICTION), ("{d}, {b} and exercise reduced {e} in {c}", NEUTRAL))),
    ("{d} led to a significant reduction in {m} (mean difference -{n}.4, 95% CI -{n}.9 to -{n}.1). No conclusion could be drawn about the best dose", (("{d} lowers {m}", ENTAILMENT), ("{d} raises {m}", CONTRADICTION), ("{d} has no effect on {m}", CONTRADICTION), ("{b} lowers {m}", NEUTRAL))),
    ("{m} increased significantly with {d} compared with {k} (WMD {n}.4). {D} and {b} were similar in other respects", (("{d} increases {m}", ENTAILMENT), ("{d} reduces {m}", CONTRADICTION), ("{d} does not change {m}", CONTRADICTION), ("{b} increases {m}", NEUTRAL))),
    ("{d} reduced {e} (RR 0.6{n}, 95% CI 0.52 to 0.81). Whether it is better than {b} is uncertain", (("{d} reduces {e}", ENTAILMENT), ("{d} increases {e}", CONTRADICTION), ("{d} is better than {b} against {e}", NEUTRAL), ("it is uncertain whether {d} reduces {e}", NEUTRAL))),
)  # fmt: skip


def exchanged_pair(rng: random.Random) -> Pair:
    """One pair of invented facts, as often entailed as contradicted or left open where the form has all three."""
    passage, claims = rng.choice(_FORMS)
    label = rng.choice(sorted({label for _, label in claims} | {NEUTRAL} & {label for _, label in claims}))
    claim = rng.choice([text for text, own in claims if own == label])
    fillings = words(rng)
    one, other = rng.sample(range(2, 10), 2)
    fillings |= {
        "n": str(one),
        "q": str(other),
        "m": rng.choice(MEASURES)[0],
        "k": rng.choice(CONTROLS),
        "D": upper(fillings["d"]),
        "B": upper(fillings["b"]),
    }
    return Pair(upper(passage.format(**fillings)) + ".", upper(claim.format(**fillings)) + ".", label)


def exchanged_pairs(n: int, *, seed: int) -> list[Pair]:
    """*n* different pairs; the same *seed* gives the same."""
    rng = random.Random(f"exchanged:{seed}")
    return distinct_pairs(n, lambda: exchanged_pair(rng))
