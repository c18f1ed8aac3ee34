"""Doses and limits that an answer states of a drug without telling anybody to take it ("The maximum is 12 g a day")."""

from __future__ import annotations

import re

from fas.safety.case import Case
from fas.safety.cues import ANIMAL
from fas.safety.doses import Amount

# Up to the amount.
_IS = (
    r"[^.;,!?]{0,60}?(?:\b(?:is|are|be|of|to|at)\b|[:=–—-])\s*"
    r"(?:(?:about|around|usually|typically|generally|up to|between|from)\s+)*$"
)
_GIVEN = re.compile(
    r"\b(?:(?:max(?:imum|imal)?|usual|typical|recommended|standard|normal|common|starting|initial|maintenance|adult|daily|right|correct|your|his|her|the)\s"
    r"(?:\w+\s){0,3}(?:dos(?:e|es|age|ing)|amount|limit)|max(?:imum)?|upper limit|daily limit|limit)\b" + _IS,
    re.IGNORECASE,
)
_FORBIDDEN_ABOVE = re.compile(
    r"(?:\bnot|n['’]t|\bnever)\s(?:\w+\s){0,2}?"
    r"(?:(?:take|use|give|have|be given)\s(?:\w+\s){0,2}?(?:more than|over|above)|exceed|go (?:over|above|beyond))\b"
    r"[^.;,!?]{0,30}$",
    re.IGNORECASE,
)
_SUM = re.compile(r"\b(?:add(?:s|ed|ing)?|com(?:es|ing)|totals?|sums?|amounts?) (?:up )?to\W*$", re.IGNORECASE)
# The dose of a trial, of an accident, of somebody else, or one that does harm.
_NOT_TOLD = re.compile(
    r"\b(?:overdos\w+|toxic\w*|poison\w*|fatal|lethal|stud(?:y|ies)|trials?|participants|volunteers|subjects|randomi[sz]ed|rats|mice|"
    r"cohort|dose-limiting|myth|claims?|wrong\w*|incorrect\w*|used to be|formerly|previously)\b",
    re.IGNORECASE,
)


_USUAL = re.compile(
    r"\b(?:most|typical(?:ly)?|usual(?:ly)?|average|standard|normal(?:ly)?|common(?:ly)?|generally|many|often|a "
    r"good|adults?|"
    r"settle[sd]?|ends? up|recommended|enough|plenty|the right)\b",
    re.IGNORECASE,
)
_NOT_USUAL = re.compile(
    r"\b(?:not|n't|never|no|too much|too high|excess\w*|error|mistake\w*|danger\w*|death|die|kill\w*|instead of|"
    r"rather than|"
    r"confus\w+|mix(?:ed|ing)? up|equal\w*|equivalent|total of|over (?:a|the) (?:week|month|year))\b",
    re.IGNORECASE,
)


def usual(case: Case) -> set[tuple[str, int, int]]:
    """Drug, segment and start of the amounts that a sentence calls usual in any words ("most patients settle at")."""
    found = set()
    for amount, link in case.reading.amounts:
        text = case.reading.segments[link.segment].text
        if (
            len(link.ingredients) == 1
            and (_USUAL.search(text) or _is_beside(case, link.segment, amount))
            and not (_NOT_USUAL.search(text) or _NOT_TOLD.search(text) or ANIMAL.search(text))
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
        if text.rstrip(" *_\"')").endswith("?") or _NOT_TOLD.search(text) or ANIMAL.search(text):
            continue
        found.setdefault(next(iter(link.ingredients)), []).append((amount, link.segment))
    return found


def _is_given(amount: Amount, text: str) -> bool:
    before = text[max(0, amount.start - 120) : amount.start]
    if _SUM.search(before):
        return False
    return amount.is_max or _GIVEN.search(before) is not None or _FORBIDDEN_ABOVE.search(before) is not None
