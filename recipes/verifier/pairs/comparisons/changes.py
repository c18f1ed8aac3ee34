"""Pairs of how far a measure moved, of three groups, and of how large a share is."""

from __future__ import annotations

import random

from recipes.verifier.public import CONTRADICTION, ENTAILMENT
from recipes.verifier.pairs.phrases import every, filled, one_of

from .claims import FORMS, event_claim
from .words import CONTROLS, DRUGS, Arms, Measure, invented_drug, other_name, shown, two_means, were

_FORMS = FORMS["changes"]


def _way(up: bool) -> dict[str, list[str]]:
    """Words for a rise or a fall."""
    return _FORMS["up" if up else "down"]  # type: ignore[no-any-return]


def share_pair(event: str, rng: random.Random) -> tuple[str, str, int]:
    """A share of one group, and a claim about how large it is."""
    group = rng.choice(_FORMS["groups"])
    wording, low, high = rng.choice(FORMS["shares"])
    right = rng.random() < 0.5
    if right:
        value = rng.uniform(low, high)
    else:
        # Far enough off that "about" and "nearly" are wrong, too.
        below, above = max(0.0, low - 6), max(0.0, 100 - high - 6)
        draw = rng.uniform(0, below + above)
        value = draw if draw < below else high + 6 + draw - below
    share = shown(value, rng.choice((0, 1)) if low + 1 < value < high - 1 or not right else 1)
    total = rng.randint(60, 2000)
    places = {"group": group, "share": share, "count": round(total * value / 100), "total": total}
    premise = one_of(_FORMS["share"], rng, event=event, were=were(event), **places)
    return premise, filled(f"{wording} had {event}.", g=group), ENTAILMENT if right else CONTRADICTION


def change_pair(measure: Measure, drug: str, rng: random.Random) -> tuple[str, str, int]:
    """A measure before and after a treatment, and a claim that it rose or fell."""
    name, unit, _, _ = measure
    small, large, _ = two_means(measure, 0.12, rng)
    rose, said = rng.random() < 0.5, rng.random() < 0.5
    before, after = (small, large) if rose else (large, small)
    places = {"name": name, "unit": unit, "drug": drug, "weeks": rng.choice(_FORMS["weeks"])}
    premise = one_of(_FORMS["before_after"], rng, before=before, after=after, **places)
    verb, moved = rng.choice(_way(said)["verb"]), rng.choice(_way(said)["moved"])
    claim = one_of(_FORMS["moved"], rng, name=name, drug=drug, verb=verb, moved=moved)
    return premise, claim, ENTAILMENT if rose == said else CONTRADICTION


def three_arms_pair(event: str, rng: random.Random) -> tuple[str, str, int]:
    """Shares of three treatments, and a claim about two of them."""
    drug = invented_drug(rng)
    names = rng.choice((
        [*rng.sample(DRUGS, 2), rng.choice(CONTROLS)], rng.sample(DRUGS, 3), [f"{drug} 10 mg", f"{drug} 20 mg", "placebo"],
        [drug, rng.choice(DRUGS), "placebo"], [f"{drug} 50 mg", f"{drug} 100 mg", f"{drug} 200 mg"],
    ))  # fmt: skip
    rng.shuffle(names)
    least = rng.uniform(1, 25)
    middle = least * rng.uniform(1.2, 1.8) + 0.6
    values = [least, middle, middle * rng.uniform(1.2, 1.8) + 0.6]
    rng.shuffle(values)
    told = dict(zip("abcxyz", [*names, *(shown(value, 1) for value in values)], strict=True))
    premise = one_of(_FORMS["three"], rng, event=event, were=were(event), **told)
    first, second = rng.sample(range(3), 2)
    if names[first] in CONTROLS:
        first, second = second, first
    more, said = 1 if values[first] > values[second] else -1, rng.choice((-1, 1))
    claim = event_claim(other_name(event, rng), Arms(names[first], names[second], True), said, rng)
    return premise, claim, ENTAILMENT if more == said else CONTRADICTION


def larger_change_pair(measure: Measure, arm: Arms, rng: random.Random) -> tuple[str, str, int]:
    """How far a measure moved in each group, and a claim about which moved further."""
    name, unit, low, high = measure
    small = rng.uniform(0.03, 0.15) * (high - low)
    digits = 2 if high < 2 else 1
    small = max(small, 0.1**digits)
    large = small * rng.uniform(1.5, 3.5) + 0.1**digits
    first_more, said = rng.random() < 0.5, rng.random() < 0.5
    of_first, of_second = (shown(value, digits) for value in ((large, small) if first_more else (small, large)))
    one, two, x, y = arm.first, arm.second, of_first, of_second
    if rng.random() >= 0.5:
        one, two, x, y = two, one, y, x
    down = rng.random() < 0.6
    way, sign = _way(not down), "-" if down else "+"
    went = rng.choice(way["went"])
    places = {"name": name, "unit": unit, "went": went, "sign": sign, **arm.fillings(rng, one=one, two=two)}
    premise = rng.choice(every(_FORMS["larger"], x=x, y=y, **places))
    verb, noun = rng.choice(way["verb"]), rng.choice(way["noun"])
    a, b = (arm.first, arm.second) if said else (arm.second, arm.first)
    forms = [*_FORMS["further"], *(_FORMS["further_treated"] if arm.treated and arm.second not in CONTROLS else ())]
    places = {"name": name, "went": went, "verb": verb, "noun": noun, **arm.fillings(rng, a=a, b=b)}
    places["larger"] = lambda: rng.choice(("larger", "greater", "bigger"))
    return premise, rng.choice(every(forms, **places)), ENTAILMENT if first_more == said else CONTRADICTION
