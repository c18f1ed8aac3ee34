"""What is known about the patient: conditions, measurements, current drugs, allergies.

Facts come from the question; whose they are (the asker's, a relative's) and whether they are
denied is read from the words around them. The person the question asks treatment for is the
patient; a relative's conditions count only for rules that say so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fas.safety.matcher import Mention
from fas.safety.rules import Condition
from fas.safety.text import Text

_KIN = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|son|daughter|child|children|kids?|baby|infant|"
    r"toddler|newborn|mother|mom|mum|father|dad|"
    r"sister|brother|grandmother|grandma|grandfather|grandpa|aunt|uncle|cousin|friend|neighbou?r|"
    r"patient|roommate|niece|nephew|parents?|"
    r"grandson|granddaughter|boy|girl|teenager|co-?worker|fianc[eé]e?|family|relatives?)"
)
_PERSON = re.compile(
    rf"\b(?:(?P<self>i|i'm|im|i've|me|myself)|(?P<kin>(?:my|our|his|her|a|an|the)\s+(?:[\w-]+\s+){{0,3}}?{_KIN})|"
    r"(?P<old>\d{1,3}[- ]?(?:year|yr|month|week|day)s?[- ]old|\d{1,2} ?y/?o\b)|(?P<he>he|him|his)|"
    r"(?P<she>she|her)|(?P<they>they|them))\b",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"\b(?:can|could|may|should|would it be|is it|is|are|what|which|how|do|does|will|would)\b[^.?!]*", re.IGNORECASE
)
_DENIED = re.compile(
    r"\b(?:not|n't|never|no|without|denies|deny|negative for|free of|neither|nor|ruled out|"
    r"rather than|stopped being|isn't|wasn't|don't have|unlikely)\b"
    r"(?:\s+(?!but\b|and\b|now\b|because\b|if\b)[\w'/-]+){0,6}\s*$",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    r"^\W*(?:test\s+)?(?:is|was|were|came back|has been|have been)\s+(?:negative|ruled out|excluded|"
    r"normal)\b|^\W*(?:test|screen)\w*\b",
    re.IGNORECASE,
)
_NOT_A_FACT = re.compile(
    r"\b(?:caus(?:e|es|ing|ed)|leads? to|risk (?:of|for)|risks?|prevent(?:s|ing|ion)?(?: of| from)?|"
    r"induc\w+|result in|avoid|worr(?:y|ied) about|afraid of|"
    r"scared of|test(?:ed|ing)? for|screen\w* for|could (?:it|this) be|might be|is it|is this|"
    r"possible|suspect\w*|signs? of|symptoms? of|"
    r"difference between|hoping to|before (?:getting|becoming)|if (?:i|she|he|you|we)(?: \w+){0,2}|"
    r"plan(?:ning)? to(?: \w+)?|in case of|what is|what are|"
    r"what causes|define|vaccine|increase\w*|chance of|get|getting|become|becoming|"
    r"protect\w*(?: against)?|develop(?:ing)?|does|do)\s*(?:\w+\s+){0,3}$",
    re.IGNORECASE,
)
_FAMILY_HISTORY = re.compile(
    r"\b(?:family history|runs in (?:my|the|our) family|in my family|hereditary)\b", re.IGNORECASE
)
_CLAUSE_END = re.compile(
    r"[.;!?\n]|,\s*(?=(?:but|and|however|so|because|i|my|she|he|can|could|is|what|which|should)\b)|\bbut\b|\bhowever\b",
    re.IGNORECASE,
)

_MEASURES: tuple[tuple[str, re.Pattern[str], float], ...] = (
    (
        "egfr",
        re.compile(
            r"\b(?:e?GFR|CrCl|creatinine clearance|"
            r"kidney function)[^\d.;]{0,25}(?P<n>\d{1,3}(?:\.\d)?)(?!\s*(?:weeks|years|mg\b))",
            re.I,
        ),
        1.0,
    ),
    (
        "gestation_weeks",
        re.compile(
            r"\b(?P<n>\d{1,2})(?:\s*\+\s*\d)?[ -]*(?:weeks?|wks?)[ -]*(?:pregnant|gestation|along|"
            r"of (?:pregnancy|gestation)|into (?:my|her|the) pregnancy)",
            re.I,
        ),
        1.0,
    ),
    ("gestation_weeks", re.compile(r"\bpregnan\w+[^\d.;?]{0,20}(?P<n>\d{1,2})[ -]*(?:weeks?|wks?)", re.I), 1.0),
    ("gestation_weeks", re.compile(r"\b(?P<n>\d{1,2})[ -]*months?[ -]*(?:pregnant|along|of pregnancy)", re.I), 4.345),
    (
        "age_years",
        re.compile(
            r"\b(?P<n>\d{1,3})[ -]?(?:years?|yrs?|y/?o|yo)\b(?:[ -]*(?:old|of age|/o))?(?!\s*(?:ago|history|"
            r"supply|later|now))",
            re.I,
        ),
        1.0,
    ),
    (
        "age_years",
        re.compile(
            r"\b(?:aged?|turned|turning|i am|i'm|he is|he's|she is|she's|(?:son|daughter|child|kid|"
            r"baby|boy|girl|wife|husband|mother|mom|father|dad|grandmother|grandfather|brother|"
            r"sister) is) (?P<n>\d{1,3})(?!\s*(?:weeks|months|"
            r"mg|days|kg|lb|pounds|%|\.\d|years|feet|cm))\b",
            re.I,
        ),
        1.0,
    ),
    ("age_years", re.compile(r"\b(?P<n>\d{1,2})[ -]?(?:months?|mos?)[ -]old\b", re.I), 1 / 12),
    ("age_years", re.compile(r"\b(?P<n>\d{1,2})[ -]?(?:weeks?|wks?)[ -]old\b", re.I), 1 / 52),
    ("age_years", re.compile(r"\b(?P<n>\d{1,2})[ -]?days?[ -]old\b", re.I), 1 / 365),
    (
        "potassium",
        re.compile(r"\bpotassium[^\d.;]{0,20}(?P<n>\d(?:\.\d+)?)(?!\d|\s*(?:mg|g\b|meq daily|tablets))", re.I),
        1.0,
    ),
    ("qtc", re.compile(r"\bQTc?[^\d.;]{0,20}(?P<n>[345]\d\d)\b", re.I), 1.0),
    ("weight_kg", re.compile(r"\b(?P<n>\d{1,3}(?:\.\d)?) ?kg\b(?!\s*/)", re.I), 1.0),
    ("weight_kg", re.compile(r"\b(?P<n>\d{2,3}) ?(?:lbs?|pounds)\b", re.I), 0.4536),
)
_SMOKER = re.compile(
    r"\b(?:i smoke|smokes|smoker|smoking (?:a|one|two|half|\d+)|pack(?:s)? (?:a|per) day|cigarettes (?:a|per) day)\b",
    re.IGNORECASE,
)

_ALLERGY = re.compile(
    r"\b(?:allerg(?:ic|y|ies)(?: reactions?)?(?: to)?|anaphyla\w+(?: reaction)?(?: to| from| with|"
    r" after)?|hypersensitiv\w+(?: to)?|"
    r"(?:hives|rash|swelling|swelled up|angioedema)(?: \w+){0,2}? (?:from|with|after|on|"
    r"when i (?:take|took))|react(?:ed|s|ion)?(?: \w+){0,2} to)\b",
    re.IGNORECASE,
)
_STOPPED = re.compile(
    r"\b(?:stopp?ed|quit|no longer|not (?:taking|on)|don't (?:take|use)|never (?:took|taken|used)|"
    r"used to|came off|off of|finished|discontinued|instead of|refuse)\b[^.;,?]{0,30}$",
    re.IGNORECASE,
)
_CURRENT = re.compile(
    r"\b(?:i'?m|i am|i've been|i have been|been|is|are|am|currently|already|also|was|were)?\s*(?:on|"
    r"taking|take|takes|use|uses|using|prescribed|put on|given|"
    r"started|start|inject|injecting|wear|have been on|has been on|get|gets|having|receiving|my|his|"
    r"her)\b[^.;?!]{0,60}$",
    re.IGNORECASE,
)
_PERMISSION = re.compile(
    r"\b(?:can|could|may|should|must|shall|do|would)\s+(?:i|we|he|she|they|my [\w-]+|patients?|"
    r"someone|people|you|a [\w -]{2,40}|one)(?: \w+){0,4}?\s+"
    r"(?:take|use|start|have|give|try|continue|add|switch|get|be given|be on|combine|mix|safely take|"
    r"need|begin|apply|inject|stay on|go on)\b|"
    r"\bis it (?:\w+ )?(?:safe|ok|okay|fine|alright|all right|possible)\b|\b(?:is|"
    r"are)\b[^.;?]{0,60}\b(?:safe|ok|okay|fine|alright|all right|good|suitable|right|recommended|"
    r"allowed)\b|"
    r"\bis there (?:any|a) problem\b|\bany problem\b",
    re.IGNORECASE,
)
_TOGETHER = re.compile(
    r"\b(?:with|while(?: (?:on|taking|using))?|alongside|together with|along with|plus|on top of|"
    r"and my|after|if i(?:'m| am) (?:on|taking))\b[^.;?]{0,40}$",
    re.I,
)
_CARE = re.compile(
    r"\b(?:what|which)\b[^.?!]*\b(?:take|use|give|start|try|recommend|help|helps|prevents?|treat|"
    r"treats|treatment|drug|drugs|medication|medications|medicine|antibiotic|"
    r"painkiller|remedy|therapy|prescribe|option|options|dose|pill|cream|best|good|do)\b|\bhow (?:do|"
    r"can|should|would|to)\b[^.?!]*\b(?:treat|manage|relieve|"
    r"prevent|help|stop|cure|control|get rid|lower|reduce)\w*\b|\bhow is\b[^.?!]*\b(?:treated|"
    r"prevented|managed)\b|\btreatments?\b|\bbest (?:drug|medicine|treatment|medication)\b|"
    r"\bwhat helps\b|^(?!.*\b(?:is|are|was|does|do|did|can|could|will|would|should|may|why|how|who|"
    r"when|where|define|has|have)\b)[^.?!]{1,90}\?\s*$",
    re.IGNORECASE,
)
_AVOIDING = re.compile(
    r"\b(?:what|which)\b[^.?!]*\b(?:contra-?indicated|avoid|unsafe|dangerous|not (?:take|use|safe|be taken|to take))\b",
    re.IGNORECASE,
)
_DESCRIBING = re.compile(
    r"\b(?:how does|how do .{1,40} work|what is the mechanism|side effects?|does .{1,60} interact|"
    r"interaction|in the .{1,30} (?:trial|study)|what did|"
    r"why (?:is|does|do)|what is [\w-]+\?|history of|who (?:discovered|invented|makes))\b",
    re.IGNORECASE,
)


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
        asks_for_drug: The question asks what to take or how to treat.
        asks_what_to_avoid: The question asks which drugs are not to be taken.
    """

    facts: Mapping[str, Fact] = field(default_factory=dict)
    measures: Mapping[str, float] = field(default_factory=dict)
    measure_texts: Mapping[str, str] = field(default_factory=dict)
    drugs: tuple[Mention, ...] = ()
    allergies: tuple[Mention, ...] = ()
    allergy_texts: tuple[str, ...] = ()
    asked: tuple[Mention, ...] = ()
    asks_permission: bool = False
    asks_for_drug: bool = False
    asks_what_to_avoid: bool = False

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
        return Patient(
            merged,
            values,
            texts,
            self.drugs,
            self.allergies,
            self.allergy_texts,
            self.asked,
            self.asks_permission,
            self.asks_for_drug,
            self.asks_what_to_avoid,
        )


