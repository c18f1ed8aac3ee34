"""Whom a sentence of the answer names as allergic, and to what: "if you are allergic to penicillin you may take X"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fas.safety.matcher import Mention
from fas.safety.reactions import REMEDIES

# Up to the allergen.
_TO = re.compile(
    r"\b(?:all?erg(?:ic|y|ies)(?: reactions?)?|hypersensitiv\w+|anaphyla\w+(?: (?:reactions?|shock))?|"
    r"(?:serious |severe |bad |previous |prior )+reactions?|reacted(?: \w+ly)?|reacts?(?: \w+ly)?|intoleran(?:t|ce)|"
    r"rash|hives|urticaria|angio-?o?edema|"
    r"bronchospasm|wheez\w+) (?:to|from|after|with|on)(?: (?!can\b|may\b|is\b|are\b)[\w-]+,?){0,4}?\s*$",
    re.IGNORECASE,
)
# Behind the allergen.
_BEHIND = re.compile(
    r"[- ]+(?:\w+ ){0,1}?(?:all?erg(?:y|ies|ic)|hypersensitiv\w+|anaphylaxis|intoleran\w+|reactors?)\b"
    r"(?! (?:tablets?|pills?|medic\w+|relief|season))",
    re.IGNORECASE,
)
_GAVE = re.compile(
    r"\s+(?:once |has |have |had |always |previously )?(?:gave|gives|given|caused|causes|brought|brings|made|makes|"
    r"triggered)\s"
    r"(?:you |him |her |them |the patient )?(?:\w+ ){0,3}?(?:hives|rash|anaphyla\w+|swell\w*|allerg\w+|"
    r"angio-?o?edema|urticaria|wheez\w+)\b",
    re.IGNORECASE,
)
_NOT_SO = re.compile(
    r"\b(?:not|no|without|unless|except|n't|never|avoid\w*|rule out|tested negative|if not|"
    r"contra-?indicat\w*)\b[^.;,]*$",
    re.IGNORECASE,
)
# From the allergen on to a drug that is advised: a verb or a comma lies between them.
_GOES_ON = re.compile(
    r"[,:]|\b(?:can|may|could|should|might|must|will|take|use|try|give|given|have|is|are|be|start|switch|prescribe|choose|"
    r"consider|get)\b",
    re.IGNORECASE,
)
_APART = re.compile(
    r"[.;]|\b(?:instead of|rather than|avoid\w*|not|n't|never|such as|including|like|cross-?react\w*|also react|"
    r"contra-?indicat\w*|unless|because|caution\w*|cannot|alternatives? to|replace\w*)\b",
    re.IGNORECASE,
)
# From a drug on to those who are allergic: it is for them, or all the same.
_FOR_THEM = re.compile(
    r"\b(?:for|in|by|to|among|with|even|despite|although|though|regardless|when|if|who|where|in spite)\b", re.IGNORECASE
)
_UNLESS = re.compile(
    r"[.;]|\b(?:unless|except|not|n't|never|without|avoid\w*|but|however|instead|contra-?indicat\w*|no|until|check\w*|ask|tell|"
    r"before|rule\w*|caution\w*|alternatives? to|rather|replac\w+|only)\b",
    re.IGNORECASE,
)


def allergens_for(
    text: str, spans: Sequence[tuple[int, int]], named: Sequence[Mention], place: int
) -> tuple[Mention, ...]:
    """What the people to whom a sentence gives a drug are allergic to, by the sentence itself.

    Args:
        text: The sentence.
        spans: Where the drugs stand in it.
        named: The drugs.
        place: Which of them is given.
    """
    found = []
    start, end = spans[place]
    for number, (first, last) in enumerate(spans):
        if number == place or not _is_allergen(text, first, last, named[number]):
            continue
        between = text[last:start] if last <= start else text[end:first]
        if last <= start:
            bears = _GOES_ON.search(between) is not None and _APART.search(between) is None
        else:
            bears = _FOR_THEM.search(between) is not None and _UNLESS.search(between) is None
        if bears:
            found.append(named[number])
    return tuple(found)


def allergens_named(
    text: str, spans: Sequence[tuple[int, int]], named: Sequence[Mention], place: int
) -> tuple[Mention, ...]:
    """Every allergen of a sentence that speaks well of its drugs, however it is built."""
    start, end = spans[place]
    if _is_allergen(text, start, end, named[place]):
        return ()
    return tuple(
        mention
        for number, mention in enumerate(named)
        if number != place
        and _is_allergen(text, *spans[number], mention)
        and ";" not in text[min(end, spans[number][1]) : max(start, spans[number][0])]
    )


_ALLERGIC_TO = re.compile(
    r"\b(?:all?erg(?:ic|y|ies)|hypersensitiv\w+|anaphyla\w+|intoleran\w+)(?: reactions?)? to"
    r"(?: (?:the|an?|any|all|both|other|drugs|antibiotics|like|such as|[\w-]+ (?:and|or)))*\s*$",
    re.IGNORECASE,
)
_ALLERGY_BEHIND = re.compile(
    r"[- ]+(?:drug )?(?:all?erg(?:y|ies|ic)|hypersensitiv\w+|anaphylaxis|intoleran\w+)\b(?! (?:tablets?|pills?|"
    r"medic\w+|relief))",
    re.IGNORECASE,
)


def is_named_as_allergen(text: str, first: int, last: int, mention: Mention, *, reported: bool) -> bool:
    """Whether the drug from *first* to *last* is only named as what somebody is allergic to ("a penicillin allergy").

    Args:
        text: The sentence.
        first: Where the drug begins.
        last: Where it ends.
        mention: The drug.
        reported: The patient reacts to it, so that a rash "with" it is from it.
    """
    if reported and _TO.search(text[:first]) is not None:
        return True
    if {mention.lead, str(mention.class_key), *mention.ingredients} & REMEDIES:
        return False
    return _ALLERGY_BEHIND.match(text, last) is not None or _ALLERGIC_TO.search(text[:first]) is not None


def _is_allergen(text: str, first: int, last: int, mention: Mention) -> bool:
    before = text[:first]
    told = _TO.search(before)
    if told is not None:
        return _NOT_SO.search(before[: told.start()]) is None
    if _GAVE.match(text, last) is not None:
        return _NOT_SO.search(before) is None
    remedy = bool({mention.lead, str(mention.class_key), *mention.ingredients} & REMEDIES)
    return not remedy and _BEHIND.match(text, last) is not None and _NOT_SO.search(before) is None
