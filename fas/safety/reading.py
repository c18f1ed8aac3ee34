"""What an answer says, drug by drug: directives, doses, and the patient each is addressed to."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fas.reading.pattern_tables import patterns_of
from fas.safety.asserted import excepted, local_patient, patient_below, patient_named, stated_facts
from fas.safety.cells import column_head, is_for_another, is_most
from fas.safety.cues import CUES
from fas.safety.directive import Context, Directive
from fas.safety.directives import SentenceReader
from fas.safety.doses import NO_DOSES, Amount, Doses, find_doses
from fas.safety.entries import allowed_in_entries
from fas.safety.frequencies import Frequency
from fas.safety.links import owners
from fas.safety.matcher import Mention
from fas.safety.named_allergies import allergens_for, allergens_named, is_named_as_allergen
from fas.safety.patient import Patient
from fas.safety.rules import Condition
from fas.safety.segments import Segment
from fas.safety.spoken_well import contradicts, speaks_well
from fas.safety.text import Text

if TYPE_CHECKING:
    from spacy.tokens import Doc

READING = patterns_of(__file__)


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
        question: The question, or "".
        strangers: One statement per word that stands where a drug would and is none that is known.
        mentions: The drugs named in each segment, headings included.
    """

    text: Text
    segments: Sequence[Segment]
    statements: tuple[Statement, ...]
    doses: Sequence[Doses]
    amounts: tuple[tuple[Amount, Link], ...]
    frequencies: tuple[tuple[Frequency, Link], ...]
    patient: Patient
    question: str = ""
    strangers: tuple[Statement, ...] = ()
    mentions: Sequence[Sequence[Mention]] = ()


def read_answer(
    text: Text,
    segments: Sequence[Segment],
    mentions: Sequence[Sequence[Mention]],
    docs: Mapping[int, Doc],
    patient: Patient,
    conditions: Mapping[str, Condition],
    *,
    question: str,
    strangers: Sequence[Sequence[Mention]],
    unread: Collection[int] = (),
) -> Reading:
    """The reading of one answer.

    Args:
        text: The answer.
        segments: Its segments.
        mentions: Drug mentions of each segment; offsets are into the plain answer.
        docs: Parse of each segment that has a mention.
        patient: What the question says about the patient.
        conditions: Conditions that can be found.
        question: The question, or "".
        strangers: Words of each segment that stand where a drug would and are none that is known.
        unread: Segments that are not addressed to the asker: nothing is read from them.
    """
    doses = [NO_DOSES if n in unread else _doses_of(text.plain, segments, n) for n in range(len(segments))]
    patient = stated_facts(segments, patient, conditions)
    statements: list[Statement] = []
    unknown: list[Statement] = []
    first = next((number for number, segment in enumerate(segments) if segment.kind != "heading"), 0)
    reported = {allergy.lead for allergy in patient.allergies}
    for number, segment in enumerate(segments):
        if number not in docs or (segment.kind == "heading" and not _is_order(doses[number])):
            continue
        named = sorted((*mentions[number], *strangers[number]), key=lambda mention: mention.start)
        spans = [(mention.start - segment.start, mention.end - segment.start) for mention in named]
        context = Context(
            heading=segment.heading
            if not patient.asks_what_to_avoid or READING.forbids.search(segment.heading)
            else "",
            in_list=segment.kind in ("item", "row", "heading"),
            in_row=segment.kind == "row",
            # A drug that the question names already is no answer to "what should I take?".
            asks_for_drug=patient.asks_for_drug and any(mention.lead not in patient.named for mention in named),
            first=number == first,
            has_question=bool(question.strip()),
        )
        refuted = number + 1 < len(segments) and READING.taken_back.match(segments[number + 1].text) is not None
        plainly = SentenceReader(docs[number], spans, doses[number], context)
        for place, mention in enumerate(named):
            head = column_head(text.plain, segments, number, mention.start)
            reader = (
                SentenceReader(docs[number], spans, doses[number], replace(context, heading=head)) if head else plainly
            )
            directive = reader.read(place)
            if head and CUES.heading_negative.search(head):
                # A dose in the next cell is none of a drug's to avoid.
                directive = replace(directive, strength="strong", polarity="negative", permissive=False)
            start, end = directive.clause
            relates_to_another = is_for_another(text.plain, segments, number, mention.start)
            if relates_to_another:
                directive = Directive(clause=directive.clause)
            if (
                directive.compatible
                and directive.manner
                and patient.asks_for_drug
                and mention.lead not in patient.named
            ):
                directive = replace(directive, compatible=False)  # it answers "what can I take?", and says how besides
            if directive.offered and mention.lead in {drug.lead for drug in patient.drugs}:
                directive = Directive(clause=directive.clause)  # what the patient takes is told again
            if directive.polarity == "positive" and directive.strength != "none":
                rest = segment.text[mention.end - segment.start :]
                if excepted(rest, patient, conditions):
                    directive = replace(directive, strength="strong", polarity="negative", permissive=False)
                elif patient.has("pregnancy") and READING.after_pregnancy.search(segment.text):
                    directive = Directive(clause=directive.clause)
            if refuted:
                directive = Directive(clause=directive.clause)
            if is_named_as_allergen(segment.text, *spans[place], mention, reported=mention.lead in reported):
                directive = Directive(clause=directive.clause)
            if READING.donts.fullmatch(segment.heading) and segment.kind == "item" and directive.polarity == "positive":
                directive = replace(directive, strength="strong", polarity="negative", permissive=False)
            if mention in strangers[number]:
                span = (segment.start + start, segment.start + end)
                unknown.append(Statement(mention, number, directive, span, patient))
                continue
            local = patient
            if directive.strength != "none" and directive.polarity != "negative":
                local = local_patient(reader, place, segment.text, patient, conditions)
                if segment.kind in ("item", "row") and segment.heading:
                    local = patient_below(segment.heading, local, conditions)
                allergens = allergens_for(segment.text, spans, named, place)
                if allergens:
                    local = replace(local, allergies=(*local.allergies, *allergens))
            if not (relates_to_another or refuted) and speaks_well(segment.text, spans[place][0]):
                wider = patient_named(_own_part(segment.text, spans, place), local, conditions)
                allergens = allergens_named(segment.text, spans, named, place)
                said_otherwise = (
                    directive.strength == "none"
                    and READING.only_beside.search(segment.text[: spans[place][0]]) is None
                    and contradicts(segment.text, spans[place][0])
                )
                if said_otherwise or wider is not local or len(allergens) > len(local.allergies):
                    local = replace(wider, allergies=(*local.allergies, *allergens))
                    if directive.strength == "none" or directive.polarity == "negative":
                        directive = Directive("weak", permissive=True, in_entry=True, clause=directive.clause)
            statements.append(
                Statement(mention, number, directive, (segment.start + start, segment.start + end), local)
            )
    statements += [
        Statement(
            mention,
            number,
            directive,
            (segments[number].start + directive.clause[0], segments[number].start + directive.clause[1]),
            local,
        )
        for mention, number, directive, local in allowed_in_entries(text.plain, segments, mentions, patient, conditions)
        if number not in unread
    ]
    if READING.go_ahead.search(text.plain):
        statements = _meant(statements, segments, doses)
    if first not in unread:
        agreed = _yes_answers(segments, first, statements, patient)
        statements = agreed + statements
        at = agreed[0].segment if agreed else first
        if agreed and not mentions[at]:
            # "Yes, 5 mg at night is fine": the dose is that of the drug asked about.
            mentions = [*mentions[:at], [statement.mention for statement in agreed], *mentions[at + 1 :]]
    # A name that is not known has doses of its own.
    owner = owners(segments, [[*known, *odd] for known, odd in zip(mentions, strangers, strict=True)], doses)
    return Reading(
        text,
        segments,
        tuple(statements),
        doses,
        tuple(
            (amount, Link(owner[number].get(amount.start, frozenset()), number))
            for number, found in enumerate(doses)
            for amount in found.amounts
        ),
        tuple(
            (freq, Link(owner[number].get(freq.start, frozenset()), number))
            for number, found in enumerate(doses)
            for freq in found.frequencies
        ),
        patient,
        question,
        tuple(unknown),
        mentions,
    )


