"""DOSE_ABOVE_MAX and IMPLAUSIBLE_DOSE: more of a drug than its table row allows in a day, a week or at once."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from fas.safety.case import MOST_PLACES, SafetyCase, SafetyFinding, index
from fas.safety.patient import Patient
from fas.safety.persons import person_of
from fas.safety.regimen import ODD_ROUTES, Intake, intakes, routes_fit
from fas.safety.relations import BINDINGS, Features
from fas.safety.rules import SafetyRule

_ASSUMED_AGE = 30.0
_ASSUMED_CHILD = 6.0
_SMALL_KG = 10.0
_CHILD_KG = 40.0
_MOST_DOSES = 4
_NEEDLE = frozenset({"intravenous", "injection"})
_BY_SURFACE = re.compile(r"/ ?m2|per square|m²", re.IGNORECASE)


def doses(case: SafetyCase) -> Iterator[SafetyFinding]:
    """DOSE_ABOVE_MAX and IMPLAUSIBLE_DOSE: more of a drug than its table row allows in a day, a week or at once."""
    found = intakes(case.reading)
    caps = {i.drug: i.daily for i in found if i.is_max and i.daily is not None}
    told: Counter[tuple[object, ...]] = Counter()
    for intake in found:
        # What is said again and again is looked at a few times.
        key = (intake.drug, intake.mg, intake.units, intake.per_day, intake.weekly, intake.is_max, intake.how)
        told[key] += 1
        if told[key] > MOST_PLACES:
            continue
        yield from _above(case, intake, found, caps.get(intake.drug))
        yield from _implausible(case, intake)


def _above(case: SafetyCase, intake: Intake, found: Sequence[Intake], cap: float | None) -> Iterator[SafetyFinding]:
    reading = case.reading
    if not intake.mg:
        return
    patients = _patients_of(case, intake)
    for n in index(case.book.doses).get(intake.drug, ()):
        rule = case.book.doses[n]
        if not routes_fit(reading, rule.route, intake.drug):
            continue
        for how, patient in patients:
            if not rule.scope.holds(patient.has, _assuming(patient, rule)):
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
            per_day = intake.per_day
            told = per_day is not None
            if per_day is None:
                per_day = 1.0 if rule.unit != "mg/week" else None
            if per_day is None:
                continue
            daily = mg * per_day
            if rule.unit == "mg/week":
                if intake.weekly or per_day < 0.9:
                    daily, target = daily * 7, None
                else:
                    target = "weekly drug given daily"
            else:
                target = None
            capped = (
                cap is not None and not intake.is_max and intake.how in ("plain", "tablets") and rule.unit == "mg/day"
            )
            if capped and cap is not None:
                daily = min(daily, max(cap, mg))
            if target is None and daily <= rule.limit * 1.001:
                continue
            ratio = daily / rule.limit if target is None else 7.0
            target = target or f"{daily:g}>{rule.limit:g} {rule.unit}"
            yield _dose(
                case,
                "dose",
                "DOSE_ABOVE_MAX",
                intake,
                rule,
                target,
                ratio,
                {f"D person {how}": 1.0, "D often told": float(told), "D capped": float(capped), f"D {rule.unit}": 1.0},
            )
            return


def _patients_of(case: SafetyCase, intake: Intake) -> list[tuple[str, Patient]]:
    """Whom an amount is for: those whom its own place names, else the patient of the question."""
    reading = case.reading
    segment = reading.segments[intake.segment]
    bound = reading.bound_states(intake.segment, segment.start + intake.start)
    for how in BINDINGS[:7]:
        states = [s for s in bound.get(how, ()) if s.key in ("age_years", "weight_kg")]
        if states and any(s.key == "age_years" for s in states):
            if segment.kind == "row" and how == "same":
                continue
            return [(how, person_of(reading, reading.patient, states))]
    states = [s for s in reading.states if s.key == "weight_kg"]
    return [
        (
            "question",
            person_of(reading, reading.patient, states[:1])
            if states and reading.patient.measure("weight_kg") is None
            else reading.patient,
        )
    ]


def _assuming(patient: Patient, rule: SafetyRule) -> Callable[[str], float | None]:
    # An adult is assumed where no age is known; a dose by body weight is a child's.
    assumed = _ASSUMED_CHILD if rule.unit == "mg/kg/day" else _ASSUMED_AGE

    def measure(name: str) -> float | None:
        value = patient.measure(name)
        return assumed if value is None and name == "age_years" else value

    return measure


def _dose(
    case: SafetyCase,
    family: str,
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
        features |= {f"N {k}": v for k, v in case.mention_features(best).items() if k.startswith(("s:", "c:", "q "))}
    features["D mention here"] = float(bool(own))
    features["D is max"] = float(intake.is_max)
    features[f"D how {intake.how}"] = 1.0
    features["D ratio"] = min(3.0, math.log(max(ratio, 1.0)))
    features["D barely"] = float(ratio < 1.1)
    features |= {f"flag {flag}": 1.0} | more
    return SafetyFinding(
        family,
        flag,
        flag,
        intake.drug,
        target,
        intake.segment,
        start,
        end,
        {k: v for k, v in features.items() if v},
        "high",
        rule,
        None,
        target,
        intake.drug,
    )


def _implausible(case: SafetyCase, intake: Intake) -> Iterator[SafetyFinding]:
    reading = case.reading
    if intake.how not in ("plain", "tablets", "times of the day", "meals", "clock times"):
        return
    routes = reading.doses[intake.segment].routes
    text = reading.segments[intake.segment].text
    for n in index(case.book.bounds).get(intake.drug, ()):
        rule = case.book.bounds[n]
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
            yield _dose(
                case, "dose", "IMPLAUSIBLE_DOSE", intake, rule, f"{size:g}>{rule.limit:g} {rule.unit}", size / limit, {}
            )
            return
