"""Drugs that the patient reacts to: named as an allergy, or by what they did ("closed my throat")."""

from __future__ import annotations

import re

from fas.reading.cues import table
from fas.safety.facts import clause, denied_at
from fas.safety.matcher import Mention
from fas.safety.people import People

_ALLERGY = re.compile(
    r"\b(?:all?erg(?:ic|y|ies|ik|ick)(?! (?:itch\w*|rhinitis|rash|cough|skin|conjunctivitis|asthma|eyes|nose|sneez\w+|"
    r"pills?|tablets?|med\w*|shots?|season|relief|drugs?|tests?|clinic|"
    r"to (?:pollen|dust|cats?|dogs?|grass|latex)))(?: reactions?)?(?: to)?|anaphyla\w+(?: reaction)?(?: to| from| with|"
    r" after)?|hypersensitiv\w+(?: to)?|"
    r"(?:hives|welts|rash|swelling|swelled up|angioedema|(?:throat|tongue|lips?|face|eyes?) (?:clos|swell|swoll|swole|"
    r"tighten|puff|balloon|blow|blew)\w*"
    r"(?: up)?|(?:can't|cannot|couldn't|couldnt|could not|cant) breathe?|stopped breathing|wheez\w+)(?: \w+){0,2}? "
    r"(?:from|with|after|on|when i (?:take|took|have|had|use|used))|react(?:ed|s|ion)?(?: \w+){0,2} to)\b",
    re.IGNORECASE,
)
_GAVE_RASH = re.compile(
    r"\b(?:gave|gives|caused|brought|brings|made|makes) (?:me|him|her) (?:out in |come out in )?(?:an? )?(?:\w+ ){0,2}"
    r"(?:hives|rash|welts|anaphylaxis|angioedema)\b",
    re.IGNORECASE,
)
_REACTED = re.compile(
    r"\s*(?:once |always |has )?(?:gave|gives|given|caused|causes)\s++(?:me|him|her|my \w+)?\s*+(?:\w+\s++){0,3}?"
    r"(?:hives|angioedema|anaphylaxis|an? allerg\w+|rash)\b|\s*(?:made|makes)\s+(?:my|his|her) "
    r"(?:face|throat|lips?|tongue|eyes?) (?:swell|close|balloon|puff|blow|tingle)|"
    r"\s*(?:always |once )?(?:trigger(?:s|ed)?|sets? off|brings? on|brought on) (?:my |his |her )?(?:asthma|hives|"
    r"wheez\w+|anaphylaxis|angioedema)\b|"
    r"[^.;?!]{0,30}\band (?:got|had|developed|came up (?:with|in)) (?:an? )?(?:\w+ )?(?:swollen (?:face|lips?|"
    r"tongue|throat)|"
    r"hives|rash|anaphylaxis|welts|wheez\w+)|"
    r"\s*(?:=+>?|->|:|\u2192)\s*(?:\w+ )?(?:hives|rash|urticaria|anaphyla\w+|angio-?o?edema|wheals|swelling|"
    r"bronchospasm)\b|"
    r"\s*(?:once |always |has |really )?(?:brings?|brought) (?:me|him|her|my \w+) out in (?:\w+ ){0,3}?"
    r"(?:hives|an? rash|welts|wheals|nettle\w*|spots)\b|"
    r"\s*(?:[\w' ]{0,30} and )?(?:once |also |nearly )?(?:clos(?:es|ed)|swell(?:s|ed)|swoll|tighten(?:s|ed)|"
    r"block(?:s|ed)) (?:up )?(?:my|his|her) (?:throat|airways?|tongue|lips?|face)\b|"
    r"\s*(?:once |always )?(?:sets?|set) (?:my|his|her) (?:throat|tongue|lips?|face) swelling\b|"
    r"\s*(?:once |nearly |almost |practically )*(?:kill(?:ed|s) (?:me|him|her|my (?:son|daughter|child|wife|husband))|"
    r"(?:put|sent|landed) (?:me|him|her) (?:in(?:to|side)?|to) (?:the |a )?(?:hospital|ER|emergency|ICU|intensive care|"
    r"anaphyla\w+|shock)\b[^.;?!]{0,40}(?:hives|rash|swell\w*|anaphyla\w+|shock|allerg\w+|breathe|(?=[.;?!])))|"
    r"[^.;?!]{0,25}\b(?:broke out|came out|(?:was |got )?covered) (?:all over )?(?:in|with) (?:\w+ )?(?:hives|"
    r"welts|an? rash)\b|"
    r"[^.;?!]{0,50}\banaphyla\w+ (?:after|from|to|with) it\b|"
    r"[^.;?!]{0,25}\b(?:throat|tongue|lips?|face) (?:closed(?: up)?|swelled|swole|swelled up|blew up|puffed up)\b",
    re.IGNORECASE,
)
# Of whatever kind, what follows a drug in the same sentence: "Keflex and after 20 minutes all body hives, lips big".
_SIGN = (
    r"(?:hives|wheals|welts|urticaria|anaphyla\w+|angio-?o?edema|stevens[- ]johnson(?: syndrome)?|(?-i:SJS|DRESS)|"
    r"toxic epidermal necrolysis|took the skin off|skin (?:\w+ )?(?:peel\w*|blister\w*|came off)|"
    r"(?:throat|airways?) (?:\w+ )?(?:clos|swell|swol|tight|shut)\w*|"
    r"(?:lips?|tongue|face|eyes?) (?:\w+ ){0,3}(?:swell|swol|big|huge|balloon|puff|blew|blow)\w*|swelled up|"
    r"blew up like|"
    r"swollen (?:lips?|face|tongue|throat|eyes))"
)
_SIGN_AFTER = re.compile(
    rf"(?!\s*(?:because|helps?|helped|clear\w*|and (?:my|his|her|the) (?:hives|rash)|\?))"
    rf"(?P<between>(?:(?!\b(?:when(?! (?:i|he|she|we) (?:was|were))|if|every time|whenever|"
    rf"but)\b)[^.;?!]){{0,110}}?)\b{_SIGN}"
    r"(?! (?:went|go|goes|gone|clear|cleared|got better|settled|disappear|improv)\w*)"
    # "lisinopril, and hives from penicillin": another cause is named
    r"(?!(?: \w+)? (?:from|with|due to|because of) )(?! to )(?!(?: \w+)? after (?!\d|an? |the first|it\b|"
    r"\w+ (?:minutes?|hours?|days?|doses?)))",
    re.IGNORECASE,
)
_TAKEN_FOR = re.compile(r"\b(?:for|against|treat\w*|help\w*|because of)(?: [\w-]+){0,3}\s*$", re.IGNORECASE)
_SIGN_BEFORE = re.compile(
    rf"\b{_SIGN}\b(?: [\w']+){{0,4}}? (?:after|with|from) (?:an? |the |my |taking |some |one )*$", re.I
)
# "sulfa allergy, and now X for the swelling"
_FOR_WHICH = re.compile(
    r"\b(?:and|but|,) (?:now|i now|needs?|wants?|has been (?:given|prescribed)|was given)\b", re.IGNORECASE
)
# These are taken against such signs.
REMEDIES = frozenset(
    "antihistamines antihistamines_sedating corticosteroids corticosteroids_systemic epinephrine diphenhydramine "
    "cetirizine loratadine fexofenadine hydroxyzine famotidine prednisone prednisolone dexamethasone "
    "methylprednisolone hydrocortisone betamethasone budesonide fluticasone mometasone triamcinolone beclomethasone "
    "chlorpheniramine levocetirizine desloratadine azelastine olopatadine ketotifen cromolyn montelukast promethazine "
    "cyproheptadine clemastine brompheniramine albuterol glucagon omalizumab".split()
)
# "allergic to (the, both, prednisone and) X": of what treats an allergy nothing less makes it the cause of one.
_CAUSED_BY = re.compile(
    r"\s*(?:(?:reactions?|response|anaphylaxis) )?(?:to|from|after|with)\s+(?:(?:taking|using|an?|the|my|his|her|"
    r"both|oral|generic|some)\s+)*(?:[\w-]+\s*(?:,|and|or|/)\s*){0,3}$",
    re.IGNORECASE,
)
_OWN_ALLERGY = re.compile(
    r"(?:\b(?:have|has|had|got|with|severe|known|my|his|her|a|an|of) )(?:(?:an?|the|severe|known|true|bad) )*$",
    re.IGNORECASE,
)
# A request that begins between the allergy and the drug: "anaphylaxis: which dose of X?"
_REQUEST = re.compile(
    r"\b(?:what|which|how (?:much|many|often|do|does|should|can)|can(?: i| he| she| we)|could i|may i|should|"
    r"dos(?:e|es|age) of|best|is it safe|recommend\w*)\b",
    re.IGNORECASE,
)
_NEARLY_KILLED = re.compile(
    r"\s*(?:once |nearly |almost |practically )+killed (?P<who>my (?:little |\w+ )?(?:boy|girl|kid|child|baby|"
    r"son|daughter|wife|"
    r"husband|mum|mom|dad|mother|father))\b",
    re.IGNORECASE,
)
_NONE_AFTER_ALL = re.compile(
    r"\ballerg\w+\b[^?]{0,140}\b(?:(?:test(?:s|ing)?|challenge|result|it) (?:\w+ ){0,3}(?:was|were|came back|is|"
    r"turned out) "
    r"(?:\w+ )?negative|negative (?:skin |oral |blood )?(?:test|challenge)|tested negative|"
    r"(?:entry|label|allergy|note|it) (?:has been|was|is|got) (?:\w+ )?(?:removed|deleted|taken off|crossed out|"
    r"cleared|"
    r"struck off)|allergy\W{0,2} ?(?:label |entry )?(?:was|has been|is|got) (?:\w+ )?(?:removed|deleted|"
    r"crossed out|cleared)|"
    r"(?:both|all) negative|allerg\w+\b[^?.]{0,40}\b(?:clarified|corrected|mix-?up|wrong (?:chart|patient))|"
    r"label (?:was |is |now )?(?:removed|gone|deleted)|not allergic (?:any more|"
    r"after all)|de-?label\w*|outgr[eo]wn?\b|ruled (?:it )?out)",
    re.IGNORECASE,
)


