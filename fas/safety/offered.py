"""A drug written out with its amount and how often: in an answer that is an offer, whatever the words around it.

Nobody writes "X 100 mg twice a day" to a patient without meaning it, unless the sentence warns, reports, asks,
supposes, tells a story or describes. What no rule has recognised as advice is read as a weak one for that reason.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from fas.reading.pattern_tables import patterns_of
from fas.safety.cues import CUES, NOT
from fas.safety.doses import Doses

OFFERED = patterns_of(__file__)


def is_offered(
    sentence: str, start: int, end: int, doses: Doses, heading: str, others: Sequence[tuple[int, int]] = ()
) -> bool:
    """Whether the drug at *start* to *end* stands with its amount and frequency in a sentence that offers it.

    Args:
        sentence: The sentence, list item or row.
        start: First character of the drug's name.
        end: One past the last.
        doses: Doses of the sentence.
        heading: Heading over the sentence, or "".
        others: Where other drugs stand; behind the next one doses are its own.
    """
    following = min((left for left, _ in others if left >= end), default=len(sentence))
    own = re.search(r"\b(?:and|or|plus|with)\W*$|[,/&+]\W*$", sentence[end:following])  # "A and B 5 mg each"
    following = len(sentence) if own else following
    if not any(
        a.unit != "%" and not a.is_max and -25 <= a.start - start <= 60 and a.start < following for a in doses.amounts
    ):
        return False
    if not any(-45 <= f.start - start <= 100 for f in doses.frequencies):
        return False
    if (
        sentence.rstrip(" *_\"')").endswith("?")
        or CUES.heading_negative.search(heading)
        or CUES.heading_neutral.search(heading)
    ):
        return False
    before, after = OFFERED.beside_another.sub(" ", sentence[:start]), sentence[end:]
    clear = OFFERED.not_so_taken.sub(" ", OFFERED.beside_another.sub(" ", OFFERED.proviso.sub(" ", sentence)))
    if (
        OFFERED.not_to_the_reader.search(clear)
        or OFFERED.story.search(before)
        or OFFERED.in_use.search(before)
        or CUES.ask.search(before.lower())
    ):
        return False
    if OFFERED.supposed.search(OFFERED.proviso.sub(" ", before)) or CUES.adverse.search(before):
        return False
    return not re.match(rf"\s*\(?(?:is|are) (?:an? (?!good|safe|reasonable|option)|{NOT})", after, re.IGNORECASE)
