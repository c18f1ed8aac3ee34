"""From what an answer says to flags: every kind of flag, each once per drug and target."""

from __future__ import annotations

from collections.abc import Iterable

from fas.records import Flag
from fas.safety.case import Case
from fas.safety.contradictions import contradictions
from fas.safety.dosage import missing_dosage
from fas.safety.excess import doses
from fas.safety.forbidden import (
    ages,
    allergies,
    boxed,
    contraindicated,
    narrowest,
    populations,
    pregnancy,
    without_forbidden,
)
from fas.safety.implausible import implausible
from fas.safety.pairs import pairs
from fas.safety.reading import Reading
from fas.safety.rules import RuleBook
from fas.safety.unknown import unknown


def find_flags(reading: Reading, book: RuleBook, *, info: bool = False) -> tuple[Flag, ...]:
    """Every flag of one answer, in the order of the text.

    Args:
        reading: What the answer says.
        book: The rules.
        info: Also flags that only inform (BOXED_WARNING_OMITTED, cross-allergies).
    """
    case = Case(reading, book)
    forbidden = narrowest(case, contraindicated(case))
    flags = [
        *missing_dosage(case),
        *forbidden,
        *pairs(case),
        *allergies(case, info=info),
        *pregnancy(case, info=info),
        *without_forbidden(case, (*populations(case), *ages(case)), forbidden),
        *doses(case),
        *implausible(case),
        *unknown(case),
    ]
    flags += contradictions(case, [flag for flag in flags if flag.flag != "POPULATION_RISK"])
    if info:
        flags += boxed(case)
    return in_order(flags)


def in_order(flags: Iterable[Flag]) -> tuple[Flag, ...]:
    """Flags in the order of the text."""
    return tuple(sorted(flags, key=lambda flag: (flag.start, flag.end, flag.code, flag.drug or "", flag.target or "")))
