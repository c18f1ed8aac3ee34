"""What a question asks of a drug: whether it may be taken, how, or which one; and whether it asks for one at all."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fas.safety.facts import clause_start
from fas.safety.matcher import Mention

PERMISSION = re.compile(
    r"\b(?:can|could|may|should|must|shall|do|would)\s+(?:i|we|he|she|they|my [\w-]+|patients?|"
    r"someone|people|you|a [\w -]{2,40}|one)(?: \w+){0,4}?\s+"
    r"(?:take|use|start|have|give|try|continue|add|switch|get|be given|be on|combine|mix|safely take|"
    r"need|begin|apply|inject|stay on|go on|go back (?:on|to)|get back on|restart|resume)\b|"
    r"\bis it (?:\w+ )?(?:safe|ok|okay|fine|alright|all right|possible)\b|\b(?:is|"
    r"are)\b[^.;?]{0,60}\b(?:safe|ok|okay|fine|alright|all right|good|suitable|right|recommended|"
    r"allowed)\b|"
    r"\bis there (?:any|a) problem\b|\bany problem\b",
    re.IGNORECASE,
)
# From the last "what" before what it asks for: from the first, every one more would read all that follows.
_WHAT = r"\b(?:what|which)\b(?:(?!\b(?:what|which)\b)[^.?!])*?"
_CARE = re.compile(
    rf"{_WHAT}\b(?:take|use|give|start|try|recommend|help|helps|prevents?|treat|"
    r"treats|treatment|drug|drugs|medication|medications|medicine|antibiotic|"
    r"painkiller|anti\w{4,}|\w+ blocker|statin|inhaler|diuretic|vaccine|sedative|laxative|tablet|remedy|therapy|"
    r"prescribe|option|options|dose|pill|cream|best|good|do)\b|\bhow (?:do|"
    r"can|should|would|to)\b[^.?!]*\b(?:treat|manage|relieve|"
    r"prevent|help|stop|cure|control|get rid|lower|reduce)\w*\b|\bhow is\b[^.?!]*\b(?:treated|"
    r"prevented|managed)\b|\btreatments?\b|\bbest (?:drug|medicine|treatment|medication)\b|"
    r"\b(?:wants?|needs?|prefers?) something\b|\bwhat(?:'s| is) next\b|\bnext in line\b|\badd what\b|"
    r"\bis there (?:something|anything|a (?:tablet|pill|medicine|drug))\b|\b(?:anything|something) (?:stronger|"
    r"over the counter|otc|"
    r"else|(?:i|she|he|we) (?:can|could))\b|"
    r"(?:^|[.;,:] )(?:\w+ ){0,2}(?:abx|antibiotics?|rx|tx|treatment|orders?|meds?|suppressant|analgesi\w+|"
    r"antiemetic|biologic|"
    r"regimen|agent)(?: pls| please)?\W*\?|"
    r"\bwhat helps\b|^(?!.*\b(?:is|are|was|does|do|did|can|could|will|would|should|may|why|how|who|"
    r"when|where|define|has|have)\b)[^.?!]{1,90}\?\s*$",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"\b(?:together|at the same time|(?:in|on) the same day|both [^?.]{2,60} and|simultaneously|in combination|"
    r"combine|mix|alongside|along with|while|whilst|"
    r"during|with or without|with (?:food|meals?|milk|alcohol|my|other)|on an empty stomach|long[- ]term|still)\b",
    re.IGNORECASE,
)
_SOMEBODY = re.compile(
    r"\b(?:i|i'm|im|my|me|we|our|he|him|his|she|her|you|your|they|them|take|taken|taking|use|used|using|have|give)\b",
    re.IGNORECASE,
)
_PRESUPPOSING = re.compile(
    r"\b(?:when (?:should|do|can|is|would)|what time|how (?:soon|late|early|long|often|frequently) (?:\w+ ){0,6}?"
    r"(?:i|he|she|we|you|be taken|take|taking|before|after)|why (?:should|do|does|is|must)|how (?:do|"
    r"should|to|must|can) (?:i |we |you |he |she )?"
    r"(?:take|use|apply|inject|inhale|store|taper|stop|wean|come off|get off)|best time|miss(?:ed)?|"
    r"(?:taper|wean|com)\w* off|(?:if|since|after|once|because) (?:i|he|she|we) (?:took|take|am taking|have taken|"
    r"started|start|used|use)|these (?:\w+ ){0,2}(?:medications?|meds|medicines|drugs|pills)|"
    r"i (?:took|have taken|just took)|side effects?|when (?:it is |it's )?(?:used|taken|given) as|"
    r"my (?:nebuli[sz]er|inhaler)|"
    r"how (?:often|frequently|long|soon|late|early) (?:should|do|does|can|is|must|may))\b[^.?!]*$",
    re.IGNORECASE,
)
_HOW_GIVEN = re.compile(
    r"\bhow (?:is|are) [^.?!]{1,60} (?:administered|given|taken|used|injected|applied|delivered)\b|"
    r"\bhow (?:do (?:i|you|we) |should (?:i|you|we) |to |can (?:i|you) )?"
    r"(?:administer|inject|apply|insert|use|take|inhale)\b",
    re.IGNORECASE,
)
_TIMING = re.compile(
    r"\b(?:before|after|with|at|in) (?:the )?(?:dinner|lunch|breakfast|supper|meals?|food|bed ?time|bed|mornings?|"
    r"evenings?|night)\b|\blong[- ]term use\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\b(?:what|which|can|could|may|should|is|are|do|does|will|would|have|has|help\w*|need\w*|pain|hurts?|i|my)\b",
    re.IGNORECASE,
)
_AVOIDING = re.compile(
    rf"{_WHAT}\b(?:contra-?indicated|avoid|unsafe|dangerous|not (?:take|use|safe|be taken|to take))\b",
    re.IGNORECASE,
)
_DESCRIBING = re.compile(
    r"\bmg\W*\?\s*$|\bthe same\W*$|\bwhat(?:'s| is| are) (?:an? |the )?(?:[\w-]+ ){0,2}[\w-]*\d[\w-]* "
    r"(?:medicine|medication|pill|tablet|drug)s?\b|"
    r"^\W*[\w-]+ (?:drug|medication|medicine|pill|tablet)s?\W*$|"
    r"\bwhat(?: is|'s| are) (?:the )?(?:medication|medicine|drug|pill)s? for [\w-]+ \d+ ?mg\b|\bwhat(?: is|"
    r"'s) in [\w-]+\W*$|"
    r"\b(?:how does|how do .{1,40} work|what is the mechanism|side effects?|does .{1,60} interact|"
    r"interaction|in the .{1,30} (?:trial|study)|what did|"
    r"(?:what|which) (?:[\w-]+ ){1,4}(?:was|were|got|made|became|had been)\b|"
    r"why (?:is|does|do)|what is [\w-]+\?|history of|who (?:discovered|invented|makes))\b",
    re.IGNORECASE,
)


def asks_permission(plain: str) -> bool:
    """Whether the question asks if something may be taken."""
    return PERMISSION.search(plain) is not None


def asks_beside(plain: str, n_mentions: int, n_drugs: int) -> bool:
    """Whether it asks so of a drug beside another one, or in a circumstance ("with food", "while nursing").

    Args:
        plain: The question.
        n_mentions: Drug names in it.
        n_drugs: Different drugs that it asks about or names as in use.
    """
    if not asks_permission(plain):
        return False
    return (n_mentions > 0 and _SOMEBODY.search(plain) is None) or n_drugs > 1 or _BESIDE.search(plain) is not None


def asks_for_drug(plain: str) -> bool:
    """Whether it asks what to take or how to treat."""
    return bool(_CARE.search(plain)) and not _DESCRIBING.search(plain) and not _AVOIDING.search(plain)


def asks_what_to_avoid(plain: str) -> bool:
    """Whether it asks which drugs are not to be taken."""
    return _AVOIDING.search(plain) is not None


def asks_how_given(plain: str) -> bool:
    """Whether it asks in what way a drug that is in use is given ("how is X administered?")."""
    return _HOW_GIVEN.search(plain) is not None


def presupposed(plain: str, mentions: Sequence[Mention]) -> frozenset[str]:
    """Names whose use the question takes for granted: it asks when, how or with what effect, not whether or what."""
    found: set[str] = set()
    for mention in mentions:
        opening = clause_start(plain, mention.start)
        if _PRESUPPOSING.search(plain[opening : mention.start]) or (_TIMING.search(plain) and not _ASKS.search(plain)):
            found |= {*mention.ingredients, str(mention.class_key)}
    return frozenset(found)