def is_allergic(plain: str) -> bool:
    """Whether what the question says of allergies still holds: no negative test, no label removed."""
    return _NONE_AFTER_ALL.search(plain) is None


def allergy_texts(plain: str, people: People) -> tuple[str, ...]:
    """The clauses that tell of an allergy of the patient's."""
    return tuple(
        clause(plain, match.start())
        for match in (*_ALLERGY.finditer(plain), *_GAVE_RASH.finditer(plain))
        if people.is_patient(match.start()) and not denied_at(plain, match.start(), first=max(0, match.start() - 40))
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
    last = next(reversed(list(_ALLERGY.finditer(before))), None)
    remedy = bool({mention.lead, str(mention.class_key), *mention.ingredients} & REMEDIES)
    apart = last is not None and _FOR_WHICH.search(before[last.end() :])
    if last is not None and not apart:
        apart = _REQUEST.search(before[last.end() :])
        if remedy and not apart:
            # The words of the allergy may take the "to" along.
            apart = None if _CAUSED_BY.match(_link(last.group()) + before[last.end() :]) else last
    behind = re.match(r"[- ]+(?:allerg\w+|hypersensitiv\w+|anaphylaxis)", after, re.IGNORECASE)
    if behind is not None and remedy and not _OWN_ALLERGY.search(before):
        behind = None  # "cetirizine allergy tablets"
    if (last is not None and not apart) or behind is not None:
        first = _ALLERGY.search(before)
        at = mention.start if first is None else opening + first.start()
        return own and not (denied_at(plain, at, first=opening) or _is_supposed(plain, mention.start, opening))
    if (told := _NEARLY_KILLED.match(after)) is not None:
        return people.is_patient(mention.end + told.start("who"))
    if not own:
        return None
    if _REACTED.match(after):
        return True
    told = _SIGN_AFTER.match(plain[mention.end : mention.end + 160])
    after_it = told is not None and not _TAKEN_FOR.search(told["between"])
    if not remedy and (after_it or _SIGN_BEFORE.search(before)):
        return not (denied_at(plain, mention.start, first=opening) or _is_supposed(plain, mention.start, opening))
    return None


def _is_supposed(plain: str, at: int, opening: int) -> bool:
    """Whether the clause from *opening* to *at* tells of a reaction that may be, and not of one that was."""
    return "supposed" in table().about("reaction", plain, at, at, first=opening, last=at)
