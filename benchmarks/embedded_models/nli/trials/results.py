"""Outcome measures of a trial's arms, and statements about who had what, by how much and when."""

from __future__ import annotations

import random
from dataclasses import dataclass

from comparisons.words import upper

from .words import CONDITIONS, DRUGS, Naming, first, namings, number, other

# An outcome, its unit, a range, digits, and whether it is a share of participants.
SHARES = (
    "objective response rate|pathological complete response|clinical remission|disease control rate|overall survival at 2 years|"
    "progression-free survival at 1 year|relapse|virologic response|seizure freedom|clinical benefit rate|dose-limiting toxicity|"
    "wound healing|smoking cessation|hospital admission|complete response|treatment discontinuation|bone fracture|major bleeding"
).split("|")
AMOUNTS = (
    ("overall survival", "months", 6, 60), ("progression-free survival", "months", 2, 30), ("time to progression", "months", 2, 24),
    ("HbA1c", "percent", 6, 10), ("systolic blood pressure", "mm Hg", 115, 165), ("pain score", "units on a scale", 1, 9),
    ("body weight", "kilograms", 55, 115), ("hot flashes per day", "hot flashes", 1, 14), ("walking distance", "meters", 210, 560),
    ("LDL cholesterol", "mg/dL", 60, 190), ("tumor size", "millimeters", 8, 60), ("duration of response", "months", 3, 30),
    ("fatigue score", "units on a scale", 5, 45), ("quality of life score", "units on a scale", 30, 90), ("time to recovery", "days", 3, 30),
    ("length of hospital stay", "days", 2, 18), ("bone mineral density", "g/cm2", 0.6, 1.3), ("steps per day", "steps", 2000, 11000),
)  # fmt: skip
FRAMES = (
    ("weeks", (4, 6, 8, 12, 16, 24, 48, 52)),
    ("months", (3, 6, 9, 12, 18, 24)),
    ("years", (1, 2, 3, 5)),
    ("days", (7, 14, 28, 90)),
)


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm's result."""

    title: str
    analyzed: int
    value: float
    spread: tuple[float, float] | None
    count: int | None


@dataclass(frozen=True, slots=True)
class Trial:
    """One outcome measure of one trial.

    Attributes:
        outcome: What was measured.
        unit: Its unit; "percentage of participants" or "participants" for a share.
        kind: "percent", "count" or "amount".
        digits: Digits after the point.
        frame: For how long, as a number and a unit of time.
    """

    naming: Naming
    outcome: str
    unit: str
    kind: str
    digits: int
    frame: tuple[int, str]
    arms: tuple[Arm, ...]

    def shown(self, value: float) -> str:
        """A value as it is printed."""
        return f"{value:.{self.digits}f}"


@dataclass(frozen=True, slots=True)
class Results:
    """The outcome of one or two trials."""

    trials: tuple[Trial, ...]
    printed: str

    def text(self) -> str:
        """As it is printed."""
        return self.printed


def draw(rng: random.Random) -> Results:
    """An invented record."""
    two = rng.random() < 0.3
    same = rng.random() < 0.6
    made: list[Trial] = []
    for naming in namings(2 if two else 1, rng):
        if made and same:
            made.append(_trial(naming, rng, like=made[0]))
        else:
            made.append(_trial(naming, rng))
    return Results(tuple(made), " ".join(_printed(trial, rng) for trial in made))


def _trial(naming: Naming, rng: random.Random, like: Trial | None = None) -> Trial:
    kind = like.kind if like else rng.choice(("percent", "count", "amount", "amount"))
    digits = 0
    low, high = 4.0, 92.0
    if kind == "amount":
        amounts = {name: (unit, lo, hi) for name, unit, lo, hi in AMOUNTS}
        outcome = like.outcome if like else rng.choice(list(amounts))
        unit, low, high = amounts[outcome]
        digits = 2 if high < 2 else 0 if high > 100 else 1
    else:
        outcome = like.outcome if like else rng.choice(SHARES)
        unit = "percentage of participants" if kind == "percent" else "participants"
        digits = rng.choice((0, 1)) if kind == "percent" else 0
    time, lengths = rng.choice(FRAMES)
    arms = []
    titles = rng.sample(DRUGS, 2)
    if rng.random() < 0.4:
        titles[1] = rng.choice(("placebo", f"{titles[0]} + {titles[1]}", "standard care"))
    if rng.random() < 0.2:
        titles = rng.choice((["arm A", "arm B"], ["group 1", "group 2"], ["low dose", "high dose"]))
    for title in titles[: rng.choice((1, 2, 2, 2))]:
        analyzed = rng.randint(9, 420)
        value = round(rng.uniform(low, high), digits)
        n = None
        if kind == "count":
            n = rng.randint(0, analyzed)
            value = float(n)
        width = (high - low) * rng.uniform(0.03, 0.12)
        spread = (
            (max(0.0, round(value - width, digits)), round(value + width, digits))
            if kind != "count" and rng.random() < 0.6
            else None
        )
        arms.append(Arm(title, analyzed, value, spread, n))
    return Trial(naming, outcome, unit, kind, digits, (rng.choice(lengths), time), tuple(arms))


