"""Pairs whose label hangs on which of two groups has more, told in words or by numbers, a P value, an interval or a share.

    python comparisons.py --n 20

Who has more is told by order alone: "higher with A than with B". Pairs in which a turned word of change always turns the
meaning teach the opposite, that the word decides. And abstracts give results as two numbers and a P value, answers as
words: "less common", "no significant difference", "most patients"; where a sentence says both, a model can go by the
words, here the numbers alone decide. Trials are invented, from the word lists and sentence forms below; which way a
hypothesis points, and whether the premise bears it out, is drawn evenly and apart from its wording. A second sentence about another outcome, with
numbers of its own, makes it read the right ones.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from dataclasses import dataclass

from data import LABELS, Pair
from perturb import CONTRADICTION, ENTAILMENT, NEUTRAL
from perturb_rules import is_plural

# Share of the pairs that compare in words.
WORDED = 0.7

EVENTS = (
    "myocardial infarction|stroke|hospital admission|death from any cause|nausea|vomiting|diarrhea|headache|dizziness|fatigue|"
    "hypoglycemia|major bleeding|wound infection|pneumonia|urinary tract infection|deep vein thrombosis|pulmonary embolism|"
    "atrial fibrillation|acute kidney injury|hip fracture|falls|relapse|disease progression|remission|rash|dry cough|"
    "constipation|insomnia|preterm birth|postpartum hemorrhage|preeclampsia|gout flares|migraine attacks|seizures|delirium|"
    "liver injury|hearing loss|recurrent ulcers|asthma attacks|treatment failure|cardiac arrest|retinopathy|anemia|"
    "readmission within 30 days|graft rejection|surgical complications|local recurrence|distant metastases|complete response|"
    "clinical cure|viral clearance|weight gain|hair loss|depression|panic attacks|sepsis|dementia|neutropenia|edema|jaundice"
).split("|")
# A measure and its unit; a range of plausible values.
MEASURES = (
    ("systolic blood pressure", "mm Hg", 118, 165), ("HbA1c", "%", 6.1, 9.8), ("LDL cholesterol", "mg/dL", 65, 190),
    ("body weight", "kg", 58, 112), ("pain score", "points", 1.5, 8.5), ("serum creatinine", "mg/dL", 0.7, 3.1),
    ("fasting glucose", "mg/dL", 88, 210), ("heart rate", "beats per minute", 58, 112), ("length of stay", "days", 2.1, 14.5),
    ("serum ferritin", "ng/mL", 14, 320), ("C-reactive protein", "mg/L", 1.2, 48), ("depression score", "points", 6, 29),
    ("serum potassium", "mmol/L", 3.2, 5.6), ("time to recovery", "days", 3.5, 21), ("vitamin D level", "ng/mL", 11, 52),
    ("walking distance", "m", 210, 560), ("symptom score", "points", 3, 40), ("serum uric acid", "mg/dL", 4.1, 10.2),
    ("overall survival", "months", 5.2, 41), ("progression-free survival", "months", 2.4, 22), ("bone mineral density", "g/cm2", 0.6, 1.2),
    ("sleep duration", "hours", 4.6, 8.3), ("intraocular pressure", "mm Hg", 11, 27), ("hemoglobin", "g/dL", 8.2, 15.4),
    ("eosinophil count", "cells per microliter", 90, 780), ("operating time", "minutes", 42, 188), ("triglyceride level", "mg/dL", 78, 340),
)  # fmt: skip
DRUGS = (
    "metformin|apixaban|warfarin|amlodipine|lisinopril|sertraline|ketamine|tamoxifen|rituximab|semaglutide|empagliflozin|atorvastatin|"
    "aspirin|clopidogrel|prednisone|azithromycin|amoxicillin|ibuprofen|gabapentin|topiramate|methotrexate|adalimumab|denosumab|zinc|"
    "vitamin D|melatonin|magnesium|fish oil|ivermectin|remdesivir|dexamethasone|tranexamic acid|oxytocin|letrozole|pembrolizumab|"
    "cisplatin|docetaxel|levothyroxine|furosemide|spironolactone|budesonide|montelukast|omeprazole|ondansetron|probiotics|acupuncture|"
    "cognitive behavioral therapy|exercise training|low-salt diet|early surgery|laparoscopic surgery|radiotherapy|propranolol"
).split("|")
CONTROLS = "placebo|usual care|standard care|no treatment|watchful waiting|conventional therapy".split("|")
PEOPLE = (
    ("women", "men"), ("smokers", "nonsmokers"), ("vaccinated adults", "unvaccinated adults"), ("older patients", "younger patients"),
    ("patients with diabetes", "patients without diabetes"), ("obese children", "children of normal weight"), ("carriers", "noncarriers"),
    ("night-shift workers", "day workers"), ("coffee drinkers", "people who drank no coffee"), ("breastfed infants", "formula-fed infants"),
    ("frail patients", "patients who were not frail"), ("exposed workers", "unexposed workers"), ("twins", "singletons"),
    ("vegetarians", "meat eaters"), ("patients with cirrhosis", "patients without cirrhosis"), ("runners", "inactive adults"),
)  # fmt: skip


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
        """A group as it stands behind the number of those who had an outcome."""
        if not self.treated:
            return f"of {name}"
        return rng.choice(
            ("of patients given {}", "of the {} group", "of those on {}", "of patients assigned to {}")
        ).format(name)

    def beside(self, name: str, rng: random.Random) -> str:
        """A group as it stands behind a mean or a rate."""
        return f"in {name}" if not self.treated else rng.choice(("with {}", "in the {} group", "with {}")).format(name)


def arms(rng: random.Random) -> Arms:
    """Two groups, three times in four treatments."""
    if rng.random() < 0.25:
        first, second = rng.sample(rng.choice(PEOPLE), 2)
        return Arms(first, second, False)
    first, second = rng.sample(DRUGS, 2)
    return Arms(first, rng.choice(CONTROLS) if rng.random() < 0.5 else second, True)


def upper(text: str) -> str:
    """*text* with a capital at the start; unlike `claim_forms.upper_first` of "low-salt diet", too."""
    return text[0].upper() + text[1:]


def were(outcome: str) -> str:
    """The past of "to be" that goes with *outcome*."""
    return "were" if is_plural(outcome) else "was"


def shown(value: float, digits: int) -> str:
    """A number as it is printed."""
    return f"{value:.{digits}f}"


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
        lambda: f"The incidence of {event} per 100 person-years was {of_one} {arm.beside(one, rng)} and {of_two} {arm.beside(two, rng)}{p}.",
    ]  # fmt: skip
    if counted:
        forms.append(
            lambda: (
                f"{upper(event)}: {count_one} of {n} {arm.beside(one, rng)} and {count_two} of {m} {arm.beside(two, rng)}{p}."
            )
        )
    return rng.choice(forms)()


def event_claim(event: str, arm: Arms, more: int, rng: random.Random) -> str:
    """A claim that *event* was more (1) or less (-1) common in the first group, told from either side."""
    a, b = arm.first, arm.second
    if rng.random() < 0.3:
        a, b, more = b, a, -more

    def word(up: tuple[str, ...], down: tuple[str, ...]) -> str:
        return rng.choice(up if more > 0 else down)

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
        lambda: f"For {one} and {two}, {kind} {name} was {of_one} and {of_two} {unit}, respectively{p}.",
    ]  # fmt: skip
    return rng.choice(forms)()


def measure_claim(measure: tuple[str, str, float, float], arm: Arms, more: int, rng: random.Random) -> str:
    """A claim that the measure was larger (1) or smaller (-1) in the first group."""
    name, unit, _, _ = measure
    a, b = arm.first, arm.second
    if rng.random() < 0.3:
        a, b, more = b, a, -more
    long = unit in ("days", "months", "hours", "minutes")
    words = (("longer",), ("shorter",)) if long else (("higher", "greater"), ("lower",))
    word = rng.choice(words[0] if more > 0 else words[1])
    return rng.choice((
        f"{upper(name)} was {word} {arm.beside(a, rng)} than {arm.beside(b, rng)}.",
        f"{upper(arm.beside(a, rng))}, {name} was {word} than {arm.beside(b, rng)}.",
        f"Mean {name} was {word} {arm.beside(a, rng)} compared with {b}.",
    ))  # fmt: skip


def change_pair(measure: tuple[str, str, float, float], drug: str, rng: random.Random) -> tuple[str, str, int]:
    """A measure before and after a treatment, and a claim that it rose or fell."""
    name, unit, low, high = measure
    small = rng.uniform(low, low + 0.6 * (high - low))
    large = small + rng.uniform(0.12, 0.4) * (high - low)
    digits = 0 if low > 50 else 2 if high < 2 else 1
    rose, said = rng.random() < 0.5, rng.random() < 0.5
    before, after = (shown(value, digits) for value in ((small, large) if rose else (large, small)))
    weeks = rng.choice(("12 weeks", "6 months", "one year", "8 weeks", "30 days"))
    premise = rng.choice((
        f"{upper(name)} was {before} {unit} at baseline and {after} {unit} after {weeks} of {drug}.",
        f"With {drug}, mean {name} went from {before} to {after} {unit} in {weeks}.",
        f"Mean {name} before and {weeks} after {drug} was {before} and {after} {unit}, respectively.",
        f"After {weeks} on {drug}, {name} was {after} {unit} (baseline {before} {unit}).",
    ))  # fmt: skip
    verb = rng.choice(("increased", "raised") if said else ("reduced", "lowered", "decreased"))
    moved = rng.choice(("rose", "increased", "went up") if said else ("fell", "decreased", "went down", "declined"))
    claim = rng.choice((f"{upper(drug)} {verb} {name}.", f"{upper(name)} {moved} during treatment with {drug}."))
    return premise, claim, ENTAILMENT if rose == said else CONTRADICTION


def larger_change_pair(measure: tuple[str, str, float, float], arm: Arms, rng: random.Random) -> tuple[str, str, int]:
    """How far a measure moved in each group, and a claim about which moved further."""
    name, unit, low, high = measure
    small = rng.uniform(0.03, 0.15) * (high - low)
    digits = 2 if high < 2 else 1
    small = max(small, 0.1**digits)
    large = small * rng.uniform(1.5, 3.5) + 0.1**digits
    first_more, said = rng.random() < 0.5, rng.random() < 0.5
    a = (arm.first, shown(large if first_more else small, digits))
    b = (arm.second, shown(small if first_more else large, digits))
    (one, of_one), (two, of_two) = (a, b) if rng.random() < 0.5 else (b, a)
    down = rng.random() < 0.6
    went = rng.choice(("fell", "dropped", "decreased", "declined") if down else ("rose", "increased", "went up"))
    sign = "-" if down else "+"
    premise = rng.choice((
        f"{upper(name)} {went} by {of_one} {unit} {arm.beside(one, rng)} and by {of_two} {unit} {arm.beside(two, rng)}.",
        f"The mean change in {name} was {sign}{of_one} {unit} {arm.beside(one, rng)} and {sign}{of_two} {unit} {arm.beside(two, rng)}.",
        f"{upper(arm.beside(one, rng))}, {name} {went} by {of_one} {unit}, {arm.beside(two, rng)} by {of_two} {unit}.",
    ))  # fmt: skip
    verb = rng.choice(("reduced", "lowered", "decreased") if down else ("increased", "raised"))
    noun = rng.choice(("reduction", "decrease", "decline", "fall") if down else ("increase", "rise"))
    x, y = (arm.first, arm.second) if said else (arm.second, arm.first)
    forms = [
        f"{upper(name)} {went} more {arm.beside(x, rng)} than {arm.beside(y, rng)}.",
        f"The {noun} in {name} was {rng.choice(('larger', 'greater', 'bigger'))} {arm.beside(x, rng)} than {arm.beside(y, rng)}.",
        f"The {noun} in {name} was smaller {arm.beside(y, rng)} than {arm.beside(x, rng)}.",
    ]
    if arm.treated and arm.second not in CONTROLS:
        forms += [f"{upper(x)} {verb} {name} more than {y}.", f"{upper(y)} {verb} {name} less than {x}."]
    return premise, rng.choice(forms), ENTAILMENT if first_more == said else CONTRADICTION


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


# A wording, and between which percentages it is right.
SHARES = (
    ("most {g}", 51, 100), ("more than half of {g}", 51, 100), ("fewer than half of {g}", 0, 49), ("a minority of {g}", 0, 49),
    ("more than 20% of {g}", 20.5, 100), ("more than a quarter of {g}", 25.5, 100), ("less than a third of {g}", 0, 32.5),
    ("fewer than one in ten {g}", 0, 9.5), ("at least 70% of {g}", 70, 100), ("under 5% of {g}", 0, 4.8), ("over 80% of {g}", 80.5, 100),
    ("nearly all {g}", 93, 100), ("about a third of {g}", 30, 36), ("around half of {g}", 46, 54), ("roughly a quarter of {g}", 23, 27),
    ("more than three quarters of {g}", 75.5, 100), ("at most 15% of {g}", 0, 15), ("between 10% and 20% of {g}", 10, 20),
)  # fmt: skip


def share_pair(event: str, rng: random.Random) -> tuple[str, str, int]:
    """A share of one group, and a claim about how large it is."""
    group = rng.choice(("patients", "participants", "women", "children", "adults", "those treated"))
    wording, low, high = rng.choice(SHARES)
    right = rng.random() < 0.5
    if right:
        value = rng.uniform(low, high)
    else:
        # Far enough off that "about" and "nearly" are wrong, too.
        below, above = max(0.0, low - 6), max(0.0, 100 - high - 6)
        draw = rng.uniform(0, below + above)
        value = draw if draw < below else high + 6 + draw - below
    text = shown(value, rng.choice((0, 1)) if low + 1 < value < high - 1 or not right else 1)
    total = rng.randint(60, 2000)
    count = round(total * value / 100)
    premise = rng.choice((
        f"{upper(event)} occurred in {text}% of {group}.",
        f"{upper(event)} {were(event)} seen in {count} of {total} {group} ({text}%).",
        f"Of {total} {group}, {count} ({text}%) had {event}.",
        f"The proportion of {group} with {event} was {text}%.",
    ))  # fmt: skip
    claim = f"{upper(wording.format(g=group))} had {event}."
    return premise, claim, ENTAILMENT if right else CONTRADICTION


def worded_pair(rng: random.Random) -> Pair:
    """A comparison in words, and another of the same groups, the same or turned round, or of another outcome or group.

    Which of two groups has more is told by order alone, "higher with A than with B"; what the numbers of a sentence say
    is of no use to a model that cannot read that.
    """
    arm = arms(rng)
    more, said = rng.choice((-1, 1)), rng.choice((-1, 1))
    if rng.random() < 0.65:
        one, other, third = rng.sample(EVENTS, 3)
        tell = event_claim
    else:
        one, tell = rng.choice(MEASURES), measure_claim
        other, third = rng.sample(EVENTS, 2)
    premise, claim = tell(one, arm, more, rng), tell(one, arm, said, rng)
    label = ENTAILMENT if more == said else CONTRADICTION
    if rng.random() < 0.15:
        label = NEUTRAL
        if arm.treated and rng.random() < 0.5:
            known = (arm.first, arm.second)
            foreign = rng.choice([drug for drug in DRUGS if drug not in known])
            claim = tell(one, Arms(arm.first, foreign, treated=True), said, rng)
        else:
            claim = event_claim(third, arm, said, rng)
    if rng.random() < 0.3:
        second = event_claim(other, arm, rng.choice((-1, 1)), rng)
        premise = rng.choice((f"{premise} {second}", f"{second} {premise}"))
    return Pair(premise, claim, label)


def numbered_pair(rng: random.Random) -> Pair:
    """A result in numbers, and what a reader would say of it."""
    arm = arms(rng)
    event, other, third = rng.sample(EVENTS, 3)
    draw = rng.random()
    more, said = rng.choice((-1, 1)), rng.choice((-1, 1))
    label = ENTAILMENT if more == said else CONTRADICTION
    if draw < 0.4:
        premise = event_result(event, arm, more, p_value(rng.choice((None, None, True)), rng), rng)
        claim = event_claim(event, arm, said, rng)
        unrelated = event_claim(third, arm, said, rng)
    elif draw < 0.6:
        measure, elsewhere = rng.sample(MEASURES, 2)
        premise = measure_result(measure, arm, more, p_value(rng.choice((None, None, True)), rng), rng)
        claim, unrelated = measure_claim(measure, arm, said, rng), measure_claim(elsewhere, arm, said, rng)
    elif draw < 0.76:
        measure, elsewhere = rng.sample(MEASURES, 2)
        premise, claim, label = (
            larger_change_pair(measure, arm, rng)
            if rng.random() < 0.5
            else change_pair(measure, arm.first if arm.treated else rng.choice(DRUGS), rng)
        )
        unrelated = claim.replace(measure[0], elsewhere[0]).replace(upper(measure[0]), upper(elsewhere[0]))
    elif draw < 0.9:
        significant, claimed = rng.random() < 0.5, rng.random() < 0.5
        by_ratio = arm.treated and rng.random() < 0.5
        premise = (
            ratio_result(event, arm, more, significant, rng)
            if by_ratio
            else event_result(event, arm, more, p_value(significant, rng), rng)
        )
        # A significant difference is claimed the right way round: the significance is the question.
        claim = significance_claim(event, arm, claimed, more, rng)
        unrelated = significance_claim(third, arm, claimed, more, rng)
        label = ENTAILMENT if significant == claimed else CONTRADICTION
    else:
        premise, claim, label = share_pair(event, rng)
        unrelated = claim.replace(event, third)
    if rng.random() < 0.4:
        second = event_result(other, arm, rng.choice((-1, 1)), p_value(rng.choice((None, True, False)), rng), rng)
        premise = rng.choice((f"{premise} {second}", f"{second} {premise}"))
    if rng.random() < 0.2:
        return Pair(premise, unrelated, NEUTRAL)
    return Pair(premise, claim, label)


def comparison_pairs(n: int, *, seed: int, worded: float = WORDED) -> list[Pair]:
    """*n* pairs, each once: four in ten entailed, four contradicted, two about another outcome or group.

    Args:
        n: How many.
        seed: Decides which.
        worded: Share of them that compare in words; the others have numbers.
    """
    rng = random.Random(f"comparisons:{seed}")
    found: dict[tuple[str, str], Pair] = {}
    while len(found) < n:
        made = worded_pair(rng) if rng.random() < worded else numbered_pair(rng)
        if made.premise != made.hypothesis:
            found.setdefault((made.premise, made.hypothesis), made)
    return list(found.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for made in comparison_pairs(options.n, seed=options.seed):
        print(f"{LABELS[made.label]:14}{made.premise}\n{'':14}> {made.hypothesis}")


if __name__ == "__main__":
    main()
