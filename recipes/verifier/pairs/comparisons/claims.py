"""Claims about which of two groups has more, or whether they differ."""

from __future__ import annotations

import random
from functools import partial

from recipes.verifier.pairs.phrases import every, one_of, read

from .words import CONTROLS, Arms, Measure, were

FORMS = read("comparisons")


def event_claim(event: str, arm: Arms, more: int, rng: random.Random, *, alone: float = 0.0) -> str:
    """A claim that *event* was more (1) or less (-1) common in the first group, told from either side.

    With probability *alone* only one of the groups is named: of a result that gives two, a reader leaves the other out.
    """
    forms = FORMS["event"]["forms"]
    a, b = arm.first, arm.second
    if rng.random() < 0.3:
        a, b, more = b, a, -more
    places = arm.fillings(rng, a=a, b=b) | {"event": event, "were": were(event)}
    places["rate"] = partial(rng.choice, ("risk", "rate"))
    for place, (up, down) in FORMS["event"]["words"].items():
        places[place] = partial(rng.choice, up if more > 0 else down)
    if rng.random() < alone:
        places["had"] = rng.choice((f"Patients on {a} had", f"Those given {a} had")) if arm.treated else f"{a} had"
        return rng.choice(every(forms["alone_treated" if arm.treated else "alone"], **places))
    own = list(forms["treated" if arm.treated else "people"])
    if arm.treated and b in CONTROLS:
        own += forms["against_control"]
    if arm.treated and b not in CONTROLS and a not in CONTROLS:
        places["verb"] = rng.choice(("causes", "caused", "leads to", "led to"))
        places["better"] = rng.choice(("was more effective", "is more effective", "worked better", "is better"))
        places["above"], places["below"] = (a, b) if more > 0 else (b, a)
        own += forms["against_drug"]
    return one_of(own, rng, **places)


def measure_claim(measure: Measure, arm: Arms, more: int, rng: random.Random, *, alone: float = 0.0) -> str:
    """A claim that the measure was larger (1) or smaller (-1) in the first group; *alone* as in `event_claim`."""
    name, unit, _, _ = measure
    a, b = arm.first, arm.second
    if rng.random() < 0.3:
        a, b, more = b, a, -more
    long = unit in ("days", "months", "hours", "minutes")
    words = (("longer",), ("shorter",)) if long else (("higher", "greater"), ("lower",))
    word = rng.choice(words[0] if more > 0 else words[1])
    forms = FORMS["measure"]["alone" if rng.random() < alone else "both"]
    return rng.choice(every(forms, name=name, word=word, **arm.fillings(rng, a=a, b=b)))


def significance_claim(event: str, arm: Arms, significant: bool, more: int, rng: random.Random) -> str:
    """A claim that the groups differ significantly, in the direction *more*, or that they do not."""
    forms, places = FORMS["significance"], arm.fillings(rng, a=arm.first, b=arm.second)
    if not significant:
        return one_of(forms["no"], rng, event=event, **places)
    high = rng.choice(("higher", "greater") if more > 0 else ("lower", "smaller"))
    raised = rng.choice(("increased", "raised") if more > 0 else ("reduced", "lowered"))
    own = forms["treated" if arm.treated else "people"]
    return rng.choice(every(own, event=event, high=high, raised=raised, **places))
