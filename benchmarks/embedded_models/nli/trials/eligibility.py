"""Who may enter a trial, criterion by criterion, and statements about who may."""

from __future__ import annotations

import random
from dataclasses import dataclass

from comparisons.words import upper

from .words import CONDITIONS, Naming, first, namings, number

# Findings that keep a patient out, let a patient in or make no difference.
FINDINGS = (
    "brain metastases|heart failure|HIV infection|chronic hepatitis B|an active infection|a bleeding disorder|a seizure disorder|"
    "peptic ulcer disease|severe renal impairment|liver cirrhosis|a history of stroke|uncontrolled hypertension|an organ transplant|"
    "peripheral neuropathy|unstable angina|a pacemaker|an autoimmune disease|alcohol dependence|a second malignancy|dementia|"
    "a myocardial infarction in the past 6 months|lung fibrosis|an allergy to penicillin|uncontrolled diabetes|deep vein thrombosis|"
    "previous chest radiotherapy|bone metastases|lymph node metastases|visceral metastases|a body mass index above 40|gestational diabetes"
).split("|")
# A test, its unit, how it is worded as a limit, and values round which limits lie.
TESTS = (
    ("platelet count", "/mm3", (50_000, 75_000, 100_000, 150_000), "least"),
    ("neutrophil count", "/mm3", (1_000, 1_500, 2_000), "least"),
    ("hemoglobin", " g/dL", (8, 9, 10, 11), "least"),
    ("left ventricular ejection fraction", "%", (40, 45, 50, 55), "least"),
    ("creatinine clearance", " mL/min", (30, 40, 50, 60), "least"),
    ("life expectancy", " weeks", (12, 16, 24), "least"),
    ("body weight", " kg", (40, 45, 50), "least"),
    ("serum creatinine", " mg/dL", (1.5, 2, 2.5), "most"),
    ("total bilirubin", " mg/dL", (1.5, 2, 3), "most"),
    ("HbA1c", "%", (8, 9, 10), "most"),
    ("systolic blood pressure", " mm Hg", (140, 160, 180), "most"),
    ("body mass index", " kg/m2", (30, 35, 40), "most"),
    ("QTc interval", " ms", (450, 470, 500), "most"),
)  # fmt: skip
TREATMENTS = (
    "chemotherapy",
    "radiotherapy",
    "major surgery",
    "an investigational drug",
    "immunotherapy",
    "a live vaccine",
)


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit on a test: at least or at most a value."""

    test: str
    unit: str
    value: float
    least: bool

    def shown(self, value: float | None = None) -> str:
        """A value of the test with its unit; the limit itself without *value*."""
        return f"{self.value if value is None else value:,}{self.unit}"

    def passed(self, value: float) -> bool:
        """Whether a patient with *value* may enter."""
        return value >= self.value if self.least else value <= self.value


@dataclass(frozen=True, slots=True)
class Trial:
    """The criteria of one trial.

    Attributes:
        naming: How it is announced and called.
        condition: What all participants have.
        oldest: Upper age limit, or None.
        sex: "women", "men" or "both".
        status: Highest ECOG performance status that may enter, or None where nothing is said.
        needed: Findings that a participant must have.
        barred: Findings that keep a patient out.
        allowed: Findings that are said to make no difference.
        washout: A treatment and for how many weeks before entry it must not have been given.
        pregnant: Whether it says that pregnant women may not enter.
    """

    naming: Naming
    condition: str
    youngest: int
    oldest: int | None
    sex: str
    status: int | None
    limits: tuple[Limit, ...]
    needed: tuple[str, ...]
    barred: tuple[str, ...]
    allowed: tuple[str, ...]
    washout: tuple[str, int] | None
    pregnant: bool


@dataclass(frozen=True, slots=True)
class Eligibility:
    """The criteria of one or two trials; the wording is drawn when they are made."""

    trials: tuple[Trial, ...]
    printed: str

    def text(self) -> str:
        """As it is printed."""
        return self.printed


def draw(rng: random.Random) -> Eligibility:
    """An invented record."""
    trials = []
    pool = rng.sample(FINDINGS, 8)
    for naming in namings(2 if rng.random() < 0.3 else 1, rng):
        findings = rng.sample(pool, rng.choice((2, 3, 4, 6)))
        cut = rng.randint(1, len(findings))
        rest = findings[cut:]
        tests = rng.sample(TESTS, rng.choice((0, 1, 1, 2)))
        trials.append(
            Trial(
                naming=naming,
                condition=rng.choice(CONDITIONS),
                youngest=rng.choice((12, 16, 18, 18, 18, 18, 20, 21, 40, 50, 60, 65)),
                oldest=rng.choice((None, None, None, 70, 75, 80, 85)),
                sex=rng.choice(("women", "women", "men", "both", "both", "both")),
                status=rng.choice((None, 0, 1, 1, 2, 2, 3)),
                limits=tuple(
                    Limit(name, unit, rng.choice(values), side == "least") for name, unit, values, side in tests
                ),
                needed=tuple(rest[: rng.choice((0, 0, 1))]),
                barred=tuple(findings[:cut]),
                allowed=tuple(rest[1:]),
                washout=rng.choice((None, (rng.choice(TREATMENTS), rng.choice((2, 3, 4, 6, 8, 12))))),
                pregnant=rng.random() < 0.6,
            )
        )
    return Eligibility(tuple(trials), " ".join(_printed(trial, rng) for trial in trials))


def _printed(trial: Trial, rng: random.Random) -> str:
    wanted = [
        rng.choice(
            ("Diagnosis of {}", "Histologically or clinically confirmed {}", "Patients with {}", "Must have {}")
        ).format(trial.condition)
    ]
    ages = (
        (
            f"Age {trial.youngest} or older",
            f"At least {trial.youngest} years of age",
            f"{trial.youngest} and over",
            f"Age ≥ {trial.youngest}",
        )
        if trial.oldest is None
        else (
            f"Age {trial.youngest} to {trial.oldest}",
            f"Between {trial.youngest} and {trial.oldest} years old",
            f"{trial.youngest}-{trial.oldest} years of age",
        )
    )
    wanted.append(rng.choice(ages))
    if trial.sex == "both":
        wanted += rng.choice(((), ("Male or female",), ("Men or women",), ("Both sexes",)))
    else:
        wanted.append(
            {
                "women": rng.choice(("Female", "Women only", "Female patients")),
                "men": rng.choice(("Male", "Men only", "Male patients")),
            }[trial.sex]
        )
    if trial.status is not None:
        wanted.append(
            f"ECOG performance status {'0' if trial.status == 0 else rng.choice((f'0-{trial.status}', f'≤ {trial.status}', f'of {trial.status} or lower'))}"
        )
    for limit in trial.limits:
        sign = rng.choice(
            ("at least", "≥", ">=", "no less than") if limit.least else ("at most", "≤", "<=", "no greater than")
        )
        wanted.append(f"{upper(limit.test)} {sign} {limit.shown()}")
    wanted += [upper(rng.choice(("Must have {}", "{} is required", "Documented {}")).format(f)) for f in trial.needed]
    unwanted = [rng.choice(("{}", "Patients with {}", "Known {}", "No {}")).format(_bare(f)) for f in trial.barred]
    if trial.washout:
        treatment, weeks = trial.washout
        unwanted.append(
            f"{upper(_bare(treatment))} within {rng.choice(('the past', 'the last', ''))} {weeks} weeks {rng.choice(('before enrollment', 'prior to entry', 'of study start'))}".replace(
                "  ", " "
            )
        )
    if trial.pregnant:
        unwanted.append(
            rng.choice(("Pregnant or breastfeeding women", "Pregnancy or lactation", "Pregnant or nursing"))
        )
    unwanted = [upper(line.removeprefix("No ")) for line in unwanted]
    wanted += [f"{upper(_bare(f))} {rng.choice(('allowed', 'permitted', 'is allowed'))}" for f in trial.allowed]
    head, tail = wanted[:1], wanted[1:]
    rng.shuffle(tail)
    rng.shuffle(unwanted)
    end = rng.choice((". ", " ", "; "))
    return f"{trial.naming.heading}Inclusion Criteria: {end.join(head + tail)}{'.' if end == '. ' else ''} Exclusion Criteria: {end.join(unwanted)}{'.' if end == '. ' else ''}"


def _bare(finding: str) -> str:
    return finding.removeprefix("a ").removeprefix("an ")


def _may(able: bool, who: str, trial: Trial, rng: random.Random) -> str:
    """A sentence that says that *who*, in the plural, may or may not enter."""
    name = trial.naming.name
    if able:
        return first(
            rng,
            lambda: (
                f"{upper(who)} {rng.choice(('can', 'may', 'are able to'))} {rng.choice(('take part in', 'enter', 'participate in', 'join'))} {name}."
            ),
            lambda: f"{upper(who)} are {rng.choice(('eligible', 'suitable'))} for {name}.",
            lambda: f"{upper(name)} {rng.choice(('accepts', 'includes', 'allows'))} {who}.",
            lambda: f"{upper(who)} are not excluded from {name}.",
        )
    return first(
        rng,
        lambda: (
            f"{upper(who)} {rng.choice(('cannot', 'may not', 'are not allowed to'))} {rng.choice(('take part in', 'enter', 'participate in', 'join'))} {name}."
        ),
        lambda: f"{upper(who)} are {rng.choice(('not eligible', 'ineligible'))} for {name}.",
        lambda: f"{upper(name)} {rng.choice(('does not accept', 'excludes', 'does not allow'))} {who}.",
        lambda: f"{upper(who)} are excluded from {name}.",
    )


def age(record: Eligibility, truth: bool, rng: random.Random) -> str:
    """Whether somebody of an age may enter, or what the limits are."""
    trial = rng.choice(record.trials)
    name = trial.naming.name
    draw = rng.random()
    if draw < 0.6:
        inside = rng.randint(trial.youngest + 1, (trial.oldest or trial.youngest + 25) - 1)
        outside = rng.randint(max(5, trial.youngest - 12), trial.youngest - 1)
        if trial.oldest and rng.random() < 0.4:
            outside = trial.oldest + rng.randint(1, 8)
        able = rng.random() < 0.5
        years = inside if able else outside
        return _may(
            able == truth,
            rng.choice((f"{years}-year-old patients", f"patients aged {years}", f"people who are {years} years old")),
            trial,
            rng,
        )
    if draw < 0.8:
        said = trial.youngest if truth else rng.choice([n for n in (12, 16, 18, 21, 30, 50, 65) if n != trial.youngest])
        return first(
            rng,
            lambda: (
                f"{upper(rng.choice(('patients', 'participants')))} must be at least {said} years old to {rng.choice(('enter', 'join'))} {name}."
            ),
            lambda: f"The minimum age for {name} is {said}.",
        )
    limited = (trial.oldest is not None) == truth
    return f"{upper(name)} {'has an' if limited else 'does not have an'} upper age limit."


def sex(record: Eligibility, truth: bool, rng: random.Random) -> str:
    """Whether men and women may enter; where nothing is said of sex, both may."""
    trial = rng.choice(record.trials)
    who = rng.choice(("men", "women"))
    able = trial.sex in (who, "both")
    if trial.sex != "both" and rng.random() < 0.3:
        said = trial.sex if truth else {"men": "women", "women": "men"}[trial.sex]
        return f"Only {said} {rng.choice(('can take part in', 'are eligible for', 'can enter'))} {trial.naming.name}."
    return _may(able == truth, rng.choice((who, {"men": "male patients", "women": "female patients"}[who])), trial, rng)


def status(record: Eligibility, truth: bool, rng: random.Random) -> str | None:
    """Whether a performance status lets a patient in."""
    trials = [trial for trial in record.trials if trial.status is not None]
    if not trials:
        return None
    trial = rng.choice(trials)
    assert trial.status is not None
    value = rng.randint(0, 4)
    return _may((value <= trial.status) == truth, f"patients with an ECOG performance status of {value}", trial, rng)


def limit(record: Eligibility, truth: bool, rng: random.Random) -> str | None:
    """Whether a test's value lets a patient in, or where its limit lies."""
    trials = [trial for trial in record.trials if trial.limits]
    if not trials:
        return None
    trial = rng.choice(trials)
    own = rng.choice(trial.limits)
    scale = rng.choice((0.5, 0.7, 0.8, 0.9, 1.1, 1.2, 1.5, 2))
    value = own.value * scale
    shown = round(value) if own.value >= 20 else round(value, 1)
    if own.value >= 500:
        shown = round(value, -2)
    article = "an" if own.test == "HbA1c" else "a"
    if rng.random() < 0.6:
        return _may(own.passed(shown) == truth, f"patients with {article} {own.test} of {own.shown(shown)}", trial, rng)
    said = own.value if truth else shown
    return f"{rng.choice(('Patients', 'Participants'))} in {trial.naming.name} must have {article} {own.test} of at {'least' if own.least else 'most'} {own.shown(said)}."


