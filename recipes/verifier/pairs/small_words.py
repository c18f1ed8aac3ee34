"""Pairs of an invented statement and a claim, whose label hangs on the small words that turn a sentence.

Only, except, unless, until, rather than, neither; a risk that is doubled or halved; "most", "few" and "a third"; a name
that says high or low ("hyponatremia"); once a day or every twelve hours; and what is said of one treatment of two. Model
answers and abstracts are full of them, general pairs are not. Each form is a pool of sentences that say a thing and a
pool that say its opposite: premise and claim are drawn from either evenly, so that no wording goes with a label.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import partial

from recipes.verifier.pairs.comparisons.words import DRUGS, EVENTS, MEASURES, invented_drug, other_name, were
from recipes.verifier.public import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair, distinct_pairs
from recipes.verifier.pairs.phrases import every, filled, one_of, read, upper

Made = tuple[str, str, int]

WORDS = read("small_words")
_THINGS = (*DRUGS, *WORDS["things"])


def _is_plural(thing: str) -> bool:
    return thing.endswith("s") and not thing.endswith("ss")


def _drug(rng: random.Random) -> str:
    return invented_drug(rng) if rng.random() < 0.25 else rng.choice(DRUGS)


def _two_drugs(drug: str | None, rng: random.Random) -> tuple[str, str]:
    """*drug*, or one that is drawn, and another."""
    one, two = drug or _drug(rng), rng.choice(DRUGS)
    return one, invented_drug(rng) if one == two else two


def _judged(premise: str, yes: list[str], no: list[str], rng: random.Random) -> Made:
    """*premise* with what follows from it, or with what it rules out."""
    said = rng.random() < 0.5
    return premise, rng.choice(yes if said else no), ENTAILMENT if said else CONTRADICTION


def _but(premise: str, texts: list[str]) -> list[str]:
    return [text for text in texts if text != premise]


def _risk(rng: random.Random) -> Made:
    """An exposure that raises, lowers or does not move a risk."""
    what, those, others = rng.choice(WORDS["exposures"])
    event = rng.choice(EVENTS)
    named = other_name(event, rng)

    def told(way: str, of: str) -> str:
        are = "are" if were(of) == "were" else "is"
        return one_of(WORDS["risk"][way], rng, what=what, those=those, others=others, n=of, are=are)

    def either() -> str:
        return "up" if rng.random() < 0.5 else "down"

    draw = rng.random()
    if draw < 0.15:
        foreign = rng.choice([name for name in EVENTS if name != event])
        return told(either(), event), told(either(), foreign), NEUTRAL
    if draw < 0.75:
        way = either()
        premise = told(way, event)
        if rng.random() < 0.5:
            return premise, told(way, named), ENTAILMENT
        turned = "down" if way == "up" else "up"
        return premise, told(turned if rng.random() < 0.75 else "none", named), CONTRADICTION
    premise = told("none", event)
    if rng.random() < 0.5:
        return premise, told("none", named), ENTAILMENT
    return premise, told(either(), named), CONTRADICTION


def _advice(rng: random.Random, drug: str | None = None) -> Made:
    """Advice for a group, advice against it, and advice for another group."""
    group, foreign = rng.sample(WORDS["groups"], 2)
    thing = drug or rng.choice(_THINGS)

    def pool(g: str, good: bool) -> list[str]:
        found = every(WORDS["advice"]["good" if good else "bad"], t=thing, g=g)
        plural = _is_plural(thing)
        return [text.replace(f"{upper(thing)} is ", f"{upper(thing)} are ") if plural else text for text in found]

    good = rng.random() < 0.5
    premise = rng.choice(pool(group, good))
    if rng.random() < 0.25:
        return premise, rng.choice(pool(foreign, rng.random() < 0.5)), NEUTRAL
    said = rng.random() < 0.5
    return premise, rng.choice(_but(premise, pool(group, good == said))), ENTAILMENT if said else CONTRADICTION


def _only(rng: random.Random) -> Made:
    """Who is meant by "only", "all but" and "not"."""
    group, other = rng.sample(WORDS["groups"], 2)
    drug = _drug(rng)
    done, undone = (form.format(drug=drug) for form in rng.choice(WORDS["only"]["what"]))
    kind = WORDS["only"]["alone" if rng.random() < 0.5 else "except"]
    told = partial(every, group=group, other=other, done=done, undone=undone)
    return _judged(rng.choice(told(kind["passages"])), told(kind["yes"]), told(kind["no"]), rng)


def _instead(rng: random.Random) -> Made:
    """One treatment or test rather than another."""
    if rng.random() < 0.4:
        one, two = rng.sample(WORDS["tests"], 2)
        topic = f"the diagnosis of {rng.choice(WORDS['conditions'])}"
    else:
        one, two = _drug(rng), rng.choice(DRUGS)
        topic = rng.choice(WORDS["conditions"])
        if one == two:
            two = "placebo"
    premise = one_of(WORDS["instead"]["both"], rng, topic=topic, a=one, b=two)
    said = rng.random() < 0.5
    a, b = (one, two) if said else (two, one)
    claims = WORDS["instead"]["one" if rng.random() < 0.5 else "both"]
    return premise, one_of(claims, rng, topic=topic, a=a, b=b), ENTAILMENT if said else CONTRADICTION


def _condition(rng: random.Random) -> Made:
    """An action `if` a condition, against `unless`."""
    forms = WORDS["condition"]
    event, done = rng.choice(WORDS["events_ahead"]), rng.choice(WORDS["measures_taken"])
    needed, not_needed = rng.choice(forms["needed"])
    if done.endswith("s"):
        needed, not_needed = (text.replace("is ", "are ", 1) for text in (needed, not_needed))
    told = partial(every, event=event, done=done, needed=needed, not_needed=not_needed)
    return _judged(rng.choice(told(forms["passages"])), told(forms["yes"]), told(forms["no"]), rng)


def _quantity(rng: random.Random) -> Made:
    """Most, few, all and none."""
    finding = rng.choice(WORDS["findings"])
    kind = "most" if rng.random() < 0.5 else "few"
    premise = rng.choice(WORDS[kind])
    said = rng.random() < 0.5
    claim = rng.choice(WORDS["quantity"][kind if said else f"not_{kind}"])
    return upper(f"{premise} {finding}."), upper(f"{claim} {finding}."), ENTAILMENT if said else CONTRADICTION


def _level(rng: random.Random, drug: str | None = None) -> Made:
    """Names that say high or low; and a lack."""
    drug = drug or _drug(rng)
    if rng.random() < 0.6:
        forms = WORDS["level"]
        name, what, way = rng.choice(WORDS["levels"])
        words = ("raise", "high", "lower", "low") if way > 0 else ("lower", "low", "raise", "high")
        places = dict(zip(("raise", "high", "lower", "low"), words, strict=True))
        told = partial(every, drug=drug, name=name, what=what, **places)
        mine = told(forms["mine"])
        yes = told(forms["yes"]) + mine
    else:
        forms = WORDS["lack"]
        told = partial(every, drug=drug, what=rng.choice(WORDS["substances"]))
        mine = yes = told(forms["yes"])
    premise = rng.choice(mine)
    if rng.random() < 0.5:
        return premise, rng.choice(_but(premise, yes)), ENTAILMENT
    claim = rng.choice(told(forms["no"]))
    return (premise, claim, CONTRADICTION) if rng.random() < 0.7 else (claim, premise, CONTRADICTION)


def _both(rng: random.Random, drug: str | None = None) -> Made:
    """A statement on two treatments, and on one of them."""
    one, two = _two_drugs(drug, rng)
    event = rng.choice(EVENTS)
    named = other_name(event, rng)
    verb, base = rng.choice(WORDS["both"]["verbs"])
    of_one, of_two, form = rng.choice(WORDS["both"]["passages"])
    premise = filled(form, one=one, two=two, verb=verb, base=base, event=event, were=were(event))
    whose, holds = rng.choice(((one, of_one), (two, of_two)))
    said = rng.random() < 0.5
    denied = one_of(WORDS["both"]["denied"], rng, whose=whose, base=base, named=named)
    claim = upper(f"{whose} {verb} {named}.") if said else denied
    return premise, claim, ENTAILMENT if said == holds else CONTRADICTION


def _more_than(rng: random.Random, drug: str | None = None) -> Made:
    """That one treatment moved a measure further than another did, or raised a risk further: and so that it moved it."""
    forms = WORDS["more_than"]
    measure = rng.choice(MEASURES)[0]
    one, two = _two_drugs(drug, rng)
    down = rng.random() < 0.5
    own, others = (forms["down"], forms["up"]) if down else (forms["up"], forms["down"])
    verb, wrong = rng.choice(own), rng.choice(others)
    told = partial(every, one=one, two=two, measure=measure)
    premise = rng.choice(told(forms["passages"], verb=verb, moving="lowering" if down else "raising"))
    same = rng.choice(own)
    no = told(forms["no"], same=same, wrong=wrong, move=forms["infinitive"][same])
    return _judged(premise, told(forms["yes"], same=same), no, rng)


def _frequency(rng: random.Random, drug: str | None = None) -> Made:
    """How often something is taken."""
    thing = upper(drug or rng.choice(_THINGS))
    mine, other = rng.sample(WORDS["times"], 2)
    verb = rng.choice(WORDS["taken"]["many" if _is_plural(thing) else "one"])
    often = rng.choice(mine)
    said = rng.random() < 0.5
    claim = rng.choice(_but(often, mine) if said else other)
    return f"{thing} {verb} {often}.", f"{thing} {verb} {claim}.", ENTAILMENT if said else CONTRADICTION


def _cause(rng: random.Random, drug: str | None = None) -> Made:
    """What helps with what, and what does not."""
    condition, foreign = rng.sample(WORDS["conditions"], 2)
    drug = drug or _drug(rng)

    def told(way: str, about: str) -> list[str]:
        return every(WORDS["cause"][way], drug=drug, about=about)

    apart = rng.random() < 0.2
    mine, other = ("helps", "fails") if rng.random() < 0.5 else ("fails", "helps")
    premise = rng.choice(told(mine, condition))
    if apart:
        return premise, rng.choice(told("helps" if rng.random() < 0.5 else "fails", foreign)), NEUTRAL
    if rng.random() < 0.5:
        return premise, rng.choice(_but(premise, told(mine, condition))), ENTAILMENT
    return premise, rng.choice(told(other, condition)), CONTRADICTION


FORMS: tuple[Callable[[random.Random], Made], ...] = (
    *(_risk, _risk, _advice, _advice, _only, _instead, _condition, _quantity, _level, _level),
    *(_both, _more_than, _more_than, _frequency, _cause, _cause),
)
# Those that say something of a drug.
_OF_A_DRUG = (_advice, _level, _both, _more_than, _frequency, _cause)
# Share of the pairs that say two things of one drug, neither of which says anything of the other.
APART = 0.3
_LONG_WORD = re.compile(r"\w{4,}")


def _long_words(text: str) -> set[str]:
    return set(_LONG_WORD.findall(text.lower()))


def _apart(rng: random.Random) -> Made | None:
    """Two things that are said of one drug; None where they may have to do with each other."""
    drug = _drug(rng)
    one, other = rng.choices(_OF_A_DRUG, k=2)
    premise, claim = one(rng, drug)[0], other(rng, drug)[1]
    shared = _long_words(premise) & _long_words(claim) - {*WORDS["general"], *_long_words(drug)}
    both_speak_of_it = drug.lower() in premise.lower() and drug.lower() in claim.lower()
    return None if one is other is _frequency or not both_speak_of_it or shared else (premise, claim, NEUTRAL)


def small_word_pairs(n: int, *, seed: int) -> list[Pair]:
    """*n* pairs, each once, by *seed*; about as many entailed as contradicted, a third of them neither."""
    rng = random.Random(f"statements:{seed}")

    def make() -> Pair | None:
        made = _apart(rng) if rng.random() < APART else rng.choice(FORMS)(rng)
        return None if made is None else Pair(*made)

    return distinct_pairs(n, make)
