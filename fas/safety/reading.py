"""What an answer says, drug by drug: directives, doses, and the patient each is addressed to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fas.safety.clauses import clause_of
from fas.safety.directives import Context, Directive, SentenceReader
from fas.safety.doses import Amount, Doses, Frequency, find_doses
from fas.safety.matcher import Mention
from fas.safety.patient import Fact, Patient, denied, find_conditions, find_measures
from fas.safety.rules import Condition
from fas.safety.segments import Segment
from fas.safety.text import Text

if TYPE_CHECKING:
    from spacy.tokens import Doc

_FORBIDS = re.compile(r"\b(?:avoid|not|never|contra-?indicated|unsafe|stop)\b", re.IGNORECASE)
_YES = re.compile(
    r"\W*(?:yes|yeah|yep|sure|absolutely|definitely|certainly|of course|you (?:can|may|"
    r"could) (?:safely )?(?:take|use) (?:it|them|both|that|this)|"
    r"it(?:'s| is) (?:\w+ )?(?:safe|fine|ok|okay|all right|alright)|that(?:'s| is) (?:\w+ )?(?:safe|fine|ok|okay))\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|n't|no|never|avoid|contraindicated|unsafe|dangerous|but|however|unless|only if|"
    r"should be avoided|risk|caution|harm\w*|interact\w*)\b",
    re.IGNORECASE,
)
_ANAPHORA = re.compile(
    r"\W*(?:it|its|this|these|the (?:usual|typical|recommended|standard|starting|initial|normal|adult|"
    r"maximum|correct|dose|dosage|medication|medicine|drug|"
    r"tablets?|antibiotic)|each|dos(?:e|age|ing)|take|start|begin|use|apply|usual|typical(?:ly)?|"
    r"adults?|for adults|both|they|a typical|a usual|a common|"
    r"your (?:dose|doctor)|common dos\w+|recommended dos\w+|usually|generally|then|after|follow\w*|"
    r"do not exceed|never exceed|up to|maximum|max)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:it|them|(?:this|that|the|these|both) (?:medication|medicine|drug|antibiotic|medications|"
    r"medicines|drugs)|this one|both(?= are| can))\b"
    r"|(?<=take )this\b|(?<=use )this\b",
    re.IGNORECASE,
)
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
_INDICATION = re.compile(
    r"\b(?:to (?:treat|prevent|help|relieve|reduce|manage|lower|control|ease|avoid)|treat(?:s|ing|"
    r"ment of|ment for)?|prevent(?:s|ing|ion of)?|manag\w+|reliev\w+|"
    r"reduc\w+|help(?:s|ing)?(?: with)?|lower\w*|control\w*|eas(?:e|es|ing)|risk of|caus\w+|"
    r"for (?!(?:a |an )?(?:patients?|people|someone|those|women|men|"
    r"children|adults|anyone|you|infants|toddlers|teenagers|pregnant|breastfeeding|your (?:child|son|"
    r"daughter|baby)))|side effects?|lead to|signs? of|symptoms? of|"
    r"such as|like|including|history of having|effective (?:for|against|in treating)|results? in|"
    r"increase\w*|worsen\w*|trigger\w*|develop\w*|become|get|interact\w*)"
    r"[^.;,]{0,30}$",
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
_AGE_WORDS = (
    (re.compile(r"\b(?:toddlers?)\b", re.I), 2.0),
    (re.compile(r"\b(?:infants?|babies|baby)\b", re.I), 0.5),
    (re.compile(r"\bnewborns?\b", re.I), 0.05),
)
_STATES_FACT = re.compile(
    r"\b(?:because|since|as|given that|given|now that|considering) (?:you|your|she|he|they|of your)\b[^.;]{0,30}$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One drug in one sentence.

    Attributes:
        mention: The drug; offsets are into the plain answer.
        segment: Index of the sentence.
        directive: What is said about using it.
        span: The clause, in the plain answer.
        patient: The patient it is addressed to, with what the sentence itself says.
    """

    mention: Mention
    segment: int
    directive: Directive
    span: tuple[int, int]
    patient: Patient