def read_question(text: Text, mentions: Sequence[Mention], conditions: Mapping[str, Condition]) -> Patient:
    """The patient that a question speaks of.

    Args:
        text: The question.
        mentions: Drug names in it.
        conditions: Every condition that can be found.
    """
    plain = text.plain
    people = _People(plain)
    facts: list[Fact] = []
    for key, start, end in find_conditions(plain, conditions):
        if denied(plain, start, end):
            continue
        family = _FAMILY_HISTORY.search(_clause(plain, start)) is not None or not people.is_patient(start)
        facts.append(Fact(key, plain[start:end], family))
    values: dict[str, float] = {}
    texts: dict[str, str] = {}
    for name, value, start, end in find_measures(plain):
        if people.is_patient(start) and name not in values:
            values[name], texts[name] = value, plain[start:end]
    smoker = _SMOKER.search(plain)
    if smoker and not _DENIED.search(plain[: smoker.start()]):
        values["smoker"], texts["smoker"] = 1.0, smoker.group()
    drugs, allergies, asked = _roles(plain, mentions, people)
    return Patient(
        _closed(conditions, facts, values, texts),
        values,
        texts,
        tuple(drugs),
        tuple(allergies),
        tuple(
            _clause(plain, match.start())
            for match in _ALLERGY.finditer(plain)
            if people.is_patient(match.start())
            and not _DENIED.search(plain[max(0, match.start() - 40) : match.start()])
        ),
        tuple(asked),
        asks_permission=bool(_PERMISSION.search(plain)),
        asks_for_drug=bool(_CARE.search(plain)) and not _DESCRIBING.search(plain) and not _AVOIDING.search(plain),
        asks_what_to_avoid=bool(_AVOIDING.search(plain)),
    )


