"""Adverse events as a registry lists them, arm by arm, and statements about how many had what."""

from __future__ import annotations

import random
from dataclasses import dataclass

from comparisons.words import upper

from .words import EVENTS, Naming, first, namings, number, other, spoken


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm: how many were watched, how many had any event, and how many each.

    Attributes:
        place: What a statement calls it, with its trial.
        size: Participants.
        total: Those with any event.
        counts: Those with each event; every event of the trial is listed, with 0 where nobody had it.
    """

    place: str
    size: int
    total: int
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial's list."""

    naming: Naming
    arms: tuple[Arm, ...]

    def cases(self, event: str) -> int:
        """How many had *event*, in all arms; 0 where it is not listed."""
        return sum(arm.counts.get(event, 0) for arm in self.arms)


@dataclass(frozen=True, slots=True)
class Adverse:
    """The lists of one or two trials."""

    trials: tuple[Trial, ...]
    mark: str

    def text(self) -> str:
        """As it is printed."""
        return " ".join(
            trial.naming.heading
            + " ".join(
                f"Adverse Events {i}: Total: {_share(arm.total, arm.size)} "
                + " ".join(f"{event}{self.mark} {_share(n, arm.size)}" for event, n in arm.counts.items())
                for i, arm in enumerate(trial.arms, 1)
            )
            for trial in self.trials
        )

    @property
    def arms(self) -> list[Arm]:
        """All arms."""
        return [arm for trial in self.trials for arm in trial.arms]


def _share(n: int, size: int) -> str:
    return f"{n}/{size} ({100 * n / size:.2f}%)"


