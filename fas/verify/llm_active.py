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

Truth = Literal["true", "false", "unclear"]


class VerdictReading(NamedTuple):
    """The verdict of a reply, or the reason why there is none; exactly one of the two is not None."""

    truth: Truth | None
    failure: str | None = None


NEGATED = VerdictReading(None, "the verdict is negated and says nothing")
QUALIFIED = VerdictReading(None, "the verdict is qualified")
TWO_VERDICTS = VerdictReading(None, "the reply states two verdicts")

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
_VERBS = {
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


def read_active(sentence: str, labels: int) -> VerdictReading | None:
    """The verdict of *sentence*, if its subject is the evidence; with 3 *labels* "false" means contradicted.

    >>> read_active("The passage supports the statement by naming the dose.", 2).truth
    'true'
    >>> [read_active("The passages do not support the claim.", labels).truth for labels in (2, 3)]
    ['false', 'unclear']
    >>> read_active("Aspirin supports the heart.", 2) is None
    True
    """
    match = _SENTENCE.match(sentence)
    if match is None:
        return None
    if match["hedge"] or _QUALIFIED.search(f"{match['that'] or ''} {match['rest']}"):
        return QUALIFIED
    if re.match(r"\s*[,;:–—(]", match["rest"]) and re.search(rf"\b(?:{_ANY})\b", match["rest"], re.IGNORECASE):
        return TWO_VERDICTS
    truth: Truth = "unclear"
    if not match["neither"]:
        kind = next(kind for kind, forms in _VERBS.items() if re.fullmatch(forms, match["verb"].lower()))
        negated = (match["negated"] is not None) != (match["none"] is not None)
        if (match["negated"] and match["none"]) or (kind == "against" and negated):
            return NEGATED
        if kind == "neither" and not negated:
            return None  # that it mentions the claim does not say which way
        if kind == "for" and not negated:
            truth = "true"
        elif kind == "against" or (kind == "for" and labels == 2):
            truth = "false"
    if match["polarity"] and (match["polarity"].lower() == "yes") != (truth == "true"):
        return TWO_VERDICTS
    return VerdictReading(truth)
