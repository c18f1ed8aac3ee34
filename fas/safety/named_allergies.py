"""Whom a sentence of the answer names as allergic, and to what: "if you are allergic to penicillin you may take X"."""

from __future__ import annotations

from collections.abc import Sequence

from fas.reading.pattern_tables import patterns_of
from fas.safety.matcher import Mention
from fas.safety.reactions import REMEDIES

NAMED_ALLERGIES = patterns_of(__file__)


def allergens_for(
    text: str, spans: Sequence[tuple[int, int]], named: Sequence[Mention], place: int
) -> tuple[Mention, ...]:
    """What the people to whom a sentence gives a drug are allergic to, by the sentence itself.

    Args:
        text: The sentence.
        spans: Where the drugs stand in it.
        named: The drugs.
        place: Which of them is given.
    """
    found = []
    start, end = spans[place]
    for number, (first, last) in enumerate(spans):
        if number == place or not _is_allergen(text, first, last, named[number]):
            continue
        between = text[last:start] if last <= start else text[end:first]
        if last <= start:
            bears = (
                NAMED_ALLERGIES.goes_on.search(between) is not None and NAMED_ALLERGIES.apart.search(between) is None
            )
        else:
            bears = (
                NAMED_ALLERGIES.for_them.search(between) is not None and NAMED_ALLERGIES.unless.search(between) is None
            )
        if bears:
            found.append(named[number])
    return tuple(found)


def allergens_named(
    text: str, spans: Sequence[tuple[int, int]], named: Sequence[Mention], place: int
) -> tuple[Mention, ...]:
    """Every allergen of a sentence that speaks well of its drugs, however it is built."""
    start, end = spans[place]
    if _is_allergen(text, start, end, named[place]):
        return ()
    return tuple(
        mention
        for number, mention in enumerate(named)
        if number != place
        and _is_allergen(text, *spans[number], mention)
        and ";" not in text[min(end, spans[number][1]) : max(start, spans[number][0])]
    )


def is_named_as_allergen(text: str, first: int, last: int, mention: Mention, *, reported: bool) -> bool:
    """Whether the drug from *first* to *last* is only named as what somebody is allergic to ("a penicillin allergy").

    Args:
        text: The sentence.
        first: Where the drug begins.
        last: Where it ends.
        mention: The drug.
        reported: The patient reacts to it, so that a rash "with" it is from it.
    """
    if reported and NAMED_ALLERGIES.to.search(text[:first]) is not None:
        return True
    if {mention.lead, str(mention.class_key), *mention.ingredients} & REMEDIES:
        return False
    return (
        NAMED_ALLERGIES.allergy_behind.match(text, last) is not None
        or NAMED_ALLERGIES.allergic_to.search(text[:first]) is not None
    )


def _is_allergen(text: str, first: int, last: int, mention: Mention) -> bool:
    before = text[:first]
    told = NAMED_ALLERGIES.to.search(before)
    if told is not None:
        return NAMED_ALLERGIES.not_so.search(before[: told.start()]) is None
    if NAMED_ALLERGIES.gave.match(text, last) is not None:
        return NAMED_ALLERGIES.not_so.search(before) is None
    remedy = bool({mention.lead, str(mention.class_key), *mention.ingredients} & REMEDIES)
    return (
        not remedy
        and NAMED_ALLERGIES.behind.match(text, last) is not None
        and NAMED_ALLERGIES.not_so.search(before) is None
    )
