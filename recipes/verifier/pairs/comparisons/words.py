"""The words of invented studies: outcomes, measures, treatments, groups and their phrases."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import partial
from typing import Any

from recipes.verifier.pairs.phrases import is_plural, read

Measure = tuple[str, str, float, float]
"""Name, unit, and the ends of the range of its plausible values."""

_LISTS = read("studies")
EVENTS: list[str] = _LISTS["events"]
MEASURES: list[Measure] = [tuple(row) for row in _LISTS["measures"]]
DRUGS: list[str] = _LISTS["drugs"]
CONTROLS: list[str] = _LISTS["controls"]
PEOPLE: list[list[str]] = _LISTS["people"]
OTHER_NAMES: dict[str, list[str]] = _LISTS["other_names"]
_STANDS = "patients in "


def other_name(event: str, rng: random.Random) -> str:
    """*event*, one time in three as somebody else would call it, if there is another name."""
    return rng.choice(OTHER_NAMES[event]) if event in OTHER_NAMES and rng.random() < 0.35 else event


def invented_drug(rng: random.Random) -> str:
    """A name that no drug has, or hardly any, so that a name has to be read."""
    middle = "".join(rng.choice(_LISTS["middles"]) for _ in range(rng.choice((0, 1, 1))))
    return rng.choice(_LISTS["beginnings"]) + middle + rng.choice(_LISTS["endings"])


@dataclass(frozen=True, slots=True)
class Arms:
    """The two groups of an invented study.

    Attributes:
        first: The group or treatment a hypothesis speaks of.
        second: What it is compared with.
        treated: Whether they are treatments rather than kinds of people.
    """

    first: str
    second: str
    treated: bool

    def within(self, name: str, rng: random.Random) -> str:
        """A group as written after the number of those who had an outcome."""
        if not self.treated:
            return f"of {name}"
        forms = ("of patients given {}", "of the {} group", "of those on {}", "of patients assigned to {}")
        return rng.choice(forms).format(name)

    def beside(self, name: str, rng: random.Random) -> str:
        """A group as written after a mean or a rate."""
        if not self.treated:
            return f"in {name.removeprefix(_STANDS) if rng.random() < 0.5 else name}"
        return rng.choice(("with {}", "in the {} group", "with {}")).format(name)

    def fillings(self, rng: random.Random, **names: str) -> dict[str, Any]:
        """Each of *names*, and drawn anew wherever they stand, `at_NAME` (`beside`) and `of_NAME` (`within`)."""
        drawn = {f"at_{place}": partial(self.beside, name, rng) for place, name in names.items()}
        return names | drawn | {f"of_{place}": partial(self.within, name, rng) for place, name in names.items()}


def arms(rng: random.Random) -> Arms:
    """Two groups, seven times in ten treatments; among them invented ones, doses of one drug and mere letters."""
    draw = rng.random()
    if draw < 0.3:
        first, second = rng.sample(rng.choice(PEOPLE if draw < 0.2 else _LISTS["lettered"]), 2)
        return Arms(first, second, False)
    if draw < 0.37:
        first, second = rng.sample(rng.choice(_LISTS["lettered_treatments"]), 2)
        return Arms(first, second, True)
    if draw < 0.45:
        drug = rng.choice(DRUGS[:23]) if rng.random() < 0.5 else invented_drug(rng)
        low, high = sorted(rng.sample((5, 10, 15, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300, 400, 600), 2))
        first, second = rng.sample((f"{drug} {low} mg", f"{drug} {high} mg"), 2)
        return Arms(first, second, True)
    first, second = rng.sample(DRUGS, 2)
    if draw < 0.65:
        first, second = invented_drug(rng), invented_drug(rng) if rng.random() < 0.5 else second
    return Arms(first, rng.choice(CONTROLS) if rng.random() < 0.4 or first == second else second, True)


def were(outcome: str) -> str:
    """The past of "to be" that goes with *outcome*."""
    return "were" if is_plural(outcome) else "was"


def shown(value: float, digits: int) -> str:
    """A number as it is printed."""
    return f"{value:.{digits}f}"


def two_means(measure: Measure, least: float, rng: random.Random) -> tuple[str, str, int]:
    """Two values of *measure*, the smaller first, at least *least* of its range apart, and their decimals."""
    _, _, low, high = measure
    small = rng.uniform(low, low + 0.6 * (high - low))
    large = small + rng.uniform(least, 0.4) * (high - low)
    digits = 0 if low > 50 else 2 if high < 2 else 1
    return shown(small, digits), shown(large, digits), digits
