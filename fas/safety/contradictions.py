"""SELF_CONTRADICTION: one drug advised in one sentence and forbidden in another."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fas.safety.case import FAR, MOST_PLACES, SafetyCase, SafetyFinding

_ONLY_IF = re.compile(
    r"\b(?:if|unless|when|until|only|during|while|with|more than|longer|exceed|together|at the same|combin\w+)\b",
    re.IGNORECASE,
)


def contradictions(case: SafetyCase) -> Iterator[SafetyFinding]:
    """SELF_CONTRADICTION: one drug advised in one sentence and forbidden in another."""
    reading = case.reading
    for lead, all_places in case.by_lead.items():
        if len(all_places) < 2 or not reading.drugs[all_places[0]].mention.ingredients:
            continue
        places = case.places(lead)
        against = [n for n in all_places if _speaks_against(case, n)][:MOST_PLACES]
        for for_it in places:
            for other in against:
                if reading.drugs[for_it].segment != reading.drugs[other].segment:
                    yield contradiction(case, lead, for_it, other)


def _speaks_against(case: SafetyCase, n: int) -> bool:
    """Whether words around mention *n* may forbid the drug."""
    features = case.reading.drugs[n].features
    return any(
        name in features for name in ("c:avoid before", "c:avoid after", "c:stop before", "heading:avoid before")
    )


def contradiction(case: SafetyCase, lead: str, for_it: int, against: int) -> SafetyFinding:
    """The finding that mention *for_it* advises a drug and mention *against* forbids it."""
    reading = case.reading
    one, two = reading.drugs[for_it], reading.drugs[against]
    features = dict(case.mention_features(for_it))
    features |= {f"X {k}": v for k, v in case.mention_features(against).items()}
    text, first = reading.segments[two.segment].text, reading.segments[one.segment].text
    features["X qualified"] = float(_ONLY_IF.search(text) is not None)
    features["X qualified first"] = float(_ONLY_IF.search(first) is not None)
    features["X states"] = float(bool(reading.states_of[two.segment]))
    shared = {s.key for s in reading.states_of[two.segment]} & set(reading.patient.facts)
    same = {s.key for s in reading.states_of[two.segment]} & {s.key for s in reading.states_of[one.segment]}
    features["X states of the patient"] = float(bool(shared))
    features["X states of both"] = float(bool(same))
    features["X behind"] = float(two.start > one.start)
    features["X apart"] = min(1.0, abs(one.segment - two.segment) / FAR)
    mine, theirs = set(re.findall(r"[a-z]{4,}", first.lower())), set(re.findall(r"[a-z]{4,}", text.lower()))
    features["X same words"] = len(mine & theirs) / (1 + min(len(mine), len(theirs)))
    asked = set(re.findall(r"[a-z]{4,}", reading.question.lower()))
    features["X asked words"] = len(asked & theirs) / (1 + len(theirs))
    features["X few words"] = float(len(theirs) <= 4)
    features = {name: value for name, value in features.items() if value}
    return SafetyFinding(
        "self",
        "SELF_CONTRADICTION",
        "SELF_CONTRADICTION",
        lead,
        min(shared, default=None),
        one.segment,
        one.start,
        one.end,
        features,
        "medium",
        None,
        None,
        text.strip(),
        lead,
    )
