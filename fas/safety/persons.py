"""Drugs that somebody must not have: contraindications, pregnancy, populations, ages.

Whom a drug may be meant for is bound loosely: the patient of the question, and everybody whom the answer names in the
sentence, in what governs it, or beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fas.safety.allergies import find_allergies
from fas.safety.case import SafetyCase, SafetyFinding, list_case_features
from fas.safety.patient import Fact, Patient
from fas.safety.relations import Drug, Features, RelationReading
from fas.safety.rules import SafetyRule
from fas.safety.segments import SafetySegment
from fas.safety.states import State, find_states


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody a drug may be meant for.

    Attributes:
        patient: What is known of them.
        how: How they were bound to the drug; `question` for the patient that the question speaks of.
        states: The states of the answer that they were made of.
        features: What stands around these states.
    """

    patient: Patient
    how: str
    states: tuple[State, ...]
    features: Features


def people(case: SafetyCase, n: int) -> list[Person]:
    """Whom the drug of mention *n* may be meant for: the patient of the question, and those whom the answer names."""
    reading, drug = case.reading, case.reading.drugs[n]
    found = [Person(reading.patient, "question", (), {"b:question": 1.0})]
    for how, states in reading.bound_states(drug.segment, drug.start).items():
        nearest = sorted(states, key=lambda s: abs(s.start - drug.start))[:8]
        made = person_of(reading, Patient(), nearest)
        near = nearest[0]
        around = reading.around(near.segment, near.start, near.end)
        features: Features = {f"b:{how}": 1.0, f"use b:{how}": case.use(n)}
        features |= {f"S {k}": v for k, v in around.items() if k.startswith(("c:", "l=", "r=", "l1", "r1"))}
        features |= {f"S s:{name}": p for name, p in case.state_stance(around).items()}
        features["S left"] = float(near.start < drug.start)
        features["S far"] = min(1.0, abs(near.start - drug.start) / 200)
        features["S others"] = float(len({s.key for s in states}) > 1)
        found.append(Person(made, how, tuple(nearest), {k: v for k, v in features.items() if v}))
        if reading.patient.facts or reading.patient.measures:
            both = person_of(reading, reading.patient, nearest)
            found.append(Person(both, how, tuple(nearest), {**{k: v for k, v in features.items() if v}, "b:both": 1.0}))
    return [*found, *_told_loosely(case)]


def _told_loosely(case: SafetyCase) -> list[Person]:
    """A person for each state in the question that its reader did not take for the patient's."""
    if case.loose is None:
        asker, question = case.reading.patient, case.reading.question
        case.loose = []
        for state in find_states(
            question, [SafetySegment(0, len(question), question, "sentence")], case.reading.conditions
        ):
            if asker.has(state.key) if state.value is None else asker.measure(state.key) == state.value:
                continue
            words = question[state.start : state.end]
            if state.value is None:
                patient = asker.with_facts(case.reading.conditions, [Fact(state.key, words)], {})
            else:
                patient = asker.with_facts(case.reading.conditions, [], {state.key: (state.value, words)})
            told = list_case_features(question, state.start, state.end)
            features: Features = {"b:question": 1.0, "b:loosely": 1.0}
            features |= {f"L {name}": value for name, value in told.items()}
            features |= {f"L s:{name}": p for name, p in case.state_stance(told).items()}
            features["L same measure"] = float(state.value is not None and asker.measure(state.key) is not None)
            case.loose.append(Person(patient, "loosely", (), {k: v for k, v in features.items() if v}))
            if len(case.loose) >= 12:
                break
    return case.loose


def person_of(reading: RelationReading, patient: Patient, states: Sequence[State]) -> Patient:
    """*patient* with states that an answer names; of two values of one measurement the first counts."""
    facts = [Fact(s.key, reading.text.plain[s.start : s.end]) for s in states if s.value is None]
    measures: dict[str, tuple[float, str]] = {}
    for s in states:
        if s.value is not None:
            measures.setdefault(s.key, (s.value, reading.text.plain[s.start : s.end]))
    return patient.with_facts(reading.conditions, facts, measures)


def for_people(case: SafetyCase) -> Iterator[SafetyFinding]:
    """CONTRAINDICATED, PREGNANCY_RISK, POPULATION_RISK, AGE_RESTRICTED, ALLERGY_CLASS: what a person must not have."""
    for lead in case.by_lead:
        for n in case.places(lead):
            drug = case.reading.drugs[n]
            own = case.mention_features(n)
            for person in people(case, n):
                yield from against(case, drug, own, person)
            yield from find_allergies(case, drug, own)


def against(case: SafetyCase, drug: Drug, own: Features, person: Person) -> Iterator[SafetyFinding]:
    """What the tables on conditions, pregnancy, populations and ages say against the drug for the person."""
    asker, patient, mention = case.reading.patient, person.patient, drug.mention

    def made(
        code: str, name: str, target: str, severity: str, rule: SafetyRule, words: str, more: Features
    ) -> SafetyFinding:
        flag = code.split(".")[0]
        features = {**own, **person.features, f"flag {flag}": 1.0, f"sev {severity}": 1.0, **more}
        if person.how == "question":
            features |= _question_features(case, words)
            features["use b:question"] = own.get("s:use", 0.0)
        status = "family" if more.get("family") else None
        place = (drug.segment, drug.start, drug.end)
        return SafetyFinding(
            "person", flag, code, name, target, *place, features, severity, rule, status, words, mention.lead
        )

    def fresh(rule: SafetyRule) -> bool:
        if not rule.scope.holds(patient.has, patient.measure):
            return False
        return person.how == "question" or not rule.scope.holds(asker.has, asker.measure)

    for name, rule in case.applicable(mention, "contraindications"):
        fact = patient.facts.get(rule.target)
        if fact is None or not rule.scope.holds(patient.has, patient.measure):
            continue
        if person.how != "question" and rule.target in asker.facts and rule.scope.holds(asker.has, asker.measure):
            continue
        condition = case.book.conditions[rule.target]
        if fact.family and not condition.family_counts:
            continue
        boxed = rule.section == "boxed_warning"
        code, severity = ("CONTRAINDICATED.boxed", "medium") if boxed else ("CONTRAINDICATED", "high")
        passing = float(rule.target.startswith("active_"))
        more: Features = {"family": float(fact.family), "given": float(fact.given), "passing": passing}
        yield made(code, name, rule.target, severity, rule, fact.text.strip(), more)
    for name, rule in case.applicable(mention, "pregnancy"):
        if fresh(rule):
            severity = "medium" if rule.severity == "info" else "high"
            yield made("PREGNANCY_RISK", name, "pregnancy", severity, rule, "pregnancy", {})
    for name, rule in case.applicable(mention, "populations"):
        if fresh(rule):
            more = {f"pop {rule.target}": 1.0}
            yield made("POPULATION_RISK", name, rule.target, "medium", rule, rule.target, more)
    for name, rule in case.applicable(mention, "ages"):
        if fresh(rule) and not patient.has("breastfeeding"):
            words = patient.measure_texts.get("age_years", "this age").strip()
            yield made("AGE_RESTRICTED", name, rule.target, "high", rule, words, {})


def _question_features(case: SafetyCase, words: str) -> Features:
    question = case.reading.question.lower()
    at = question.find(words.lower()) if words else -1
    made = {"Q stated": float(at >= 0)}
    if at >= 0:
        told = list_case_features(case.reading.question, at, at + len(words))
        made |= {f"Q {name}": value for name, value in told.items() if name.startswith("c:")}
        made |= {f"Q s:{name}": p for name, p in case.state_stance(told).items()}
    return made
