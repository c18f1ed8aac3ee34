"""What rules would raise if drugs, people and amounts were bound loosely: questions to ask of an answer, not findings.

The rules raise a flag where a sentence tells somebody to take a drug. Much is said otherwise: a drug named in one
sentence and allowed to people in the next, a dose that is only described, a praise that no pattern knows. Here every
sentence that names people, an amount or a drug without advice is taken as if it allowed the drug that it speaks of: the
one that it names, or the one spoken of last. `fas.safety.entailed` decides which of these the text bears out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from fas.reading.pattern_tables import patterns_of
from fas.records import Flag
from fas.safety.asserted import ASSERTED, patient_named, patient_under
from fas.safety.cells import cells, head_of
from fas.safety.cues import CUES
from fas.safety.directive import Directive
from fas.safety.entries import ENTRIES
from fas.safety.flags import find_flags
from fas.safety.matcher import Mention
from fas.safety.patient import Patient
from fas.safety.reading import READING, Link, Reading, Statement
from fas.safety.rules import Condition, RuleBook
from fas.safety.segments import Segment
from fas.safety.stated_doses import STATED_DOSES

LOOSELY = patterns_of(__file__)
_NEAR = 3
"""Sentences behind the one that names a drug in which a pronoun may still stand for it."""

Kind = Literal["people", "patient", "dose"]
_FLAGS: Mapping[Kind, frozenset[str]] = {
    "people": frozenset({"CONTRAINDICATED", "PREGNANCY_RISK", "POPULATION_RISK", "AGE_RESTRICTED"}),
    "patient": frozenset(
        {
            "CONTRAINDICATED",
            "PREGNANCY_RISK",
            "POPULATION_RISK",
            "AGE_RESTRICTED",
            "ALLERGY_CLASS",
            "INTERACTION",
            "DRUG_PAIR_CONTRAINDICATED",
        }
    ),
    "dose": frozenset({"DOSE_ABOVE_MAX", "IMPLAUSIBLE_DOSE"}),
}
# One reason has several names: who is told of one is not told of the next.
_SAME = (_FLAGS["people"], _FLAGS["dose"], frozenset({"INTERACTION", "DRUG_PAIR_CONTRAINDICATED"}))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A flag that loose binding raises and the rules alone do not.

    Attributes:
        kind: Bound to people whom the answer names, to the patient of the question, or an amount.
        flag: What it would be.
        sentence: The sentence that it stands on.
    """

    kind: Kind
    flag: Flag
    sentence: str


@dataclass(frozen=True, slots=True)
class Spoken:
    """The drugs that a segment speaks of: in what it says, and with its amounts."""

    drugs: tuple[Mention, ...]
    dosed: tuple[Mention, ...]


def candidates(reading: Reading, book: RuleBook, raised: tuple[Flag, ...]) -> Iterator[Candidate]:
    """The candidates of one answer, each drug and reason once for each sentence.

    Args:
        reading: What the answer says.
        book: The rules.
        raised: Its flags by the rules; what they tell already is no candidate.
    """
    told = {(family, flag.drug) for flag in raised for family in _families(flag)}
    spoken = _spoken_of(reading)
    bound: tuple[tuple[Kind, Reading | None], ...] = (
        ("people", _of_people(reading, spoken, book.conditions)),
        ("patient", _of_the_patient(reading)),
        ("dose", _of_amounts(reading, spoken)),
    )
    for kind, loosened in bound:
        for flag in find_flags(loosened, book) if loosened is not None else ():
            counted = flag.severity != "info" and flag.status is None
            if counted and flag.flag in _FLAGS[kind] and not any((f, flag.drug) in told for f in _families(flag)):
                yield Candidate(kind, flag, _sentence(reading, flag))


def _families(flag: Flag) -> Iterator[frozenset[str]]:
    yield from (family for family in _SAME if flag.flag in family)
    yield frozenset({flag.flag})


def _spoken_of(reading: Reading) -> list[Spoken]:
    """The drugs that each segment speaks of.

    A segment that names none speaks of the one drug named last, if that was one alone and the segment points back to
    it ("it", "this tablet") or is a label with a word or two ("Pregnancy: safe"). An amount needs nothing that points
    back where the sentence before, or the whole answer, has one drug.
    """
    named = [{mention.lead: mention for mention in own if mention.ingredients} for own in reading.mentions]
    told = (*reading.patient.asked, *reading.patient.drugs)
    asked = {mention.lead: mention for mention in told if mention.ingredients}
    last: tuple[Mention, ...] = tuple(asked.values()) if len(asked) == 1 else ()
    only = len({mention.lead for here in named for mention in here.values()} | asked.keys()) == 1
    since, found = 0, []
    for number, segment in enumerate(reading.segments):
        here = tuple(named[number].values())
        if not here and segment.kind in ("item", "row") and segment.head is not None:
            here = tuple(named[segment.head].values()) if len(named[segment.head]) == 1 else ()
        since = 0 if here else since + 1
        if here:
            last = here if len(here) == 1 else ()
        meant = (only or since <= _NEAR) and LOOSELY.points_back.search(segment.text) is not None
        near = only or since <= 1
        found.append(Spoken(here or (last if meant else ()), here or (last if meant or near else ())))
    return found


