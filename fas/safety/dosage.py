"""MISSING_DOSAGE: an answer advises a drug without saying how much to take, or how often."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fas.safety.case import SafetyCase, SafetyFinding
from fas.safety.regimen import find_intakes

_DEFERRED = re.compile(
    r"\b(?:as|per|follow\w*|according to|on|see)\b[^.;]{0,25}\b(?:package|packaging|label|box|"
    r"bottle|leaflet|instructions|directions)\b",
    re.IGNORECASE,
)
_AS_PRESCRIBED = re.compile(
    r"\b(?:as (?:your|the) (?:doctor|physician|provider)|(?:as|already|exactly as) (?:prescribed|"
    r"directed|instructed|usual|before)|prescribed by|your (?:current|usual|regular|prescribed))\b",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"\b(?:one|two|half|an?|\d+) (?:\w+ )?$", re.IGNORECASE)
_ONCE = re.compile(
    r"\b(?:inject\w*|intravenous\w*|iv|im|infusion|single|one[- ]time|once|now|one dose|stat|shot)\b", re.IGNORECASE
)


def find_missing_doses(case: SafetyCase) -> Iterator[SafetyFinding]:
    """MISSING_DOSAGE: an answer advises a drug without saying how much to take, or how often."""
    reading = case.reading
    amounts: dict[str, list[int]] = {}
    for owned in reading.amounts:
        if owned.amount.unit != "%":
            for name in owned.drugs:
                amounts.setdefault(name, []).append(owned.segment)
    timed = {intake.drug for intake in find_intakes(reading) if intake.per_day is not None}
    unowned = any(not owned.drugs for owned in reading.amounts)
    for lead, all_places in case.by_lead.items():
        mention = reading.drugs[all_places[0]].mention
        entry = case.book.vocabulary.ingredients.get(lead)
        if not mention.ingredients or (entry is not None and entry.kind == "exempt"):
            continue
        places = [n for n in case.places(lead) if "asks" not in reading.drugs[n].features]
        given = [place for name in mention.ingredients for place in amounts.get(name, ())]
        if given:
            if lead in timed or any(
                reading.doses[at].frequencies for at in {*given, *(reading.drugs[n].segment for n in places)}
            ):
                continue
            code, severity = "MISSING_DOSAGE.frequency", "low"
        else:
            code, severity = "MISSING_DOSAGE.amount", "medium"
        for n in places:
            drug = reading.drugs[n]
            text = reading.segments[drug.segment].text
            features = dict(case.mention_features(n))
            features["M deferred"] = float(_DEFERRED.search(text) is not None)
            features["M deferred anywhere"] = float(_DEFERRED.search(reading.text.plain) is not None)
            features["M as prescribed"] = float(_AS_PRESCRIBED.search(text) is not None)
            features["M counted"] = float(
                _COUNTED.search(reading.text.plain[max(0, drug.start - 16) : drug.start]) is not None
            )
            features["M brand with number"] = float(re.search(r" \d", mention.text) is not None)
            features["M unowned amount"] = float(unowned)
            features["M once"] = float(_ONCE.search(text) is not None)
            features["M any amounts"] = float(bool(reading.amounts))
            features["M supplement"] = float(entry is not None and entry.kind != "drug")
            features["M short answer"] = float(len(reading.text.plain) < 120)
            status = None
            if features["M deferred"]:
                status = "deferred_to_label"
            elif features.get("M as prescribed") or features.get("q current"):
                status = "continuation"
            family = "often" if given else "missing"
            yield SafetyFinding(family, code, lead, None, drug, features, severity, status=status, lead=lead)