def find_conditions(plain: str, conditions: Mapping[str, Condition]) -> list[tuple[str, int, int]]:
    """Every condition named in *plain*: key, start and end, in the order of the text."""
    found = []
    for condition in conditions.values():
        for pattern in condition.patterns:
            found += [(condition.key, match.start(), match.end()) for match in pattern.finditer(plain)]
    return sorted(found, key=lambda item: (item[1], item[0]))


def find_measures(plain: str) -> list[tuple[str, float, int, int]]:
    """Every measurement in *plain*: name, value, start and end."""
    found = []
    for name, pattern, factor in _MEASURES:
        for match in pattern.finditer(plain):
            found.append((name, float(match["n"]) * factor, match.start(), match.end()))
    return found


def denied(plain: str, start: int, end: int) -> bool:
    """Whether the condition at *start* is denied, only feared, or not a statement about anyone."""
    opening = _clause_start(plain, start)
    before, after = plain[opening:start], plain[end : end + 40]
    if _DENIED.search(before) and not re.search(
        r"\bnot only\b|\bcan(?:no|')t\b|\bshould not\b|\bwhy not\b|\bnot sure\b", before, re.IGNORECASE
    ):
        return True
    return bool(_DENIED_AFTER.search(after) or _NOT_A_FACT.search(before))


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


