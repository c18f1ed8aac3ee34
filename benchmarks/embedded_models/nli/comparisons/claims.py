"""Claims about which of two groups has more, or whether they differ."""

from __future__ import annotations

import random
from collections.abc import Callable

from .words import CONTROLS, Arms, upper, were


def event_claim(event: str, arm: Arms, more: int, rng: random.Random, *, alone: float = 0.0) -> str:
    """A claim that *event* was more (1) or less (-1) common in the first group, told from either side.

    With probability *alone* only one of the groups is named: of a result that gives two, a reader leaves the other out.
    """
    a, b = arm.first, arm.second
    if rng.random() < 0.3:
        a, b, more = b, a, -more

    def word(up: tuple[str, ...], down: tuple[str, ...]) -> str:
        return rng.choice(up if more > 0 else down)

    if rng.random() < alone:
        had = f"{a} had" if not arm.treated else rng.choice((f"Patients on {a} had", f"Those given {a} had"))
        return rng.choice((
            f"{upper(event)} {were(event)} {word(('more common', 'more frequent', 'more often seen'), ('less common', 'less frequent', 'rarer'))} {arm.beside(a, rng)}.",
            f"The risk of {event} was {word(('higher', 'greater'), ('lower', 'smaller'))} {arm.beside(a, rng)}.",
            f"{word(('More', 'A larger share of', 'A higher proportion of'), ('Fewer', 'A smaller share of', 'A lower proportion of'))} patients {arm.beside(a, rng)} had {event}."
            if arm.treated else f"{upper(a)} were {word(('more',), ('less',))} likely to have {event}.",
            f"{upper(had)} {word(('a higher', 'an increased'), ('a lower', 'a reduced'))} {rng.choice(('risk', 'rate'))} of {event}.",
        ))  # fmt: skip
    forms: list[Callable[[], str]] = [
        lambda: f"{upper(event)} {were(event)} {word(('more common', 'more frequent'), ('less common', 'less frequent', 'rarer'))} {arm.beside(a, rng)} than {arm.beside(b, rng)}.",
        lambda: f"The risk of {event} was {word(('higher', 'greater'), ('lower', 'smaller'))} {arm.beside(a, rng)} than {arm.beside(b, rng)}.",
        lambda: f"{word(('More', 'A larger share of', 'A higher proportion of'), ('Fewer', 'A smaller share of', 'A lower proportion of'))} "
        + (f"patients had {event} with {a} than with {b}." if arm.treated else f"{a} than {b} had {event}."),
    ]  # fmt: skip
    if arm.treated and b in CONTROLS:
        forms += [
            lambda: f"{upper(a)} {word(('increased', 'raised'), ('reduced', 'lowered', 'decreased'))} the {rng.choice(('risk', 'rate'))} of {event}.",
            lambda: f"Patients who received {a} were {word(('more', ), ('less', ))} likely to have {event}.",
        ]  # fmt: skip
    if arm.treated and b not in CONTROLS and a not in CONTROLS:
        verb = rng.choice(("causes", "caused", "leads to", "led to"))
        better = rng.choice(("was more effective", "is more effective", "worked better", "is better"))
        above, below = (a, b) if more > 0 else (b, a)
        forms += [
            lambda: f"{upper(a)} {verb} {word(('more',), ('less', 'fewer cases of'))} {event} than {b}.",
            lambda: f"{upper(below)} {better} than {above} at preventing {event}.",
            lambda: f"Compared with {b}, {a} {word(('raised', 'increased'), ('lowered', 'reduced'))} the risk of {event}.",
        ]  # fmt: skip
    return rng.choice(forms)()


def measure_claim(
    measure: tuple[str, str, float, float], arm: Arms, more: int, rng: random.Random, *, alone: float = 0.0
) -> str:
    """A claim that the measure was larger (1) or smaller (-1) in the first group; *alone* as in `event_claim`."""
    name, unit, _, _ = measure
    a, b = arm.first, arm.second
    if rng.random() < 0.3:
        a, b, more = b, a, -more
    long = unit in ("days", "months", "hours", "minutes")
    words = (("longer",), ("shorter",)) if long else (("higher", "greater"), ("lower",))
    word = rng.choice(words[0] if more > 0 else words[1])
    if rng.random() < alone:
        return rng.choice((
            f"{upper(name)} was {word} {arm.beside(a, rng)}.",
            f"{upper(arm.beside(a, rng))}, mean {name} was {word}.",
        ))  # fmt: skip
    return rng.choice((
        f"{upper(name)} was {word} {arm.beside(a, rng)} than {arm.beside(b, rng)}.",
        f"{upper(arm.beside(a, rng))}, {name} was {word} than {arm.beside(b, rng)}.",
        f"Mean {name} was {word} {arm.beside(a, rng)} compared with {b}.",
    ))  # fmt: skip


def significance_claim(event: str, arm: Arms, significant: bool, more: int, rng: random.Random) -> str:
    """A claim that the groups differ significantly, in the direction *more*, or that they do not."""
    a, b = arm.first, arm.second
    if not significant:
        return rng.choice((
            f"There was no significant difference in {event} between {a} and {b}.",
            f"{upper(event)} did not differ significantly between {a} and {b}.",
            f"The difference in {event} between {a} and {b} was not statistically significant.",
            f"Rates of {event} were statistically similar for {a} and {b}.",
        ))  # fmt: skip
    direction = rng.choice(("higher", "greater") if more > 0 else ("lower", "smaller"))
    change = rng.choice(("increased", "raised") if more > 0 else ("reduced", "lowered"))
    return rng.choice((
        f"The risk of {event} was significantly {direction} {arm.beside(a, rng)} than {arm.beside(b, rng)}.",
        f"{upper(a)} significantly {change} {event} compared with {b}." if arm.treated else
        f"{upper(a)} had a significantly {direction} risk of {event} than {b}.",
        f"{upper(event)} differed significantly between {a} and {b}.",
    ))  # fmt: skip