def _printed(trial: Trial, rng: random.Random) -> str:
    length, time = trial.frame
    measure = {
        "percent": "Measure Type: Number",
        "count": rng.choice(("Measure Type: Count of Participants", "Measure Type: Number")),
        "amount": rng.choice(("Median (95% Confidence Interval)", "Mean (Full Range)")),
    }[trial.kind]
    name = {
        "percent": rng.choice((f"Percentage of participants with {trial.outcome}", upper(trial.outcome))),
        "count": f"Number of participants with {trial.outcome}",
        "amount": upper(trial.outcome),
    }[trial.kind]
    about = rng.choice(
        (
            "",
            "",
            f" Measured in all treated participants with {rng.choice(CONDITIONS)}.",
            " As judged by the investigators.",
        )
    )
    lines = [
        f"{trial.naming.heading}Outcome Measurement: {name}{about} Time frame: {rng.choice(('', 'up to ')) if trial.kind != 'amount' else ''}{length} {time}"
    ]
    for i, arm in enumerate(trial.arms, 1):
        spread = f" ({trial.shown(arm.spread[0])} to {trial.shown(arm.spread[1])})" if arm.spread else ""
        lines.append(
            f"Results {i}: Arm/Group Title: {upper(arm.title)} Overall Number of Participants Analyzed: {arm.analyzed} "
            f"{measure} Unit of Measure: {trial.unit} {trial.shown(arm.value)}{spread}"
            + (f" {100 * arm.count / arm.analyzed:.1f}%" if arm.count is not None and rng.random() < 0.6 else "")
        )
    return " ".join(lines)


def _group(arm: Arm, rng: random.Random) -> str:
    if arm.title.startswith(("arm ", "group ")):
        return arm.title
    return rng.choice(("the {} arm", "the {} group")).format(arm.title)


def _of(trial: Trial, record: Results, rng: random.Random) -> str:
    """What names the trial behind an arm: where there are two trials, and sometimes where there is one."""
    return f" of {trial.naming.name}" if len(record.trials) > 1 or rng.random() < 0.4 else ""


def value(record: Results, truth: bool, rng: random.Random) -> str:
    """What an arm's value was."""
    trial = rng.choice(record.trials)
    arm = rng.choice(trial.arms)
    near = [round(arm.value * k, trial.digits) for k in (0.5, 0.7, 1.3, 1.6, 2)] + [a.value for a in trial.arms]
    near = [v for v in near if trial.kind == "amount" or v <= (100 if trial.kind == "percent" else arm.analyzed)]
    if arm.value == 0:
        near.append(3.0)
    said = arm.value if truth else other(arm.value, near, rng) if any(v != arm.value for v in near) else arm.value + 1
    who, of = _group(arm, rng), _of(trial, record, rng)
    if trial.kind == "amount":
        return first(
            rng,
            lambda: f"The {trial.outcome} in {who}{of} was {trial.shown(said)} {trial.unit}.",
            lambda: f"In {who}{of}, {trial.outcome} was {trial.shown(said)} {trial.unit}.",
        )
    shown = f"{trial.shown(said)}%" if trial.kind == "percent" else number(int(said), rng)
    return first(
        rng,
        lambda: (
            f"{upper(shown)} of {'the ' + str(arm.analyzed) + ' ' if trial.kind == 'count' else ''}patients in {who}{of} had {trial.outcome}."
        ),
        lambda: (
            f"In {who}{of}, {trial.outcome} was seen in {shown}{' patients' if trial.kind == 'count' else ' of patients'}."
        ),
    )


def threshold(record: Results, truth: bool, rng: random.Random) -> str:
    """Whether an arm's value lies above or below another."""
    trial = rng.choice(record.trials)
    arm = rng.choice(trial.arms)
    who, of = _group(arm, rng), _of(trial, record, rng)
    if trial.kind == "amount":
        mark = round(arm.value * rng.choice((0.6, 0.8, 0.9, 1.1, 1.2, 1.5)), trial.digits)
        if mark == arm.value:
            mark += 1
        above = (arm.value > mark) == truth
        return f"The {trial.outcome} in {who}{of} was {rng.choice(('more than', 'above', 'over')) if above else rng.choice(('less than', 'below', 'under'))} {trial.shown(mark)} {trial.unit}."
    right = arm.value if trial.kind == "percent" else 100 * arm.value / arm.analyzed
    marks = {10: "10%", 20: "20%", 25: "a quarter", 33.3: "a third", 50: "half", 66.7: "two thirds", 80: "80%"}
    mark, said = rng.choice([(m, s) for m, s in marks.items() if abs(m - right) > 0.7])
    above = (right > mark) == truth
    if mark == 50 and rng.random() < 0.4:
        return f"{'Most' if above else 'Only a minority of'} patients in {who}{of} had {trial.outcome}."
    return f"{rng.choice(('More than', 'Over')) if above else rng.choice(('Less than', 'Under'))} {said} of patients in {who}{of} had {trial.outcome}."


