"""SELF_CONTRADICTION: an answer advises a drug in one sentence and warns against it in another."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fas.safety.case import FAR, MOST_PLACES, SafetyCase, SafetyFinding

_ONLY_IF = re.compile(
    r"\b(?:if|unless|when|until|only|during|while|with|more than|longer|exceed|together|at the same|combin\w+)\b",
    re.IGNORECASE,
)
_PASSIVE = re.compile(r"^[^.,;]{0,30}\bbe \w+")
_WORD = re.compile(r"[^\W\d_]{4,}|\d+")


def find_contradictions(case: SafetyCase) -> Iterator[SafetyFinding]:
    """SELF_CONTRADICTION: an answer advises a drug in one sentence and warns against it in another."""
    reading = case.reading
    for lead, all_places in case.by_lead.items():
        if len(all_places) < 2 or not reading.drugs[all_places[0]].mention.ingredients:
            continue
        places = [n for n in case.places(lead) if case.use(n) > case.stances[n]["discourage"]]
        against = [n for n in all_places if _speaks_against(case, n)][:MOST_PLACES]
        for for_it in places:
            for other in against:
                if reading.drugs[for_it].segment != reading.drugs[other].segment:
                    yield make_contradiction(case, lead, for_it, other)


def _speaks_against(case: SafetyCase, n: int) -> bool:
    """Whether words around mention *n* may warn against the drug."""
    features = case.reading.drugs[n].features
    return any(
        name in features for name in ("c:avoid before", "c:avoid after", "c:stop before", "heading:avoid before")
    )


def make_contradiction(case: SafetyCase, lead: str, for_it: int, against: int) -> SafetyFinding:
    """The finding that mention *for_it* advises a drug and mention *against* warns against it."""
    reading = case.reading
    one, two = reading.drugs[for_it], reading.drugs[against]
    # Single words ("l=take") have said what they can in the stances; here their weights would learn the cases.
    features = {k: v for k, v in case.mention_features(for_it).items() if "=" not in k}
    features |= {f"X {k}": v for k, v in case.mention_features(against).items() if "=" not in k}
    text, first = reading.segments[two.segment].text, reading.segments[one.segment].text
    features["X qualified"] = float(_ONLY_IF.search(text) is not None)
    features["X qualified first"] = float(_ONLY_IF.search(first) is not None)
    rest = _PASSIVE.sub("", text[two.end - reading.segments[two.segment].start :].lower())
    features["X narrowed"] = float(
        not set(_WORD.findall(rest)) <= set(_WORD.findall(f"{first} {reading.question}".lower()))
    )
    features["X states"] = float(bool(reading.states_of[two.segment]))
    shared = {s.key for s in reading.states_of[two.segment]} & set(reading.patient.facts)
    same = {s.key for s in reading.states_of[two.segment]} & {s.key for s in reading.states_of[one.segment]}
    features["X states of the patient"] = float(bool(shared))
    features["X states of both"] = float(bool(same))
    features["X behind"] = float(two.start > one.start)
    features["X apart"] = min(1.0, abs(one.segment - two.segment) / FAR)
    code, target = "SELF_CONTRADICTION", min(shared, default=None)
    return SafetyFinding("self", code, lead, target, one, features, "medium", words=text.strip(), lead=lead)
