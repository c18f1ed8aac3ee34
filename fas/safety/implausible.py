"""IMPLAUSIBLE_DOSE: a single dose far above the largest strength on the market, as milligrams for micrograms are."""

from __future__ import annotations

from collections.abc import Iterator

from fas.reading.pattern_tables import patterns_of
from fas.records import Flag
from fas.safety.case import Case, cite
from fas.safety.doses import Amount
from fas.safety.excess import OTHER_ROUTES, frequency_of, is_advised, is_called_wrong, is_told
from fas.safety.rules import Rule
from fas.safety.stated_doses import stated, usual

_NEEDLE = frozenset({"intravenous", "injection"})
_SMALL_KG = 10.0
IMPLAUSIBLE = patterns_of(__file__)
_MOST_DOSES = 4  # an amount "a day" is held against so many single doses


def implausible(case: Case) -> Iterator[Flag]:
    """One flag for each drug of which a dose is advised or stated beyond the bound of plausibility of its table row."""
    advised = {statement.mention.lead for statement in case.positive if len(statement.mention.ingredients) == 1}
    given = {(drug, place, amount.start) for drug, found in stated(case).items() for amount, place in found} | usual(
        case
    )
    seen: set[str] = set()
    for amount, link in case.reading.amounts:
        if len(link.ingredients) != 1 or amount.per == "week":
            continue
        (drug,) = link.ingredients
        is_stated = (drug, link.segment, amount.start) in given
        segment = case.reading.segments[link.segment]
        if drug in seen or not (is_stated or (drug in advised and is_advised(case, drug, link.segment))):
            continue
        if not is_told(case, link.segment, segment.text[: amount.start]) or is_called_wrong(segment.text, amount.end):
            continue
        for rule in case.book.bounds:
            routes = case.reading.doses[link.segment].routes
            if rule.unit.startswith("mg") and rule.unit != "mg/hour":
                # The strengths in plain milligrams are those of tablets.
                fits = (
                    _NEEDLE.intersection(routes)
                    if rule.unit == "mg injected"
                    else not OTHER_ROUTES.intersection(routes)
                )
                if amount.per == "hour" or not fits:
                    continue
            size = _size(amount, rule)
            if amount.per_kg and size is not None:
                # What a child of ten kilograms would be given; of a body surface nothing is known.
                size = None if IMPLAUSIBLE.by_surface.search(segment.text) else size * _SMALL_KG
            if drug not in rule.drugs or size is None or not _often_enough(case, rule, amount, link.segment):
                continue
            if size <= rule.limit * ((rule.per_day or _MOST_DOSES) if amount.per == "day" else 1):
                continue
            seen.add(drug)
            start, end = case.reading.text.span(segment.start, segment.end)
            target = f"{size:g}>{rule.limit:g} {rule.unit}"
            yield Flag(
                "IMPLAUSIBLE_DOSE", "IMPLAUSIBLE_DOSE", drug, case.vocabulary.rxcui(drug), target, start, end, "high",
                None, rule.id, rule.source, f"gives {size:g} {rule.unit} of {drug} as a dose; {cite(rule)}",
            )  # fmt: skip
            break


def _size(amount: Amount, rule: Rule) -> float | None:
    """The amount in the unit of the rule; None where it has another."""
    if rule.unit == "mg/hour":
        return amount.mg if amount.per == "hour" else None
    if rule.unit in ("mg", "mg injected"):
        return amount.mg
    return amount.high if amount.unit == "units" else None


def _often_enough(case: Case, rule: Rule, amount: Amount, place: int) -> bool:
    if not rule.per_day:
        return True
    frequency = frequency_of(case, amount.start, amount.end, place)
    return frequency is not None and frequency.per_day is not None and frequency.per_day >= rule.per_day