def compared(record: Results, truth: bool, rng: random.Random) -> str | None:
    """Which of two arms, or trials with one arm and the same outcome, had more, and by how much."""
    trial = record.trials[0]
    if len(record.trials) == 2 and rng.random() < 0.5:
        second = record.trials[1]
        if second.outcome != trial.outcome or second.kind != trial.kind or len(trial.arms) > 1 or len(second.arms) > 1:
            return None
        arms = [(trial.naming.name, trial.arms[0]), (second.naming.name, second.arms[0])]
    else:
        trial = rng.choice(record.trials)
        if len(trial.arms) < 2:
            return None
        of = _of(trial, record, rng)
        arms = [(_group(arm, rng) + of, arm) for arm in trial.arms]
    rng.shuffle(arms)
    (a, one), (b, two) = arms
    x, y = (
        (one.value, two.value)
        if trial.kind != "count"
        else (100 * one.value / one.analyzed, 100 * two.value / two.analyzed)
    )
    if abs(x - y) < 0.02 * max(x, y) or x == y or (trial.kind == "count" and (one.value - two.value) * (x - y) <= 0):
        return None
    more = (x > y) == truth
    up, down = ("higher", "lower")
    if trial.unit in ("months", "days"):
        up, down = ("longer", "shorter")
    word = up if more else down
    what = (
        trial.outcome
        if trial.kind == "amount"
        else rng.choice((f"the rate of {trial.outcome}", f"the share of patients with {trial.outcome}"))
    )
    forms = [
        lambda: f"{upper(what)} was {word} in {a} than in {b}.",
        lambda: (
            f"Compared with {b}, {a} had {'a ' if trial.kind != 'amount' or 'score' in what else ''}{word} {what.removeprefix('the ')}."
        ),
        lambda: f"{upper(a)} had {'a ' if trial.kind != 'amount' else ''}{word} {what.removeprefix('the ')} than {b}.",
    ]
    if trial.kind != "amount":
        forms.append(lambda: f"{'More' if more else 'Fewer'} patients had {trial.outcome} in {a} than in {b}.")
    else:
        gap = abs(round(x - y, trial.digits))
        mark = round(gap * (rng.choice((0.5, 0.8)) if truth else rng.choice((1.3, 2, 3))), trial.digits)
        if 0 < mark != gap:
            forms.append(
                lambda: (
                    f"{upper(what)} in {a} was more than {trial.shown(mark)} {trial.unit} {up if x > y else down} than in {b}."
                )
            )
    return rng.choice(forms)()


def frame(record: Results, truth: bool, rng: random.Random) -> str:
    """For how long the outcome was followed."""
    trial = rng.choice(record.trials)
    length, time = trial.frame
    lengths = dict(FRAMES)[time]
    said = length if truth else other(length, list(lengths), rng)
    where = trial.naming.name
    return first(
        rng,
        lambda: f"The time frame of {where} was {number(said, rng)} {time}.",
        lambda: f"{upper(where)} {rng.choice(('followed', 'watched'))} its patients for {number(said, rng)} {time}.",
        lambda: f"{upper(trial.outcome)} in {where} was measured over {number(said, rng)} {time}.",
    )


def analyzed(record: Results, truth: bool, rng: random.Random) -> str:
    """How many participants were analyzed."""
    trial = rng.choice(record.trials)
    arm = rng.choice(trial.arms)
    who, of = _group(arm, rng), _of(trial, record, rng)
    if len(trial.arms) == 2 and rng.random() < 0.4 and trial.arms[0].analyzed != trial.arms[1].analyzed:
        a, b = rng.sample(trial.arms, 2)
        more = (a.analyzed > b.analyzed) == truth
        return f"{'More' if more else 'Fewer'} {rng.choice(('participants', 'patients'))} were analyzed in {_group(a, rng)} than in {_group(b, rng)}{of}."
    said = (
        arm.analyzed
        if truth
        else other(arm.analyzed, [a.analyzed for a in trial.arms] + [arm.analyzed + 12, arm.analyzed * 2], rng)
    )
    return f"{said} {rng.choice(('participants', 'patients'))} were analyzed in {who}{of}."


def measured(record: Results, truth: bool, rng: random.Random) -> str:
    """What was measured."""
    trial = rng.choice(record.trials)
    everything = [*SHARES, *(name for name, *_ in AMOUNTS)]
    if len(record.trials) == 2 and record.trials[0].outcome != record.trials[1].outcome:
        same = not truth
        a, b = rng.sample(record.trials, 2)
        return f"{upper(a.naming.name)} and {b.naming.name} {'measured the same outcome' if same else 'measured different outcomes'}."
    said = trial.outcome if truth else other(trial.outcome, everything, rng)
    return f"The outcome measured in {trial.naming.name} was {said}."


FORMS = (*(value,) * 2, *(threshold,) * 2, *(compared,) * 5, frame, analyzed, measured)
