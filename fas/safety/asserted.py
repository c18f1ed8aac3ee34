"""What a sentence of the answer itself says of the patient it advises."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from fas.reading.pattern_tables import patterns_of
from fas.safety.clauses import clause_of
from fas.safety.directives import SentenceReader
from fas.safety.facts import denied, find_conditions
from fas.safety.measures import find_measures
from fas.safety.patient import Fact, Patient
from fas.safety.quantities import COUNTS
from fas.safety.rules import Condition
from fas.safety.segments import Segment

ASSERTED = patterns_of(__file__, COUNTS="|".join(COUNTS))
_OLD_AGE = 80.0  # years
_GROWN = 18.0
_AGE_WORDS = (
    (ASSERTED.toddlers, 2.0),
    (ASSERTED.infants, 0.5),
    (ASSERTED.newborns, 0.05),
    (ASSERTED.children, 6.0),
    (ASSERTED.one_child, 6.0),
    (ASSERTED.schoolchildren, 8.0),
    (ASSERTED.preschoolers, 4.0),
    (ASSERTED.teenagers, 15.0),
    (ASSERTED.old, _OLD_AGE),
)


# Who takes something "for the flu" has the flu, and a rule on children with it is meant for him.
_TREATED = "viral_infection"
_STEP = 0.01


def stated_facts(segments: Sequence[Segment], patient: Patient, conditions: Mapping[str, Condition]) -> Patient:
    """The patient with what the answer gives as known ("because you have asthma")."""
    facts = []
    for segment in segments:
        if not ASSERTED.gives.search(segment.text):
            continue
        assessment = ASSERTED.assessment.match(segment.text) is not None
        for key, start, end in find_conditions(segment.text, conditions):
            before = segment.text[:start]
            if (assessment or ASSERTED.states_fact.search(before)) and not denied(segment.text, start, end):
                facts.append(Fact(key, segment.text[start:end]))
    return patient.with_facts(conditions, facts, {}) if facts else patient


def local_patient(
    reader: SentenceReader, place: int, sentence: str, patient: Patient, conditions: Mapping[str, Condition]
) -> Patient:
    """The patient with the conditions under which the sentence itself gives its advice."""
    own = reader.clause_number(place)
    facts = [
        Fact(key, sentence[start:end])
        for key, start, end in find_conditions(sentence, conditions)
        if _asserted(reader, own, sentence, start, end, population=ASSERTED.populations.search(key) is not None)
        or (
            key == _TREATED
            and ASSERTED.against.search(sentence[:start])
            and not ASSERTED.excepted.search(sentence[:start])
        )
    ]
    measures = {
        name: (_beside_limit(value, sentence[start:end]), sentence[start:end])
        for name, value, start, end in find_measures(sentence)
        if _asserted(reader, own, sentence, start, end, measured=True, aged=name in ("age_years", "weight_kg"))
        # "contraindicated when the eGFR is below 30" gives a limit, which is no new value of a known one.
        and not (patient.measure(name) is not None and ASSERTED.limit.search(sentence[start:end]))
    }
    measures |= _aged(sentence, patient, measures)
    if not facts and not measures:
        return patient
    return patient.with_facts(conditions, facts, measures)


def _aged(sentence: str, patient: Patient, found: Mapping[str, object]) -> dict[str, tuple[float, str]]:
    """The age that a sentence names in words ("children under 12", "toddlers may have it"), unless one is known."""
    under = ASSERTED.children_under.search(sentence)
    if under and not ASSERTED.excepted.search(sentence[: under.start()]):
        return {"age_years": (_years(under) - _STEP, under.group())}
    if patient.measure("age_years") is not None:
        return {}
    if (from_age := ASSERTED.from_age.search(sentence)) and not ASSERTED.excepted.search(sentence[: from_age.start()]):
        years = COUNTS.get(from_age["n"].lower()) or float(from_age["n"])
        return {"age_years": (years, from_age.group())} if years < _GROWN else {}
    for pattern, age in _AGE_WORDS if "age_years" not in found else ():
        match = pattern.search(sentence)
        if (
            match
            and (
                re.search(r"\b(?:for|in|to|by|your|give)\b[^.;]{0,40}$", sentence[: match.start()], re.I)
                or not re.search(r"\w", sentence[: match.start()])
            )
            and not ASSERTED.ages_follow.match(sentence, match.end())
            and not ASSERTED.excepted.search(sentence[: match.start()])
            and not re.search(r"\b(?:harm|risk|danger|exposure|transfer|pass)\w*\b", sentence[: match.start()], re.I)
        ):
            return {"age_years": (age, match.group())}
    return {}


def _beside_limit(value: float, words: str) -> float:
    """A value on that side of a limit which the words name: "an eGFR below 30" is not 30."""
    if ASSERTED.below.search(words):
        return value - _STEP
    return value + _STEP if ASSERTED.above.search(words) else value


def excepted(rest: str, patient: Patient, conditions: Mapping[str, Condition]) -> bool:
    """Whether what a sentence says after a drug takes the patient out ("is the choice, but not in pregnancy")."""
    found = ASSERTED.but_not.search(rest)
    if found is None:
        return False
    if re.match(r"\s(?:you|him|her)\b", found["whom"]):
        return True
    return any(patient.has(key) for key, _, _ in find_conditions(found["whom"], conditions))


def patient_under(head: str, patient: Patient, conditions: Mapping[str, Condition]) -> Patient | None:
    """The patient with what the head of a column or row names ("Safe in pregnancy?"); None if it names no condition."""
    found = find_conditions(head, conditions)
    facts = [Fact(key, head[start:end]) for key, start, end in found if not denied(head, start, end)]
    under = ASSERTED.children_under.search(head)
    measures = {} if under is None else {"age_years": (_years(under) - _STEP, under.group())}
    if not measures:
        named = [(age, match.group()) for pattern, age in _AGE_WORDS if (match := pattern.search(head))]
        measures = {"age_years": named[-1]} if named else {}
    return patient.with_facts(conditions, facts, measures) if facts or measures else None


def _years(under: re.Match[str]) -> float:
    text = (under["n"] or under["m"]).lower()
    return COUNTS.get(text) or float(text)


def _without_cleared(sentence: str, start: int, end: int) -> tuple[str, int, int]:
    """The sentence without words that take a warning back before *start*, and where the condition stands in it."""
    before = ASSERTED.cleared.sub(" ", sentence[:start])
    return before + sentence[start:], len(before), len(before) + end - start


def patient_below(head: str, patient: Patient, conditions: Mapping[str, Condition]) -> Patient:
    """The patient with the population that the head of a list allows its items to ("Safe in pregnancy:")."""
    if not ASSERTED.allows.search(head) or ASSERTED.excepted.search(head + " "):
        return patient
    facts = [
        Fact(key, head[start:end])
        for key, start, end in find_conditions(head, conditions)
        if ASSERTED.populations.search(key) and not denied(head, start, end)
    ]
    measures: dict[str, tuple[float, str]] = {}
    if patient.measure("age_years") is None:
        under = ASSERTED.children_under.search(head)
        if under is not None:
            measures["age_years"] = (_years(under) - _STEP, under.group())
        else:
            for pattern, age in _AGE_WORDS:
                if (found := pattern.search(head)) is not None and not ASSERTED.ages_follow.match(head, found.end()):
                    measures["age_years"] = (age, found.group())
    return patient.with_facts(conditions, facts, measures) if facts or measures else patient


def patient_named(sentence: str, patient: Patient, conditions: Mapping[str, Condition]) -> Patient:
    """The patient with every condition and measurement that a sentence names which speaks well of its drug."""
    facts = []
    for key, start, end in find_conditions(sentence, conditions):
        before = sentence[:start]
        if patient.has(key) or (ASSERTED.no_patient.search(before) or ASSERTED.no_patient_after.match(sentence, end)):
            continue
        if ASSERTED.populations.search(key) is None and ASSERTED.indication.search(before):
            continue  # what it is for
        facts.append(Fact(key, sentence[start:end]))
    measures = {
        name: (_beside_limit(value, sentence[start:end]), sentence[start:end])
        for name, value, start, end in find_measures(sentence)
        if patient.measure(name) is None
    }
    measures |= _aged(sentence, patient, measures)
    return patient.with_facts(conditions, facts, measures) if facts or measures else patient


def _asserted(
    reader: SentenceReader, own: int, sentence: str, start: int, end: int, *,
    measured: bool = False, aged: bool = False, population: bool = False,
) -> bool:  # fmt: skip
    """Whether the sentence advises use although, or in case, the condition at *start* holds."""
    token = next((t.i for t in reader.doc if t.idx + len(t) > start), None)
    if token is None:
        return False
    number = clause_of(reader.clauses, token)
    clause = reader.clauses[number]
    opening = reader.clause_span(clause)[0]
    # Conditions joined by "and" to an "if" clause belong to it.
    while (
        number > own
        and not clause.mark
        and number - 1 > own
        and sentence[opening : opening + 4].lower().startswith(("and", "or "))
    ):
        number -= 1
        clause = reader.clauses[number]
        opening = reader.clause_span(clause)[0]
    if sentence[opening : opening + 3].lower() == "and" and number - 1 > own and reader.clauses[number - 1].mark:
        number -= 1
        clause = reader.clauses[number]
        opening = reader.clause_span(clause)[0]
    before = ASSERTED.cleared.sub(" ", sentence[opening:start])
    if clause.mark and re.search(r"\b(?:not|never|except|unless)\W*$", sentence[:opening], re.IGNORECASE):
        return False  # "helps, but not | if you have ..."
    if clause.mark in ("unless", "until", "whether", "which") or (
        clause.mark in ("but", "however", "whereas") and number != own
    ):
        return False
    # "..., but § is fine in" is a clause alone.
    marked = clause.mark and clause.mark not in ("but", "however", "whereas")
    if (
        population
        and number == own
        and not marked
        and ASSERTED.during.search(before)
        and not ASSERTED.excepted.search(before)
    ):
        return True  # "for high blood pressure in pregnancy": what it is for stands before
    if ASSERTED.excepted.search(before) or (not marked and denied(*_without_cleared(sentence, start, end))):
        return False
    if re.search(r"\b(?:test|negative|ruled out)\b", sentence[end : end + 20], re.IGNORECASE):
        return False
    if marked:
        whole = sentence[opening : reader.clause_span(clause)[1]]
        # "although it should be avoided in asthma" warns; "although you have asthma" does not.
        return not re.search(
            r"\b(?:avoid\w*|contraindicated|not|n't|stop\w*|caution|worsen\w*|doctor)\b", whole, re.IGNORECASE
        ) and not (ASSERTED.indication.search(before))
    if ASSERTED.whose.search(sentence[:start]) and not ASSERTED.excepted.search(sentence[:start]):
        return True
    if number != own:
        return False
    if not re.search(r"\w", sentence[:start]) and re.match(r"[\s)*_]*:", sentence[end:]):
        return True  # "Pregnancy: it is fine"
    named = (
        ASSERTED.people.match(sentence, start)
        or ASSERTED.people_in.search(sentence[start:end])
        or ASSERTED.sufferers.match(sentence, end)
        or ASSERTED.on_treatment.match(sentence, start)
    )
    if named and not re.search(r"\b(?:stud\w+|trials?|in)\s*$", before, re.IGNORECASE):
        return True
    match = ASSERTED.introduces.search(before)
    if measured:
        return (
            match is not None
            or re.search(r"\b(?:your|of|is)\s*$", before) is not None
            or (aged and ASSERTED.of_an_age.search(before) is not None)
        )
    return match is not None and not ASSERTED.indication.search(before) and len(match["between"].split()) <= 6
