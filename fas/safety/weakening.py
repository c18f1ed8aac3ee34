"""Why words that look like an instruction are less than one.

"X can be taken with food" allows, "buy X" only obtains, "X, Y, or Z" leaves a choice, "I thought
you could take X" reports. Each function sees the clause with the drug in question written as §
and every other drug as ¤.
"""

from __future__ import annotations

import re

ACQUIRE_VERBS = frozenset({"buy", "get", "pick", "choose", "receive"})

_ALLOWED = re.compile(
    r"\b(?:can|could|may|might|safe\w*|fine|ok|okay|all right|alright|possible|allowed|permitted|acceptable|"
    r"compatible|tolerated|no problem|no risk|nothing wrong|no harm|good|great|effective)\b",
    re.IGNORECASE,
)
_ASKED_FOR = re.compile(
    r"\b(?:should|must|need to|needs to|have to|has to|ought to|recommend\w*|advis\w+|suggest\w*|please|best|"
    r"important|necessary|essential|crucial)\b",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(
    r"\b(?:you|u|ye|he|she|him|her|your (?!doctor|physician|pharmacist|provider)\w+|give)\b", re.IGNORECASE
)
_FOR_SOMEBODY = re.compile(
    r"\b(?:for|in|suit|help) (?:you|your|him|her)\b|\byou to\b|\bto (?:restart|resume|start|begin|go back on)\b",
    re.IGNORECASE,
)
_CIRCUMSTANCE = re.compile(
    r"\b(?:together|simultaneously|concurrently|concomitantly|in combination|combined?|combining|mix(?:ed|ing)?|"
    r"alongside|along with|(?:at|around) the same time|on the same day|while|whilst|during|with or without|"
    r"(?:with|without) (?!a prescription)[\w¤]+|on an empty stomach|long[- ]term|"
    r"for (?:an? )?(?:extended|long|short)\b|in small amounts|"
    r"(?:with|plus|and) (?:(?:your|the|an?|other|both) )?¤)",
    re.IGNORECASE,
)
_JOINED = re.compile(r"¤ (?:,? ?(?:and|with|plus) )(?:(?:your|the|an?) )?§|¤ ?[&+/] ?§|§ ?[&+/] ?¤", re.IGNORECASE)
_WELL_ON = re.compile(
    r"(?:'d|\bwould|\bwill|'ll|\bshould) (?:also |probably |\w+ly )?(?:be|do) (?:just |perfectly |"
    r"absolutely )?(?:fine|ok|okay|good|"
    r"well|alright|all right|safe|better(?: off)?|best(?: off)?) (?:with|on)\s*$",
    re.IGNORECASE,
)
_BEHIND = re.compile(r"\b(?:with|alongside|on top of|in addition to)(?: (?:your|the|an?))?\s*$", re.IGNORECASE)
_OBTAINING = re.compile(
    r"\b(?:order|ordering|purchas(?:e|ing)|buy(?:ing)?|obtain(?:ing)?|shop for)(?: [\w-]+){0,3} ?$",
    re.IGNORECASE,
)
_USED_THEN = re.compile(
    r"(?:\band|\bthen|,|\bto)\s+(?:then )?"
    r"(?:take|use|apply|give|swallow|drink|chew|put|try|start|inhale|spray)\b(?! care)",
    re.IGNORECASE,
)
_ADDED_TO = re.compile(
    r"\W*(?:then |so |and )?(?:on top of|in addition to|alongside|along with|together with|besides|beside|as well as)"
    r"(?: (?:the|your|his|her|existing|current|daily|¤|and|,))*\s*",
    re.IGNORECASE,
)
_NAME = r"[¤§](?: ?\([^()]{0,60}\))?(?: (?:tablets?|capsules?|cream|gel|ointment|drops|spray))?"
_CHOICE = re.compile(rf"{_NAME}(?:(?: ?, ?| ?/ ?| or | and/or )(?:or |and |even |also )?{_NAME}){{2,}}", re.IGNORECASE)
_OPEN_END = re.compile(
    r"\W*(?:etc\b|and so on|and others|among others|or (?:another|any other|similar|other)|\.\.\.)", re.I
)
_HEARSAY = re.compile(
    r"\b(?:i|we|he|she|they|my \w+)(?: (?:have|had|has|'ve|was|were|been|am|just|also|always))*"
    r" (?:thought|heard|read|believed|wondered|told|said|assumed|guessed?|hoped|advised|prescribed)\b|"
    r"\bthat i (?:will|would|should|must|have|had|need)\b|"
    r"\bi (?:will |would |used to |'ll |'d )?(?:have|had|need|needed) to\b|"
    r"\b(?:some|many|most)(?: \w+){0,2} (?:say|says|claim|think|believe)\b|"
    r"\bi used to\b|\byou (?:\w+ )?(?:mean|meant|say|said|ask|asked|mentioned|read|heard)\b|"
    r"\bi (?:\w+ )?want(?:ed)? to$",
    re.IGNORECASE,
)

# 'many sites would say " take §': an instruction between quotation marks is somebody else's
_QUOTED = re.compile(
    r"\b(?:say|says|said|tell|tells|told|claim|claims|write|writes|read|reads|advise|advises|"
    r"suggests?)\b(?: you| people)? ?[:,]? ?"
    r"(?:\"|“|''|``|«|‘)[^\"”»’]*$",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:recommendation|advice|suggestion|instructions?)s? (?:was|were)\b|"
    r"\b(?:doctor|physician|pharmacist|nurse) (?:has |had )?(?:told|asked|advised|wants?|recommended)\b",
    re.IGNORECASE,
)
_MANNER = re.compile(
    r"\W*(?:\([^)]*\) ?)?(?:only |right |about |at least |just |either )?(?:in the (?:morning|evening|afternoon)|"
    r"at (?:night|bedtime|the same|different|evenly)|with (?:food|meals?|milk|water|breakfast|lunch|dinner|"
    r"supper|(?:a|your|the) (?:full |main |evening |morning )?(?:glass|meal))|"
    r"on an empty stomach|(?:\d+|one|two|a few|several|half an?|an) (?:\w+ )?(?:minutes?|hours?)|"
    r"before|after|separately)\b",
    re.IGNORECASE,
)
_ADVISABLE = re.compile(r"\b(?:it|that)(?:'s| is| be| would be) (?:\w+ ){0,3}to (?:take|use)$", re.IGNORECASE)
_EQUIPMENT = re.compile(
    r"[^.;]{0,80}(?:\band|,) (?:an?|some|the|your|clean) (?:[\w-]+ ){0,2}(?:nebuli[sz]ers?|syringes?|needles?|"
    r"cups?|spoons?|"
    r"bowls?|towels?|applicators?|machines?|gloves|cotton|swabs?|gauze|water|droppers?|compressor|mask|containers?)\b",
    re.IGNORECASE,
)
_FOOD = re.compile(
    r"\b(?:juices?|fruits?|foods?|vegetables?|diet|dairy|milk|yogh?urt|cereals?|meals?|nuts|seeds|fish|liver|"
    r"eggs|drinks?|"
    r"beverages?|smoothies?|sources?|greens|snacks?|salads?|citrus|oranges|lemons?)\b[^.;]*?\b(?:with|rich in|high in|"
    r"full of|containing|contain\w*|of|for|that (?:are|have)|fortified with)(?: \w+){0,3} ?$",
    re.IGNORECASE,
)
_LIMITED = re.compile(
    r"\bfor (?:as|the) (?:short|less|little|brief|few|shortest|least|smallest)\w*\b|"
    r"\bfor (?:only |just )?(?:a )?(?:short|brief|limited) (?:time|period|while)\b|\bas (?:little|seldom|rarely) as\b",
    re.IGNORECASE,
)
_MAY = re.compile(
    r"\byou (?:can|could|may)(?: (?:also|still|\w+ly))? (?:take|use|have|try|give|apply)(?: (?:both|your|the|a|"
    r"¤|and|,))*$|"
    r"\b(?:safe|fine|ok|okay|all right|alright|possible) (?:for \w+ )?to (?:take|use|have|give)$",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"(?:^|[,;(] ?)(?:just |much |very )?(?:like|unlike|compared (?:to|with)|similar to|than)"
    r"(?: (?:the|other|oral))?(?: ¤ (?:or|and|,))* ?$",
    re.IGNORECASE,
)


