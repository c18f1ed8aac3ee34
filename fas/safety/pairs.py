"""DRUG_PAIR_CONTRAINDICATED and INTERACTION: two drugs that must not, or had better not, meet in one patient."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fas.reading.pattern_tables import patterns_of
from fas.records import Flag
from fas.safety.case import Case, Severity, cite
from fas.safety.cues import CUES
from fas.safety.matcher import Mention
from fas.safety.meetings import Meetings
from fas.safety.offered import is_offered
from fas.safety.patient import Patient
from fas.safety.reading import Statement
from fas.safety.rules import Rule
from fas.safety.spoken_well import speaks_well

PAIRS = patterns_of(__file__)
# They act for weeks after the last dose.
_LINGERING = frozenset(
    "phenelzine tranylcypromine isocarboxazid selegiline rasagiline moclobemide linezolid fluoxetine amiodarone".split()
)


def pairs(case: Case) -> Iterator[Flag]:
    """One flag for each two drugs that must not be combined, both advised or one taken already.

    Pairs whose labels only warn of each other raise INTERACTION, which is less severe; a forbidden pair does not. Of a
    class and its member that meet the same drug ("diclofenac and other NSAIDs"), the member is told.
    """
    seen: set[frozenset[str]] = set()
    found = [
        *_combined(case, case.book.pairs, "DRUG_PAIR_CONTRAINDICATED", seen),
        *_combined(case, case.book.interactions, "INTERACTION", seen),
    ]
    told = {frozenset((flag.drug, flag.target)) for flag in found}
    members = {group.label: group.members for group in case.vocabulary.classes.values()}
    for flag in found:
        both = ((flag.drug, flag.target), (flag.target, flag.drug))
        if not any(frozenset((member, other)) in told for one, other in both for member in members.get(one or "", ())):
            yield flag


def _combined(case: Case, rules: Sequence[Rule], code: str, seen: set[frozenset[str]]) -> Iterator[Flag]:
    if PAIRS.not_together.search(case.reading.text.plain):
        return
    meetings = Meetings(case, rules, seen)
    # A negation in a sentence that speaks well is one that was taken back.
    called = [
        s
        for s in case.reading.statements
        if (s.directive.strength == "none" or s.directive.polarity == "negative") and _called_compatible(case, s)
    ]
    for statement in [*case.strongest(), *called]:
        if code == "INTERACTION" and not (_is_meant(case, statement) or _called_compatible(case, statement)):
            continue
        for other, current in _companions(case, statement, meetings):
            named = frozenset((statement.mention.lead, other.lead))
            for rule, names in meetings.rules_on(statement.mention, other):
                if named in seen:
                    continue
                if rule.severity == "low" and code == "INTERACTION" and PAIRS.monitored.search(case.reading.text.plain):
                    continue  # what is watched for is dealt with
                if code == "INTERACTION" and (
                    _warns_pair(case, *names)
                    or _warns_pair(case, *names[::-1])
                    or (current is None and PAIRS.switches.search(case.reading.segments[statement.segment].text))
                ):
                    continue  # the answer itself keeps them apart
                patient = statement.patient
                second = current or patient
                if not _holds_for_either(rule, patient, second):
                    continue
                seen.add(named)
                drug, target = names
                if current is not None and other.start < statement.mention.start:
                    drug, target = target, drug
                whom = f"together with {target}" if current is not None else f"to a patient who takes {target}"
                message = f"recommends {drug} {whom}; {cite(rule)}"
                if statement.directive.strength == "none":
                    message = f"says that {drug} goes together with {target}; {cite(rule)}"
                status = "inconsistent" if _warns_pair(case, drug, target) else None
                severity: Severity = "high" if code != "INTERACTION" else "low" if rule.severity == "low" else "medium"
                yield case.flag(code, statement, drug, target, severity, message, rule=rule, status=status)


def _is_meant(case: Case, statement: Statement) -> bool:
    """Whether the drug is advised, allowed or dosed, and no example or option among many ("medicines such as X")."""
    directive = statement.directive
    allowed = directive.permissive or directive.allowed or directive.compatible or directive.offered
    return not directive.example and (directive.strength == "strong" or allowed or _is_dosed(case, statement))


def _is_dosed(case: Case, statement: Statement) -> bool:
    """Whether its own sentence says how much of the drug is taken and how often, as a prescription does."""
    segment = case.reading.segments[statement.segment]
    start, end = statement.mention.start - segment.start, statement.mention.end - segment.start
    others = [
        (s.mention.start - segment.start, s.mention.end - segment.start)
        for s in case.reading.statements
        if s.segment == statement.segment and s.mention.lead != statement.mention.lead
    ]
    return is_offered(segment.text, start, end, case.reading.doses[statement.segment], segment.heading, others)


def _companions(case: Case, statement: Statement, meetings: Meetings) -> Iterator[tuple[Mention, Patient | None]]:
    """What the patient takes beside the drug: (drug, None) if already, (drug, patient) if advised too.

    Only what a rule speaks of together with the drug.
    """
    mention = statement.mention
    switched = PAIRS.switches.search(case.reading.segments[statement.segment].text) is not None
    said = statement.directive.strength != "none" and statement.directive.polarity != "negative"
    for taken in statement.patient.drugs if said else ():
        if switched and len(statement.patient.drugs) == 1:
            continue  # "change to X": what was taken is given up
        if meetings.look_at(mention, taken) and not _stopped_before(case, taken, statement):
            yield taken, None
    if statement.directive.permissive or statement.directive.allowed or statement.directive.compatible:
        near = meetings.met_by(mention, meetings.by_drug(case.reading.statements))
        yield from ((other.mention, None) for other in near if _allowed_with(case, statement, other))
    if _called_compatible(case, statement):
        yield from ((other.mention, None) for other in meetings.beside(statement))
    yield from ((o.mention, None) for o in meetings.beside(statement) if _taken_beside(case, statement, o))
    if statement.directive.strength != "strong":
        return
    for other in meetings.met_by(mention, meetings.by_drug(case.positive)):
        if other is statement:
            continue
        if other.directive.polarity == "continuation" or (
            other.directive.strength == "strong" and _together(case, statement, other)
        ):
            yield other.mention, other.patient


def _allowed_with(case: Case, statement: Statement, other: Statement) -> bool:
    """Whether the sentence allows the drug together with another one ("can be taken with warfarin")."""
    if (
        other.segment != statement.segment
        or other.mention.start < statement.mention.end
        or other.mention.lead == statement.mention.lead
        or other.directive.polarity == "negative"
    ):
        return False
    between = case.reading.text.plain[statement.mention.end : other.mention.start]
    text = case.reading.segments[statement.segment].text
    if re.search(r"\band\W+(?:\w+ ){0,2}$", between) and not PAIRS.at_once.search(text):
        return False  # "X and Y can be used": each of them
    return PAIRS.beside.search(between) is not None


def _called_compatible(case: Case, statement: Statement) -> bool:
    """Whether the sentence says of two drugs that they go together ("goes well with", "a standard combination")."""
    text = case.reading.segments[statement.segment].text
    return (
        PAIRS.joins.search(text) is not None
        and speaks_well(text, statement.mention.start - case.reading.segments[statement.segment].start)
        and PAIRS.options.search(text) is None
        and not CUES.reported.search(text)
    )


def _taken_beside(case: Case, statement: Statement, other: Statement) -> bool:
    """Whether the sentence gives the drug to people who take the other one ("to patients taking X", "on X")."""
    if other.directive.polarity == "negative" or other.directive.strength == "strong":
        return False
    segment = case.reading.segments[statement.segment]
    return PAIRS.taken_by.search(segment.text[: other.mention.start - segment.start]) is not None


def _stopped_before(case: Case, mention: Mention, statement: Statement) -> bool:
    """Whether the answer stops what is taken and has the other drug begun only then; of a MAOI, only after a pause."""
    stopped = [s for s in case.negative if s.mention.lead == mention.lead and s.segment <= statement.segment]
    if stopped and PAIRS.pause.search(case.reading.text.plain):
        return True
    lingers = {mention.lead, *mention.ingredients} & _LINGERING
    return not lingers and any(PAIRS.stops.search(case.reading.segments[s.segment].text) for s in stopped)


def _together(case: Case, a: Statement, b: Statement) -> bool:
    first, second = sorted((a, b), key=lambda s: s.mention.start)
    segments = case.reading.segments
    if a.segment == b.segment:
        between = case.reading.text.plain[first.mention.end : second.mention.start]
        return not PAIRS.alternative.search(between)
    start = segments[second.segment].start
    return not PAIRS.alternative.search(case.reading.text.plain[start : second.mention.end + 40])


def _warns_pair(case: Case, drug: str, target: str) -> bool:
    return any(
        drug in s.mention.ingredients and target in case.reading.segments[s.segment].text.lower() for s in case.negative
    )


def _holds_for_either(rule: Rule, one: Patient, two: Patient) -> bool:
    """Whether the rule's scope is met by what either sentence says of the patient."""

    def measure(name: str) -> float | None:
        value = one.measure(name)
        return two.measure(name) if value is None else value

    return rule.scope.holds(lambda key: one.has(key) or two.has(key), measure)
