"""Drugs that the patient reacts to: named as an allergy, or by what they did ("closed my throat")."""

from __future__ import annotations

import re

from fas.safety.facts import clause, is_denied_at
from fas.safety.matcher import Mention
from fas.safety.people import People
from fas.text.reading.pattern_tables import load_patterns

REACTIONS = load_patterns(__file__)
# These are taken against such signs.
REMEDIES = frozenset(
    "antihistamines antihistamines_sedating corticosteroids corticosteroids_systemic epinephrine diphenhydramine "
    "cetirizine loratadine fexofenadine hydroxyzine famotidine prednisone prednisolone dexamethasone "
    "methylprednisolone hydrocortisone betamethasone budesonide fluticasone mometasone triamcinolone beclomethasone "
    "chlorpheniramine levocetirizine desloratadine azelastine olopatadine ketotifen cromolyn montelukast promethazine "
    "cyproheptadine clemastine brompheniramine albuterol glucagon omalizumab".split()
)


def is_allergic(plain: str) -> bool:
    """Whether what the question says of allergies still holds: no negative test, no label removed."""
    return REACTIONS.none_after_all.search(plain) is None


def allergy_texts(plain: str, people: People) -> tuple[str, ...]:
    """The clauses that tell of an allergy of the patient's."""
    return tuple(
        clause(plain, match.start())
        for match in (*REACTIONS.allergy.finditer(plain), *REACTIONS.gave_rash.finditer(plain))
        if people.is_patient(match.start()) and not is_denied_at(plain, match.start(), first=max(0, match.start() - 40))
    )


def _link(words: str) -> str:
    """The preposition at the end of the words of an allergy, or ""."""
    found = re.search(r"\b(?:to|from|with|after|on)$", words.strip(), re.IGNORECASE)
    return found.group() if found else ""


def reaction_to(mention: Mention, plain: str, before: str, after: str, people: People) -> bool | None:
    """Whether the patient reacts to a drug: True or False where an allergy is spoken of, None where none is.

    Args:
        mention: The drug.
        plain: The question.
        before: Its clause up to the drug.
        after: Its clause after the drug.
        people: Who is spoken of where.
    """
    own = people.is_patient(mention.start)
    opening = mention.start - len(before)
    last = next(reversed(list(REACTIONS.allergy.finditer(before))), None)
    remedy = bool({mention.lead, str(mention.class_key), *mention.ingredients} & REMEDIES)
    apart = last is not None and REACTIONS.for_which.search(before[last.end() :])
    if last is not None and not apart:
        apart = REACTIONS.request.search(before[last.end() :])
        if remedy and not apart:
            # The words of the allergy may take the "to" along.
            apart = None if REACTIONS.caused_by.match(_link(last.group()) + before[last.end() :]) else last
    behind = re.match(r"[- ]+(?:allerg\w+|hypersensitiv\w+|anaphylaxis)", after, re.IGNORECASE)
    if behind is not None and remedy and not REACTIONS.own_allergy.search(before):
        behind = None  # "cetirizine allergy tablets"
    if (last is not None and not apart) or behind is not None:
        first = REACTIONS.allergy.search(before)
        at = mention.start if first is None else opening + first.start()
        return own and not is_denied_at(plain, at, first=opening)
    if (told := REACTIONS.nearly_killed.match(after)) is not None:
        return people.is_patient(mention.end + told.start("who"))
    if not own:
        return None
    if REACTIONS.reacted.match(after):
        return True
    told = REACTIONS.sign_after.match(plain[mention.end : mention.end + 160])
    after_it = told is not None and not REACTIONS.taken_for.search(told["between"])
    if not remedy and (after_it or REACTIONS.sign_before.search(before)):
        return not is_denied_at(plain, mention.start, first=opening)
    return None
