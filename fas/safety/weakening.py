"""Why words that look like an instruction are less than one.

"X can be taken with food" allows, "buy X" only obtains, "X, Y, or Z" leaves a choice, "I thought
you could take X" reports. Each function sees the clause with the drug in question written as §
and every other drug as ¤.
"""

from __future__ import annotations

import re

from fas.reading.pattern_tables import patterns_of

ACQUIRE_VERBS = frozenset({"buy", "get", "pick", "choose", "receive"})

WEAKENING = patterns_of(__file__)


def is_compatibility(left: str, right: str) -> bool:
    """Whether a clause says that § may be used by nobody in particular, or beside something else."""
    whole = f"{left} § {right}".replace("for good", " ")
    if WEAKENING.well_on.search(left):
        return False  # "she'd be fine with §" offers it
    if WEAKENING.advisable.search(left) and is_manner(right):
        return True  # "it is best to take § in the evening" says when, not that
    if WEAKENING.asked_for.search(left) or not WEAKENING.allowed.search(whole):
        return False
    if not WEAKENING.addressed.search(left) and not WEAKENING.for_somebody.search(whole):
        return True
    return any((WEAKENING.circumstance.search(right), WEAKENING.joined.search(whole), WEAKENING.behind.search(left)))


def is_manner(right: str) -> bool:
    """Whether what follows § says when or with what it is taken."""
    return WEAKENING.manner.match(right) is not None


def only_obtains(verb: str, tail: str) -> bool:
    """Whether *verb* is about getting the drug, and what follows does not go on to its use."""
    return verb in ACQUIRE_VERBS and not WEAKENING.used_then.search(tail)


def is_added_to(left: str, tail: str) -> bool:
    """Whether the sentence opens with § as what something else is added to ("on top of §, ...")."""
    return WEAKENING.added_to.fullmatch(left) is not None and re.match(r"[^,.;]{0,40},", tail) is not None


def is_hearsay(left: str) -> bool:
    """Whether the clause tells what the writer heard, thought or was told ("I was told to take §")."""
    return WEAKENING.hearsay.search(left) is not None or WEAKENING.quoted.search(left) is not None


def is_told(before: str) -> bool:
    """Whether the sentence up to § passes on advice that somebody got ("her recommendation was: use §")."""
    return WEAKENING.told.search(before) is not None


def is_compared(left: str) -> bool:
    """Whether § only stands beside something else ("like §, this product ...")."""
    return WEAKENING.compared.search(left) is not None


def is_permission(left: str) -> bool:
    """Whether the reader is allowed to take §, and not told to."""
    return WEAKENING.may.search(left.strip()) is not None
