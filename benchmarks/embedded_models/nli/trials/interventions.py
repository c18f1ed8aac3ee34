"""What the arms of a trial are given, and statements about drug, dose, route and schedule."""

from __future__ import annotations

import random
from dataclasses import dataclass

from comparisons.words import upper

from .words import DRUGS, Naming, first, namings, number, other

# As a record prints a route, and how it is told.
ROUTES = {
    "PO": ("orally", "by mouth"),
    "orally": ("by mouth", "orally"),
    "IV": ("intravenously", "by infusion into a vein"),
    "intravenously": ("intravenously", "into a vein"),
    "SC": ("subcutaneously", "by injection under the skin"),
    "subcutaneously": ("subcutaneously", "under the skin"),
    "IM": ("intramuscularly", "by injection into a muscle"),
    "topically": ("topically", "on the skin"),
}
_SAME = ({"PO", "orally"}, {"IV", "intravenously"}, {"SC", "subcutaneously"}, {"IM"}, {"topically"})
# As a record prints how often, and how it is told.
OFTEN = {
    "QD": ("once a day", "every day", "daily"),
    "once daily": ("once a day", "every day"),
    "BID": ("twice a day", "two times a day"),
    "twice daily": ("twice a day", "two times a day"),
    "three times daily": ("three times a day",),
    "once weekly": ("once a week", "every week", "weekly"),
    "every 2 weeks": ("every two weeks", "every 14 days"),
    "every 3 weeks": ("every three weeks", "every 21 days"),
    "on day 1 of each 28-day cycle": ("once per 28-day cycle", "every four weeks"),
}
_AS_OFTEN = ({"QD", "once daily"}, {"BID", "twice daily"})
UNITS = ("mg", "mg", "mg", "mg/m2", "mg/kg")


@dataclass(frozen=True, slots=True)
class Given:
    """A drug as an arm receives it."""

    drug: str
    dose: float
    unit: str
    route: str
    often: str

    @property
    def shown(self) -> str:
        """Dose and unit."""
        return f"{self.dose:g} {self.unit}"


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm; no drugs where it is given a placebo alone."""

    place: str
    drugs: tuple[Given, ...]
    cycles: int | None


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial's arms."""

    naming: Naming
    arms: tuple[Arm, ...]


@dataclass(frozen=True, slots=True)
class Interventions:
    """The arms of one or two trials; the wording is drawn when they are made."""

    trials: tuple[Trial, ...]
    printed: str

    def text(self) -> str:
        """As it is printed."""
        return self.printed

    @property
    def arms(self) -> list[Arm]:
        """All arms that are given a drug."""
        return [arm for trial in self.trials for arm in trial.arms if arm.drugs]


def _given(drug: str, rng: random.Random) -> Given:
    unit = rng.choice(UNITS)
    dose = rng.choice(
        (2, 4, 6, 8, 10)
        if unit == "mg/kg"
        else (5, 10, 20, 25, 40, 50, 75, 100, 150, 200, 250, 300, 500, 600, 800, 1000, 1250)
    )
    return Given(drug, dose, unit, rng.choice(list(ROUTES)), rng.choice(list(OFTEN)))


def draw(rng: random.Random) -> Interventions:
    """An invented record."""
    trials, printed = [], []
    group = rng.choice(("arm", "group", "cohort", "intervention"))
    common = rng.choice(DRUGS)
    for naming in namings(2 if rng.random() < 0.4 else 1, rng):
        arms, lines = [], []
        n_arms = rng.choice((1, 2, 2))
        backbone = _given(common, rng) if rng.random() < 0.4 else None
        for i in range(1, n_arms + 1):
            names = rng.sample([d for d in DRUGS if d != common], rng.choice((1, 1, 2, 3)))
            drugs = [_given(name, rng) for name in names]
            if i == 2 and rng.random() < 0.3:
                drugs = [
                    Given(g.drug, g.dose * 2, g.unit, g.route, g.often) for g in arms[0].drugs if g.drug != common
                ][:1] or drugs
            if i == 2 and rng.random() < 0.15:
                drugs = []
            if backbone:
                drugs.insert(rng.randint(0, len(drugs)), backbone)
            cycles = rng.choice((None, None, 4, 6, 8, 12)) if drugs else None
            place = f"{group} {i} of {naming.name}" if n_arms > 1 else naming.name
            arms.append(Arm(place, tuple(drugs), cycles))
            lines.append(f"INTERVENTION {i}: {_printed(arms[-1], rng)}")
        trials.append(Trial(naming, tuple(arms)))
        printed.append(naming.heading + " ".join(lines))
    return Interventions(tuple(trials), " ".join(printed))