def _doses_of(plain: str, segments: Sequence[Segment], number: int) -> Doses:
    """The doses of a segment; in a column that is headed as the most allowed, its amounts are that."""
    segment = segments[number]
    found = find_doses(segment.text)
    if segment.kind != "row" or not found.amounts:
        return found
    amounts = []
    for amount in found.amounts:
        most, of_a_day = is_most(plain, segments, number, segment.start + amount.start)
        per = "day" if most and of_a_day and amount.per is None else amount.per
        amounts.append(replace(amount, is_max=amount.is_max or most, per=per))
    return replace(found, amounts=tuple(amounts))


def _own_part(text: str, spans: Sequence[tuple[int, int]], place: int) -> str:
    """The part of a sentence between semicolons that holds a drug, where another part holds another one."""
    start, end = spans[place]
    first, last = text.rfind(";", 0, start) + 1, text.find(";", end)
    last = len(text) if last < 0 else last
    others = any(not first <= left < last for left, _ in spans)
    return text[first:last] if others else text


def _meant(statements: list[Statement], segments: Sequence[Segment], doses: Sequence[Doses]) -> list[Statement]:
    """The one drug whose dose is only described, in an answer that tells the reader to go ahead, as an offer."""
    described = [
        number for number, s in enumerate(statements) if s.directive.strength == "none" and doses[s.segment].amounts
    ]
    if len({statements[number].mention.lead for number in described}) != 1:
        return statements
    return [
        replace(s, directive=replace(s.directive, strength="weak", offered=True)) if number in described else s
        for number, s in enumerate(statements)
    ]


def _is_order(doses: Doses) -> bool:
    """Whether a heading is a whole prescription ("**Amoxicillin 500 mg three times daily**")."""
    return bool(doses.amounts and doses.frequencies)


def _yes_answers(
    segments: Sequence[Segment], first: int, statements: Sequence[Statement], patient: Patient
) -> list[Statement]:
    """The permission that a plain "yes" gives for what the question asked."""
    if not patient.asks_permission or not patient.asked or first >= len(segments):
        return []
    # "Attacks often calm down later. Yes, you can: ..."
    opening = range(first, min(first + 3, len(segments)))
    first = next((number for number in opening if READING.yes_itself.match(segments[number].text)), first)
    segment = segments[first]
    match = READING.yes.match(segment.text)
    if match is None:
        return []
    forbidden = {
        s.mention.lead for s in statements if s.directive.polarity == "negative" and s.directive.strength != "none"
    }
    span = (segment.start, segment.end)
    return [
        Statement(
            Mention(segment.start, segment.start + match.end(), match.group(), asked.ingredients, asked.class_key),
            first,
            Directive("strong", permissive=True, compatible=patient.asks_beside, clause=(0, len(segment.text))),
            span,
            patient,
        )
        for asked in patient.asked
        if asked.lead not in forbidden
        or not any(s.segment <= first + 1 for s in statements if s.mention.lead == asked.lead)
    ]