class _People:
    """Who is spoken of where, and who the patient is."""

    def __init__(self, plain: str) -> None:
        self._plain = plain
        self._persons: list[tuple[int, str]] = []
        last_kin = ""
        for match in _PERSON.finditer(plain):
            kind = match.lastgroup
            if kind == "self":
                self._persons.append((match.start(), "self"))
            elif kind == "kin":
                last_kin = match["kin"].lower().split()[-1]
                self._persons.append((match.start(), last_kin))
            elif kind == "old":
                if re.search(r"\b(?:i'?m|i am|as an?|im)(?: an?)? ?$", plain[: match.start()], re.IGNORECASE):
                    self._persons.append((match.start(), "self"))
                else:
                    following = re.match(rf"[\s-]*(?:[\w-]+\s+)?({_KIN})\b", plain[match.end() :], re.IGNORECASE)
                    last_kin = following[1].lower() if following else "child"
                    self._persons.append((match.start(), last_kin))
            elif last_kin:
                self._persons.append((match.start(), last_kin))
        self.patient = self._find_patient()

    def _find_patient(self) -> str:
        kinds = {who for _, who in self._persons}
        if len(kinds) <= 1:
            return next(iter(kinds), "self")
        asking = list(re.finditer(r"[^.?!]*\?", self._plain)) or list(re.finditer(r"[^.!]+$", self._plain))
        for sentence in asking:
            match = _ASKING.search(sentence.group())
            begin = sentence.start() + (match.start() if match else 0)
            inside = [who for at, who in self._persons if begin <= at < sentence.end()]
            # "What can I give my son": the last person is treated, the first only gives.
            gives = re.search(
                r"\b(?:give|giving|for|treat|help)\s+(?:to\s+)?(?:my|our|him|her|them|a|the)\b",
                sentence.group(),
                re.IGNORECASE,
            )
            if inside:
                return inside[-1] if gives else inside[0]
        return "self" if "self" in kinds else self._persons[0][1]

    def is_patient(self, at: int) -> bool:
        """Whether what stands at *at* is said of the patient."""
        return self.who(at) == self.patient

    def who(self, at: int) -> str:
        """The person that what stands at *at* is said of."""
        opening = _clause_start(self._plain, at)
        inside = [who for place, who in self._persons if opening <= place <= at]
        if inside:
            return inside[-1]
        after = [
            who for place, who in self._persons if at < place <= at + 60 and place < _clause_close(self._plain, at)
        ]
        if after:
            return after[0]
        before = [who for place, who in self._persons if place < opening]
        return before[-1] if before and before[-1] != "self" and self.patient != "self" else self.patient


