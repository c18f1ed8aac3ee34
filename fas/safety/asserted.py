"""What a sentence of the answer itself says of the patient it advises."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from fas.safety.clauses import clause_of
from fas.safety.directives import SentenceReader
from fas.safety.facts import denied, find_conditions
from fas.safety.measures import find_measures
from fas.safety.patient import Fact, Patient
from fas.safety.rules import Condition
from fas.safety.segments import Segment

_INTRODUCES = re.compile(
    r"(?:\b(?:even if|even though|even with|even when|although|though|despite|regardless of|"
    r"in spite of|whether or not|if|when|while|in|during|throughout|because|"
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
    r"lactating|elderly|seniors|older|pregnancy|lactation|babies|kids|newborns|mothers|"
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
    r"\b(?:children|kids|infants|toddlers|babies)(?: \w+){0,2} (?:under|below|younger than|"
    r"less than) (?:the age of )?(?P<n>\d{1,2})(?! months)",
    re.I,
)
# "The elderly" and "older adults" are of an age that labels mean by it; "children" without a number are small ones too.
_OLD = re.compile(
    r"\b(?:the elderly|elderly (?:people|patients?|persons?|adults?|women|men|individuals)|"
    r"(?:older|old|aged|geriatric) (?:people|patients?|persons?|adults?|women|men|individuals|residents)|"
    r"seniors?|senior citizens|"
    r"(?:people|patients|adults|anyone|those|women|men) (?:aged )?(?:over|above|older than) "
    r"(?:the age of )?(?:6[5-9]|7\d|8\d))\b",
    re.IGNORECASE,
)
_OLD_AGE = 80.0  # years
_AGES_FOLLOW = re.compile(
    r"\s*[(,]?\s*(?:who are |aged? |ages |of |from |over |above |older |than |under |below |younger |between |"
    r"at least |the age of )*(?:\d|(?:one|two|three|four|five|six|seven|eight|ten|twelve)\b)|"
    r"\s+(?:aged|over|above|older)\b",
    re.IGNORECASE,
)
_AGE_WORDS = (
    (re.compile(r"\btoddlers?\b", re.I), 2.0),
    (re.compile(r"\b(?:infants?|babies|baby)\b", re.I), 0.5),
    (re.compile(r"\bnewborns?\b", re.I), 0.05),
    (re.compile(r"\b(?:(?:small|young|little|all) )?(?:children|kids)\b", re.I), 6.0),
    (re.compile(r"\bschool-?(?:children|kids)\b", re.I), 8.0),
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
        if _asserted(reader, own, sentence, start, end)
        or (key == _TREATED and _AGAINST.search(sentence[:start]) and not _EXCEPT.search(sentence[:start]))
    ]
    measures = {
        name: (_beside_limit(value, sentence[start:end]), sentence[start:end])
        for name, value, start, end in find_measures(sentence)
        if _asserted(reader, own, sentence, start, end, measured=True)
        # "contraindicated when the eGFR is below 30" gives a limit, which is no new value of a known one.
        and not (patient.measure(name) is not None and _LIMIT.search(sentence[start:end]))
    }
    under = _CHILDREN_UNDER.search(sentence)
    if under and not _EXCEPT.search(sentence[: under.start()]):
        measures["age_years"] = (float(under["n"]) - _STEP, under.group())
    elif "age_years" not in measures and patient.measure("age_years") is None:
        for pattern, age in _AGE_WORDS:
            match = pattern.search(sentence)
            if (
                match
                and (
                    re.search(r"\b(?:for|in|to|by|your|give)\b[^.;]{0,40}$", sentence[: match.start()])
                    or not re.search(r"\w", sentence[: match.start()])
                )
                and not _AGES_FOLLOW.match(sentence, match.end())
                and not _EXCEPT.search(sentence[: match.start()])
                and not re.search(
                    r"\b(?:harm|risk|danger|exposure|transfer|pass)\w*\b", sentence[: match.start()], re.I
                )
            ):
                measures["age_years"] = (age, match.group())
    if not facts and not measures:
        return patient
    return patient.with_facts(conditions, facts, measures)


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
    measures = {} if under is None else {"age_years": (float(under["n"]) - _STEP, under.group())}
    return patient.with_facts(conditions, facts, measures) if facts or measures else None


def _asserted(reader: SentenceReader, own: int, sentence: str, start: int, end: int, *, measured: bool = False) -> bool:
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
    before = sentence[opening:start]
    if clause.mark and re.search(r"\b(?:not|never|except|unless)\W*$", sentence[:opening], re.IGNORECASE):
        return False  # "helps, but not | if you have ..."
    if clause.mark in ("unless", "until", "whether", "which", "but", "however", "whereas"):
        return False
    if _EXCEPT.search(before) or (denied(sentence, start, end) and not clause.mark):
        return False
    if re.search(r"\b(?:test|negative|ruled out)\b", sentence[end : end + 20], re.IGNORECASE):
        return False
    if clause.mark:
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
    named = _PEOPLE.match(sentence, start) or _PEOPLE_IN.search(sentence[start:end])
    if named and not re.search(r"\b(?:stud\w+|trials?|in)\s*$", before, re.IGNORECASE):
        return True
    match = _INTRODUCES.search(before)
    if measured:
        return match is not None or bool(re.search(r"\b(?:your|of|is)\s*$", before))
    return match is not None and not _INDICATION.search(before) and len(match["between"].split()) <= 6
