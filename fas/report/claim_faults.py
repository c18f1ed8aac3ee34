"""What rules find wrong with claims, so that extractors can be compared without a judge.

The kinds are those of MedScoreTaxonomy (Heyuan Huang et al., MedScore, section 2): a claim is invalid if it is
unverifiable, hallucinated, incomplete, incorrectly structured, context-dependent or redundant; what an answer states
and no claim holds is omitted. Rules see the frequent forms of each kind: a rate is comparable between two extractors
rather than true in itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from fas.claims.checkworthiness import is_question, is_talk, opening, stem
from fas.claims.segmentation import row_sentences
from fas.core.records import Answer, Claim
from fas.core.records.claim_faults import Kind
from fas.text.reading.commands import commands
from fas.text.reading.document import read
from fas.text.reading.mapped import Mapped, TextSpan
from fas.text.reading.sentences import rough_sentences

_STOP = frozenset(
    "a an the of to in on at by for from with and or but nor so as if than then that this these those it its they them "
    "their he she his her you your we our i me my is are was were be been being am do does did have has had can could "
    "may might must shall should will would not no there here what which who whom whose when where why how also very "
    "such own same too just about into over under out up down any some each all both more most other s t re ve ll d m "
    "patients people person patient recommended recommend helps help include includes including considered doctor "
    "physician one oneself themselves".split()
)
_OWN = re.compile(r"\b(?:I|me|my|mine|myself|we've|(?i:he|she|his|him|hers|himself|herself))\b")
_EVENT = re.compile(
    r"\byou(?:'re| are| were| have been|'ve been) (?:\w+ )?(?:\w+ing|concerned|worried)\b"
    r"|\byou (?:mentioned|described|said|told|asked|had|took|noticed|went|were)\b"
    r"|\byou(?:'ve| have) (?:\w+ )?(?:mentioned|described|noticed|been|had|done|tried|already|provided|shared)\b",
    re.IGNORECASE,
)
_VAGUE_START = re.compile(
    r"(?:\w+ly, )?(?:it|they|them|this|these|those|that|such|he|she|here|the (?:former|latter|above|following|same))\b"
    r"(?!(?:'s| is| was| are| may be| can be| would be| has been)? (?:also |very |not |\w+ly )?(?:important|possible|"
    r"likely|unlikely|recommended|common|best|essential|advisable|safe|normal|necessary|crucial|estimated|known|"
    r"believed|thought|rare|difficult|unclear|usual|helpful|advised|suggested|hard|generally|usually|clear|vital|good|"
    r"better|uncommon|okay|true|easy) (?:to|that|for)\b)",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    r"\b(?:the following|mentioned (?:above|earlier)|(?:see|as) (?:above|below)|the above|you|your|yours)\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"(?:i|we|they|he|she|(?:your|the|my|a) (?:doctor|physician|provider|specialist|expert)s?) (?:\w+ )?(?:says?|said|"
    r"believes?|thinks?|explain(?:s|ed)?|mention(?:s|ed)?|note[sd]?|recommend(?:s|ed)?|suggest(?:s|ed)?|advise[sd]?|"
    r"emphasize[sd]?|feels?|stated?|told|want(?:s|ed)?)\b",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    r"\b(?:and|or|but|of|to|for|with|in|at|by|from|as|the|(?-i:an?)|if|when|because|including|includes?|that|which|is|"
    r"are|can|may|should|than|between|either|not|not only|both|like|due)\s?[.:,;]*$",
    re.IGNORECASE,
)
_SUBORDINATE = re.compile(
    r"(?:if|unless|because|when|whenever|while|although|though|whereas|which|who|since)\b[^,]*$", re.IGNORECASE
)
_FINITE = re.compile(
    r"\b(?:is|are|was|were|be|am|has|have|had|do|does|did|can|could|may|might|must|shall|should|will|would|cannot)\b"
    r"|n't\b|'(?:s|re|ve|ll)\b",
    re.IGNORECASE,
)
_VERB_LIKE = re.compile(
    r"\s(?:[a-z]{2,}(?:es|s|ed)|cause|lead|help|make|take|include|need|work|occur|contain|reduce|increase|affect|go|get|"
    r"become|begin|feel|live|exist|spread|come|vary|treat|prevent|depend|experience|require|began|came|went|took|made|"
    r"got|felt|led)\b",
)
_CONDITION = re.compile(
    r"\b(if|unless|in case of|in patients with|in people with|in (?:children|adults|women|men|infants|pregnant women)|"
    r"for (?:children|adults|patients with|people with|those with|women|men)|during pregnancy|provided that|only when|"
    r"only if|when)\b\s*([^,.;:()]{0,80})",
    re.IGNORECASE,
)
_SAME = 0.9
"""Two claims of one answer whose content stems agree in this share (Jaccard) say the same."""
_FOREIGN = 0.25
"""A claim with more than this share of content stems from nowhere in question and answer adds something."""


class Quality(NamedTuple):
    """How the claims of one answer fare.

    Attributes:
        faults: For each claim, the kinds it is invalid by (empty: none found).
        omitted: Statements of the answer that no claim touches.
    """

    faults: tuple[frozenset[Kind], ...]
    omitted: tuple[TextSpan, ...]


def inspect_claims(claims: Sequence[Claim], answer: Answer) -> Quality:
    """The faults that rules find; no statement of fewer than three content words counts as omitted."""
    units = _list_statements(answer.prediction)
    known = stem_content(answer.prediction) | stem_content(answer.question or "")
    stems = [stem_content(claim.text) for claim in claims]
    faults = []
    for number, (claim, own) in enumerate(zip(claims, stems, strict=True)):
        source = " ".join(unit.text for unit in units if _touches(claim, unit))
        found: dict[Kind, bool] = {
            "unverifiable": is_unverifiable(claim.text),
            "hallucinated": len(own - known) > _FOREIGN * len(own),
            "incomplete": is_incomplete(claim.text) or loses_condition(claim.text, source),
            "misstructured": is_misstructured(claim.text),
            "context_dependent": is_context_dependent(claim.text),
            "redundant": repeats(stems, number),
        }
        faults.append(frozenset(kind for kind, present in found.items() if present))
    return Quality(tuple(faults), tuple(_find_omitted(claims, units)))


def is_unverifiable(text: str) -> bool:
    """Talk, feelings and events of one person: nothing that literature could confirm."""
    return is_talk(text) or is_question(text) or any(one.search(text) for one in (_OWN, _EVENT))


def is_incomplete(text: str) -> bool:
    """A fragment: no finite verb, a subordinate clause alone, or an end that asks for more."""
    words = text.rstrip(" .!")
    cut = _DANGLING.search(words) or _SUBORDINATE.match(words)
    return bool(cut) or not (_FINITE.search(words) or _VERB_LIKE.search(words))


def is_misstructured(text: str) -> bool:
    """Not a declarative sentence: an imperative, a question, a report of who said it, a label."""
    bare = text[opening(text) :]
    label = text.rstrip().endswith(":") or re.match(r"[\w ]{1,40}:\s", text)
    return bool(commands(bare) or is_question(text) or _REPORTED.match(text) or label)


def is_context_dependent(text: str) -> bool:
    """A pronoun or a demonstrative as subject, `you`, or a pointer to other parts of the answer."""
    return bool(_VAGUE_START.match(text[opening(text) :]) or _VAGUE.search(text))


def loses_condition(text: str, source: str) -> bool:
    """Whether the one condition or group that *source* has is missing from a claim that its clause makes."""
    conditions = [match for match in _CONDITION.finditer(source) if stem_content(match[2])]
    stated = stem_content(text)
    if len(conditions) != 1 or not stated:
        return False
    [condition] = conditions
    words, front, after = stem_content(condition[2]), source[: condition.start()], source[condition.end() :]
    if 2 * len(words & stated) >= len(words) or condition[1].lower() in text.lower():
        return False
    start = max(front.rfind(mark) for mark in (";", ", and ", ", but ", ": ")) + 1
    clause = front[start:] if front[start:].strip(" ,;") else after
    return 2 * len(stated & stem_content(clause)) > len(stated)


def repeats(stems: Sequence[frozenset[str]], number: int) -> bool:
    """Whether an earlier claim has the same stems as claim *number*, or another claim has all of them and more."""
    own = stems[number]
    for place, other in enumerate(stems):
        same = len(own & other) >= _SAME * len(own | other)
        if own and place != number and (place < number if same else own < other):
            return True
    return False


def stem_content(text: str) -> frozenset[str]:
    """Porter stems of the words that carry meaning."""
    return frozenset(stem(word) for word in re.findall(r"[^\W_]+", text.lower()) if word not in _STOP)


def _list_statements(prediction: str) -> list[Mapped]:
    """Sentences of the answer that may state something."""
    found: list[Mapped] = []
    for block in read(prediction).prose:
        if block.kind != "heading":
            found += row_sentences(block.cells) if block.kind == "row" else rough_sentences(block.text)
    return [unit for unit in found if unit.span() is not None]


def _touches(claim: Claim, unit: Mapped) -> bool:
    span = unit.span()
    if span is None or claim.start is None or claim.end is None:
        return False
    return span.start < claim.end and claim.start < span.end


def _find_omitted(claims: Sequence[Claim], units: Sequence[Mapped]) -> list[TextSpan]:
    touched = [any(_touches(claim, unit) for claim in claims) for unit in units]
    # Extractors keep the claims of the first of two equal sentences.
    said = {stem_content(unit.text) for unit, taken in zip(units, touched, strict=True) if taken}
    found = []
    for unit, taken in zip(units, touched, strict=True):
        text, span = unit.text[opening(unit.text) :], unit.span()
        silent = is_unverifiable(unit.text) or is_unverifiable(text) or is_incomplete(text) or text.endswith(":")
        if span is not None and not (taken or silent or len(stem_content(text)) < 3):
            found += [] if stem_content(unit.text) in said else [span]
    return found
