"""Set phrases that recommend or reject a drug without a verb of use: "would do the trick", "steer clear of".

The drug in question is written as §, every other drug as ¤; words are in lower case and joined by spaces.
"""

from __future__ import annotations

import re

from fas.reading.pattern_tables import patterns_of
from fas.safety.directive import Directive

PHRASES = patterns_of(__file__)


def set_phrase(left: str, right: str, sentence: str) -> Directive | None:
    """What a set phrase around § says of it; None where there is none.

    Args:
        left: The clause up to §.
        right: The clause after §.
        sentence: The whole sentence.
    """
    if PHRASES.counterfactual.search(sentence):
        return Directive()  # "were it not for your asthma, § would be ..."
    if PHRASES.cleared_left.search(left) or PHRASES.cleared_right.search(right):
        return Directive("weak", permissive=True)
    if _rejects(left, right):
        return Directive("strong", "negative")
    if PHRASES.people_may.search(left):
        return Directive("weak", permissive=True)
    if PHRASES.strong_left.search(left):
        return Directive("strong")
    if PHRASES.strong_right.search(right) and not PHRASES.not_so.search(right):
        return Directive("strong")
    if PHRASES.goes_on_left.search(left):
        return Directive("strong", "continuation")
    return Directive("weak") if PHRASES.weak_left.search(left) else None


def _rejects(left: str, right: str) -> bool:
    if PHRASES.rejected_left.search(left) or PHRASES.swapped.search(left):
        return True
    miss = re.search(r"\bgive(?: (?:the|your))*$", left) and re.search(r"\ba miss\b", right)
    return bool(miss) or PHRASES.rejected_right.search(right) is not None
