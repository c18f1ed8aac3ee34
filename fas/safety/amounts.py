"""Whose the amounts of an answer are: each is bound to the drug that it is most likely of.

"500 mg of X" is of X; otherwise the drug before it in its segment, the drug of its label, row or heading, the drug of
the segment before, or the only drug of the answer or of its question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from fas.safety.doses import Amount, Doses
from fas.safety.matcher import Mention
from fas.safety.segments import SafetySegment

if TYPE_CHECKING:
    from fas.safety.relations import RelationReading

_TABLET = re.compile(r"[\s-]*(?:\w+[- ]){0,3}?(?:tab(?:let)?s?|cap(?:sule|let)?s?|pills?|softgels?)\b", re.IGNORECASE)
_OF_NAME = re.compile(
    r"\s*(?:(?:tablets?|capsules?|doses?)\s+)?(?:of\s+)?(?:the\s+)?(?:oral\s+|generic\s+)?", re.IGNORECASE
)
_OF_ITS_OWN = re.compile(
    r"\s+of\s+(?!(?:it|them|this|that|these|those|the|your|his|her|each|either|both|any|a|an|actives?|oral|liquid|"
    r"medic\w+|drugs?|doses?|tab\w*|cap\w*|pills?|syrup|solution|suspension|powder|cream|gel|ointment)\b)[a-z]",
)
"""Words after an amount of something that is not a drug ("15 g of carbohydrate")."""


@dataclass(frozen=True, slots=True)
class Owned:
    """An amount and whose it is.

    Attributes:
        amount: The amount; offsets are into its segment.
        segment: The segment.
        drugs: The ingredients that it is of; empty where nothing says.
    """

    amount: Amount
    segment: int
    drugs: frozenset[str]


def find_owners(reading: RelationReading) -> list[Owned]:
    """Every amount with the drug that it is most likely of."""
    found: list[Owned] = []
    last: frozenset[str] = frozenset()
    last_at = -9
    everything = {frozenset(m.ingredients) for named in reading.mentions for m in named if m.ingredients}
    only = next(iter(everything)) if len(everything) == 1 else frozenset()
    told = frozenset[str]()
    for named in (reading.patient.asked, reading.question_drugs):
        asked = {frozenset(m.ingredients) for m in named if m.ingredients}
        told = told or (next(iter(asked)) if len(asked) == 1 else told)
        if len(asked) == 1 and (not everything or everything == asked):
            last, only, last_at = next(iter(asked)), next(iter(asked)), -1
    for number, doses in enumerate(reading.doses):
        odd = reading.strangers[number] if reading.strangers else ()
        own = [*(m for m in reading.mentions[number] if m.ingredients), *odd]
        for amount in doses.amounts:
            drugs = frozenset[str]()
            if _is_of_its_own(reading, number, own, amount):
                pass
            elif own:
                drugs = _find_nearest(reading.segments[number], own, doses, amount.start)
            elif governed := _find_governing(reading, number, amount.start):
                drugs = governed
            elif last and number - last_at <= 2:
                drugs = last
            elif only and (last_at >= 0 or not told or amount.mg is not None or only == told):
                drugs = only
            elif told and amount.mg is None:
                drugs = told  # "your tablets" are those of the question
            found.append(Owned(amount, number, drugs))
        if own:
            names = {frozenset(m.ingredients) for m in own if m.ingredients}
            last = next(iter(names)) if len(names) == 1 else frozenset()
            last_at = number
        elif last and number - last_at == 1 and doses.amounts:
            last_at = number
    return found


def _is_of_its_own(reading: RelationReading, number: int, own: Sequence[Mention], amount: Amount) -> bool:
    """Whether an amount by weight is of something other than the drugs ("15 g of carbohydrate")."""
    segment = reading.segments[number]
    if amount.unit not in ("mg", "mcg", "g") or (named := _OF_ITS_OWN.match(segment.text, amount.end)) is None:
        return False
    near = range(named.end() - 1, named.end() + 20)
    return not any(m.start - segment.start in near for m in own)


def _find_governing(reading: RelationReading, number: int, at: int) -> frozenset[str]:
    """The one drug that governs a place: by label, row, column, lead or heading, the nearest first."""
    for governor in reading.structure.governors(number, reading.segments[number].start + at):
        if governor.kind == "before":
            continue
        names = {
            frozenset(m.ingredients)
            for m in reading.mentions[governor.segment]
            if m.ingredients and governor.start <= m.start < governor.end
        }
        if len(names) == 1:
            return next(iter(names))
    return frozenset()


def _find_nearest(segment: SafetySegment, own: Sequence[Mention], doses: Doses, start: int) -> frozenset[str]:
    """The drug of a segment that the amount at *start* is of: "500 mg of X" or the drug before it."""
    spans = [
        (m.start - segment.start, m.end - segment.start, frozenset(m.ingredients or (m.text.lower(),))) for m in own
    ]
    spans.sort(key=lambda span: span[:2])
    if len({names for _, _, names in spans}) == 1:
        return spans[0][2]
    amount = next((a for a in doses.amounts if a.start == start), None)
    if amount is not None:
        for left, _, names in spans:
            if left >= amount.end and _OF_NAME.fullmatch(segment.text, amount.end, left):
                return names
    before = [span for span in spans if span[1] <= start + 1]
    if not before:
        return spans[0][2]
    shared = before[-1][2]
    for (_, right, names), (left, _, _) in reversed(list(pairwise(before))):
        if segment.text[right:left].strip() not in ("/", "-"):
            break
        shared |= names
    return shared


def is_tablet(text: str, amount: Amount) -> bool:
    """Whether the amount is the strength of a tablet ("2 mg capsules")."""
    return amount.mg is not None and _TABLET.match(text, amount.end) is not None
