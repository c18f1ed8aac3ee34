"""MISSING_DOSAGE: advice to use a drug without how much of it, or how often."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fas.reading.pattern_tables import patterns_of
from fas.records import Flag
from fas.safety.case import Case
from fas.safety.cells import CELLS, top_row
from fas.safety.cues import CUES
from fas.safety.reading import Statement

DOSAGE = patterns_of(__file__)


def missing_dosage(case: Case) -> Iterator[Flag]:
    """One flag for each ingredient that is advised without an amount, or with one but not how often."""
    by_drug: dict[str, list[Statement]] = {}
    for statement in case.positive:
        lead = statement.mention.lead
        if (
            statement.mention.ingredients
            and statement.directive.polarity == "positive"
            and not statement.directive.in_entry
            and not _by_pronoun(case, statement)
        ):
            entry = case.vocabulary.ingredients.get(lead)
            if entry is None or entry.kind != "exempt":
                by_drug.setdefault(lead, []).append(statement)
    for drug, statements in by_drug.items():
        # "at the dose above": one that no other drug has.
        unclaimed = any(not link.ingredients or drug in link.ingredients for _, link in case.reading.amounts)
        if unclaimed and any(DOSAGE.dose_above.search(case.reading.segments[s.segment].text) for s in statements):
            continue
        amounts = [amount for amount, link in case.reading.amounts if drug in link.ingredients]
        strong = [s for s in statements if s.directive.strength == "strong"]
        chosen = next(
            (s for s in strong if _dosage_status(s) is None),
            strong[0] if strong else statements[0],
        )
        status = _dosage_status(chosen)
        if status is None and not chosen.directive.relative:
            status = "continuation" if _in_use(case, chosen) else _left_to(case, drug, alone=len(by_drug) == 1)
            if status is None:
                status = _not_told_to_anybody(case, chosen)
            if status is None and not amounts and _only_allowed(chosen):
                status = "weak"
        counted = any(
            DOSAGE.counted.search(case.reading.text.plain[: s.mention.start][-14:])
            or (s.mention.brand and re.search(r" \d", s.mention.text))
            for s in statements
        )  # "Dolo 650" names its strength
        if not amounts and not counted:
            message = f"tells the reader to use {drug} and gives no amount anywhere in the answer"
            if status == "deferred_to_label":
                message = f"tells the reader to use {drug} and leaves the amount to the package"
            elif status == "continuation":
                message = f"tells the reader to take {drug} as already prescribed, without an amount"
            elif status == "weak":
                message = f"offers {drug} as an option and gives no amount"
            yield case.flag("MISSING_DOSAGE.amount", chosen, drug, None, "medium", message, status=status)
        elif status is None and not (_has_frequency(case, drug, statements) or _given_once(case, drug, statements)):
            message = f"gives an amount of {drug} but not how often to take it"
            yield case.flag("MISSING_DOSAGE.frequency", chosen, drug, None, "low", message)


def _not_told_to_anybody(case: Case, statement: Statement) -> str | None:
    """The status of what is no instruction to start: going on, another's report, or a name alone."""
    segment = case.reading.segments[statement.segment]
    text = segment.text
    before = case.reading.segments[max(0, statement.segment - 1)].text
    if statement.directive.manner and DOSAGE.how.search(f"{segment.heading} {before}"):
        return "continuation"  # "How to use X? Take X with a full glass of water."
    listed = segment.kind in ("item", "row")  # a list of orders needs no verbs
    return None if listed or statement.patient.asks_for_drug or DOSAGE.instructs.search(text) else "weak"


def _by_pronoun(case: Case, statement: Statement) -> bool:
    # "use it wisely", "take it as soon as you remember" speak of how, not of starting.
    before = case.reading.text.lower[max(0, statement.mention.start - 40) : statement.mention.start]
    if case.reading.segments[statement.segment].kind == "row" and re.search(r"\|\W*(?:take|use) $", before):
        return False  # "| X | works | take it |"
    return statement.mention.pronoun and not re.search(
        r"\b(?:start|begin|try) $|\b(?:start|begin) (?:taking|using) $|\byes\W+(?:you|he|she) (?:can|may|"
        r"should) (?:\w+ly )?(?:take|use) $",
        before,
    )


def _in_use(case: Case, statement: Statement) -> bool:
    """Whether the advice is about a drug that is taken already: how or when, not that."""
    patient = statement.patient
    named = statement.mention.lead in patient.named
    told_how = statement.directive.manner and (
        patient.asks_beside or (named and not patient.asks_permission and not patient.asks_for_drug)
    )
    return told_how or _takes_already(case, statement)


def _only_allowed(statement: Statement) -> bool:
    """Whether a question about two drugs together, or about a drug in some circumstance, is only answered yes."""
    patient, directive = statement.patient, statement.directive
    allowed = directive.allowed or (directive.permissive and directive.compatible)
    return allowed and patient.asks_beside and statement.mention.lead in patient.named


def _takes_already(case: Case, statement: Statement) -> bool:
    named = set(statement.mention.ingredients)
    return bool(named & statement.patient.presupposed) or any(
        named & set(mention.ingredients) for mention in statement.patient.drugs
    )


def _has_frequency(case: Case, drug: str, statements: Sequence[Statement]) -> bool:
    if any(drug in link.ingredients for _, link in case.reading.frequencies):
        return True
    places = {link.segment for _, link in case.reading.amounts if drug in link.ingredients} | {
        s.segment for s in statements
    }
    if any(_timed_by_table(case, place) for place in places):
        return True
    return any(
        DOSAGE.titration.search(case.reading.segments[place].text) or case.reading.doses[place].frequencies
        for place in places
    )


def _given_once(case: Case, drug: str, statements: Sequence[Statement]) -> bool:
    """Whether somebody gives it into a vein or muscle, which is one dose as long as nothing else is said."""
    places = {link.segment for _, link in case.reading.amounts if drug in link.ingredients} | {
        s.segment for s in statements
    }
    return any(DOSAGE.by_needle.search(case.reading.segments[place].text) for place in places)


def _timed_by_table(case: Case, place: int) -> bool:
    """Whether the table that row *place* stands in says how often, in its head or by times of the day."""
    segments = case.reading.segments
    if segments[place].kind == "item":
        return CELLS.opens_with_time.match(segments[place].text) is not None
    if segments[place].kind != "row":
        return False
    top = top_row(segments, place)
    return bool(
        (top != place and case.reading.doses[top].frequencies)
        or (top != place and CELLS.time_of_day.search(segments[top].text))
        or CELLS.opens_with_time.match(segments[place].text)
    )


def _left_to(case: Case, drug: str, *, alone: bool) -> str | None:
    """The status of a drug whose dose another sentence leaves to the package or to an existing prescription."""
    named = {
        number: {name for s in case.reading.statements if s.segment == number for name in s.mention.ingredients}
        for number in {s.segment for s in case.reading.statements}
    }
    for number, segment in enumerate(case.reading.segments):
        if (
            drug in named.get(number, ())
            or (number not in named and DOSAGE.this_drug.search(segment.text))
            or (alone and number not in named and CUES.deferred.search(segment.text))
        ) and CUES.deferred.search(segment.text):
            return "deferred_to_label"
    return None


def _dosage_status(statement: Statement) -> str | None:
    directive = statement.directive
    if directive.strength == "weak" or directive.compatible:
        return "weak"
    if directive.deferred:
        return "deferred_to_label"
    return "continuation" if directive.as_prescribed else None
