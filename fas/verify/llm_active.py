"""Verdicts whose subject is the evidence, as in "The passages do not support the claim".

Models that are asked for one word often write this sentence instead. It is read with its negation, so that neither
side is lost more often than the other; `fas.verify.llm_verdict` asks here only where a reply states no label.

    sentence = [ connective ] [ "yes" | "no" "," ] evidence [ "does not" | "fails to" | ... ] verb object end
    evidence = "the passages" | "passage 2" | "the first" | "none of the texts" | "no passage" | ...
    verb     = support, confirm, back up             for; negated: not for
             | contradict, refute, disprove          against; negated it says nothing
             | mention, address, discuss             negated: neither
    object   = "the claim" [ "that ..." ] | "it" | ...
    end      = end of the sentence | "by" ...ing ... | "," | "because" | ... reason
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Stand = Literal["for", "not for", "against", "neither"]


class Active(NamedTuple):
    """What a sentence says of the claim; a failure where it says so with reservations or to no end."""

    stand: Stand | None
    failure: str | None = None


_NTH = r"(?:first|second|third|fourth|fifth|last|former|latter|other|others)"
_NOUN = (
    r"(?:texts?|passages?|contexts?|evidence|information|documents?|sources?|references?|abstracts?|articles?|"
    r"stud(?:y|ies)|trials?)"
)
_NUMBER = r"(?:\s*+[(#]?\d+\)?(?:\s*+(?:,|and|&)\s*+[(#]?\d+\)?)*)?"
_EVIDENCE = (
    r"(?P<none>no\s++|none\s++of\s++|neither\s++of\s++)?"
    r"(?:(?:one|some|all|both|most|each|any)\s++(?:of\s++)?)?"
    r"(?:(?:the|this|that|these|those|its|given|provided|retrieved|above|reference|search|single|"
    rf"{_NTH})\s++)*(?:{_NOUN}{_NUMBER}|{_NTH}(?:\s++one)?|it|they)(?:\s++(?:above|below|provided|given|retrieved))?"
)
_NOT = r"(?:(?:does|do|did|would)\s*+(?:not|n't)|can\s?not|can't|fails?\s++to|failed\s++to|never)"
_HEDGE = (
    r"(?:partly|partially|mostly|largely|mainly|somewhat|only|weakly|indirectly|not\s++(?:fully|entirely|completely))"
)
_VERBS: dict[Stand, str] = {
    "for": r"supports?|supported|confirms?|confirmed|backs?\s++up|backed\s++up|bears?\s++out",
    "against": r"contradicts?|contradicted|refutes?|refuted|disproves?|disproved|den(?:y|ies|ied)",
    "neither": r"mentions?|addresse?s?|discusse?s?|says?\s++anything\s++about",
}
_ANY = "|".join(_VERBS.values())
_CLAIM = r"(?:answer|claim|sub-?claim|statement|sentence|fact|assertion|conclusion|input)"
_OBJECT = (
    rf"(?:(?:the|this|that|your)\s++(?:(?:given|above|following)\s++)?{_CLAIM}(?P<that>\s++that\s++.+)?|"
    r"it|this|that)"
)
_END = (
    r"(?P<rest>\s*+[.!;:]*\s*+$|\s++(?:directly|explicitly|clearly|fully)\s*+[.!]*$|\s*+[,;:–—(].*$|\s++-+\s.*$|"
    r"\s++(?:by|because|since|as|given\s++that|stating|which)\b.*$)"
)
_SENTENCE = re.compile(
    r"^(?:[-•>]\s*+)?(?:(?:so|thus|hence|therefore|overall|in conclusion|based on (?:this|that))(?:\s*+,\s++|\s++))?"
    rf"(?:(?P<polarity>yes|no)\s*+[,:–—-]\s*+)?{_EVIDENCE}\s++"
    rf"(?:(?P<neither>(?:{_NOT}|neither)\s++(?:supports?|confirms?)\s++(?:n?or)\s++(?:contradicts?|refutes?))|"
    rf"(?P<negated>{_NOT}\s++)?(?P<hedge>{_HEDGE}\s++)?(?:clearly\s++|directly\s++|explicitly\s++|fully\s++)?(?P<verb>{_ANY}))"
    rf"\s++{_OBJECT}{_END}",
    re.IGNORECASE,
)
_QUALIFIED = re.compile(
    r"\b(?:but|however|although|though|only|except|unless|partly|partially|in part|mostly|largely|somewhat|depending|"
    r"depends|to some extent|to a degree)\b",
    re.IGNORECASE,
)


def read_active(sentence: str) -> Active | None:
    """What *sentence* says of the claim, if its subject is the evidence.

    >>> read_active("The passage supports the statement by naming the dose.")
    Active(stand='for', failure=None)
    >>> read_active("The passages do not support the claim.").stand
    'not for'
    >>> read_active("Aspirin supports the heart.") is None
    True
    """
    match = _SENTENCE.match(sentence)
    if match is None:
        return None
    if match["hedge"] or _QUALIFIED.search(f"{match['that'] or ''} {match['rest']}"):
        return Active(None, "the verdict is qualified")
    if re.match(r"\s*[,;:–—(]", match["rest"]) and re.search(rf"\b(?:{_ANY})\b", match["rest"], re.IGNORECASE):
        return Active(None, "the reply states two verdicts")
    stand: Stand
    if match["neither"]:
        stand = "neither"
    else:
        verb = match["verb"].lower()
        kind = next(kind for kind, forms in _VERBS.items() if re.fullmatch(forms, verb))
        negated = (match["negated"] is not None) != (match["none"] is not None)
        if match["negated"] and match["none"]:
            return Active(None, "the verdict is negated and says nothing")
        if kind == "neither" and not negated:
            return None  # that it mentions the claim does not say which way
        if kind == "against" and negated:
            return Active(None, "the verdict is negated and says nothing")
        stand = "not for" if kind == "for" and negated else kind
    if match["polarity"] and (match["polarity"].lower() == "yes") != (stand == "for"):
        return Active(None, "the reply states two verdicts")
    return Active(stand)
