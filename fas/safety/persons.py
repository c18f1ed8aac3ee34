"""Drugs that a patient must not take: contraindications, pregnancy, populations, ages.

A drug may be meant for the patient of the question, and for anyone whom the answer names in the sentence, in what
governs it, or in a neighbouring sentence. A regression decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fas.safety.case import SafetyCase, SafetyFinding
from fas.safety.patient import Fact, Features, Patient, describe_state
from fas.safety.relations import Drug, RelationReading
from fas.safety.rules import SafetyRule
from fas.safety.states import State


@dataclass(frozen=True, slots=True)
class Person:
    """A person whom a drug may be meant for.

    Attributes:
        patient: What is known of them.
        how: How they were bound to the drug; `question` for the patient that the question speaks of.
        features: Features of the context of these states.
    """

    patient: Patient
    how: str
    features: Features


def list_people(case: SafetyCase, n: int) -> list[Person]:
    """The people whom the drug of mention *n* may be meant for: the patient of the question, those in the answer."""
    reading, drug = case.reading, case.reading.drugs[n]
    found = [Person(reading.patient, "question", {"b:question": 1.0})]
    for how, states in reading.bound_states(drug.segment, drug.start).items():
        nearest = sorted(states, key=lambda s: abs(s.start - drug.start))[:8]
        made = add_states(reading, Patient(), nearest)
        near = nearest[0]
        around = reading.around(near.segment, near.start, near.end)
        features: Features = {f"b:{how}": 1.0, f"use b:{how}": case.use(n)}
        features |= {f"S {k}": v for k, v in around.items() if k.startswith(("c:", "l=", "r=", "l1", "r1"))}
        features |= {f"S s:{name}": p for name, p in case.state_stance(around).items()}
        features["S left"] = float(near.start < drug.start)
        features["S far"] = min(1.0, abs(near.start - drug.start) / 200)
        features["S others"] = float(len({s.key for s in states}) > 1)
        found.append(Person(made, how, {k: v for k, v in features.items() if v}))
    return found


def add_states(reading: RelationReading, patient: Patient, states: Sequence[State]) -> Patient:
    """*patient* with further states of the answer. Of two values of a measurement the first counts."""
    facts = [Fact(s.key, reading.text.plain[s.start : s.end]) for s in states if s.value is None]
    measures: dict[str, tuple[float, str]] = {}
    for s in states:
        if s.value is not None:
            measures.setdefault(s.key, (s.value, reading.text.plain[s.start : s.end]))
    return patient.with_facts(reading.conditions, facts, measures)


def find_restrictions(case: SafetyCase) -> Iterator[SafetyFinding]:
    """CONTRAINDICATED, PREGNANCY_RISK, POPULATION_RISK and AGE_RESTRICTED."""
    for lead in case.by_lead:
        for n in case.places(lead):
            drug = case.reading.drugs[n]
            own = case.mention_features(n)
            for person in list_people(case, n):
                yield from check_person(case, drug, own, person)


def check_person(case: SafetyCase, drug: Drug, own: Features, person: Person) -> Iterator[SafetyFinding]:
    """Findings of the tables on conditions, pregnancy, populations and ages for the drug and the person."""
    asker, patient, mention = case.reading.patient, person.patient, drug.mention

    def made(
        code: str, name: str, target: str, severity: str, rule: SafetyRule, words: str, more: Features
    ) -> SafetyFinding:
        flag = code.split(".")[0]
        features = {**own, **person.features, f"flag {flag}": 1.0, f"sev {severity}": 1.0, **more}
        if person.how == "question" and not more.get("family"):  # of a relative nothing else is asked
            features |= _describe_question(case, words if code.startswith("CONTRA") else _find_words(rule, patient))
            features["use b:question"] = own.get("s:use", 0.0)
        status = "family" if more.get("family") else None
        return SafetyFinding("person", code, name, target, drug, features, severity, rule, status, words, mention.lead)

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


def _find_words(rule: SafetyRule, patient: Patient) -> str:
    """The words of the state by which a rule applies."""
    for test in (test for group in rule.scope.groups for test in group):
        if test in patient.facts:
            return patient.facts[test].text
        for name, text in patient.measure_texts.items():
            if test.startswith(name):
                return text
    return ""


def _describe_question(case: SafetyCase, words: str) -> Features:
    """Features of the state by which a rule applies; of several places, the one most likely to be about the reader."""
    question = case.reading.question
    places = [(s.start, s.end) for s in case.reading.question_states if question[s.start : s.end] == words]
    if not places:
        at = question.find(words) if words else -1
        return {} if at < 0 else _describe_told(case, at, at + len(words))
    found = [_describe_told(case, *place) for place in dict.fromkeys(places)]
    return max(found, key=lambda features: features.get("Q s:reader", 0.0))


def _describe_told(case: SafetyCase, start: int, end: int) -> Features:
    told = describe_state(case.reading.question, start, end)
    made = {f"Q {name}": value for name, value in told.items()}
    return made | {f"Q s:{name}": p for name, p in case.state_stance(told).items()}