def _printed(arm: Arm, rng: random.Random) -> str:
    if not arm.drugs:
        return rng.choice(
            (
                "Placebo Patients receive a matching placebo.",
                "Placebo Comparator Participants are given placebo tablets only.",
            )
        )
    title = " + ".join(upper(g.drug) for g in arm.drugs)
    told = [f"{g.drug} {g.shown} {g.route} {g.often}" for g in arm.drugs]
    style = rng.random()
    if style < 0.6:
        body = f"{rng.choice(('Patients receive', 'Participants received', 'Subjects will receive'))} {', '.join(told[:-1])}{' and ' if told[1:] else ''}{told[-1]}."
    elif style < 0.8:
        body = " ".join(f"{g.drug}: {g.shown} {g.route}, {g.often}" for g in arm.drugs)
    else:
        body = " ".join(f"{upper(g.drug)} was given {g.route} at {g.shown} {g.often}." for g in arm.drugs)
    cycles = (
        f" {rng.choice(('Treatment continues for', 'Treatment repeats for up to'))} {arm.cycles} cycles."
        if arm.cycles
        else ""
    )
    if not cycles and rng.random() < 0.3:
        body = f"{body.removesuffix('.')} in the absence of disease progression or unacceptable toxicity."
    return f"{title} {body}{cycles}"


def _pick(record: Interventions, rng: random.Random) -> tuple[Arm, Given] | None:
    """An arm with a drug that stands once in it, or None."""
    if not record.arms:
        return None
    arm = rng.choice(record.arms)
    return arm, rng.choice(arm.drugs)


def given(record: Interventions, truth: bool, rng: random.Random) -> str | None:
    """Whether a drug is given at a place."""
    trial = rng.choice(record.trials)
    arm = rng.choice(trial.arms)
    elsewhere = [g.drug for a in record.arms for g in a.drugs]
    drug = rng.choice(elsewhere) if elsewhere and rng.random() < 0.75 else rng.choice(DRUGS)
    if rng.random() < 0.4:
        place, has = trial.naming.name, any(g.drug == drug for a in trial.arms for g in a.drugs)
    else:
        place, has = arm.place, any(g.drug == drug for g in arm.drugs)
    who = rng.choice(("patients", "participants", "subjects"))
    if has == truth:
        if place == trial.naming.name and len(trial.arms) > 1:
            return f"{upper(drug)} is {rng.choice(('used', 'given', 'administered'))} in {place}."
        return first(
            rng,
            lambda: f"{upper(who)} in {place} {rng.choice(('receive', 'are given', 'are treated with'))} {drug}.",
            lambda: f"{upper(drug)} is {rng.choice(('used', 'given', 'administered'))} in {place}.",
            lambda: f"The intervention of {place} includes {drug}.",
        )
    return first(
        rng,
        lambda: (
            f"{rng.choice(('No', 'None of the'))} {who} in {place} {rng.choice(('receive', 'are given', 'are treated with'))} {drug}."
        ),
        lambda: f"{upper(drug)} is not {rng.choice(('used', 'given', 'administered'))} in {place}.",
        lambda: f"{upper(place)} does not {rng.choice(('use', 'test', 'administer'))} {drug}.",
    )


def dose(record: Interventions, truth: bool, rng: random.Random) -> str | None:
    """How much of a drug is given."""
    found = _pick(record, rng)
    if found is None:
        return None
    arm, g = found
    doses = [x.dose for a in record.arms for x in a.drugs]
    said = g.dose if truth else other(g.dose, [*doses, g.dose * 2, g.dose / 2, g.dose + 50], rng)
    limit = other(g.dose, [g.dose * k for k in (0.5, 0.8, 1.5, 2)], rng)
    more = (g.dose > limit) == truth
    return first(
        rng,
        lambda: f"{rng.choice(('Patients', 'Participants'))} in {arm.place} receive {said:g} {g.unit} of {g.drug}.",
        lambda: f"The dose of {g.drug} in {arm.place} is {said:g} {g.unit}.",
        lambda: f"In {arm.place}, {g.drug} is given at {said:g} {g.unit} {rng.choice(OFTEN[g.often])}.",
        lambda: f"{upper(arm.place)} uses {'more' if more else 'less'} than {limit:g} {g.unit} of {g.drug} per dose.",
    )


def _alike(one: str, two: str, groups: tuple[set[str], ...]) -> bool:
    return one == two or any(one in group and two in group for group in groups)


def route(record: Interventions, truth: bool, rng: random.Random) -> str | None:
    """How a drug is given."""
    found = _pick(record, rng)
    if found is None:
        return None
    arm, g = found
    printed = g.route if truth else rng.choice([r for r in ROUTES if not _alike(r, g.route, _SAME)])
    said = rng.choice(ROUTES[printed])
    if rng.random() < 0.25 and sum(a.place == arm.place for a in record.arms) == 1:
        routes = [x.route for x in arm.drugs]
        kind = rng.choice((("PO", "orally"), ("IV", "intravenously")))
        every = all(r in kind for r in routes)
        adverb = {"PO": "orally", "IV": "intravenously"}[kind[0]]
        return (
            f"All drugs in {arm.place} are given {adverb}."
            if every == truth
            else f"Not all of the drugs in {arm.place} are given {adverb}."
        )
    return first(
        rng,
        lambda: (
            f"{upper(g.drug)} is {rng.choice(('given', 'administered', 'taken' if 'mouth' in said else 'given'))} {said} in {arm.place}."
        ),
        lambda: f"{rng.choice(('Patients', 'Participants'))} in {arm.place} receive {g.drug} {said}.",
    )


