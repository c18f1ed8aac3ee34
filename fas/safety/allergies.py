"""ALLERGY_CLASS: drugs that somebody reacts to, by their class or by their name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fas.safety.case import SafetyCase, SafetyFinding, context_of, find_heads, sentence
from fas.safety.matcher import Mention
from fas.safety.relations import Drug, Features
from fas.safety.rules import SafetyRule

_WORD = re.compile(r"[A-Za-z']+")
_MOST = 40
"""Drugs in sentences that speak of an allergy; more of them are a list."""


def find_allergies(case: SafetyCase, drug: Drug, own: Features) -> Iterator[SafetyFinding]:
    """A finding for each rule on the drug whose allergen the patient, or people whom the answer names, may react to."""
    patient, mention = case.reading.patient, drug.mention
    allergens: list[tuple[Mention, Features]] = [(m, {"b:question": 1.0}) for m in patient.allergies]
    above = find_heads(case, drug.segment)
    for other in _beside_an_allergy(case):
        apart = other.mention.lead == mention.lead or abs(other.segment - drug.segment) > 2
        if apart and other.segment not in above:
            continue
        near = "same" if other.segment == drug.segment else "head" if other.segment in above else "near"
        left = case.reading.text.plain[max(0, other.start - 60) : other.start]
        right = case.reading.text.plain[other.end : other.end + 40]
        to = bool(_ALLERGIC_TO.search(left) or _ALLERGY_BEHIND.match(right))
        features = {f"b:allergen {near}": 1.0, "b:allergic to": float(to)}
        features |= {f"S {k}": v for k, v in other.features.items() if k.startswith("c:")}
        allergens.append((other.mention, features))
    allergens += [(m, f) for m, f in _reacted_to(case) if m.lead != mention.lead]
    yield from against_allergens(case, drug, own, allergens)
    place = sentence(case, drug.segment)
    for name, rule in case.applicable(mention, "allergies"):
        if rule.cross:
            continue
        for text in patient.allergy_texts:
            if any(p.search(text) for p in rule.patterns):
                yield _allergy(case, drug, own, {"b:question": 1.0, "b:allergy words": 1.0}, name, rule, text)
        if _ALLERGY.search(place) and any(p.search(place) for p in rule.patterns):
            yield _allergy(
                case,
                drug,
                own,
                {"b:allergen same": 1.0, "b:allergy words": 1.0, "b:allergic to": 1.0},
                name,
                rule,
                "allergy",
            )


def against_allergens(
    case: SafetyCase, drug: Drug, own: Features, allergens: Sequence[tuple[Mention, Features]]
) -> Iterator[SafetyFinding]:
    """A finding for each rule on the drug that one of *allergens* sets off, and for an allergen that is the drug."""
    mention = drug.mention
    for name, rule in case.applicable(mention, "allergies"):
        for allergen, features in allergens if not rule.cross else ():
            if allergen.lead != mention.lead and (
                rule.triggers & set(allergen.ingredients) or allergen.class_key in rule.trigger_classes
            ):
                yield _allergy(case, drug, own, features, name, rule, allergen.text)
    for allergen, features in allergens:
        shared = set(mention.ingredients) & set(allergen.ingredients)
        if shared and (features.get("b:question")):
            name = sorted(shared)[0]
            yield _allergy(case, drug, own, {**features, "b:itself": 1.0}, name, None, f"{name} allergy")


_REACTION = re.compile(
    r"\b(?:allerg\w*|hives|rash\w*|welts?|swell\w*|swol\w*|puff\w*|balloon\w*|(?:couldn|can)['’]?t breathe|breath\w*|"
    r"wheez\w*|throat|tongue|lips?|face|eyelids?|anaphyla\w*|epi-?pen|ambulance|ER\b|hospital\w*|blister\w*|itch\w*|"
    r"react\w*|clos\w+ up|blow\w* up|blew up|blotch\w*|faint\w*|pass\w* out|emergency)\b",
    re.IGNORECASE,
)


_NO_SIGN = re.compile(r"\b(?:no|not|without|never|denies|didn't|isn't)\b[^.;!?]*$", re.IGNORECASE)


def _beside_an_allergy(case: SafetyCase) -> list[Drug]:
    """The drugs of sentences that speak of an allergy."""
    if case.allergens is None:
        told = {n for n in range(len(case.reading.segments)) if _ALLERGY.search(sentence(case, n))}
        case.allergens = [drug for drug in case.reading.drugs if drug.segment in told][:_MOST]
    return case.allergens


def _reacted_to(case: SafetyCase) -> list[tuple[Mention, Features]]:
    """Drugs of the question beside which it tells of what a reaction may be, though its reader took them for none."""
    if case.reacted is None:
        question, known = case.reading.question, {m.lead for m in case.reading.patient.allergies}
        case.reacted = []
        for mention in case.reading.question_drugs:
            first = max(0, mention.start - 80)
            signs = [
                m.group().lower()
                for m in _REACTION.finditer(question, first, mention.end + 120)
                if not _NO_SIGN.search(question, max(first, m.start() - 40), m.start())
            ]
            if signs and mention.lead not in known:
                features: Features = {
                    "b:question": 1.0,
                    "b:allergen loosely": 1.0,
                    "b:signs": min(1.0, len(set(signs)) / 3),
                }
                features |= {f"A {sign[:6]}": 1.0 for sign in signs}
                features |= {
                    f"L {name}": near for name, near in context_of(question).said(mention.start, mention.end).items()
                }
                right = _WORD.findall(question[mention.end : mention.end + 80])[:6]
                features |= {f"A r={word.lower()}": 1.0 for word in right}
                case.reacted.append((mention, features))
    return case.reacted


_ALLERGY = re.compile(r"\ballerg|hypersensitiv|anaphyla|hives|\brash\b|reacted|reaction", re.IGNORECASE)
_ALLERGIC_TO = re.compile(
    r"\b(?:allerg\w*|reaction\w*|hypersensitiv\w*|anaphyla\w*|rash|hives|"
    r"react\w*)\s+(?:\w+ ){0,3}(?:to|from|with|after|on)\s+(?:\w+ ){0,2}$",
    re.IGNORECASE,
)
_ALLERGY_BEHIND = re.compile(r"[- ]+(?:\w+ )?(?:allerg|hypersensitiv|anaphyla|reaction)", re.IGNORECASE)


def _allergy(
    case: SafetyCase, drug: Drug, own: Features, more: Features, name: str, rule: SafetyRule | None, words: str
) -> SafetyFinding:
    target = rule.target if rule is not None else f"{name} allergy"
    features = {**own, **more, "flag ALLERGY_CLASS": 1.0}
    return SafetyFinding(
        "allergy",
        "ALLERGY_CLASS",
        "ALLERGY_CLASS",
        name,
        target,
        drug.segment,
        drug.start,
        drug.end,
        features,
        "high",
        rule,
        None,
        words,
        drug.mention.lead,
    )
