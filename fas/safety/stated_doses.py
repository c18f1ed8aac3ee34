"""Doses and limits that an answer states of a drug without telling anybody to take it ("The maximum is 12 g a day")."""

from __future__ import annotations

from fas.reading.pattern_tables import patterns_of
from fas.safety.case import Case
from fas.safety.cues import CUES
from fas.safety.doses import Amount

STATED_DOSES = patterns_of(__file__)


def usual(case: Case) -> set[tuple[str, int, int]]:
    """Drug, segment and start of the amounts that a sentence calls usual in any words ("most patients settle at")."""
    found = set()
    for amount, link in case.reading.amounts:
        text = case.reading.segments[link.segment].text
        if (
            len(link.ingredients) == 1
            and (STATED_DOSES.usual.search(text) or _is_beside(case, link.segment, amount))
            and not (
                STATED_DOSES.not_usual.search(text) or STATED_DOSES.not_told.search(text) or CUES.animal.search(text)
            )
            and not text.rstrip(" *_\"')").endswith("?")
        ):
            found.add((next(iter(link.ingredients)), link.segment, amount.start))
    return found


def _is_beside(case: Case, place: int, amount: Amount) -> bool:
    """Whether the amount follows the name of its drug at once ("X 100 mg stops ...")."""
    start = case.reading.segments[place].start + amount.start
    return any(s.segment == place and 0 <= start - s.mention.end <= 3 for s in case.reading.statements)


def stated(case: Case) -> dict[str, list[tuple[Amount, int]]]:
    """The amounts given as a dose or a limit of a drug and the segments they stand in, by the drug.

    An amount counts that stands behind "the maximum (usual, recommended ...) dose is" or "do not take more than", in
    the answer's own voice.
    """
    found: dict[str, list[tuple[Amount, int]]] = {}
    for amount, link in case.reading.amounts:
        text = case.reading.segments[link.segment].text
        if len(link.ingredients) != 1 or not _is_given(amount, text):
            continue
        if text.rstrip(" *_\"')").endswith("?") or STATED_DOSES.not_told.search(text) or CUES.animal.search(text):
            continue
        found.setdefault(next(iter(link.ingredients)), []).append((amount, link.segment))
    return found


def _is_given(amount: Amount, text: str) -> bool:
    before = text[max(0, amount.start - 120) : amount.start]
    if STATED_DOSES.sum.search(before):
        return False
    return (
        amount.is_max
        or STATED_DOSES.given.search(before) is not None
        or STATED_DOSES.forbidden_above.search(before) is not None
    )
