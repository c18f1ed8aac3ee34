"""Sentences that give a result of two groups in numbers."""

from __future__ import annotations

import random
from collections.abc import Callable

from .words import Arms, shown, upper, were


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
    if significant:
        value = rng.choice(
            ("<0.001", "< .001", "=0.003", " = 0.01", "=0.02", " = 0.004", "<0.05", "= .008", "<0.0001", "= 0.03")
        )
    else:
        value = rng.choice(
            ("=0.32", " = 0.61", "=0.18", " = .47", ">0.05", "= 0.84", "=0.25", " > 0.1", "=0.09", "= NS")
        )
    return f" ({rng.choice('Pp')}{value})"


def event_result(event: str, arm: Arms, more: int, p: str, rng: random.Random) -> str:
    """A sentence that gives the share of each group that had *event*; *more* is 1 where the first has the larger one."""
    small, large = two_shares(rng)
    x, y = (large, small) if more > 0 else (small, large)
    a, b = (arm.first, x), (arm.second, y)
    if rng.random() < 0.5:
        a, b = b, a
    (one, of_one), (two, of_two) = a, b
    n, m = rng.randint(40, 900), rng.randint(40, 900)
    # Whole numbers that keep the order of the shares.
    counted = min(float(of_one), float(of_two)) * min(n, m) > 1000
    count_one, count_two = round(n * float(of_one) / 100), round(m * float(of_two) / 100)
    forms: list[Callable[[], str]] = [
        lambda: f"{upper(event)} occurred in {of_one}% {arm.within(one, rng)} and in {of_two}% {arm.within(two, rng)}{p}.",
        lambda: f"{upper(event)} {were(event)} reported in {of_one}% {arm.within(one, rng)}, against {of_two}% {arm.within(two, rng)}{p}.",
        lambda: f"The rate of {event} was {of_one}% {arm.beside(one, rng)} and {of_two}% {arm.beside(two, rng)}{p}.",
        lambda: f"Rates of {event} were {of_one}% and {of_two}% for {one} and {two}, respectively{p}.",
        lambda: f"In all, {of_one}% {arm.within(one, rng)} had {event}, compared with {of_two}% {arm.within(two, rng)}{p}.",
        lambda: f"{upper(event)}: {of_one}% for {one} vs. {of_two}% for {two}{p}.",
        lambda: f"At {rng.choice((3, 6, 12, 24))} months {event} had been seen in {of_one}% {arm.within(one, rng)} versus {of_two}% {arm.within(two, rng)}{p}.",
        lambda: f"Of {n} {'patients on ' if arm.treated else ''}{one}, {of_one}% had {event}; of {m} {'on ' if arm.treated else ''}{two}, {of_two}%{p}.",
        lambda: f"{of_one}% {arm.within(one, rng)} and {of_two}% {arm.within(two, rng)} had {event}{p}.",
        lambda: f"{upper(arm.beside(one, rng))}, {of_one}% had {event}; {arm.beside(two, rng)}, {of_two}%{p}.",
        lambda: f"{upper(event)}: {of_one}% ({one}), {of_two}% ({two}){p}.",
        lambda: f"{upper(event)} was recorded in {of_one}% and {of_two}% {arm.within(f'{one} and {two}', rng)}{p}.",
        lambda: f"{upper(event)} by group: {one} {of_one}%, {two} {of_two}%{p}.",
        lambda: f"The numbers with {event} were {count_one}/{n} ({of_one}%) {arm.beside(one, rng)} and {count_two}/{m} ({of_two}%) {arm.beside(two, rng)}{p}.",
        lambda: f"{upper(one)} ({n} patients) had {event} in {of_one}% of cases and {two} ({m} patients) in {of_two}%{p}.",
        lambda: f"{upper(event)} affected {of_one} per 1,000 {arm.within(one, rng)} a year and {of_two} per 1,000 {arm.within(two, rng)}{p}.",
        lambda: f"The incidence of {event} per 100 person-years was {of_one} {arm.beside(one, rng)} and {of_two} {arm.beside(two, rng)}{p}.",
    ]  # fmt: skip
    if counted:
        forms.append(
            lambda: (
                f"{upper(event)}: {count_one} of {n} {arm.beside(one, rng)} and {count_two} of {m} {arm.beside(two, rng)}{p}."
            )
        )
    return rng.choice(forms)()


def measure_result(measure: tuple[str, str, float, float], arm: Arms, more: int, p: str, rng: random.Random) -> str:
    """A sentence that gives a mean in each group; *more* is 1 where the first group's is larger."""
    name, unit, low, high = measure
    small = rng.uniform(low, low + 0.6 * (high - low))
    large = small + rng.uniform(0.15, 0.4) * (high - low)
    digits = 0 if low > 50 else 2 if high < 2 else 1
    x, y = (large, small) if more > 0 else (small, large)
    a, b = (arm.first, shown(x, digits)), (arm.second, shown(y, digits))
    if rng.random() < 0.5:
        a, b = b, a
    (one, of_one), (two, of_two) = a, b
    kind = rng.choice(("mean", "median", "average"))
    sd = shown(rng.uniform(0.05, 0.2) * (high - low), digits)
    forms: list[Callable[[], str]] = [
        lambda: f"{upper(kind)} {name} was {of_one} {unit} {arm.beside(one, rng)} and {of_two} {unit} {arm.beside(two, rng)}{p}.",
        lambda: f"{upper(name)} averaged {of_one} {unit} {arm.beside(one, rng)}, compared with {of_two} {unit} {arm.beside(two, rng)}{p}.",
        lambda: f"The {kind} {name} at the end of the study was {of_one} ± {sd} {unit} {arm.beside(one, rng)} vs {of_two} ± {sd} {unit} {arm.beside(two, rng)}{p}.",
        lambda: f"{upper(kind)} {name}: {of_one} {unit} ({one}), {of_two} {unit} ({two}){p}.",
        lambda: f"For {one} and {two}, {kind} {name} was {of_one} and {of_two} {unit}, respectively{p}.",
    ]  # fmt: skip
    return rng.choice(forms)()


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
    name, short = rng.choice(
        (("hazard ratio", "HR"), ("odds ratio", "OR"), ("relative risk", "RR"), ("risk ratio", "RR"))
    )
    interval = f"95% CI{rng.choice((', ', ' ', ': '))}{shown(low, 2)}{rng.choice((' to ', '-', '–'))}{shown(high, 2)}"
    versus = f"{arm.first} {rng.choice(('versus', 'vs', 'compared with'))} {arm.second}"
    return rng.choice((
        f"The {name} for {event} was {shown(value, 2)} for {versus} ({interval}).",
        f"For {versus}, the {name} of {event} was {shown(value, 2)} ({interval}).",
        f"{upper(event)} ({versus}): {short} {shown(value, 2)}, {interval}.",
    ))  # fmt: skip
