"""What is known about the patient: conditions, measurements, current drugs, allergies.

Facts come from the question; whose they are (the asker's, a relative's) and whether they are
denied is read from the words around them. The person the question asks treatment for is the
patient; a relative's conditions count only for rules that say so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from fas.safety.facts import (
    DENIED,
    clause,
    clause_close,
    clause_start,
    denied,
    find_conditions,
    find_measures,
    is_over,
    own_after_all,
)
from fas.safety.matcher import Mention
from fas.safety.people import People
from fas.safety.rules import Condition
from fas.safety.text import Text

_FAMILY_HISTORY = re.compile(
    r"\b(?:family history|runs in (?:my|the|our) family|in my family|(?:is|are|was) hereditary|hereditary in)\b",
    re.IGNORECASE,
)
_PROCEDURES = frozenset({"cabg_surgery", "tonsillectomy"})
_PLANNED = re.compile(r"\b(?:get|gets|getting|have|having)(?: \w+){0,2} $", re.IGNORECASE)
_OWN_BABY = re.compile(r"\b(?:my|our) (?:\w+ )?(?:baby|babi|twin|chil)$", re.IGNORECASE)
_SMOKER = re.compile(
    r"(?<!ex-)(?<!former )(?<!past )\b(?:i (?:still |also )?smoke|smokes|smoker|smok(?:e|ing) (?:about |around |"
    r"roughly )?"
    r"(?:a|one|two|half|\d+)|packs? (?:a|per|/) ?day|(?:\d+|ten|twenty|thirty|forty) (?:cigarettes|cigs|ciggies|fags)|"
    r"cigarettes (?:a|per|/) ?day)\b",
    re.IGNORECASE,
)

_ALLERGY = re.compile(
    r"\b(?:all?erg(?:ic|y|ies|ik|ick)(?! (?:itch\w*|rhinitis|rash|cough|skin|conjunctivitis|asthma|eyes|nose|sneez\w+|"
    r"to (?:pollen|dust|cats?|dogs?|grass|latex)))(?: reactions?)?(?: to)?|anaphyla\w+(?: reaction)?(?: to| from| with|"
    r" after)?|hypersensitiv\w+(?: to)?|"
    r"(?:hives|welts|rash|swelling|swelled up|angioedema|(?:throat|tongue|lips?|face|eyes?) (?:clos|swell|swoll|swole|"
    r"tighten|puff|balloon|blow|blew)\w*"
    r"(?: up)?|(?:can't|cannot|couldn't|couldnt|could not|cant) breathe?|stopped breathing|wheez\w+)(?: \w+){0,2}? "
    r"(?:from|with|after|on|when i (?:take|took|have|had|use|used))|react(?:ed|s|ion)?(?: \w+){0,2} to)\b",
    re.IGNORECASE,
)
_GAVE_RASH = re.compile(
    r"\b(?:gave|gives|caused|brought|brings|made|makes) (?:me|him|her) (?:out in |come out in )?(?:an? )?(?:\w+ ){0,2}"
    r"(?:hives|rash|welts|anaphylaxis|angioedema)\b",
    re.IGNORECASE,
)
_REACTED = re.compile(
    r"\s*(?:once |always |has )?(?:gave|gives|given|caused|causes)\s+(?:me|him|her|my \w+)?\s*(?:\w+\s+){0,3}?"
    r"(?:hives|angioedema|anaphylaxis|an? allerg\w+)\b|\s*(?:made|makes)\s+(?:my|his|her) "
    r"(?:face|throat|lips?|tongue|eyes?) (?:swell|close|balloon|puff|blow|tingle)|"
    r"\s*(?:always |once )?(?:trigger(?:s|ed)?|sets? off|brings? on|brought on) (?:my |his |her )?(?:asthma|hives|"
    r"wheez\w+|anaphylaxis|angioedema)\b|"
    r"[^.;?!]{0,30}\band (?:got|had|developed|came up (?:with|in)) (?:an? )?(?:\w+ )?(?:swollen (?:face|lips?|"
    r"tongue|throat)|"
    r"hives|rash|anaphylaxis|welts|wheez\w+)|"
    r"\s*(?:=+>?|->|:|\u2192)\s*(?:\w+ )?(?:hives|rash|urticaria|anaphyla\w+|angio-?o?edema|wheals|swelling|"
    r"bronchospasm)\b|"
    r"\s*(?:once |always |has |really )?(?:brings?|brought) (?:me|him|her|my \w+) out in (?:\w+ ){0,3}?"
    r"(?:hives|an? rash|welts|wheals|nettle\w*|spots)\b|"
    r"\s*(?:[\w' ]{0,30} and )?(?:once |also |nearly )?(?:clos(?:es|ed)|swell(?:s|ed)|swoll|tighten(?:s|ed)|"
    r"block(?:s|ed)) (?:up )?(?:my|his|her) (?:throat|airways?|tongue|lips?|face)\b|"
    r"\s*(?:once |always )?(?:sets?|set) (?:my|his|her) (?:throat|tongue|lips?|face) swelling\b|"
    r"\s*(?:once |nearly |almost |practically )*(?:kill(?:ed|s) (?:me|him|her|my (?:son|daughter|child|wife|husband))|"
    r"(?:put|sent|landed) (?:me|him|her) (?:in(?:to|side)?|to) (?:the |a )?(?:hospital|ER|emergency|ICU|intensive care|"
    r"anaphyla\w+|shock)\b[^.;?!]{0,40}(?:hives|rash|swell\w*|anaphyla\w+|shock|allerg\w+|breathe|(?=[.;?!])))|"
    r"[^.;?!]{0,25}\b(?:broke out|came out|(?:was |got )?covered) (?:all over )?(?:in|with) (?:\w+ )?(?:hives|"
    r"welts|an? rash)\b|"
    r"[^.;?!]{0,25}\b(?:throat|tongue|lips?|face) (?:closed(?: up)?|swelled|swole|swelled up|blew up|puffed up)\b",
    re.IGNORECASE,
)
_NO_ALLERGY_AFTER_ALL = re.compile(
    r"\ballerg\w+\b[^?]{0,140}\b(?:(?:test(?:s|ing)?|challenge|result|it) (?:\w+ ){0,3}(?:was|were|came back|is|"
    r"turned out) "
    r"(?:\w+ )?negative|negative (?:skin |oral |blood )?(?:test|challenge)|tested negative|"
    r"(?:entry|label|allergy|note|it) (?:has been|was|is|got) (?:\w+ )?(?:removed|deleted|taken off|crossed out|"
    r"cleared|"
    r"struck off)|allergy\W{0,2} ?(?:label |entry )?(?:was|has been|is|got) (?:\w+ )?(?:removed|deleted|"
    r"crossed out|cleared)|"
    r"(?:both|all) negative|label (?:was |is |now )?(?:removed|gone|deleted)|not allergic (?:any more|"
    r"after all)|de-?label\w*|outgr[eo]wn?\b|ruled (?:it )?out)",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:likely|could|may|might|would|will|can(?!')|should|if (?:i|he|she|you|we|they|a|an|one|someone|somebody)|"
    r"(?:am|is|are|do|does) (?:i|he|she|they|people|you) (?:\w+ ){0,2}?(?:allergic|react))\b[^.;,]*$",
    re.IGNORECASE,
)
_STOPPED = re.compile(
    r"\b(?:stop|stopping|skip|skipping|discontinue|discontinuing|(?:come|coming|get|getting|go|going|wean\w*|"
    r"taper\w*) off|"
    r"cut(?:ting)? (?:out|down)|stopp?ed|quit|no longer|not (?:taking|on)|don't (?:take|use)|never (?:took|taken|used)|"
    r"used to|came off|off of|finished|discontinued|instead of|refuse)\b[^.;,?]{0,30}$",
    re.IGNORECASE,
)
_GIVEN_UP = re.compile(
    r"\b(?:previous(?:ly)?|formerly|in the past|prior (?:use|treatment|therapy)|ex-)[^.;?!,]{0,30}$", re.IGNORECASE
)
_LEFT_OVER = re.compile(
    r"\b(?:old|left-?over|left over|expired|unused|spare|previous|(?:wife|husband|mother|father|mum|mom|dad|sister|"
    r"brother|friend|neighbou?r)'s)(?: (?:pack|box|bottle|supply|packet|strip|tube) of)? $",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"[^.;?!]{0,30}(?:, | was | were )(?:stopped|discontinued|finished|completed) (?:[\w']+ ){0,4}?"
    r"(?:ago|last|in (?:19|20)\d\d|years?|months?|because|by)\b",
    re.IGNORECASE,
)
_CURRENT = re.compile(
    r"\b(?:i'?m|i am|i've been|i have been|been|is|are|am|currently|already|also|was|were)?\s*(?:on|"
    r"gave me|gives me|put me on|started me on|has me on|prescribed me|"
    r"taking|take|takes|use|uses|using|prescribed|put on|given|"
    r"started|start|inject|injecting|wear|have been on|has been on|get|gets|having|receiving|my|his|"
    r"her)\b[^.;?!]{0,60}$",
    re.IGNORECASE,
)
_REGIMEN = re.compile(
    r"(?: \([^)]*\))?,? (?:\w+ ){0,2}?\d[\d.,]* ?(?:mg|mcg|g|units?|iu|ml)(?:/d(?:ay)?\b|\b[^.;?!,]{0,25}?"
    r"\b(?:daily|nightly|weekly|once|twice|three times|(?:a|per|each|every) (?:day|week|morning|evening|night)|"
    r"every \w+ (?:hours|weeks)|at (?:night|bedtime)|qd|bid|tid|qid|qhs|od|bd|tds|b\.i\.d|t\.i\.d)\b)",
    re.IGNORECASE,
)
_LISTED = re.compile(
    r"\b(?:(?:current |home |regular |present |my |his |her |daily |long-term )*(?:meds?|medications?|medicines?|drugs|"
    r"med(?:ication)? list|drug list|prescriptions?)(?: list)?(?: include| are)?|rx|takes|taking) ?:[^.?!]*$",
    re.IGNORECASE,
)
_UNDER_WAY = re.compile(
    r"\b(?:halfway|part[- ]?way|midway|way|days?|weeks?|months?) (?:through|into)\b[^.;,?!]{0,30}$|"
    r"\bin the middle of\b[^.;,?!]{0,30}$|"
    r"\b(?:therapy|treatment|treated|prophylaxis|maintained|maintenance|course|cycle|established|stable|stabili[sz]ed|"
    r"finishing|controlled|managed|maintained|doing well) (?:with|w/|of|on)(?: (?:an?|the|my|oral|daily|"
    r"low-dose|high-dose))*\s*$",
    re.IGNORECASE,
)
_SINCE = re.compile(
    r"[^.?!;]{0,60}\b(?:ever since|since (?:then|childhood|birth)\b|since (?:mon|tues|wednes|thurs|fri|satur|"
    r"sun|last|yesterday|january|february|march|april|"
    r"may|june|july|"
    r"august|september|october|november|december|(?:19|20)\d\d))",
    re.IGNORECASE,
)
_AT_HAND = re.compile(
    r"\b(?:keep|carry|carries|keeps|have|has|got)\b (?:an? |some |my |his |her )?(?:\w+ )?$", re.IGNORECASE
)
_PUT_TO_USE = re.compile(
    r"[^.?!]{0,60}\b(?:in my (?:pocket|purse|bag|handbag|car|jacket|wallet)|with me|for (?:my )?(?:chest pain|"
    r"angina|heart|"
    r"attacks?|emergenc\w+)|at hand|just in case|(?:used|needed|took) (?:it|one|two|them))\b",
    re.IGNORECASE,
)
_PERMISSION = re.compile(
    r"\b(?:can|could|may|should|must|shall|do|would)\s+(?:i|we|he|she|they|my [\w-]+|patients?|"
    r"someone|people|you|a [\w -]{2,40}|one)(?: \w+){0,4}?\s+"
    r"(?:take|use|start|have|give|try|continue|add|switch|get|be given|be on|combine|mix|safely take|"
    r"need|begin|apply|inject|stay on|go on|go back (?:on|to)|get back on|restart|resume)\b|"
    r"\bis it (?:\w+ )?(?:safe|ok|okay|fine|alright|all right|possible)\b|\b(?:is|"
    r"are)\b[^.;?]{0,60}\b(?:safe|ok|okay|fine|alright|all right|good|suitable|right|recommended|"
    r"allowed)\b|"
    r"\bis there (?:any|a) problem\b|\bany problem\b",
    re.IGNORECASE,
)
_TOGETHER = re.compile(
    r"\b(?:with|when (?:\w+ )?(?:on|taking|using|take|use|drink)|while(?: (?:on|taking|using))?|"
    r"alongside|together with|along with|plus|on top of|"
    r"and my|after|if i(?:'m| am) (?:on|taking))\b[^.;?]{0,40}$",
    re.I,
)
_CARE = re.compile(
    r"\b(?:what|which)\b[^.?!]*\b(?:take|use|give|start|try|recommend|help|helps|prevents?|treat|"
    r"treats|treatment|drug|drugs|medication|medications|medicine|antibiotic|"
    r"painkiller|anti\w{4,}|\w+ blocker|statin|inhaler|diuretic|vaccine|sedative|laxative|tablet|remedy|therapy|"
    r"prescribe|option|options|dose|pill|cream|best|good|do)\b|\bhow (?:do|"
    r"can|should|would|to)\b[^.?!]*\b(?:treat|manage|relieve|"
    r"prevent|help|stop|cure|control|get rid|lower|reduce)\w*\b|\bhow is\b[^.?!]*\b(?:treated|"
    r"prevented|managed)\b|\btreatments?\b|\bbest (?:drug|medicine|treatment|medication)\b|"
    r"\bwhat helps\b|^(?!.*\b(?:is|are|was|does|do|did|can|could|will|would|should|may|why|how|who|"
    r"when|where|define|has|have)\b)[^.?!]{1,90}\?\s*$",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"\b(?:together|at the same time|simultaneously|in combination|combine|mix|alongside|along with|while|whilst|"
    r"during|with or without|with (?:food|meals?|milk|alcohol|my|other)|on an empty stomach|long[- ]term|still)\b",
    re.IGNORECASE,
)
_SOMEBODY = re.compile(
    r"\b(?:i|i'm|im|my|me|we|our|he|him|his|she|her|you|your|they|them|take|taken|taking|use|used|using|have|give)\b",
    re.IGNORECASE,
)
_PRESUPPOSING = re.compile(
    r"\b(?:when (?:should|do|can|is|would)|what time|how (?:soon|late|early|long|often|frequently) (?:\w+ ){0,6}?"
    r"(?:i|he|she|we|you|be taken|take|taking|before|after)|why (?:should|do|does|is|must)|how (?:do|"
    r"should|to|must|can) (?:i |we |you |he |she )?"
    r"(?:take|use|apply|inject|inhale|store|taper|stop|wean|come off|get off)|best time|miss(?:ed)?|"
    r"(?:taper|wean|com)\w* off|(?:if|since|after|once|because) (?:i|he|she|we) (?:took|take|am taking|have taken|"
    r"started|start|used|use)|these (?:\w+ ){0,2}(?:medications?|meds|medicines|drugs|pills)|"
    r"i (?:took|have taken|just took)|side effects?|when (?:it is |it's )?(?:used|taken|given) as|"
    r"my (?:nebuli[sz]er|inhaler)|"
    r"how (?:often|frequently|long|soon|late|early) (?:should|do|does|can|is|must|may))\b[^.?!]*$",
    re.IGNORECASE,
)
_TIMING = re.compile(
    r"\b(?:before|after|with|at|in) (?:the )?(?:dinner|lunch|breakfast|supper|meals?|food|bed ?time|bed|mornings?|"
    r"evenings?|night)\b|\blong[- ]term use\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\b(?:what|which|can|could|may|should|is|are|do|does|will|would|have|has|help\w*|need\w*|pain|hurts?|i|my)\b",
    re.IGNORECASE,
)
_AVOIDING = re.compile(
    r"\b(?:what|which)\b[^.?!]*\b(?:contra-?indicated|avoid|unsafe|dangerous|not (?:take|use|safe|be taken|to take))\b",
    re.IGNORECASE,
)
_DESCRIBING = re.compile(
    r"\b(?:how does|how do .{1,40} work|what is the mechanism|side effects?|does .{1,60} interact|"
    r"interaction|in the .{1,30} (?:trial|study)|what did|"
    r"(?:what|which) (?:[\w-]+ ){1,4}(?:was|were|got|made|became|had been)\b|"
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
        named: Leading ingredients and classes the question names, unless it asks to choose ("X or Y?").
        presupposed: Ingredients and classes whose use the question takes for granted ("when should I take my ...").
        asks_permission: The question asks whether a drug may be taken.
        asks_beside: It asks so of a drug beside another one, or in a circumstance ("with food", "while nursing").
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
    named: frozenset[str] = frozenset()
    presupposed: frozenset[str] = frozenset()
    asks_permission: bool = False
    asks_beside: bool = False
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
    for key, start, end in find_conditions(plain, conditions):
        if own_after_all(plain, end) and people.patient == "self":
            facts.append(Fact(key, plain[start:end]))
            continue
        if denied(plain, start, end) and not (key in _PROCEDURES and _PLANNED.search(plain[:start])):
            continue
        if is_over(plain, key, start, end):
            continue
        family = _FAMILY_HISTORY.search(clause(plain, start)) is not None or not people.is_patient(start)
        if key == "pregnancy" and _OWN_BABY.search(plain[: start + 4]):
            family = people.patient not in ("self", "baby", "child")
        facts.append(Fact(key, plain[start:end], family))
    values: dict[str, float] = {}
    texts: dict[str, str] = {}
    for name, value, start, end in find_measures(plain):
        if people.is_patient(start) and name not in values:
            values[name], texts[name] = value, plain[start:end]
    smoker = _SMOKER.search(plain)
    if smoker and not DENIED.search(plain[: smoker.start()]):
        values["smoker"], texts["smoker"] = 1.0, smoker.group()
    drugs, allergies, asked = _roles(plain, mentions, people)
    allergic = _NO_ALLERGY_AFTER_ALL.search(plain) is None
    return Patient(
        _closed(conditions, facts, values, texts),
        values,
        texts,
        tuple(drugs),
        tuple(allergies) if allergic else (),
        tuple(
            clause(plain, match.start())
            for match in (*_ALLERGY.finditer(plain), *_GAVE_RASH.finditer(plain))
            if allergic
            and people.is_patient(match.start())
            and not DENIED.search(plain[max(0, match.start() - 40) : match.start()])
        ),
        tuple(asked),
        named=frozenset(mention.lead for mention in mentions) if " or " not in plain.lower() else frozenset(),
        presupposed=_presupposed(plain, mentions),
        asks_permission=bool(_PERMISSION.search(plain)),
        asks_beside=bool(_PERMISSION.search(plain))
        and (
            (len(mentions) > 0 and _SOMEBODY.search(plain) is None)
            or len({mention.lead for mention in (*asked, *drugs)}) > 1
            or _BESIDE.search(plain) is not None
        ),
        asks_for_drug=bool(_CARE.search(plain)) and not _DESCRIBING.search(plain) and not _AVOIDING.search(plain),
        asks_what_to_avoid=bool(_AVOIDING.search(plain)),
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


def _is_regular(plain: str, mention: Mention, before: str) -> bool:
    """Whether a drug is told of as in use: in a list of medicines, with its regimen, under way, or at hand."""
    asked = re.match(r"(?:[^.?!]|\.(?=\d))*\?", plain[mention.end :]) is not None
    return bool(
        _LISTED.search(plain[: mention.start])
        or (not asked and _REGIMEN.match(plain, mention.end))
        or (not asked and not before.strip() and re.match(r"\s+for\s+(?:my |his |her )?\w", plain[mention.end :]))
        or (not asked and _SINCE.match(plain, mention.end))
        or _UNDER_WAY.search(before)
        or (_AT_HAND.search(before) and _PUT_TO_USE.match(plain, mention.end))
    )


def _presupposed(plain: str, mentions: Sequence[Mention]) -> frozenset[str]:
    """Names whose use the question takes for granted: it asks when, how or with what effect, not whether or what."""
    found: set[str] = set()
    for mention in mentions:
        opening = clause_start(plain, mention.start)
        if _PRESUPPOSING.search(plain[opening : mention.start]) or (_TIMING.search(plain) and not _ASKS.search(plain)):
            found |= {*mention.ingredients, str(mention.class_key)}
    return frozenset(found)


def _roles(
    plain: str, mentions: Sequence[Mention], people: People
) -> tuple[list[Mention], list[Mention], list[Mention]]:
    """Current drugs, allergies, and drugs asked about."""
    drugs: list[Mention] = []
    allergies: list[Mention] = []
    asked: list[Mention] = []
    for mention in mentions:
        opening = clause_start(plain, mention.start)
        before = plain[opening : mention.start]
        after = plain[mention.end : clause_close(plain, mention.end)]
        if _ALLERGY.search(before) or re.match(
            r"[- ]+(?:allerg\w+|hypersensitiv\w+|anaphylaxis)", after, re.IGNORECASE
        ):
            if people.is_patient(mention.start) and not (
                DENIED.search(re.split(_ALLERGY, before)[0]) or _SUPPOSED.search(before)
            ):
                allergies.append(mention)
            continue
        if _REACTED.match(after) and people.is_patient(mention.start):
            allergies.append(mention)
            continue
        if (
            _STOPPED.search(before)
            or _GIVEN_UP.search(plain[opening : mention.start])
            or _ENDED.match(plain, mention.end)
        ):
            continue
        permission = _PERMISSION.search(plain, opening)
        in_request = (
            permission is not None
            and permission.start() < mention.end
            and clause_close(plain, permission.start()) >= mention.start
        )
        if in_request and permission is not None and not _TOGETHER.search(plain[permission.start() : mention.start]):
            asked.append(mention)
        elif (
            people.is_patient(mention.start)
            and not _LEFT_OVER.search(before)
            and (
                _CURRENT.search(before)
                or (in_request and _TOGETHER.search(before))
                or _is_regular(plain, mention, before)
            )
        ):
            drugs.append(mention)
        elif (
            plain.rstrip().endswith("?")
            and "?" in plain[mention.end :]
            and not re.search(r"[.!]", plain[mention.end :].split("?")[0])
        ):
            asked.append(mention)
    return drugs, allergies, asked