def _clause_start(plain: str, at: int) -> int:
    ends = [match.end() for match in _CLAUSE_END.finditer(plain, 0, at)]
    return ends[-1] if ends else 0


def _clause_close(plain: str, at: int) -> int:
    match = _CLAUSE_END.search(plain, at)
    return match.start() if match else len(plain)


def _clause(plain: str, at: int) -> str:
    return plain[_clause_start(plain, at) : _clause_close(plain, at)].strip()


def _roles(
    plain: str, mentions: Sequence[Mention], people: _People
) -> tuple[list[Mention], list[Mention], list[Mention]]:
    """Current drugs, allergies, and drugs asked about."""
    drugs: list[Mention] = []
    allergies: list[Mention] = []
    asked: list[Mention] = []
    for mention in mentions:
        opening = _clause_start(plain, mention.start)
        before = plain[opening : mention.start]
        after = plain[mention.end : _clause_close(plain, mention.end)]
        if _ALLERGY.search(before) or re.match(
            r"[- ]+(?:allerg\w+|hypersensitiv\w+|anaphylaxis)", after, re.IGNORECASE
        ):
            if people.is_patient(mention.start) and not _DENIED.search(re.split(_ALLERGY, before)[0]):
                allergies.append(mention)
            continue
        if _STOPPED.search(before):
            continue
        permission = _PERMISSION.search(plain, opening)
        in_request = (
            permission is not None
            and permission.start() < mention.end
            and _clause_close(plain, permission.start()) >= mention.start
        )
        if in_request and permission is not None and not _TOGETHER.search(plain[permission.start() : mention.start]):
            asked.append(mention)
        elif people.is_patient(mention.start) and (
            _CURRENT.search(before) or (in_request and _TOGETHER.search(before))
        ):
            drugs.append(mention)
        elif (
            plain.rstrip().endswith("?")
            and "?" in plain[mention.end :]
            and not re.search(r"[.!]", plain[mention.end :].split("?")[0])
        ):
            asked.append(mention)
    return drugs, allergies, asked
