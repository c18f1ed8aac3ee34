"""Which drugs the amounts and frequencies of an answer belong to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from fas.reading.pattern_tables import patterns_of
from fas.safety.doses import Doses
from fas.safety.matcher import Mention
from fas.safety.segments import Segment

LINKS = patterns_of(__file__)


def owners(
    segments: Sequence[Segment], mentions: Sequence[Sequence[Mention]], doses: Sequence[Doses]
) -> list[dict[int, frozenset[str]]]:
    """Which ingredients the amounts and frequencies of each segment belong to, by their start."""
    result: list[dict[int, frozenset[str]]] = []
    spoken_of = {frozenset(mention.ingredients) for named in mentions for mention in named if mention.ingredients}
    only = next(iter(spoken_of)) if len(spoken_of) == 1 else None
    last: frozenset[str] = frozenset()
    last_block = -1
    for segment, named, found in zip(segments, mentions, doses, strict=True):
        # "Salt: less than 5 g per day": what is eaten is weighed, too.
        eaten = not named and LINKS.eaten.match(segment.text) is not None
        places = [] if eaten else [a.start for a in found.amounts] + [f.start for f in found.frequencies]
        own = [mention for mention in named if mention.ingredients]
        assigned: dict[int, frozenset[str]] = {}
        if own:
            for start in places:
                assigned[start] = _nearest(segment, own, found, start)
        elif last and (segment.block == last_block or LINKS.anaphora.match(segment.text)) and not named:
            if found.amounts or not LINKS.of_a_habit.search(segment.text):
                assigned = dict.fromkeys(places, last)
        elif segment.head is not None and not named:
            heads = [mention for mention in mentions[segment.head] if mention.ingredients]
            if heads:
                assigned = dict.fromkeys(places, frozenset(name for mention in heads for name in mention.ingredients))
        if only is not None and not assigned and last and (found.amounts or LINKS.of_a_dose.match(segment.text)):
            assigned = dict.fromkeys(places, only)  # one drug in the whole answer: every later dose is its own
        if named:
            last = frozenset(name for mention in own for name in mention.ingredients)
            last_block = segment.block
        elif segment.block == last_block + 1 and LINKS.anaphora.match(segment.text):
            last_block = segment.block
        result.append(assigned)
    return result


def _nearest(segment: Segment, own: Sequence[Mention], found: Doses, start: int) -> frozenset[str]:
    spans = [(m.start - segment.start, m.end - segment.start, frozenset(m.ingredients)) for m in own]
    if len({names for _, _, names in spans}) == 1:
        return spans[0][2]
    amount = next((a for a in found.amounts if a.start == start), None)
    if amount is not None:
        for left, _, names in spans:
            # "500 mg of amoxicillin", "two 500 mg tablets of acetaminophen", "10 mg amlodipine"
            between = segment.text[amount.end : left] if left >= amount.end else None
            if between is not None and re.fullmatch(
                r"\s*(?:(?:tablets?|capsules?|doses?)\s+)?(?:of\s+)?(?:oral\s+|generic\s+)?", between, re.IGNORECASE
            ):
                return names
    before = [span for span in spans if span[1] <= start + 1]
    if not before:
        return spans[0][2]
    # "A or B 200 mg" gives the dose of B alone.
    shared = before[-1][2]
    for (_, right, names), (left, _, _) in reversed(list(pairwise(before))):
        if segment.text[right:left].strip() not in ("/", "-"):
            break
        shared |= names  # "A/B 1 mg/100 mg": a combination
    return shared
