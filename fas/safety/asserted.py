"""What a sentence of the answer itself says of the patient it advises."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from fas.safety.clauses import clause_of
from fas.safety.directives import SentenceReader
from fas.safety.facts import denied, find_conditions
from fas.safety.measures import find_measures
from fas.safety.patient import Fact, Patient
from fas.safety.quantities import COUNTS
from fas.safety.rules import Condition
from fas.safety.segments import Segment

_INTRODUCES = re.compile(
    r"(?:\b(?:even if|even though|even with|even when|although|though|despite|regardless of|"
    r"in spite of|whether or not|if|when|while|in|at|during|throughout|because|"
    r"since|as|given(?: that)?|considering|now that|who (?:have|has|are|is|take|takes)|patients?|"
    r"people|someone|women|adults|children|with|for (?:a |an )?(?:patients?|people|someone|"
    r"those|women|men|children|adults|anyone|infants|toddlers|teenagers|pregnant|breastfeeding)|your|"
    r"you have|you are|you're|having|safe|even)\b)"
    r"(?P<between>[^.;]{0,45})$",
    re.IGNORECASE,
)
# Whom the sentence speaks of: "safe for pregnant women", "breastfeeding mothers may use it".
_PEOPLE = re.compile(
    r"(?:pregnant|expectant|breast-?feeding|nursing|lactating)\s"
    r"(?:(?:and|or) (?:pregnant|breast-?feeding|nursing|lactating)\s)?"
    r"(?:women|woman|mothers?|moms?|mums?|people|persons?|patients?|individuals|adults)\b|(?:asthmatic|diabetic)s?\b",
    re.IGNORECASE,
)
# A condition in words that name who has it: "expectant mothers", "dialysis patients".
_PEOPLE_IN = re.compile(r"\b(?:wom[ae]n|mothers?|moms?|mums?|parents?|people|patients?)\b", re.IGNORECASE)
# What is said against a drug is taken back: "no need to avoid X in pregnancy", "not harmful in".
_CLEARED = re.compile(
    r"\b(?:(?:no|not|n't|without|need not)\s(?:\w+\s){0,2}?)(?:(?:need|reason|necessary|"
    r"have)\s(?:for\s(?:\w+\s){1,3})?(?:to\s)?(?:be\s)?"
    r"(?:avoid(?:ed)?|fear|stop(?:ped)?|worr(?:y|ied)(?: about)?|withh[eo]ld|chang(?:e|ed)|discontinued?|"
    r"limit(?:ed)?|restrict(?:ed)?|"
    r"adjust(?:ed)?|cautious(?: with)?|concerned(?: about)?)|"
    r"(?:problems?|harm(?:ful)?|dangers?|dangerous|risks?|risky|issues?|concerns?|objections?|restrictions?|adjustments?|"
    r"contra-?indicat(?:ed|ions?)|wrong)\b)|"
    r"\b(?:need|needs|does|do)\s?(?:not|n't)\s(?:\w+\s){0,2}?(?:be\s)?(?:avoid(?:ed)?|stop(?:ped)?|chang(?:e|ed)|withheld|discontinued|adjusted)",
    re.IGNORECASE,
)
# "asthma patients", "on dialysis".
_SUFFERERS = re.compile(r"\s(?:patients?|sufferers?|people|individuals)\b", re.IGNORECASE)
_ON_TREATMENT = re.compile(r"(?:on|throughout|during|while)\b", re.IGNORECASE)
# Right before a population: "in pregnancy", "while breastfeeding", "for patients with severe CKD".
_DURING = re.compile(
    r"\b(?:in|during|while|through|throughout|into|when|with)\s(?:(?:\w+ly|early|late|the|any|all|stage|stages|of|a|is|are|still|advanced|severe)\s)*$",
    re.IGNORECASE,
)
# "prevents pregnancy", "free of asthma", "the risk of seizures": nobody has it.
_NO_PATIENT = re.compile(
    r"\b(?:prevent\w*|against|risk of|free of|without|avoid\w*|caus\w+|no|not|after|rule out|family history of|"
    r"chances? of|if \w+ (?:develop|get)s?)\s(?:\w+\s){0,2}$",
    re.IGNORECASE,
)
_NO_PATIENT_AFTER = re.compile(r"[- ](?:tests?|prevention|vitamins?|-free|rates?|symptoms?|pains?)\b", re.IGNORECASE)
# Whose age it is: "for a ten-year-old", "a six-year-old may have it".
_OF_AN_AGE = re.compile(
    r"(?:\b(?:for|to|in|give|giving|by|with|treat|treating|child(?:ren)?|kids?|patients?|people|adults?|boys?|girls?|anyone|those|weighing|bab(?:y|ies)|infants?|toddlers?|newborns?|"
    r"person|man|woman|women|men)\s+(?:an?\s|the\s|your\s|any\s|most\s|all\s|aged\s|who (?:is|are)\s|of\s|"
    r"weighing\s|\()*|^\W*(?:an?\s|most\s|all\s|your\s)?)$",
    re.IGNORECASE,
)
# A clause that tells which people are meant: "people whose eGFR is below 30 can take it".
_WHOSE = re.compile(
    r"\b(?:people|persons?|patients?|those|anyone|anybody|someone|adults|women|men|children|mothers|residents)\s"
    r"(?:who|whose)\b[^,.;]{0,40}$",
    re.IGNORECASE,
)
_INDICATION = re.compile(
    r"\b(?:to (?:treat|prevent|help|relieve|reduce|manage|lower|control|ease|avoid)|treat(?:s|ing|"
    r"ment of|ment for)?|prevent(?:s|ing|ion of)?|manag\w+|reliev\w+|"
    r"reduc\w+|help(?:s|ing)?(?: with)?|lower\w*|control\w*|eas(?:e|es|ing)|risk of|caus\w+|"
    r"for (?!(?:a |an |the |all |most |many )?(?:patients?|people|someone|those|women|men|"
    r"children|adults|anyone|you|infants|toddlers|teenagers|adolescents|schoolchildren|pregnant|breastfeeding|nursing|"
    r"lactating|elderly|seniors|older|pregnancy|lactation|babies|kids|newborns|mothers|diabetics|asthmatics|smokers|"
    r"use (?:in|by|during|with|while|when|among)|(?:in|during) |"
    r"your (?:child|son|daughter|baby)))|side effects?|lead to|signs? of|symptoms? of|"
    r"such as|like|including|history of having|effective (?:for|against|in treating)|results? in|"
    r"increase\w*|worsen\w*|trigger\w*|develop\w*|become|get|interact\w*)"
    r"[^.;,]{0,30}$",
    re.IGNORECASE,
)
_BUT_NOT = re.compile(
    r"\b(?:(?:but|though)\s(?:(?:it|this|that)(?:'s| is)\s)?(?:\w+ly\s)?(?:not|never)|except)\s(?:\w+\s){0,2}?"
    r"(?:while|during|in|if|when|for|with)\b(?P<whom>[^.;]*)",
    re.IGNORECASE,
)
_EXCEPT = re.compile(
    r"\b(?:unless|except(?: if| when| in)?|but not(?: if| in| when| for)?|not if|not when|not in|"
    r"provided (?:that )?(?:you|they) (?:do not|don't|are not|aren't)|as long as|"
    r"only if|without|avoid\w*|do not|don't|should not|shouldn't|must not|never|stop|contraindicated|"
    r"not recommended|tell your|talk to|check with|ask your|before|no|not|"
    r"if you (?:do not|don't|are not|aren't)|caution|careful|until|n't|test(?:ing)?)\b[^.;]{0,70}$",
    re.IGNORECASE,
)
_CHILDREN_UNDER = re.compile(
    r"\b(?:children|kids|infants|toddlers|babies|those|anyone|boys|girls)(?: (?!over\b|above\b|from\b)\w+){0,2} "
    r"(?:under|below|younger than|"
    rf"less than) (?:the age of )?(?P<n>\d{{1,2}}|{'|'.join(COUNTS)})(?! ?(?:months?|weeks?|days?|kg|%|mg))\b|"
    rf"\bunder[- ](?P<m>\d{{1,2}}|{'|'.join(COUNTS)})['’]?s\b",
    re.I,
)
# "The elderly" and "older adults" are of an age that labels mean by it; "children" without a number are small ones too.
_OLD = re.compile(
    r"\b(?:the elderly|elderly (?:people|patients?|persons?|adults?|women|men|individuals)|"
    r"(?:older|old|aged|geriatric) (?:people|patients?|persons?|adults?|women|men|individuals|residents)|"
    r"seniors?|senior citizens|at (?:the age of )?(?:6[5-9]|[789]\d)(?=[,.;]|$)|frail (?:people|patients?|adults?|"
    r"women|men)|(?:nursing|care)[- ]home (?:residents|patients)|"
    r"over[- ](?:6[5-9]|7\d|8\d)['’]?s|\w+ in (?:their|his|her) (?:early |mid-?|late )?(?:seventies|eighties|"
    r"nineties|70s|80s|90s)|octogenarians?|"
    r"(?:people|patients|adults|anyone|those|women|men) (?:aged )?(?:6[5-9]|7\d|8\d) (?:years )?(?:and|or) (?:over|"
    r"older|above)|"
    r"(?:people|patients|adults|anyone|those|women|men) (?:who are )?(?:aged )?(?:over|above|older than) "
    r"(?:the age of )?(?:6[5-9]|7\d|8\d))\b",
    re.IGNORECASE,
)
_OLD_AGE = 80.0  # years
_GROWN = 18.0
# "children from the age of four", "aged 2 and over": they may be of that age.
_FROM_AGE = re.compile(
    rf"\b(?:children|kids|infants|toddlers|babies|those|anyone|boys|girls|patients|people|safe|used|given|taken)\b[^.;]{{0,25}}?"
    rf"\b(?:from|over|above|older than|at)\s(?:the\s)?(?:age\s(?:of\s)?)(?P<n>\d{{1,2}}|{'|'.join(COUNTS)})\b(?! "
    rf"?(?:months?|weeks?|days?))",
    re.IGNORECASE,
)
_AGES_FOLLOW = re.compile(
    r"\s*[(,]?\s*(?:who are |aged? |ages |of |from |over |above |older |than |under |below |younger |between |"
    r"at least |the age of )*(?:(?!\d+(?:\.\d)? ?kg)\d|(?:one|two|three|four|five|six|seven|eight|ten|twelve)\b)|"
    r"\s+(?:aged|over|above|older)\b",
    re.IGNORECASE,
)
_AGE_WORDS = (
    (re.compile(r"\btoddlers?\b", re.I), 2.0),
    (re.compile(r"\b(?:infants?|babies|baby)\b", re.I), 0.5),
    (re.compile(r"\bnewborns?\b", re.I), 0.05),
    (re.compile(r"\b(?:(?:small|young|little|all) )?(?:children|kids)\b", re.I), 6.0),
    (
        re.compile(
            r"\b(?:your|a|the|any|every) (?:(?:young|small|little|sick|feverish) )?(?:child|kid)\b(?! (?:is|was) "
            r"\d)",
            re.I,
        ),
        6.0,
    ),
    (re.compile(r"\bschool-?(?:children|kids)\b|\bschool-age(?:d)? (?:children|kids)\b", re.I), 8.0),
    (re.compile(r"\b(?:preschoolers?|preschool children)\b", re.I), 4.0),
    (re.compile(r"\b(?:teenagers?|teens|adolescents?)\b", re.I), 15.0),
    (_OLD, _OLD_AGE),
)
_STATES_FACT = re.compile(
    r"\b(?:because|since|as|given that|given|now that|considering) (?:you|your|she|he|they|of your)\b[^.;]{0,30}$|"
    r"\bmak(?:e|es|ing) (?:this|it) (?:an? )?(?:\w+ )?$|"
    r"(?:^|\b(?:assessment|impression|diagnosis|dx) ?:\W*)(?:this is |it is |this looks like |"
    r"the diagnosis is )(?:an? )?(?:\w+ ){0,2}$",
    re.IGNORECASE,
)


# A clinician's note says there what the patient has.
_ASSESSMENT = re.compile(r"\W*(?:assessment|impression|diagnos[ie]s|dx|problem(?:s| list)?)\s*:", re.IGNORECASE)
_GIVES = re.compile(
    r"\b(?:because|since|as|given|now that|considering|mak(?:e|es|ing) (?:this|it)|this is|it is|this looks|"
    r"diagnos[ie]s|problems?|"
    r"assessment|impression|dx)\b",
    re.IGNORECASE,
)
# Who takes something "for the flu" has the flu, and a rule on children with it is meant for him.
_TREATED = "viral_infection"
_AGAINST = re.compile(r"\b(?:for|against|during|to treat) (?:an? |the )?$", re.IGNORECASE)
_BELOW = re.compile(r"\b(?:below|under|less than|lower than)\b|<(?!=)", re.IGNORECASE)
_ABOVE = re.compile(r"\b(?:above|over|more than|higher than)\b|>(?!=)", re.IGNORECASE)
_STEP = 0.01
_LIMIT = re.compile(r"\b(?:below|under|above|over|less than|more than|at least|at most)\b|[<>≤≥]", re.IGNORECASE)


def stated_facts(segments: Sequence[Segment], patient: Patient, conditions: Mapping[str, Condition]) -> Patient:
    """The patient with what the answer gives as known ("because you have asthma")."""
    facts = []
    for segment in segments:
        if not _GIVES.search(segment.text):
            continue
        assessment = _ASSESSMENT.match(segment.text) is not None
        for key, start, end in find_conditions(segment.text, conditions):
            before = segment.text[:start]
            if (assessment or _STATES_FACT.search(before)) and not denied(segment.text, start, end):
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
        if _asserted(reader, own, sentence, start, end, population=_POPULATIONS.search(key) is not None)
        or (key == _TREATED and _AGAINST.search(sentence[:start]) and not _EXCEPT.search(sentence[:start]))
    ]
    measures = {
        name: (_beside_limit(value, sentence[start:end]), sentence[start:end])
        for name, value, start, end in find_measures(sentence)
        if _asserted(reader, own, sentence, start, end, measured=True, aged=name in ("age_years", "weight_kg"))
        # "contraindicated when the eGFR is below 30" gives a limit, which is no new value of a known one.
        and not (patient.measure(name) is not None and _LIMIT.search(sentence[start:end]))
    }
    measures |= _aged(sentence, patient, measures)
    if not facts and not measures:
        return patient
    return patient.with_facts(conditions, facts, measures)


def _aged(sentence: str, patient: Patient, found: Mapping[str, object]) -> dict[str, tuple[float, str]]:
    """The age that a sentence names in words ("children under 12", "toddlers may have it"), unless one is known."""
    under = _CHILDREN_UNDER.search(sentence)
    if under and not _EXCEPT.search(sentence[: under.start()]):
        return {"age_years": (_years(under) - _STEP, under.group())}
    if patient.measure("age_years") is not None:
        return {}
    if (from_age := _FROM_AGE.search(sentence)) and not _EXCEPT.search(sentence[: from_age.start()]):
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
            and not _AGES_FOLLOW.match(sentence, match.end())
            and not _EXCEPT.search(sentence[: match.start()])
            and not re.search(r"\b(?:harm|risk|danger|exposure|transfer|pass)\w*\b", sentence[: match.start()], re.I)
        ):
            return {"age_years": (age, match.group())}
    return {}


def _beside_limit(value: float, words: str) -> float:
    """A value on that side of a limit which the words name: "an eGFR below 30" is not 30."""
    if _BELOW.search(words):
        return value - _STEP
    return value + _STEP if _ABOVE.search(words) else value


def excepted(rest: str, patient: Patient, conditions: Mapping[str, Condition]) -> bool:
    """Whether what a sentence says after a drug takes the patient out ("is the choice, but not in pregnancy")."""
    found = _BUT_NOT.search(rest)
    if found is None:
        return False
    if re.match(r"\s(?:you|him|her)\b", found["whom"]):
        return True
    return any(patient.has(key) for key, _, _ in find_conditions(found["whom"], conditions))


def patient_under(head: str, patient: Patient, conditions: Mapping[str, Condition]) -> Patient | None:
    """The patient with what the head of a column or row names ("Safe in pregnancy?"); None if it names no condition."""
    found = find_conditions(head, conditions)
    facts = [Fact(key, head[start:end]) for key, start, end in found if not denied(head, start, end)]
    under = _CHILDREN_UNDER.search(head)
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
    before = _CLEARED.sub(" ", sentence[:start])
    return before + sentence[start:], len(before), len(before) + end - start


# Populations that a list is headed by; an illness in its head may be what the list is for.
_POPULATIONS = re.compile(r"pregnan|breastfeeding|renal|hepatic|dialysis|cirrhosis|liver|kidney")
_ALLOWS = re.compile(
    r"\b(?:safe\w*|can|may|could|suitable|ok|okay|fine|allowed|permitted|acceptable|options?|choices?|recommended|preferred|use|used|"
    r"take|give|compatible|harmless)\b",
    re.IGNORECASE,
)


def patient_below(head: str, patient: Patient, conditions: Mapping[str, Condition]) -> Patient:
    """The patient with the population that the head of a list allows its items to ("Safe in pregnancy:")."""
    if not _ALLOWS.search(head) or _EXCEPT.search(head + " "):
        return patient
    facts = [
        Fact(key, head[start:end])
        for key, start, end in find_conditions(head, conditions)
        if _POPULATIONS.search(key) and not denied(head, start, end)
    ]
    measures: dict[str, tuple[float, str]] = {}
    if patient.measure("age_years") is None:
        under = _CHILDREN_UNDER.search(head)
        if under is not None:
            measures["age_years"] = (_years(under) - _STEP, under.group())
        else:
            for pattern, age in _AGE_WORDS:
                if (found := pattern.search(head)) is not None and not _AGES_FOLLOW.match(head, found.end()):
                    measures["age_years"] = (age, found.group())
    return patient.with_facts(conditions, facts, measures) if facts or measures else patient


def patient_named(sentence: str, patient: Patient, conditions: Mapping[str, Condition]) -> Patient:
    """The patient with every condition and measurement that a sentence names which speaks well of its drug."""
    facts = []
    for key, start, end in find_conditions(sentence, conditions):
        before = sentence[:start]
        if patient.has(key) or (_NO_PATIENT.search(before) or _NO_PATIENT_AFTER.match(sentence, end)):
            continue
        if _POPULATIONS.search(key) is None and _INDICATION.search(before):
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
    before = _CLEARED.sub(" ", sentence[opening:start])
    if clause.mark and re.search(r"\b(?:not|never|except|unless)\W*$", sentence[:opening], re.IGNORECASE):
        return False  # "helps, but not | if you have ..."
    if clause.mark in ("unless", "until", "whether", "which") or (
        clause.mark in ("but", "however", "whereas") and number != own
    ):
        return False
    # "..., but § is fine in" is a clause alone.
    marked = clause.mark and clause.mark not in ("but", "however", "whereas")
    if population and number == own and not marked and _DURING.search(before) and not _EXCEPT.search(before):
        return True  # "for high blood pressure in pregnancy": what it is for stands before
    if _EXCEPT.search(before) or (not marked and denied(*_without_cleared(sentence, start, end))):
        return False
    if re.search(r"\b(?:test|negative|ruled out)\b", sentence[end : end + 20], re.IGNORECASE):
        return False
    if marked:
        whole = sentence[opening : reader.clause_span(clause)[1]]
        # "although it should be avoided in asthma" warns; "although you have asthma" does not.
        return not re.search(
            r"\b(?:avoid\w*|contraindicated|not|n't|stop\w*|caution|worsen\w*|doctor)\b", whole, re.IGNORECASE
        ) and not (_INDICATION.search(before))
    if _WHOSE.search(sentence[:start]) and not _EXCEPT.search(sentence[:start]):
        return True
    if number != own:
        return False
    if not re.search(r"\w", sentence[:start]) and re.match(r"[\s)*_]*:", sentence[end:]):
        return True  # "Pregnancy: it is fine"
    named = (
        _PEOPLE.match(sentence, start)
        or _PEOPLE_IN.search(sentence[start:end])
        or _SUFFERERS.match(sentence, end)
        or _ON_TREATMENT.match(sentence, start)
    )
    if named and not re.search(r"\b(?:stud\w+|trials?|in)\s*$", before, re.IGNORECASE):
        return True
    match = _INTRODUCES.search(before)
    if measured:
        return (
            match is not None
            or re.search(r"\b(?:your|of|is)\s*$", before) is not None
            or (aged and _OF_AN_AGE.search(before) is not None)
        )
    return match is not None and not _INDICATION.search(before) and len(match["between"].split()) <= 6
