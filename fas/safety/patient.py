"""What a question says about its patient: conditions, measurements, drugs, and the context of each.

A condition that is denied, past or a relative's is kept like any other. Features of its context (`describe_state`)
describe that, and a regression learns what they are worth.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from fas.safety.context import Context
from fas.safety.matcher import Mention
from fas.safety.rules import Condition
from fas.safety.segments import SafetySegment
from fas.safety.states import State, find_states
from fas.safety.text import Text
from fas.text.reading.pattern_tables import load_patterns

PATIENT = load_patterns(__file__)
Features = dict[str, float]
_WORD = re.compile(r"[A-Za-z']+")
_SENTENCE = re.compile(r"[.!?;\n]+(?=\s|$)")
_UNTRUE = frozenset({"denied before", "denied after", "other before", "other after", "past before", "past after"})
"""Modifiers of a state that the patient may not have."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A condition that the patient may have.

    Attributes:
        key: The condition.
        text: The words it was read from.
        family: A relative has it, which counts for this condition.
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
        allergies: Drugs and classes the patient reacts to.
        asked: Drugs and classes the question asks about.
        asks_permission: The question asks whether a drug may be taken.
    """

    facts: Mapping[str, Fact] = field(default_factory=dict)
    measures: Mapping[str, float] = field(default_factory=dict)
    measure_texts: Mapping[str, str] = field(default_factory=dict)
    drugs: tuple[Mention, ...] = ()
    allergies: tuple[Mention, ...] = ()
    asked: tuple[Mention, ...] = ()
    asks_permission: bool = False

    def has(self, key: str) -> bool:
        """Whether the patient (not a relative) may have the condition."""
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
        merged = _close(conditions, [*known.values(), *facts], values, texts)
        return replace(self, facts=merged, measures=values, measure_texts=texts)


def read_question(text: Text, mentions: Sequence[Mention], conditions: Mapping[str, Condition]) -> Patient:
    """The patient of a question. Of several values of a measurement, the one with the fewest doubts counts.

    Args:
        text: The question.
        mentions: Drug names in it.
        conditions: Every condition that can be found.
    """
    plain = text.plain
    facts: list[Fact] = []
    measures: dict[str, tuple[float, str]] = {}
    if smoker := PATIENT.smoker.search(plain):
        measures["smoker"] = (1.0, smoker.group())
    for state in sorted(find_question_states(plain, conditions), key=lambda state: _count_doubts(plain, state)):
        words = plain[state.start : state.end]
        if state.value is not None:
            measures.setdefault(state.key, (state.value, words))
        else:
            around = context_of(plain).said(state.start, state.end)
            family = conditions[state.key].family_counts and any(name.startswith("other") for name in around)
            facts.append(Fact(state.key, words, family))
    drugs, allergies, asked = _sort_drugs(plain, mentions)
    permission = PATIENT.permission.search(plain) is not None
    known = Patient(drugs=drugs, allergies=allergies, asked=asked, asks_permission=permission)
    return known.with_facts(conditions, facts, measures)


@lru_cache(64)
def _as_segment(plain: str) -> tuple[SafetySegment, ...]:
    return (SafetySegment(0, len(plain), plain, "sentence"),)


def find_question_states(plain: str, conditions: Mapping[str, Condition]) -> list[State]:
    """The states that a question names."""
    return find_states(plain, _as_segment(plain), conditions) if plain else []


def _count_doubts(plain: str, state: State) -> int:
    """The number of signs that a state is not the patient's: it is denied, past, or said of another person."""
    elsewhere = _find_people(plain).is_another(state.start)
    return sum(name in _UNTRUE for name in context_of(plain).said(state.start, state.end)) + elsewhere


_OTHERS = frozenset({"kin", "pronoun"})


class _People:
    """Which person the words of a question speak of: `self`, `kin`, `pronoun` or `none`."""

    def __init__(self, plain: str) -> None:
        self._ends = [0, *(match.end() for match in _SENTENCE.finditer(plain)), len(plain) + 1]
        self._found = [(match.start(), str(match.lastgroup)) for match in PATIENT.person.finditer(plain)]
        self.kinds = frozenset(kind for _, kind in self._found)
        spoken = len(plain.rstrip())
        last_sentence = max(end for end in self._ends if end < spoken or end == 0), len(plain)
        first, last = ([match.span() for match in PATIENT.request.finditer(plain)] or [last_sentence])[-1]
        self.asked_for = frozenset(kind for at, kind in self._found if first <= at < last)

    def said_of(self, at: int) -> str:
        """The last person named before *at* in its sentence, else the first one after it."""
        first = max(end for end in self._ends if end <= at)
        last = min(end for end in self._ends if end > at)
        inside = [(place, kind) for place, kind in self._found if first <= place < last]
        before = [kind for place, kind in inside if place <= at]
        return before[-1] if before else inside[0][1] if inside else "none"

    def is_another(self, at: int) -> bool:
        """Whether the words at *at* are about another person than the one the question asks for."""
        who = self.said_of(at)
        for_self = "self" in self.asked_for and not self.asked_for & _OTHERS
        return who in _OTHERS if for_self else who == "self" and bool(self.asked_for & _OTHERS)


@lru_cache(64)
def _find_people(plain: str) -> _People:
    return _People(plain)


def describe_state(question: str, start: int, end: int) -> Features:
    """Features of a state in a question: its context, whom the words are about, and whom the question asks for."""
    left, right = _WORD.findall(question[max(0, start - 60) : start]), _WORD.findall(question[end : end + 60])
    made: Features = {f"c:{name}": near for name, near in context_of(question).said(start, end).items()}
    made |= {f"l={word.lower()}": 1.0 for word in left[-4:]} | {f"r={word.lower()}": 1.0 for word in right[:4]}
    people = _find_people(question)
    who = people.said_of(start)
    made |= {f"who {who}": 1.0, f"who {who} asks {' '.join(sorted(people.asked_for))}": 1.0}
    made |= {f"who {who} of several": 1.0} if people.kinds & _OTHERS else {}
    made |= {"another": 1.0} if people.is_another(start) else {}
    return made | {"in the question": 1.0}


@lru_cache(64)
def context_of(text: str) -> Context:
    """The context triggers of a text, cached."""
    return Context(text)


def _sort_drugs(
    plain: str, mentions: Sequence[Mention]
) -> tuple[tuple[Mention, ...], tuple[Mention, ...], tuple[Mention, ...]]:
    """Drugs in use, drugs reacted to, and drugs asked about, among the names in a question."""
    drugs, allergies, asked = [], [], []
    for mention in mentions:
        ends = [match.end() for match in _SENTENCE.finditer(plain, max(0, mention.start - 400), mention.start)]
        before = plain[ends[-1] if ends else max(0, mention.start - 400) : mention.start]
        close = _SENTENCE.search(plain, mention.end)
        around = context_of(plain).said(mention.start, mention.end)
        if PATIENT.allergic_to.search(before) or PATIENT.allergy_behind.match(plain, mention.end):
            allergies.append(mention)
        elif (close is not None and "?" in close.group()) and not PATIENT.beside.search(before):
            asked.append(mention)
        elif not any(name in around for name in ("stop before", "stop after", "other before", "denied before")):
            drugs.append(mention)
    return tuple(drugs), tuple(allergies), tuple(asked)


def _close(
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