def is_compatibility(left: str, right: str) -> bool:
    """Whether a clause says that § may be used by nobody in particular, or beside something else."""
    whole = f"{left} § {right}".replace("for good", " ")
    if _WELL_ON.search(left):
        return False  # "she'd be fine with §" offers it
    if _ADVISABLE.search(left) and is_manner(right):
        return True  # "it is best to take § in the evening" says when, not that
    if _ASKED_FOR.search(left) or not _ALLOWED.search(whole):
        return False
    if not _ADDRESSED.search(left) and not _FOR_SOMEBODY.search(whole):
        return True
    return any((_CIRCUMSTANCE.search(right), _JOINED.search(whole), _BEHIND.search(left)))


def is_manner(right: str) -> bool:
    """Whether what follows § says when or with what it is taken."""
    return _MANNER.match(right) is not None


def only_obtains(verb: str, tail: str) -> bool:
    """Whether *verb* is about getting the drug, and what follows does not go on to its use."""
    return verb in ACQUIRE_VERBS and not _USED_THEN.search(tail)


def is_errand(left: str, tail: str) -> bool:
    """Whether the reader is only told where to get § ("the best way is to order § online")."""
    return _OBTAINING.search(left) is not None and not _USED_THEN.search(tail) and not re.search(r"\bnot\b|n't", left)


