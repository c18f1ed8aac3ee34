"""DOSE_ABOVE_MAX and IMPLAUSIBLE_DOSE: more of a drug than its row allows in a day, in a week or at once."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from fas.safety.case import MOST_PLACES, SafetyCase, SafetyFinding
from fas.safety.patient import Features, Patient
from fas.safety.persons import add_states
from fas.safety.regimen import ODD_ROUTES, Intake, find_intakes, fits_route
from fas.safety.relations import BINDINGS, MentionPlace
from fas.safety.rules import SafetyRule

_ASSUMED_AGE = 30.0
_ASSUMED_CHILD = 6.0
_SMALL_KG = 10.0
_CHILD_KG = 40.0
_MOST_DOSES = 4
_NEEDLE = frozenset({"intravenous", "injection"})
_BY_SURFACE = re.compile(r"/ ?m2|per square|m²", re.IGNORECASE)


def find_excess(case: SafetyCase) -> Iterator[SafetyFinding]:
    """DOSE_ABOVE_MAX and IMPLAUSIBLE_DOSE: more of a drug than its row allows in a day, in a week or at once."""
    found = find_intakes(case.reading)
    caps = {i.drug: i.daily for i in found if i.is_max and i.daily is not None}
    told: Counter[tuple[object, ...]] = Counter()
    for intake in found:
        # What is said again and again is looked at a few times.
        key = (intake.drug, intake.mg, intake.units, intake.per_day, intake.weekly, intake.is_max, intake.how)
        told[key] += 1
        if told[key] > MOST_PLACES:
            continue
        yield from _find_above_max(case, intake, found, caps.get(intake.drug))
        yield from _find_implausible(case, intake)


def _find_above_max(
    case: SafetyCase, intake: Intake, found: Sequence[Intake], cap: float | None
) -> Iterator[SafetyFinding]:
    reading = case.reading
    if not intake.mg:
        return
    patient = _find_patient(case, intake)
    for rule in case.book.by_drug["doses"].get(intake.drug, ()):
        if not fits_route(reading, rule.route, intake.drug):
            continue
        if not rule.scope.holds(patient.has, _assume_age(patient, rule)):
            continue
        weight = patient.measure("weight_kg")
        mg = intake.mg
        if rule.unit == "mg/kg/day" and not intake.per_kg:
            if weight is None or (patient.measure("age_years") is None and weight > _CHILD_KG):
                continue
            mg /= weight
        elif intake.per_kg and rule.unit != "mg/kg/day":
            if weight is None:
                continue
            mg *= weight
        told = intake.per_day is not None
        if not told and rule.unit == "mg/week":
            continue
        per_day = intake.per_day if intake.per_day is not None else 1.0
        daily, target = mg * per_day, None
        if rule.unit == "mg/week":
            if intake.weekly or per_day < 0.9:
                daily *= 7
            else:
                target = "weekly drug given daily"
        capped = cap is not None and not intake.is_max and intake.how in ("plain", "tablets") and rule.unit == "mg/day"
        if capped and cap is not None:
            daily = min(daily, max(cap, mg))
        if target is None and daily <= rule.limit * 1.001:
            continue
        ratio = daily / rule.limit if target is None else 7.0
        target = target or f"{daily:g}>{rule.limit:g} {rule.unit}"
        more = {"D often told": float(told), "D capped": float(capped), f"D {rule.unit}": 1.0}
        yield _make_dose(case, "DOSE_ABOVE_MAX", intake, rule, target, ratio, more)
        return


def _find_patient(case: SafetyCase, intake: Intake) -> Patient:
    """The patient an amount is meant for: one whose age is stated around it, else the patient of the question."""
    reading = case.reading
    segment = reading.segments[intake.segment]
    bound = reading.bound_states(intake.segment, segment.start + intake.start)
    for how in BINDINGS[:7]:
        states = [s for s in bound.get(how, ()) if s.key in ("age_years", "weight_kg")]
        if any(s.key == "age_years" for s in states) and not (segment.kind == "row" and how == "same"):
            return add_states(reading, reading.patient, states)
    weights = [s for s in reading.states if s.key == "weight_kg"]
    if weights and reading.patient.measure("weight_kg") is None:
        return add_states(reading, reading.patient, weights[:1])
    return reading.patient


def _assume_age(patient: Patient, rule: SafetyRule) -> Callable[[str], float | None]:
    # An adult is assumed where no age is known; a dose by body weight is a child's.
    assumed = _ASSUMED_CHILD if rule.unit == "mg/kg/day" else _ASSUMED_AGE

    def measure(name: str) -> float | None:
        value = patient.measure(name)
        return assumed if value is None and name == "age_years" else value

    return measure


def _make_dose(
    case: SafetyCase,
    flag: str,
    intake: Intake,
    rule: SafetyRule,
    target: str,
    ratio: float,
    more: Features,
) -> SafetyFinding:
    reading = case.reading
    segment = reading.segments[intake.segment]
    start, end = segment.start + intake.start, segment.start + intake.end
    features = dict(reading.around(intake.segment, start, end))
    own = [n for n in case.by_lead.get(intake.drug, ()) if reading.drugs[n].segment == intake.segment]
    near = own or [n for n in case.by_lead.get(intake.drug, ()) if reading.drugs[n].segment <= intake.segment][-1:]
    if near:
        best = max(near, key=case.use)
        features |= {f"N {k}": v for k, v in case.mention_features(best).items() if k.startswith("s:")}
    features["D mention here"] = float(bool(own))
    features["D is max"] = float(intake.is_max)
    features[f"D how {intake.how}"] = 1.0
    features["D ratio"] = min(3.0, math.log(max(ratio, 1.0)))
    features["D barely"] = float(ratio < 1.1)
    features |= {f"flag {flag}": 1.0} | more
    place = MentionPlace(start, end, intake.segment, {})
    return SafetyFinding("dose", flag, intake.drug, target, place, features, "high", rule, None, target, intake.drug)


def _find_implausible(case: SafetyCase, intake: Intake) -> Iterator[SafetyFinding]:
    reading = case.reading
    if intake.how not in ("plain", "tablets", "times of the day", "meals", "clock times"):
        return
    routes = reading.doses[intake.segment].routes
    text = reading.segments[intake.segment].text
    for rule in case.book.by_drug["bounds"].get(intake.drug, ()):
        if rule.unit == "units":
            size = intake.units
        elif rule.unit == "mg/hour":
            size = intake.mg if intake.per_day == 24.0 else None
        else:
            fits = _NEEDLE & set(routes) if rule.unit == "mg injected" else not ODD_ROUTES & set(routes)
            size = intake.mg if fits and intake.mg and intake.per_day != 24.0 else None
        if size is None or (intake.weekly and rule.per_day):
            continue
        if intake.per_kg:
            if _BY_SURFACE.search(text):
                continue
            size *= _SMALL_KG
        if rule.per_day and (intake.per_day is None or intake.per_day < rule.per_day):
            continue
        whole_day = "a day" in text[intake.end : intake.end + 8]
        limit = rule.limit * ((rule.per_day or _MOST_DOSES) if whole_day else 1)
        if size > limit:
            target = f"{size:g}>{rule.limit:g} {rule.unit}"
            yield _make_dose(case, "IMPLAUSIBLE_DOSE", intake, rule, target, size / limit, {})
            return
