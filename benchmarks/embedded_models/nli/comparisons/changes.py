"""A result, a claim and its label together: changes over time, and how large a share is."""

from __future__ import annotations

import random

from benchmarks.embedded_models.nli.perturb import CONTRADICTION, ENTAILMENT

from .claims import event_claim
from .words import CONTROLS, DRUGS, Arms, invented_drug, other_name, shown, upper, were

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


def three_arms_pair(event: str, rng: random.Random) -> tuple[str, str, int]:
    """Shares of three treatments, and a claim about two of them."""
    drug = invented_drug(rng)
    names = rng.choice((
        [*rng.sample(DRUGS, 2), rng.choice(CONTROLS)], rng.sample(DRUGS, 3), [f"{drug} 10 mg", f"{drug} 20 mg", "placebo"],
        [drug, rng.choice(DRUGS), "placebo"], [f"{drug} 50 mg", f"{drug} 100 mg", f"{drug} 200 mg"],
    ))  # fmt: skip
    rng.shuffle(names)
    least = rng.uniform(1, 25)
    middle = least * rng.uniform(1.2, 1.8) + 0.6
    values = [least, middle, middle * rng.uniform(1.2, 1.8) + 0.6]
    rng.shuffle(values)
    (a, b, c), (x, y, z) = names, (shown(value, 1) for value in values)
    were_seen = f"{were(event)} seen"
    premise = rng.choice((
        f"{upper(event)}: {a} {x}%, {b} {y}%, {c} {z}%.",
        f"{upper(event)} {were_seen} in {x}% of patients on {a}, {y}% of those on {b} and {z}% of those on {c}.",
        f"{upper(event)} {were_seen} in {x}%, {y}% and {z}% of patients given {a}, {b} and {c}, respectively.",
        f"With {a}, {b} and {c}, {event} occurred in {x}%, {y}% and {z}%.",
        f"{upper(event)} occurred in {x}% ({a}), {y}% ({b}) and {z}% ({c}) of patients.",
    ))  # fmt: skip
    first, second = rng.sample(range(3), 2)
    if names[first] in CONTROLS:
        first, second = second, first
    more, said = 1 if values[first] > values[second] else -1, rng.choice((-1, 1))
    claim = event_claim(other_name(event, rng), Arms(names[first], names[second], True), said, rng)
    return premise, claim, ENTAILMENT if more == said else CONTRADICTION


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
