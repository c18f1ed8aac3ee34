"""Pairs of an invented sentence that lists things and a claim about one of them.

"Symptoms include fever, headache and a stiff neck" says nothing of lethargy; "the only symptoms are" rules it out, and
"but not" what follows. Leaflets, abstracts and model answers are full of lists, and small models take what is not listed
for denied. What is listed, what is not, and what is ruled out are affirmed and denied by the same sentences, so that
neither a claim alone nor the words it shares with the premise give the label away.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from recipes.verifier.pairs.comparisons.words import DRUGS, EVENTS, OTHER_NAMES, invented_drug
from recipes.verifier.public import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair, distinct_pairs
from recipes.verifier.pairs.phrases import is_plural, read, upper

WORDS = read("enumerations")
_HARMS = [event for event in EVENTS if event not in WORDS["good"]]
# The subject of a list and its items, by the topic's name for them.
_LISTS: dict[str, Sequence[str]] = {
    **WORDS,
    "harms": _HARMS,
    "harmed": (*WORDS["conditions"], *_HARMS[:12]),
    "treatments": (*DRUGS[:34], *WORDS["treatments"]),
    "medicines": (*WORDS["medicines"], *DRUGS),
}
TOPICS = [{**topic, "of": _LISTS[topic["of"]], "items": _LISTS[topic["items"]]} for topic in WORDS["topics"]]
# Another subject, whose list says nothing about the first one.
_FOREIGN = 0.12


def enumerated(rng: random.Random) -> tuple[str, str, int]:
    """A sentence with a list, a claim about one thing, and the label."""
    topic = rng.choice(TOPICS)
    of = invented_drug(rng) if topic["of"][-1] == DRUGS[-1] and rng.random() < 0.3 else rng.choice(topic["of"])
    drawn = rng.sample([item for item in topic["items"] if item not in of and of not in item], rng.randint(3, 6))
    listed, rest = drawn[1:], drawn[0]
    words = {"s": of, "l": _series(listed, rng), "x": rest}
    kind = rng.choice(("open", "open", "open", "closed", "apart"))
    premise = _sentence(rng.choice(topic[kind]), words)
    if kind == "open":
        premise += rng.choice(WORDS["behind"])
    about_listed = rng.random() < 0.45
    affirmed = rng.random() < 0.5
    about, thing = of, rng.choice(listed) if about_listed else rest
    if rng.random() < _FOREIGN:
        about = rng.choice([other for other in topic["of"] if other not in of and of not in other])
        label = NEUTRAL
    elif about_listed:
        label = ENTAILMENT if affirmed else CONTRADICTION
    elif kind == "open":
        label = NEUTRAL
    else:
        label = CONTRADICTION if affirmed else ENTAILMENT
    if about_listed and rng.random() < 0.4:
        thing = rng.choice(OTHER_NAMES.get(thing, (thing,)))
    claim = _sentence(rng.choice(topic["yes" if affirmed else "no"]), {**words, "s": about, "x": thing})
    return premise, claim, label


def _series(items: Sequence[str], rng: random.Random) -> str:
    if len(items) == 1:
        return items[0]
    last = rng.choice((" and ", " and ", " as well as ") if len(items) == 2 else (" and ", ", and ", " as well as "))
    return ", ".join(items[:-1]) + last + items[-1]


def _agreeing(text: str, thing: str, verbs: str) -> str:
    for own, other in WORDS["verbs"][verbs]:
        text = text.replace(own.format(thing), other.format(thing), 1)
    return text


def _sentence(form: str, words: dict[str, str]) -> str:
    text, thing = form.format(**words), words["x"]
    text = _agreeing(text, thing, "many" if _many(thing) else "one")
    if words["s"] == "the tablets":
        text = _agreeing(text, "the tablets", "tablets")
    return upper(text)


def _many(thing: str) -> bool:
    return thing in ("antibiotics", "probiotics") or is_plural(thing)


def enumeration_pairs(n: int, *, seed: int) -> list[Pair]:
    """*n* pairs, each once, by *seed*: two in five neither, about as many entailed as contradicted."""
    rng = random.Random(f"enumerations:{seed}")
    return distinct_pairs(n, lambda: Pair(*enumerated(rng)))