def is_added_to(left: str, tail: str) -> bool:
    """Whether the sentence opens with § as what something else is added to ("on top of §, ...")."""
    return _ADDED_TO.fullmatch(left) is not None and re.match(r"[^,.;]{0,40},", tail) is not None


def is_choice(left: str, right: str) -> bool:
    """Whether § is one of three or more drugs to choose from, or of a list left open ("etc.")."""
    whole = f"{left} § {right}"
    for match in _CHOICE.finditer(whole):
        if "§" in match.group() and (re.search(r"\bor\b|/", match.group()) or _OPEN_END.match(whole[match.end() :])):
            return True
    return False


def is_hearsay(left: str) -> bool:
    """Whether the clause tells what the writer heard, thought or was told ("I was told to take §")."""
    return _HEARSAY.search(left) is not None or _QUOTED.search(left) is not None


def is_told(before: str) -> bool:
    """Whether the sentence up to § passes on advice that somebody got ("her recommendation was: use §")."""
    return _TOLD.search(before) is not None


def is_compared(left: str) -> bool:
    """Whether § only stands beside something else ("like §, this product ...")."""
    return _COMPARED.search(left) is not None


def is_equipment(verb: str, tail: str) -> bool:
    """Whether § is one of the things to have at hand ("you will need § and a nebulizer")."""
    return verb in ("need", "get", "buy", "gather", "use") and _EQUIPMENT.match(tail) is not None


def is_nutrient_of_food(left: str) -> bool:
    """Whether § is what a food contains ("drink juice with §", "eat foods rich in §")."""
    return _FOOD.search(left) is not None


def is_limited(right: str) -> bool:
    """Whether the sentence asks to take little of § or for a short time, and so speaks to those who take it."""
    return _LIMITED.search(right) is not None


def is_permission(left: str) -> bool:
    """Whether the reader is allowed to take §, and not told to."""
    return _MAY.search(left.strip()) is not None