def draw(rng: random.Random) -> Adverse:
    """An invented record."""
    group = rng.choice(("cohort", "arm", "group", "cohort"))
    trials = []
    two_trials = rng.random() < 0.3
    shared = rng.sample(sorted(EVENTS), 3)
    for naming in namings(2 if two_trials else 1, rng):
        n_arms = rng.choice((1, 2)) if not two_trials else rng.choice((1, 1, 2))
        # Most records are short: what is learned of four lines holds for forty, and costs a tenth.
        longest = rng.choice((3, 3, 4, 11 if n_arms == 1 and not two_trials else 7))
        listed = rng.sample(sorted(EVENTS), rng.randint(2, longest))
        events = list(dict.fromkeys(listed + rng.sample(shared, rng.randint(0, 2))))
        rng.shuffle(events)
        arms = []
        for i in range(1, n_arms + 1):
            size = rng.choice((rng.randint(8, 60), rng.randint(40, 420)))
            most = max(2, size // rng.choice((3, 8, 20)))
            counts = {e: 0 if n_arms > 1 and rng.random() < 0.25 else rng.randint(1, most) for e in events}
            least = max(counts.values())
            total = min(size, max(least, rng.randint(least, min(size, max(least, sum(counts.values()))))))
            place = f"{group} {i} of {naming.name}" if n_arms > 1 else naming.name
            if n_arms > 1 and not two_trials and rng.random() < 0.5:
                place = f"{group} {i}"
            arms.append(Arm(place, size, total, counts))
        trials.append(Trial(naming, tuple(arms)))
    return Adverse(tuple(trials), rng.choice(("", " *", " [1]", "")))


def _patients(n: int, rng: random.Random) -> str:
    return rng.choice(("patient", "participant") if n == 1 else ("patients", "participants"))


def count(record: Adverse, truth: bool, rng: random.Random) -> str:
    """How many of an arm had an event."""
    arm = rng.choice(record.arms)
    event = rng.choice(list(arm.counts))
    right = arm.counts[event]
    near = [n for n in (right - 2, right - 1, right + 1, right + 2, right * 2, right + 5) if 0 <= n <= arm.size]
    n = right if truth else other(right, [*near, *arm.counts.values()], rng)
    what = spoken(event, rng)
    if n == 0:
        return f"{rng.choice(('No patients', 'None of the patients'))} in {arm.place} had {what}."
    said = number(n, rng)
    return first(
        rng,
        lambda: f"{upper(said)} {_patients(n, rng)} in {arm.place} had {what}.",
        lambda: f"In {arm.place}, {said} {_patients(n, rng)} {rng.choice(('experienced', 'suffered from'))} {what}.",
        lambda: f"There {'was' if n == 1 else 'were'} {said} {'case' if n == 1 else 'cases'} of {what} in {arm.place}.",
        lambda: f"{upper(what)} was recorded in {said} of {arm.size} {_patients(2, rng)} in {arm.place}.",
    )


def share(record: Adverse, truth: bool, rng: random.Random) -> str:
    """Which share of an arm had an event."""
    arm = rng.choice(record.arms)
    event = rng.choice(list(arm.counts))
    digits = rng.choice((0, 1, 2))
    shares = dict.fromkeys(f"{100 * n / arm.size:.{digits}f}" for n in arm.counts.values())
    right = f"{100 * arm.counts[event] / arm.size:.{digits}f}"
    made = [f"{float(right) * k:.{digits}f}" for k in (0.5, 1.5, 2)] + [f"{float(right) + 7:.{digits}f}"]
    said = right if truth else other(right, [*shares, *made], rng)
    what = spoken(event, rng)
    return first(
        rng,
        lambda: f"{said}% of {_patients(2, rng)} in {arm.place} had {what}.",
        lambda: f"The rate of {what} in {arm.place} was {said}%.",
    )


def occurred(record: Adverse, truth: bool, rng: random.Random) -> str:
    """Whether an event was seen at all; what a list does not name did not occur."""
    trial = rng.choice(record.trials)
    listed = list(trial.arms[0].counts)
    if rng.random() < 0.5:
        event, place, seen = _seen(trial, listed, rng)
    else:
        event = rng.choice(sorted(set(EVENTS) - set(listed)))
        place, seen = trial.naming.name, False
    what = spoken(event, rng)
    if seen == truth:
        return first(
            rng,
            lambda: f"At least one {_patients(1, rng)} in {place} had {what}.",
            lambda: f"Some {_patients(2, rng)} in {place} suffered from {what}.",
            lambda: f"{upper(what)} was {rng.choice(('observed', 'recorded', 'seen', 'reported'))} in {place}.",
            lambda: f"There were cases of {what} in {place}.",
        )
    return first(
        rng,
        lambda: (
            f"{rng.choice(('No patients', 'No participants', 'None of the patients'))} in {place} {rng.choice(('had', 'suffered from', 'experienced'))} {what}."
        ),
        lambda: f"There were no {rng.choice(('recorded ', ''))}cases of {what} in {place}.",
        lambda: f"{upper(what)} did not occur in {place}.",
        lambda: f"{upper(what)} was not {rng.choice(('observed', 'recorded', 'seen', 'reported'))} in {place}.",
    )


def _seen(trial: Trial, listed: list[str], rng: random.Random) -> tuple[str, str, bool]:
    """An event of the list, a place, and whether it was seen there."""
    event = rng.choice(listed)
    if len(trial.arms) > 1 and rng.random() < 0.6:
        arm = rng.choice(trial.arms)
        return event, arm.place, arm.counts[event] > 0
    return event, trial.naming.name, trial.cases(event) > 0


def compared(record: Adverse, truth: bool, rng: random.Random) -> str | None:
    """Where an event was more common: in one of two arms, or of two trials."""
    if len(record.trials) == 2:
        one, two = record.trials
        events = sorted(set(one.arms[0].counts) | set(two.arms[0].counts))
        event = rng.choice(events)
        sides = [(one.naming.name, one.cases(event)), (two.naming.name, two.cases(event))]
    else:
        arms = record.arms
        if len(arms) == 1:
            return None
        event = rng.choice(list(arms[0].counts))
        sides = [(arm.place, arm.counts[event]) for arm in arms]
        shares = [arm.counts[event] / arm.size for arm in arms]
        if (shares[0] - shares[1]) * (sides[0][1] - sides[1][1]) < 0:
            return None
    rng.shuffle(sides)
    (a, x), (b, y) = sides
    what = spoken(event, rng)
    if x == y:
        same = truth
        return (
            f"The same number of {_patients(2, rng)} had {what} in {a} and {b}."
            if same
            else f"{rng.choice(('More', 'Fewer'))} {_patients(2, rng)} had {what} in {a} than in {b}."
        )
    more = (x > y) == truth
    forms = [
        lambda: f"There were {'more' if more else 'fewer'} cases of {what} in {a} than in {b}.",
        lambda: f"{'More' if more else 'Fewer'} {_patients(2, rng)} had {what} in {a} than in {b}.",
        lambda: f"{upper(a)} recorded {'a higher' if more else 'a lower'} number of {what} cases than {b}.",
        lambda: f"Compared to {b}, {a} had {'more' if more else 'fewer'} {_patients(2, rng)} with {what}.",
    ]
    if abs(x - y) > 1:
        gap = abs(x - y)
        least = rng.randint(2, gap) if truth else rng.choice((gap + 1, gap * 2, gap + 3))
        forms.append(
            lambda: (
                f"At least {number(least, rng)} {'more' if x > y else 'fewer'} {_patients(2, rng)} had {what} in {a} than in {b}."
            )
        )
    return rng.choice(forms)()


def only_in(record: Adverse, truth: bool, rng: random.Random) -> str | None:
    """Whether an event was seen on both sides or on one."""
    if len(record.trials) == 2:
        sides = [(trial.naming.name, trial.cases) for trial in record.trials]
        events = sorted({e for trial in record.trials for e in trial.arms[0].counts})
    elif len(record.arms) == 2:
        sides = [(arm.place, arm.counts.__getitem__) for arm in record.arms]
        events = list(record.arms[0].counts)
    else:
        return None
    rng.shuffle(sides)
    event = rng.choice(events)
    (a, in_a), (b, in_b) = sides
    x, y = in_a(event) > 0, in_b(event) > 0
    if not x and not y:
        return None
    what = spoken(event, rng)
    both = first(
        rng,
        lambda: f"Both {a} and {b} had cases of {what}.",
        lambda: f"{upper(what)} was seen in {a} as well as in {b}.",
    )
    only = first(
        rng,
        lambda: f"{upper(what)} was only seen in {a}.",
        lambda: f"Unlike {b}, {a} had cases of {what}.",
        lambda: f"Cases of {what} occurred in {a} but not in {b}.",
        lambda: f"{upper(b)} did not record any {what}, {a} did.",
    )
    if x and y:
        return both if truth else only
    if truth and not x:
        return None
    return only if truth else rng.choice((both, only) if not x else (both,))


def most_common(record: Adverse, truth: bool, rng: random.Random) -> str | None:
    """Which event an arm had most, or which of two it had more."""
    arm = rng.choice(record.arms)
    events = sorted(arm.counts, key=lambda e: -arm.counts[e])
    if arm.counts[events[0]] == arm.counts[events[1]]:
        return None
    if rng.random() < 0.5:
        said = events[0] if truth else rng.choice(events[1:])
        return first(
            rng,
            lambda: f"The most common adverse event in {arm.place} was {said.lower()}.",
            lambda: f"{said} was the most frequent event in {arm.place}.",
        )
    more, less = events[0], rng.choice(events[1:])
    if not truth:
        more, less = less, more
    return f"In {arm.place}, {more.lower()} {rng.choice(('was more common', 'occurred more often', 'affected more patients'))} than {less.lower()}."


def any_event(record: Adverse, truth: bool, rng: random.Random) -> str:
    """How much of an arm had any event, or was affected by a single one."""
    arm = rng.choice(record.arms)
    single = rng.random() < 0.5
    right = 100 * (max(arm.counts.values()) if single else arm.total) / arm.size
    limits = {
        5: "5%",
        10: "10%",
        20: "20%",
        25: "a quarter",
        33.34: "a third",
        50: "half",
        66.66: "two thirds",
        75: "75%",
    }
    limit, said = rng.choice([(value, name) for value, name in limits.items() if abs(value - right) > 0.5])
    above = (right > limit) == truth
    if single:
        return (
            first(
                rng,
                lambda: f"At least one adverse event in {arm.place} affected more than {said} of the patients.",
                lambda: f"Some of the adverse events in {arm.place} were seen in over {said} of participants.",
            )
            if above
            else first(
                rng,
                lambda: f"None of the adverse events in {arm.place} affected more than {said} of patients.",
                lambda: f"Every adverse event in {arm.place} was seen in less than {said} of participants.",
            )
        )
    return first(
        rng,
        lambda: f"{'More' if above else 'Less'} than {said} of patients in {arm.place} had an adverse event.",
        lambda: (
            f"Adverse events were recorded for {'over' if above else 'under'} {said} of {arm.place} participants."
            if arm.place[-1].isdigit()
            else f"{'Over' if above else 'Under'} {said} of the participants of {arm.place} had adverse events."
        ),
    )


def total(record: Adverse, truth: bool, rng: random.Random) -> str:
    """How many were watched, or had any event."""
    arm = rng.choice(record.arms)
    if rng.random() < 0.5:
        right = arm.total
        said = right if truth else other(right, [max(0, right - 3), right + 4, right + 1, arm.size + 5], rng)
        return f"{upper(number(said, rng))} of the {arm.size} patients in {arm.place} had {rng.choice(('at least one adverse event', 'an adverse event'))}."
    limit = other(arm.size, [max(5, round(arm.size * k)) for k in (0.5, 0.7, 0.85, 1.2, 1.5, 2)], rng)
    above = (arm.size > limit) == truth
    return first(
        rng,
        lambda: f"{upper(arm.place)} had {'more' if above else 'fewer'} than {limit} participants.",
        lambda: f"There were {'over' if above else 'under'} {limit} patients in {arm.place}.",
    )


def sizes(record: Adverse, truth: bool, rng: random.Random) -> str | None:
    """Which of two arms or trials had more participants."""
    if len(record.trials) == 2:
        sides = [(trial.naming.name, sum(arm.size for arm in trial.arms)) for trial in record.trials]
    elif len(record.arms) == 2:
        sides = [(arm.place, arm.size) for arm in record.arms]
    else:
        return None
    rng.shuffle(sides)
    (a, x), (b, y) = sides
    if x == y:
        return None
    more = (x > y) == truth
    return first(
        rng,
        lambda: f"{upper(a)} had {'more' if more else 'fewer'} participants than {b}.",
        lambda: f"{upper(a)} was {'larger' if more else 'smaller'} than {b}.",
    )


FORMS = (
    *(count,) * 2, share, *(occurred,) * 3, *(compared,) * 4, *(only_in,) * 2, most_common, any_event, total, sizes
)  # fmt: skip
