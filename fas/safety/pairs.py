"""DRUG_PAIR_CONTRAINDICATED and INTERACTION: two drugs that must not, or had better not, meet in one patient."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fas.records import Flag
from fas.safety.case import Case, Severity, cite
from fas.safety.cues import REPORTED
from fas.safety.matcher import Mention
from fas.safety.meetings import Meetings
from fas.safety.offered import is_offered
from fas.safety.patient import Patient
from fas.safety.reading import Statement
from fas.safety.rules import Rule
from fas.safety.spoken_well import speaks_well

_PAUSE = re.compile(
    r"\b(?:wait(?:ing)?|wash-?out|leave|allow|after)\b[^.;]{0,30}\b(?:\d+|one|two|three|four|five|six|few|"
    r"several)[- ](?:hours?|days?|"
    r"weeks?)\b|\bwash-?out\b|\b(?:when|once|until|after) (?:the |your |his |her )?INR\b",
    re.IGNORECASE,
)
# What is taken is left out for the time.
_STOPS = re.compile(
    r"\b(?<!n't )(?<!not )(?<!never )(?:stop|pause|hold|leave|skip|interrupt|discontinue|withhold|suspend|come "
    r"off)\b(?!ing)",
    re.IGNORECASE,
)
# They act for weeks after the last dose.
_LINGERING = frozenset(
    "phenelzine tranylcypromine isocarboxazid selegiline rasagiline moclobemide linezolid fluoxetine amiodarone".split()
)
# A plan for changing over: "the two cannot be given together ... washout"
_NOT_TOGETHER = re.compile(
    r"\b(?:cannot|can't|must not|mustn't|should not|shouldn't|never) (?:\w+ )?(?:be )?(?:(?:given|taken|used|combined) "
    r"(?:together|at the same time)|overlap)\b.{0,400}\b(?:wash-?out|drug-free)\b",
    re.IGNORECASE | re.DOTALL,
)
_WITH = re.compile(
    r"\b(?:with|alongside|on top of|while (?:you are |on |also )*(?:taking|on)|and)\s+"
    r"(?:your |the |an? )?(?:[\w-]+ ){0,2}$",
    re.IGNORECASE,
)
_SWITCHES = re.compile(
    r"\b(?:switch\w*|chang(?:e|ed|ing)|swap\w*|convert\w*|replac\w+)\b[^.;]{0,40}\b(?:to|with|by|for|"
    r"over)\b",
    re.IGNORECASE,
)
_MONITORED = re.compile(
    r"\b(?:monitor\w*|re-?check\w*|check(?:ed|ing|s)?|watch(?:ed|ing)? (?:for|out)|blood tests?|supervis\w+|"
    r"guidance of|K\+? and "
    r"(?:creatinine|Cr)|"
    r"(?:potassium|creatinine|INR|levels?) (?:at|after|in|every)|labs?)\b(?! not| is not|:)",
    re.IGNORECASE,
)
# In one sentence with both drugs: they are taken by one patient.
_JOINS = re.compile(
    r"\b(?:with|together|combin\w+|plus|alongside|on top of|mix\w*|adding|added|addition|along|hand in hand|"
    r"simultaneous\w*|at the same time|"
    r"(?:patients?|people|those|anyone|someone|men|women) (?:who )?(?:\w+ )?(?:on|tak\w+|us\w+|receiv\w+)|your|does "
    r"not|do not|doesn't|need not|while)\b|\+",
    re.IGNORECASE,
)
_AT_ONCE = re.compile(
    r"\b(?:together|combin\w+|simultaneous\w*|at the same time|in the same|concurrent\w*|mix\w*|both at once|"
    r"(?:tak|us|giv|hav)(?:e|es|ing) (?:\w+ ){0,2}both|on both|both (?:be )?(?:taken|used|given))\b",
    re.IGNORECASE,
)
_OPTIONS = re.compile(
    r"\b(?:or|either|such as|including|options?|choices?|include|class|versus|vs|e\.g\.|like|examples?|related|"
    r"group|called|known as|brand)\b",
    re.IGNORECASE,
)
# Up to a drug that is taken already: "for patients taking X", "while continuing X", "does not interfere with X".
_TAKEN_BY = re.compile(
    r"(?:\b(?:patients?|people|those|anyone|someone|somebody|adults?|women|men|persons?|individuals)\s(?:who\s(?:are\s|is\s)?)?"
    r"(?:also\s|already\s|currently\s)?(?:tak(?:e|es|ing)|on|receiv(?:e|es|ing)|us(?:e|es|ing)|treated with|"
    r"stabili[sz]ed on|"
    r"established on|maintained on|stable on)|"
    r"\b(?:while|whilst|when|even if|if|as|since|because)\s(?:(?:you|he|she|they|the patient)(?:['’]re|\sare|['’]s|"
    r"\sis)?\s)?(?:also\s|still\s|already\s|currently\s)?"
    r"(?:continuing|taking|take|takes|on|using|receiving|staying on|remaining on)(?:\swith)?|"
    r"\b(?:add(?:ed|ing)?|adding)\b[^.;]{0,40}\sto|"
    r"(?:\b(?:no|not|n't|without)\s(?:\w+\s){0,2}?(?:interfer\w+|interact\w*|clash\w*|interactions?|problems?|conflict\w*)\swith))\s+"
    r"(?:(?:your|the|his|her|their|an?|existing|current|regular|usual|daily|oral|long-term)\s)*"
    r"(?:\d[\d.,]*\s?(?:mg|mcg|g|units)\s(?:of\s)?)?$",
    re.IGNORECASE,
)
_NOT_THEN = re.compile(
    r"\b(?:not|n't|never|except|unless|only|avoid\w*|contra-?indicated|unsafe|stop\w*|careful\w*|"
    r"caution\w*)\b[^,;:]{0,40}$",
    re.IGNORECASE,
)
_WARNED = re.compile(
    r"\b(?:but|however|unless|except|avoid\w*|caution\w*|careful\w*|ask|talk|tell|check|consult|not recommended|"
    r"contra-?indicated|"
    r"monitor\w*|lower|reduc\w+|should not|must not|never|can interact|may interact|interacts?)\b",
    re.IGNORECASE,
)
_APART = re.compile(
    r"\b(?:not|n't|never|avoid\w*|but|without|unlike|compared|than|hours? (?:after|before|apart|later|between)|if|"
    r"unless)\b|[.;:]",
    re.IGNORECASE,
)
_ALTERNATIVE = re.compile(
    r"\b(?:or(?! (?:twice|two|three|four|half|\d|more|less))|alternatively|alternative|instead|"
    r"another option|other options?|either|versus|vs)\b",
    re.IGNORECASE,
)


def pairs(case: Case) -> Iterator[Flag]:
    """One flag for each two drugs that must not be combined, both advised or one taken already.

    Pairs whose labels only warn of each other raise INTERACTION, which is less severe; a forbidden pair does not.
    """
    seen: set[frozenset[str]] = set()
    yield from _combined(case, case.book.pairs, "DRUG_PAIR_CONTRAINDICATED", seen)
    yield from _combined(case, case.book.interactions, "INTERACTION", seen)


def _combined(case: Case, rules: Sequence[Rule], code: str, seen: set[frozenset[str]]) -> Iterator[Flag]:
    if _NOT_TOGETHER.search(case.reading.text.plain):
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
                if rule.severity == "low" and code == "INTERACTION" and _MONITORED.search(case.reading.text.plain):
                    continue  # what is watched for is dealt with
                if code == "INTERACTION" and (
                    _warns_pair(case, *names)
                    or _warns_pair(case, *names[::-1])
                    or (current is None and _SWITCHES.search(case.reading.segments[statement.segment].text))
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
    switched = _SWITCHES.search(case.reading.segments[statement.segment].text) is not None
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
    if re.search(r"\band\W+(?:\w+ ){0,2}$", between) and not _AT_ONCE.search(text):
        return False  # "X and Y can be used": each of them
    return _WITH.search(between) is not None and not (_ALTERNATIVE.search(between) or _APART.search(between))


def _called_compatible(case: Case, statement: Statement) -> bool:
    """Whether the sentence says of two drugs that they go together ("goes well with", "a standard combination")."""
    text = case.reading.segments[statement.segment].text
    return (
        _JOINS.search(text) is not None
        and speaks_well(text, statement.mention.start - case.reading.segments[statement.segment].start)
        and _OPTIONS.search(text) is None
        and not REPORTED.search(text)
    )


def _taken_beside(case: Case, statement: Statement, other: Statement) -> bool:
    """Whether the sentence gives the drug to people who take the other one ("to patients taking X", "on X")."""
    if (
        other.segment != statement.segment
        or other.mention.lead == statement.mention.lead
        or other.directive.polarity == "negative"
        or (other.directive.strength == "strong" and not other.directive.as_prescribed)
    ):
        return False
    segment = case.reading.segments[statement.segment]
    before = segment.text[: other.mention.start - segment.start]
    taken = _TAKEN_BY.search(before)
    if taken is None or _NOT_THEN.search(before[: taken.start()]):
        return False
    first, second = sorted((statement, other), key=lambda s: s.mention.start)
    between = case.reading.text.plain[first.mention.end : second.mention.start]
    if other is second:
        return not (_WARNED.search(between) or _ALTERNATIVE.search(between))
    return not (_ALTERNATIVE.search(between) or re.search(r"[;]|\b(?:instead|rather|stop\w*|switch\w*|but)\b", between))


def _stopped_before(case: Case, mention: Mention, statement: Statement) -> bool:
    """Whether the answer stops what is taken and has the other drug begun only then; of a MAOI, only after a pause."""
    stopped = [s for s in case.negative if s.mention.lead == mention.lead and s.segment <= statement.segment]
    if stopped and _PAUSE.search(case.reading.text.plain):
        return True
    lingers = {mention.lead, *mention.ingredients} & _LINGERING
    return not lingers and any(_STOPS.search(case.reading.segments[s.segment].text) for s in stopped)


def _together(case: Case, a: Statement, b: Statement) -> bool:
    first, second = sorted((a, b), key=lambda s: s.mention.start)
    segments = case.reading.segments
    if a.segment == b.segment:
        between = case.reading.text.plain[first.mention.end : second.mention.start]
        return not _ALTERNATIVE.search(between)
    one, two = segments[first.segment], segments[second.segment]
    if one.kind in ("item", "row") and two.kind in ("item", "row") and one.block == two.block:
        return not re.search(
            r"\b(?:options?|one of|either|choices?|alternatives?|any of|first[- ]line|following)\b",
            one.heading,
            re.IGNORECASE,
        )
    return not _ALTERNATIVE.search(case.reading.text.plain[two.start : second.mention.end + 40])


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