def finding(record: Eligibility, truth: bool, rng: random.Random) -> str:
    """Whether patients with a finding may enter, must have it or may not."""
    trial = rng.choice(record.trials)
    kind = rng.choice(
        [k for k in ("barred", "barred", "allowed", "needed", "condition") if k == "condition" or getattr(trial, k)]
    )
    if kind == "condition":
        what, able = trial.condition, True
        if rng.random() < 0.4:
            wrong = rng.choice([c for c in CONDITIONS if c != trial.condition])
            return f"{upper(trial.naming.name)} is for patients with {what if truth else wrong}."
    else:
        what, able = rng.choice(getattr(trial, kind)), kind != "barred"
    if kind == "needed" and rng.random() < 0.5:
        return f"Patients {'must' if truth else 'must not'} have {what} to {rng.choice(('enter', 'join'))} {trial.naming.name}."
    return _may(able == truth, f"patients with {what}", trial, rng)


def recent(record: Eligibility, truth: bool, rng: random.Random) -> str | None:
    """Whether a treatment some weeks ago keeps a patient out."""
    trials = [trial for trial in record.trials if trial.washout]
    if not trials:
        return None
    trial = rng.choice(trials)
    assert trial.washout is not None
    treatment, weeks = trial.washout
    ago = rng.choice([w for w in (1, weeks - 1, weeks // 2, weeks + 2, weeks * 2, weeks + 6) if w > 0 and w != weeks])
    said = f"{number(ago, rng)} {'week' if ago == 1 else 'weeks'}"
    return _may((ago > weeks) == truth, f"patients who had {treatment} {said} ago", trial, rng)


def pregnancy(record: Eligibility, truth: bool, rng: random.Random) -> str | None:
    """Whether pregnant women may enter, where it is said."""
    trials = [trial for trial in record.trials if trial.pregnant and trial.sex != "men"]
    if not trials:
        return None
    return _may(
        not truth,
        rng.choice(("pregnant women", "women who are pregnant", "breastfeeding women")),
        rng.choice(trials),
        rng,
    )


def both(record: Eligibility, truth: bool, rng: random.Random) -> str | None:
    """Whether two trials share a criterion, or one of them has more of it."""
    if len(record.trials) < 2:
        return None
    a, b = rng.sample(record.trials, 2)
    draw = rng.random()
    if draw < 0.3 and a.youngest != b.youngest:
        lower = (a.youngest < b.youngest) == truth
        return f"The minimum age is {'lower' if lower else 'higher'} in {a.naming.name} than in {b.naming.name}."
    if draw < 0.5:
        years = rng.randint(10, 70)
        able = [t.youngest <= years <= (t.oldest or 200) for t in (a, b)]
        if able[0] == able[1]:
            either = able[0] == truth
            return f"A {years}-year-old can enter {'both' if either else 'neither'} {a.naming.name} {'and' if either else 'nor'} {b.naming.name}."
        one, two = (a, b) if able[0] == truth else (b, a)
        return f"A {years}-year-old can enter {one.naming.name}, but not {two.naming.name}."
    if draw < 0.75:
        who = rng.choice(("men", "women"))
        able = [t.sex in (who, "both") for t in (a, b)]
        if all(able):
            return (
                f"Both {a.naming.name} and {b.naming.name} accept {who}."
                if truth
                else f"{upper(who)} can enter {a.naming.name}, but not {b.naming.name}."
            )
        if not any(able):
            return (
                f"Neither {a.naming.name} nor {b.naming.name} accepts {who}."
                if truth
                else f"Both {a.naming.name} and {b.naming.name} accept {who}."
            )
        one, two = (a, b) if able[0] == truth else (b, a)
        return f"{upper(who)} {rng.choice(('can enter', 'are eligible for'))} {one.naming.name}, but not {two.naming.name}."
    what = rng.choice(a.barred)
    if what in b.barred:
        return f"Patients with {what} are excluded from {'both trials' if truth else b.naming.name + ' only'}."
    if what in (*b.allowed, *b.needed):
        one, two = (a, b) if truth else (b, a)
        return f"Patients with {what} are excluded from {one.naming.name}, but not from {two.naming.name}."
    return None


FORMS = (age, age, sex, status, limit, limit, *(finding,) * 4, recent, pregnancy, *(both,) * 3)