def often(record: Interventions, truth: bool, rng: random.Random) -> str | None:
    """How often a drug is given."""
    found = _pick(record, rng)
    if found is None:
        return None
    arm, g = found
    printed = g.often if truth else rng.choice([o for o in OFTEN if not _alike(o, g.often, _AS_OFTEN)])
    return f"{rng.choice(('Patients', 'Participants', 'Subjects'))} in {arm.place} {rng.choice(('receive', 'are given'))} {g.drug} {rng.choice(OFTEN[printed])}."


def cycles(record: Interventions, truth: bool, rng: random.Random) -> str | None:
    """For how many cycles."""
    arms = [arm for arm in record.arms if arm.cycles]
    if not arms:
        return None
    arm = rng.choice(arms)
    assert arm.cycles is not None
    said = arm.cycles if truth else other(arm.cycles, [3, 4, 6, 8, 10, 12, 18], rng)
    return f"Treatment in {arm.place} lasts for {'up to ' if rng.random() < 0.3 and truth else ''}{number(said, rng)} cycles."


def how_many(record: Interventions, truth: bool, rng: random.Random) -> str:
    """How many drugs an arm is given, or arms a trial has."""
    trial = rng.choice(record.trials)
    if rng.random() < 0.4:
        n = len(trial.arms)
        single = (n == 1) == truth
        return f"{upper(trial.naming.name)} has {rng.choice(('only one arm', 'a single arm')) if single else rng.choice(('two arms', 'more than one arm'))}."
    arm = rng.choice(trial.arms)
    n = len(arm.drugs)
    if n == 0 or rng.random() < 0.25:
        return f"{upper(arm.place)} {'does not receive' if (n > 0) == truth else 'receives'} {rng.choice(('a placebo only', 'nothing but placebo'))}."
    said = n if truth else other(n, [1, 2, 3, 4], rng)
    return f"{rng.choice(('Patients', 'Participants'))} in {arm.place} receive {number(said, rng)} {rng.choice(('different drugs', 'drugs')) if said > 1 else 'drug'}."


def shared(record: Interventions, truth: bool, rng: random.Random) -> str | None:
    """Whether a drug is given on two sides, or on one; what is given on one in a larger dose."""
    if len(record.trials) == 2:
        sides = [(t.naming.name, [g for a in t.arms for g in a.drugs]) for t in record.trials]
    elif len(record.trials[0].arms) == 2:
        sides = [(a.place, list(a.drugs)) for a in record.trials[0].arms]
    else:
        return None
    rng.shuffle(sides)
    (a, on_a), (b, on_b) = sides
    drugs = sorted({g.drug for g in (*on_a, *on_b)})
    if not drugs:
        return None
    drug = rng.choice(drugs)
    in_a, in_b = [g for g in on_a if g.drug == drug], [g for g in on_b if g.drug == drug]
    if (
        len(in_a) == len(in_b) == 1
        and in_a[0].unit == in_b[0].unit
        and in_a[0].dose != in_b[0].dose
        and rng.random() < 0.6
    ):
        more = (in_a[0].dose > in_b[0].dose) == truth
        return f"{rng.choice(('The dose of', 'The amount of'))} {drug} is {'higher' if more else 'lower'} in {a} than in {b}."
    on_both = bool(in_a and in_b)
    if on_both:
        return (
            first(
                rng,
                lambda: f"Both {a} and {b} use {drug}.",
                lambda: f"{upper(drug)} is given in {a} as well as in {b}.",
            )
            if truth
            else first(rng, lambda: f"{upper(drug)} is given in {a}, but not in {b}.", lambda: f"Only {b} uses {drug}.")
        )
    has, lacks = (a, b) if in_a else (b, a)
    if truth:
        return first(
            rng,
            lambda: f"{upper(drug)} is given in {has}, but not in {lacks}.",
            lambda: f"Only {has} uses {drug}.",
            lambda: f"Unlike {has}, {lacks} does not include {drug}.",
        )
    return first(
        rng,
        lambda: f"Both {a} and {b} use {drug}.",
        lambda: f"Only {lacks} uses {drug}.",
        lambda: f"{upper(drug)} is given in {lacks}, but not in {has}.",
    )


FORMS = (*(given,) * 3, dose, dose, route, often, cycles, how_many, *(shared,) * 3)
