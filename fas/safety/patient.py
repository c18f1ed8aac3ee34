"""What is known about the patient: conditions, measurements, current drugs, allergies.

Facts come from the question; whose they are (the asker's, a relative's) and whether they are
denied is read from the words around them. The person the question asks treatment for is the
patient; a relative's conditions count only for rules that say so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from fas.safety.facts import (
    find_conditions,
    is_denied,
    is_denied_at,
    is_heard,
    is_of_family,
    is_over,
    is_taken_back,
)
from fas.safety.matcher import Mention
from fas.safety.measures import find_measures
from fas.safety.people import People
from fas.safety.reactions import allergy_texts, is_allergic
from fas.safety.roles import ROLES, roles
from fas.safety.rules import Condition
from fas.safety.text import Text
from fas.text.reading.pattern_tables import load_patterns

# No blood relatives: what they have runs in no family of the patient's.
_BY_MARRIAGE = frozenset({"wife", "husband", "partner", "girlfriend", "boyfriend", "spouse", "fiancee", "fiance"})
_PACED_FOR = frozenset({"av_block", "sick_sinus"})
PATIENT = load_patterns(__file__)
_PROCEDURES = frozenset({"cabg_surgery", "tonsillectomy"})


@dataclass(frozen=True, slots=True)
class Fact:
    """A condition somebody has.

    Attributes:
        key: The condition.
        text: The words it was read from.
        family: A relative has it, not the patient.
        given: It was read from a measurement.
    """

    key: str
    text: str
    family: bool = False
    given: bool = False


@dataclass(frozen=True, slots=True)
class Patient:
    """What is known about the patient.

    Attributes:
        facts: Condition to fact; broader conditions included.
        measures: Measurement to value.
        measure_texts: Measurement to the words it was read from.
        drugs: Drugs and classes the patient already takes.
        allergies: Drugs and classes the patient reacts to; the text where it names neither.
        allergy_texts: Sentences that speak of an allergy.
        asked: Drugs and classes the question asks about.
        asks_permission: The question asks whether a drug may be taken.
    """

    facts: Mapping[str, Fact] = field(default_factory=dict)
    measures: Mapping[str, float] = field(default_factory=dict)
    measure_texts: Mapping[str, str] = field(default_factory=dict)
    drugs: tuple[Mention, ...] = ()
    allergies: tuple[Mention, ...] = ()
    allergy_texts: tuple[str, ...] = ()
    asked: tuple[Mention, ...] = ()
    asks_permission: bool = False

    def has(self, key: str) -> bool:
        """Whether the patient (not a relative) has the condition."""
        fact = self.facts.get(key)
        return fact is not None and not fact.family

    def measure(self, name: str) -> float | None:
        """The value of a measurement, or None."""
        return self.measures.get(name)

    def with_facts(
        self, conditions: Mapping[str, Condition], facts: Sequence[Fact], measures: Mapping[str, tuple[float, str]]
    ) -> Patient:
        """This patient with further facts, which win over a relative's."""
        values = {**self.measures, **{name: value for name, (value, _) in measures.items()}}
        texts = {**self.measure_texts, **{name: text for name, (_, text) in measures.items()}}
        known = {key: fact for key, fact in self.facts.items() if not fact.given or not measures}
        merged = _closed(conditions, [*known.values(), *facts], values, texts)
        return replace(self, facts=merged, measures=values, measure_texts=texts)


def read_question(text: Text, mentions: Sequence[Mention], conditions: Mapping[str, Condition]) -> Patient:
    """The patient that a question speaks of.

    Args:
        text: The question.
        mentions: Drug names in it.
        conditions: Every condition that can be found.
    """
    plain = text.plain
    people = People(plain)
    facts: list[Fact] = []
    named = find_conditions(plain, conditions)
    corrected = {key for key, start, end in named if is_taken_back(plain, start, end)}
    for key, start, end in named:
        if key in corrected:
            continue
        if key in _PACED_FOR and PATIENT.paced.search(plain):
            continue
        if is_denied(plain, start, end) and not (key in _PROCEDURES and PATIENT.planned.search(plain[:start])):
            continue
        if (
            is_over(plain, key, start, end)
            or is_heard(plain, start, end)
            or (people.who(start) in _BY_MARRIAGE and not people.is_patient(start))
        ):
            continue
        family = is_of_family(plain, start, end) or not people.is_patient(start)
        if key == "pregnancy" and PATIENT.own_baby.search(plain[: start + 4]):
            family = people.patient not in ("self", "baby", "child")
        facts.append(Fact(key, plain[start:end], family))
    weeks = PATIENT.obstetric.search(plain) and PATIENT.weeks.search(plain)
    if weeks:
        facts.append(Fact("pregnancy", weeks.group().strip(" ,;(:")))
    values: dict[str, float] = {}
    texts: dict[str, str] = {}
    for name, value, start, end in find_measures(plain):
        if people.is_patient(start) and name not in values:
            values[name], texts[name] = value, plain[start:end]
    smoker = PATIENT.smoker.search(plain)
    if smoker and people.is_patient(smoker.start()) and not is_denied_at(plain, smoker.start()):
        values["smoker"], texts["smoker"] = 1.0, smoker.group()
    drugs, allergies, asked = roles(plain, mentions, people)
    allergic = is_allergic(plain)
    return Patient(
        _closed(conditions, facts, values, texts),
        values,
        texts,
        tuple(drugs),
        tuple(allergies) if allergic else (),
        allergy_texts(plain, people) if allergic else (),
        tuple(asked),
        asks_permission=ROLES.permission.search(plain) is not None,
    )


def _closed(
    conditions: Mapping[str, Condition], facts: Sequence[Fact], values: Mapping[str, float], texts: Mapping[str, str]
) -> dict[str, Fact]:
    """Facts, those that measurements establish, and the broader conditions all of them imply."""
    closed: dict[str, Fact] = {}

    def put(fact: Fact) -> None:
        held = closed.get(fact.key)
        if held is None or (held.family and not fact.family):
            closed[fact.key] = fact
            for broader in conditions[fact.key].implies if fact.key in conditions else ():
                put(Fact(broader, fact.text, fact.family, fact.given))

    for fact in facts:
        put(fact)
    for condition in conditions.values():
        if condition.measure is not None and condition.measure.holds(
            lambda key: key in closed and not closed[key].family, values.get
        ):
            words = [
                texts[name]
                for name in texts
                if any(name in test for group in condition.measure.groups for test in group)
            ]
            put(Fact(condition.key, words[0] if words else condition.label, given=True))
    return closed
