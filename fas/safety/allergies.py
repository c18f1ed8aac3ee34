"""ALLERGY_CLASS: a drug, or a relative of a drug, that the patient is allergic to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fas.safety.case import SafetyCase, SafetyFinding
from fas.safety.matcher import Mention
from fas.safety.patient import PATIENT, Features, describe_state
from fas.safety.relations import Drug
from fas.safety.rules import SafetyRule

_MOST = 40
"""Most drugs that are read as allergens; an answer with more is a list."""


def find_allergies(case: SafetyCase) -> Iterator[SafetyFinding]:
    """A finding for each drug and each rule on it whose allergen the question or the answer names."""
    beside, reacted = _list_beside_allergies(case), _list_reacted(case)
    for lead in case.by_lead:
        for n in case.places(lead):
            drug, own = case.reading.drugs[n], case.mention_features(n)
            yield from check_allergens(case, drug, own, [*_list_near(case, drug, beside), *reacted])
            yield from _find_told(case, drug, own)


def _list_near(case: SafetyCase, drug: Drug, beside: Sequence[Drug]) -> Iterator[tuple[Mention, Features]]:
    """Of the drugs *beside* words of allergy those near *drug* or above it, with features of what they are to it."""
    reading = case.reading
    above = {g.segment for g in reading.structure.governors(drug.segment, drug.start) if g.kind in ("heading", "lead")}
    for other in beside:
        apart = other.mention.lead == drug.mention.lead or abs(other.segment - drug.segment) > 2
        if apart and other.segment not in above:
            continue
        near = "same" if other.segment == drug.segment else "head" if other.segment in above else "near"
        left, right = (
            reading.text.plain[max(0, other.start - 60) : other.start],
            reading.text.plain[other.end : other.end + 40],
        )
        to = bool(PATIENT.allergic_to.search(left) or PATIENT.allergy_behind.match(right))
        features = {f"b:allergen {near}": 1.0, "b:allergic to": float(to)}
        yield other.mention, features | {f"S {k}": v for k, v in other.features.items() if k.startswith("c:")}


def _find_told(case: SafetyCase, drug: Drug, own: Features) -> Iterator[SafetyFinding]:
    """Findings by the words for an allergen in the question's sentences on an allergy, or in the drug's own."""
    place = case.reading.segments[drug.segment].text
    told: Features = {"b:question": 1.0, "b:allergy words": 1.0}
    here: Features = {"b:allergen same": 1.0, "b:allergy words": 1.0, "b:allergic to": 1.0}
    for name, rule in case.applicable(drug.mention, "allergies"):
        if rule.cross:
            continue
        for match in _TELLS_ALLERGY.finditer(case.reading.question):
            if any(p.search(match.group()) for p in rule.patterns):
                yield _make_allergy(case, drug, own, told, name, rule, match.group())
        if _ALLERGY.search(place) and any(p.search(place) for p in rule.patterns):
            yield _make_allergy(case, drug, own, here, name, rule, "allergy")


def check_allergens(
    case: SafetyCase, drug: Drug, own: Features, allergens: Sequence[tuple[Mention, Features]]
) -> Iterator[SafetyFinding]:
    """A finding for each rule on the drug that applies to one of *allergens*, or if the drug is an allergen itself."""
    mention = drug.mention
    for name, rule in case.applicable(mention, "allergies"):
        for allergen, features in allergens if not rule.cross else ():
            if allergen.lead != mention.lead and (
                rule.triggers & set(allergen.ingredients) or allergen.class_key in rule.trigger_classes
            ):
                yield _make_allergy(case, drug, own, features, name, rule, allergen.text)
    for allergen, features in allergens:
        shared = set(mention.ingredients) & set(allergen.ingredients)
        if shared and (features.get("b:question")):
            name = sorted(shared)[0]
            yield _make_allergy(case, drug, own, {**features, "b:itself": 1.0}, name, None, f"{name} allergy")


_REACTION = re.compile(
    r"\b(?:all?erg\w*|angio-?o?edema|wheals?|stevens|hives|rash\w*|welts?|swell\w*|swol\w*|puff\w*|balloon\w*|"
    r"(?:couldn|can)['’]?t breathe|breath\w*|wheez\w*|throat|tongue|lips?|face|eyelids?|anaphyla\w*|epi-?pen|ambulance|"
    r"ER\b|hospital\w*|blister\w*|itch\w*|react\w*|clos\w+ up|blow\w* up|blew up|blotch\w*|faint\w*|pass\w* out|"
    r"emergency)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(r"\b(?:which|what|how|can|could|should|may)\b", re.IGNORECASE)
_REMEDIES = ("antihistamines", "antihistamines_sedating", "corticosteroids", "corticosteroids_systemic")
_NO_SIGN = re.compile(r"\b(?:no|not|without|never|denies|didn't|isn't)\b[^.;!?]*$", re.IGNORECASE)


def _list_beside_allergies(case: SafetyCase) -> list[Drug]:
    """The drugs in sentences that mention an allergy."""
    told = {n for n, segment in enumerate(case.reading.segments) if _ALLERGY.search(segment.text)}
    return [drug for drug in case.reading.drugs if drug.segment in told][:_MOST]


def _list_reacted(case: SafetyCase) -> list[tuple[Mention, Features]]:
    """Drugs of the question with words nearby that may describe a reaction."""
    question, known = case.reading.question, case.reading.patient.allergies
    found = []
    for mention in case.reading.question_drugs:
        first = max(0, mention.start - 80)
        signs = [
            m.group().lower()
            for m in _REACTION.finditer(question, first, mention.end + 120)
            if not _NO_SIGN.search(question, max(first, m.start() - 40), m.start())
            and not _REQUEST.search(question, m.end(), mention.start)
        ]
        if mention in known or (signs and not _is_remedy(case, mention)):
            features: Features = {"b:question": 1.0, "b:allergic to": float(mention in known)}
            features |= {"b:signs": min(1.0, len(set(signs)) / 3)} | {f"A {sign[:6]}": 1.0 for sign in signs}
            around = describe_state(question, mention.start, mention.end)
            found.append((mention, features | {f"A {name}": value for name, value in around.items()}))
    return found


def _is_remedy(case: SafetyCase, mention: Mention) -> bool:
    """Whether a drug is taken against reactions, so that one beside it is a reason to take it."""
    classes = case.book.vocabulary.classes
    members = {"epinephrine"}.union(*(classes[key].members for key in _REMEDIES if key in classes))
    return mention.class_key in _REMEDIES or not members.isdisjoint(mention.ingredients)


_ALLERGY = re.compile(r"\ballerg|hypersensitiv|anaphyla|hives|\brash\b|reacted|reaction", re.IGNORECASE)
_TELLS_ALLERGY = re.compile(
    r"[^.?!;\n]*(?<!not )(?<!n't )(?<!no )(?<!never )\b(?:all?erg|hypersensitiv|anaphyla|react)[^.?!;\n]*",
    re.IGNORECASE,
)


def _make_allergy(
    case: SafetyCase, drug: Drug, own: Features, more: Features, name: str, rule: SafetyRule | None, words: str
) -> SafetyFinding:
    target = rule.target if rule is not None else f"{name} allergy"
    features = {**own, **more, "flag ALLERGY_CLASS": 1.0}
    lead = drug.mention.lead
    return SafetyFinding("allergy", "ALLERGY_CLASS", name, target, drug, features, "high", rule, None, words, lead)
