"""Pairs of an invented sentence that lists things and a claim about one of them.

"Symptoms include fever, headache and a stiff neck" says nothing of lethargy; "the only symptoms are" rules it out, and
"but not" what follows. Leaflets, abstracts and model answers are full of lists, and small models take what is not listed
for denied. What is listed, what is not, and what is ruled out are affirmed and denied by the same sentences, so that
neither a claim alone nor the words it shares with the premise give the label away.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.embedded_models.nli.comparisons.words import DRUGS, EVENTS, OTHER_NAMES, invented_drug
from benchmarks.embedded_models.nli.data import Pair, distinct_pairs
from benchmarks.embedded_models.nli.perturb import CONTRADICTION, ENTAILMENT, NEUTRAL
from benchmarks.embedded_models.nli.perturb_rules import is_plural
from benchmarks.embedded_models.nli.phrases import read, upper

WORDS = read("enumerations")
_HARMS = [event for event in EVENTS if event not in WORDS["good"]]
# What has a list, and what stands in it, by the name that a topic has for it.
_LISTS: dict[str, Sequence[str]] = {
    **WORDS,
    "harms": _HARMS,
    "harmed": (*WORDS["conditions"], *_HARMS[:12]),
    "treatments": (*DRUGS[:34], *WORDS["treatments"]),
    "medicines": (*WORDS["medicines"], *DRUGS),
}


@dataclass(frozen=True)
class Topic:
    """Something of which things are listed.

    Attributes:
        of: What has the list, {s} in the sentences.
        items: What can stand in it.
        lists: Sentences with an open list, {l}.
        closed: Sentences that say that nothing else belongs to it.
        apart: Sentences that end in what does not belong to it, {x}.
        yes: Sentences that affirm a single thing, {x}.
        no: Sentences that deny it.
    """

    of: Sequence[str]
    items: Sequence[str]
    lists: Sequence[str]
    closed: Sequence[str]
    apart: Sequence[str]
    yes: Sequence[str]
    no: Sequence[str]


TOPICS = [
    Topic(**{**topic, "of": _LISTS[topic["of"]], "items": _LISTS[topic["items"]]}) for topic in WORDS["topics"]
]
# Another subject; what is listed of it says nothing of the first one.
_FOREIGN = 0.12


def enumerated(rng: random.Random) -> tuple[str, str, int]:
    """A sentence with a list, a claim about one thing, and the label."""
    topic = rng.choice(TOPICS)
    of = invented_drug(rng) if topic.of[-1] == DRUGS[-1] and rng.random() < 0.3 else rng.choice(topic.of)
    drawn = rng.sample([item for item in topic.items if item not in of and of not in item], rng.randint(3, 6))
    listed, rest = drawn[1:], drawn[0]
    words = {"s": of, "l": _series(listed, rng), "x": rest}
    kind = rng.choice(("open", "open", "open", "closed", "apart"))
    forms = {"open": topic.lists, "closed": topic.closed, "apart": topic.apart}[kind]
    premise = _sentence(rng.choice(forms), words)
    if kind == "open":
        premise += rng.choice(WORDS["behind"])
    about_listed = rng.random() < 0.45
    affirmed = rng.random() < 0.5
    about, thing = of, rng.choice(listed) if about_listed else rest
    if rng.random() < _FOREIGN:
        about = rng.choice([other for other in topic.of if other not in of and of not in other])
        label = NEUTRAL
    elif about_listed:
        label = ENTAILMENT if affirmed else CONTRADICTION
    elif kind == "open":
        label = NEUTRAL
    else:
        label = CONTRADICTION if affirmed else ENTAILMENT
    if about_listed and rng.random() < 0.4:
        thing = rng.choice(OTHER_NAMES.get(thing, (thing,)))
    claim = _sentence(rng.choice(topic.yes if affirmed else topic.no), {**words, "s": about, "x": thing})
    return premise, claim, label


def _series(items: Sequence[str], rng: random.Random) -> str:
    if len(items) == 1:
        return items[0]
    last = rng.choice((" and ", " and ", " as well as ") if len(items) == 2 else (" and ", ", and ", " as well as "))
    return ", ".join(items[:-1]) + last + items[-1]


# Verbs behind a thing that is many, and behind one that is one, where the forms have them otherwise.
_MANY = {
    "{} is ": "{} are ",
    "{} raises ": "{} raise ",
    "{} contributes ": "{} contribute ",
    "{} does ": "{} do ",
    "{} has ": "{} have ",
    "{} plays ": "{} play ",
}
_ONE = {
    "{} contain": "{} contains",
    "{} are a source": "{} is a source",
    "{} are not a source": "{} is not a source",
    "but {} do not": "but {} does not",
}
_TABLETS = {"{} causes ": "{} cause ", "{} does not ": "{} do not ", "{} has ": "{} have ", "{} is ": "{} are "}


def _agreeing(text: str, thing: str, verbs: dict[str, str]) -> str:
    for own, other in verbs.items():
        text = text.replace(own.format(thing), other.format(thing), 1)
    return text


def _sentence(form: str, words: dict[str, str]) -> str:
    text, thing = form.format(**words), words["x"]
    text = _agreeing(text, thing, _MANY if _many(thing) else _ONE)
    if words["s"] == "the tablets":
        text = _agreeing(text, "the tablets", _TABLETS)
    return upper(text)


def _many(thing: str) -> bool:
    return thing in ("antibiotics", "probiotics") or is_plural(thing)


def enumeration_pairs(n: int, *, seed: int) -> list[Pair]:
    """*n* pairs, each once: two in five neither, about as many entailed as contradicted.

    Args:
        n: How many.
        seed: Decides which.
    """
    rng = random.Random(f"enumerations:{seed}")
    return distinct_pairs(n, lambda: Pair(*enumerated(rng)))
