"""Sentences that give a result of two groups in numbers."""

from __future__ import annotations

import random
from functools import partial

from recipes.verifier.pairs.phrases import one_of

from .claims import FORMS
from .words import Arms, Measure, shown, two_means, were

_FORMS = FORMS["results"]


def two_shares(rng: random.Random) -> tuple[str, str]:
    """Two percentages, the first smaller, at least a quarter apart."""
    small = rng.choice((rng.uniform(0.4, 9), rng.uniform(5, 40), rng.uniform(20, 65)))
    large = min(97.0, small * rng.uniform(1.25, 2.6) + 0.5)
    digits = rng.choice((0, 1, 1)) if small > 3 else 1
    return shown(small, digits), shown(large, digits)


def p_value(significant: bool | None, rng: random.Random) -> str:
    """A P value in brackets, or "" where nothing is to be said of significance."""
    if significant is None:
        return ""
    value = rng.choice(_FORMS["significant" if significant else "not_significant"])
    return f" ({rng.choice('Pp')}{value})"


def _in_order(arm: Arms, small: str, large: str, more: int, rng: random.Random) -> tuple[str, str, str, str]:
    """The two groups in either order, and their numbers; the first group has the larger one where *more* is 1."""
    x, y = (large, small) if more > 0 else (small, large)
    return (arm.second, arm.first, y, x) if rng.random() < 0.5 else (arm.first, arm.second, x, y)


def event_result(event: str, arm: Arms, more: int, p: str, rng: random.Random) -> str:
    """A sentence that gives the share of each group that had *event*; *more* is 1 where the first has the larger one."""
    one, two, x, y = _in_order(arm, *two_shares(rng), more, rng)
    n, m = rng.randint(40, 900), rng.randint(40, 900)
    # Whole numbers that keep the order of the shares.
    counted = min(float(x), float(y)) * min(n, m) > 1000
    places = arm.fillings(rng, one=one, two=two, both=f"{one} and {two}")
    places |= {"event": event, "were": were(event), "p": p, "x": x, "y": y, "n": n, "m": m}
    places |= {"count_one": round(n * float(x) / 100), "count_two": round(m * float(y) / 100)}
    places |= {"patients_on": "patients on ", "on": "on "} if arm.treated else {"patients_on": "", "on": ""}
    forms = [*_FORMS["event"], *(_FORMS["counted"] if counted else ())]
    return one_of(forms, rng, months=partial(rng.choice, (3, 6, 12, 24)), **places)


def measure_result(measure: Measure, arm: Arms, more: int, p: str, rng: random.Random) -> str:
    """A sentence that gives a mean in each group; *more* is 1 where the first group's is larger."""
    name, unit, low, high = measure
    small, large, digits = two_means(measure, 0.15, rng)
    one, two, x, y = _in_order(arm, small, large, more, rng)
    kind = rng.choice(("mean", "median", "average"))
    sd = shown(rng.uniform(0.05, 0.2) * (high - low), digits)
    places = arm.fillings(rng, one=one, two=two) | {"name": name, "unit": unit, "kind": kind, "p": p}
    return one_of(_FORMS["measure"], rng, x=x, y=y, sd=sd, **places)


def ratio_result(event: str, arm: Arms, more: int, significant: bool, rng: random.Random) -> str:
    """A sentence with an effect ratio and its interval, which leaves 1 out where the effect is *significant*."""
    value = rng.uniform(1.25, 2.8) if more > 0 else rng.uniform(0.35, 0.8)
    near, far = (rng.uniform(1.03, 0.95 * value), value * rng.uniform(1.2, 1.9)) if significant else (
        rng.uniform(0.5, 0.94), value * rng.uniform(1.2, 1.9)
    )  # fmt: skip
    if more < 0:
        near, far = (value * rng.uniform(0.5, 0.85), rng.uniform(1.02 * value, 0.97)) if significant else (
            value * rng.uniform(0.5, 0.85), rng.uniform(1.06, 1.7)
        )  # fmt: skip
    low, high = sorted((near, far))
    names = (("hazard ratio", "HR"), ("odds ratio", "OR"), ("relative risk", "RR"), ("risk ratio", "RR"))
    name, short = rng.choice(names)
    interval = f"95% CI{rng.choice((', ', ' ', ': '))}{shown(low, 2)}{rng.choice((' to ', '-', '–'))}{shown(high, 2)}"
    versus = f"{arm.first} {rng.choice(('versus', 'vs', 'compared with'))} {arm.second}"
    places = {"name": name, "short": short, "value": shown(value, 2), "interval": interval, "versus": versus}
    return one_of(_FORMS["ratio"], rng, event=event, **places)