@dataclass(frozen=True, slots=True)
class Link:
    """An amount or frequency and the ingredients it belongs to."""

    ingredients: frozenset[str]
    segment: int


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything read from one answer.

    Attributes:
        text: The answer.
        segments: Its sentences, items, rows and headings.
        statements: One per drug mention, in the order of the text.
        doses: Doses of each segment; offsets are into the segment.
        amounts: Amount, with its segment and ingredients.
        frequencies: Frequency, with its segment and ingredients.
        patient: The patient, with facts the answer states.
    """

    text: Text
    segments: Sequence[Segment]
    statements: tuple[Statement, ...]
    doses: Sequence[Doses]
    amounts: tuple[tuple[Amount, Link], ...]
    frequencies: tuple[tuple[Frequency, Link], ...]
    patient: Patient


def with_pronouns(
    segments: Sequence[Segment], mentions: Sequence[Sequence[Mention]], asked: Sequence[Mention]
) -> list[list[Mention]]:
    """The mentions of each segment, and pronouns that stand for the one drug spoken of before."""
    result: list[list[Mention]] = []
    topic: list[Mention] = [*asked] if len({mention.lead for mention in asked}) == 1 else []
    for segment, own in zip(segments, mentions, strict=True):
        found = list(own)
        if own:
            leads = {mention.lead for mention in own}
            topic = [own[0]] if len(leads) == 1 else []
            if topic:
                found += _later_pronouns(segment, own[0], own[-1].end)
        elif topic and segment.kind != "heading":
            match = _PRONOUN.search(segment.text)
            if match and (match.group().lower() != "it" or _about_use(segment.text, match)):
                named = topic[0]
                start = segment.start + match.start()
                found = [
                    Mention(
                        start,
                        segment.start + match.end(),
                        match.group(),
                        named.ingredients,
                        named.class_key,
                        pronoun=True,
                    )
                ]
        result.append(found)
    return result


def _later_pronouns(segment: Segment, named: Mention, after: int) -> list[Mention]:
    """Pronouns in the same sentence, after its only drug, that its use is spoken of with."""
    return [
        Mention(
            segment.start + m.start(),
            segment.start + m.end(),
            m.group(),
            named.ingredients,
            named.class_key,
            pronoun=True,
        )
        for m in _PRONOUN.finditer(segment.text, after - segment.start)
        if _about_use(segment.text, m)
    ]


def _about_use(sentence: str, match: re.Match[str]) -> bool:
    before, after = sentence[: match.start()], sentence[match.end() :]
    return bool(
        re.search(r"\b(?:take|use|taking|using|start|try|give|avoid|stop|stopping)\s+$", before, re.IGNORECASE)
        or re.match(
            r"(?:'s| is| can| should| must| would be| may)\b[^.;]{0,25}\b(?:safe|fine|ok|okay|"
            r"contraindicated|avoided|used|taken|recommended|good|not)\b",
            after,
            re.IGNORECASE,
        )
    )


def read_answer(
    text: Text,
    segments: Sequence[Segment],
    mentions: Sequence[Sequence[Mention]],
    docs: Mapping[int, Doc],
    patient: Patient,
    conditions: Mapping[str, Condition],
    *,
    has_question: bool,
) -> Reading:
    """The reading of one answer.

    Args:
        text: The answer.
        segments: Its segments.
        mentions: Drug mentions of each segment; offsets are into the plain answer.
        docs: Parse of each segment that has a mention.
        patient: What the question says about the patient.
        conditions: Conditions that can be found.
        has_question: Whether there was a question.
    """
    doses = [find_doses(segment.text) for segment in segments]
    patient = _stated_facts(segments, patient, conditions)
    statements: list[Statement] = []
    first = next((number for number, segment in enumerate(segments) if segment.kind != "heading"), 0)
    for number, segment in enumerate(segments):
        if number not in docs or segment.kind == "heading":
            continue
        spans = [(mention.start - segment.start, mention.end - segment.start) for mention in mentions[number]]
        context = Context(
            heading=segment.heading if not patient.asks_what_to_avoid or _FORBIDS.search(segment.heading) else "",
            in_list=segment.kind in ("item", "row"),
            asks_for_drug=patient.asks_for_drug,
            first=number == first,
            has_question=has_question,
        )
        reader = SentenceReader(docs[number], spans, doses[number], context)
        for place, mention in enumerate(mentions[number]):
            directive = reader.read(place)
            start, end = directive.clause
            local = patient
            if directive.strength != "none" and directive.polarity != "negative":
                local = _local_patient(reader, place, segment.text, patient, conditions)
            statements.append(
                Statement(mention, number, directive, (segment.start + start, segment.start + end), local)
            )
    statements = _yes_answers(segments, first, statements, patient) + statements
    owners = _owners(segments, mentions, doses)
    return Reading(
        text,
        segments,
        tuple(statements),
        doses,
        tuple(
            (amount, Link(owners[number].get(amount.start, frozenset()), number))
            for number, found in enumerate(doses)
            for amount in found.amounts
        ),
        tuple(
            (freq, Link(owners[number].get(freq.start, frozenset()), number))
            for number, found in enumerate(doses)
            for freq in found.frequencies
        ),
        patient,
    )


def _yes_answers(
    segments: Sequence[Segment], first: int, statements: Sequence[Statement], patient: Patient
) -> list[Statement]:
    """The permission that a plain "yes" gives for what the question asked."""
    if not patient.asks_permission or not patient.asked or first >= len(segments):
        return []
    segment = segments[first]
    match = _YES.match(segment.text)
    rest = segment.text[match.end() :] if match else ""
    if match is None or _NEGATION.search(rest):
        return []
    forbidden = {
        s.mention.lead for s in statements if s.directive.polarity == "negative" and s.directive.strength != "none"
    }
    span = (segment.start, segment.end)
    return [
        Statement(
            Mention(segment.start, segment.start + match.end(), match.group(), asked.ingredients, asked.class_key),
            first,
            Directive("strong", permissive=True, clause=(0, len(segment.text))),
            span,
            patient,
        )
        for asked in patient.asked
        if asked.lead not in forbidden
        or not any(s.segment <= first + 1 for s in statements if s.mention.lead == asked.lead)
    ]


def _stated_facts(segments: Sequence[Segment], patient: Patient, conditions: Mapping[str, Condition]) -> Patient:
    facts = []
    for segment in segments:
        if not re.search(r"\b(?:because|since|as|given|now that|considering)\b", segment.text, re.IGNORECASE):
            continue
        for key, start, end in find_conditions(segment.text, conditions):
            before = segment.text[:start]
            if _STATES_FACT.search(before) and not denied(segment.text, start, end):
                facts.append(Fact(key, segment.text[start:end]))
    return patient.with_facts(conditions, facts, {}) if facts else patient


def _local_patient(
    reader: SentenceReader, place: int, sentence: str, patient: Patient, conditions: Mapping[str, Condition]
) -> Patient:
    """The patient with the conditions under which the sentence itself gives its advice."""
    own = reader.clause_number(place)
    facts = [
        Fact(key, sentence[start:end])
        for key, start, end in find_conditions(sentence, conditions)
        if _asserted(reader, own, sentence, start, end)
    ]
    measures = {
        name: (value, sentence[start:end])
        for name, value, start, end in find_measures(sentence)
        if _asserted(reader, own, sentence, start, end, measured=True)
    }
    under = _CHILDREN_UNDER.search(sentence)
    if under and not _EXCEPT.search(sentence[: under.start()]):
        measures["age_years"] = (float(under["n"]) - 0.01, under.group())
    elif "age_years" not in measures and patient.measure("age_years") is None:
        for pattern, age in _AGE_WORDS:
            match = pattern.search(sentence)
            if (
                match
                and re.search(r"\b(?:for|in|to|your|give)\b[^.;]{0,20}$", sentence[: match.start()])
                and not _EXCEPT.search(sentence[: match.start()])
            ):
                measures["age_years"] = (age, match.group())
    if not facts and not measures:
        return patient
    return patient.with_facts(conditions, facts, measures)


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
    if number != own:
        return False
    match = _INTRODUCES.search(before)
    if measured:
        return match is not None or bool(re.search(r"\b(?:your|of|is)\s*$", before))
    return match is not None and not _INDICATION.search(before) and len(match["between"].split()) <= 6


def _owners(
    segments: Sequence[Segment], mentions: Sequence[Sequence[Mention]], doses: Sequence[Doses]
) -> list[dict[int, frozenset[str]]]:
    """Which ingredients the amounts and frequencies of each segment belong to, by their start."""
    owners: list[dict[int, frozenset[str]]] = []
    last: frozenset[str] = frozenset()
    last_block = -1
    for segment, named, found in zip(segments, mentions, doses, strict=True):
        places = [a.start for a in found.amounts] + [f.start for f in found.frequencies]
        own = [mention for mention in named if mention.ingredients]
        assigned: dict[int, frozenset[str]] = {}
        if own:
            for start in places:
                assigned[start] = _nearest(segment, own, found, start)
        elif last and (segment.block == last_block or _ANAPHORA.match(segment.text)) and not named:
            assigned = dict.fromkeys(places, last)
        elif segment.head is not None and not named:
            heads = [mention for mention in mentions[segment.head] if mention.ingredients]
            if heads:
                assigned = dict.fromkeys(places, frozenset(name for mention in heads for name in mention.ingredients))
        if named:
            last = frozenset(name for mention in own for name in mention.ingredients)
            last_block = segment.block
        elif segment.block == last_block + 1 and _ANAPHORA.match(segment.text):
            last_block = segment.block
        owners.append(assigned)
    return owners


def _nearest(segment: Segment, own: Sequence[Mention], found: Doses, start: int) -> frozenset[str]:
    spans = [(m.start - segment.start, m.end - segment.start, frozenset(m.ingredients)) for m in own]
    if len({names for _, _, names in spans}) == 1:
        return spans[0][2]
    amount = next((a for a in found.amounts if a.start == start), None)
    if amount is not None:
        for left, _, names in spans:
            # "500 mg of amoxicillin", "two 500 mg tablets of acetaminophen", "10 mg amlodipine"
            between = segment.text[amount.end : left] if left >= amount.end else None
            if between is not None and re.fullmatch(
                r"\s*(?:(?:tablets?|capsules?|doses?)\s+)?(?:of\s+)?(?:oral\s+|generic\s+)?", between, re.IGNORECASE
            ):
                return names
    before = [names for _, right, names in spans if right <= start + 1]
    # "A or B 200 mg" gives the dose of B alone.
    return before[-1] if before else spans[0][2]