def _of_people(reading: Reading, spoken: list[Spoken], conditions: Mapping[str, Condition]) -> Reading | None:
    """The reading in which each segment allows what it speaks of to the people whom it, or its head, names."""
    nobody = Patient()
    statements = []
    for number, segment in enumerate(reading.segments):
        mentions = spoken[number].drugs
        if not mentions or not _is_own_voice(reading, number) or _is_entry(segment.text):
            continue
        for start, end, people in _columns(reading, number, conditions):
            statements += [_allowed(segment, number, m, people, (start, end)) for m in mentions if m.end <= start]
        people = patient_named(segment.text, nobody, conditions)
        if people is nobody and (label := LOOSELY.label.match(segment.text)):
            people = patient_under(label.group(), nobody, conditions) or nobody
        if people is nobody and (head := _head(reading, segment)):
            people = patient_under(head, nobody, conditions) or nobody
        if people is not nobody:
            statements += [_allowed(segment, number, mention, people) for mention in mentions]
    return replace(reading, statements=tuple(statements), patient=nobody) if statements else None


def _of_the_patient(reading: Reading) -> Reading | None:
    """The reading in which each drug that is named without advice is allowed to the patient of the question."""
    patient = reading.patient
    if not (patient.facts or patient.measures or patient.drugs or patient.allergies or patient.allergy_texts):
        return None
    statements = [
        replace(s, directive=Directive("weak", permissive=True, in_entry=True, clause=s.directive.clause))
        if s.directive.strength == "none" and s.mention.ingredients and _is_own_voice(reading, s.segment)
        else s
        for s in reading.statements
    ]
    return replace(reading, statements=tuple(statements)) if statements != list(reading.statements) else None


def _of_amounts(reading: Reading, spoken: list[Spoken]) -> Reading | None:
    """The reading in which each amount is advised, of the drug that its segment speaks of."""

    def owned(link: Link) -> Link:
        mentions = spoken[link.segment].dosed
        if LOOSELY.composition.search(reading.segments[link.segment].text):
            return link
        alone = not link.ingredients and len(mentions) == 1
        return Link(frozenset(mentions[0].ingredients), link.segment) if alone else link

    amounts = tuple((amount, owned(link)) for amount, link in reading.amounts)
    frequencies = tuple((frequency, owned(link)) for frequency, link in reading.frequencies)
    advised = {
        (s.segment, s.mention.lead)
        for s in reading.statements
        if s.directive.strength != "none" and s.directive.polarity != "negative"
    }
    more = []
    for _, link in amounts:
        drug = next(iter(link.ingredients), "")
        text = reading.segments[link.segment].text
        if len(link.ingredients) != 1 or LOOSELY.composition.search(text) or not _is_own_voice(reading, link.segment):
            continue
        if (link.segment, drug) not in advised:
            advised.add((link.segment, drug))
            segment = reading.segments[link.segment]
            mention = Mention(segment.start, segment.end, segment.text, (drug,))
            more.append(_allowed(segment, link.segment, mention, reading.patient))
    if not more and amounts == reading.amounts:
        return None
    return replace(reading, statements=(*reading.statements, *more), amounts=amounts, frequencies=frequencies)


def _is_entry(text: str) -> bool:
    """Whether a segment is a label that asks for a permission, and its answer ("Safe in pregnancy: no")."""
    field = ENTRIES.field.fullmatch(text)
    return field is not None and ASSERTED.allows.search(field["label"]) is not None


def _is_own_voice(reading: Reading, number: int) -> bool:
    """Whether a sentence says something of people in the answer's own voice, and the next does not call it wrong."""
    text = reading.segments[number].text
    after = reading.segments[number + 1].text if number + 1 < len(reading.segments) else ""
    return not (
        CUES.animal.search(text)
        or CUES.reported.search(text)
        or STATED_DOSES.not_told.search(text)
        or READING.after_pregnancy.search(text)
        or LOOSELY.of_others.search(text)
        or READING.taken_back.match(after)
    )


def _columns(reading: Reading, number: int, conditions: Mapping[str, Condition]) -> Iterator[tuple[int, int, Patient]]:
    """The cells of a row that stand in a column headed with people ("Pregnancy"), and those people."""
    segment, plain = reading.segments[number], reading.text.plain
    for start, end in cells(plain, segment) if segment.kind == "row" else ():
        head = head_of(plain, reading.segments, number, start)
        people = patient_under(head, Patient(), conditions)
        # What is asked by the head ("Safe in pregnancy?") is answered by the rules; a word alone tells nothing.
        if people is not None and not ASSERTED.allows.search(head) and " " in plain[start:end].strip():
            yield start, end, people


def _allowed(
    segment: Segment, number: int, mention: Mention, patient: Patient, span: tuple[int, int] | None = None
) -> Statement:
    directive = Directive("weak", permissive=True, in_entry=True, clause=(0, len(segment.text)))
    return Statement(mention, number, directive, span or (segment.start, segment.end), patient)


def _head(reading: Reading, segment: Segment) -> str:
    return reading.segments[segment.head].text if segment.head is not None else segment.heading


def _sentence(reading: Reading, flag: Flag) -> str:
    for number, segment in enumerate(reading.segments):
        left, right = reading.text.span(segment.start, segment.end)
        if left <= flag.start < right:
            head = _head(reading, segment).strip()
            own = segment.text.strip()
            if segment.kind == "row" and flag.start > left:  # a cell
                plain, places = reading.text.plain, range(segment.start, segment.end)
                place = next(at for at in places if reading.text.span(at, at + 1)[0] >= flag.start)
                above = head_of(plain, reading.segments, number, place)
                return f"{above}: {plain[place : place + flag.end - flag.start].strip()}"
            return f"{head} {own}" if head and segment.kind in ("item", "row") else own
    return reading.text.plain[flag.start : flag.end]
