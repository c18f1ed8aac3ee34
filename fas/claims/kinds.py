"""Detectors for the seven kinds of invalid claims, by rules, so that extraction can be measured without a judge.

The kinds are those of MedScoreTaxonomy (Heyuan Huang et al., MedScore, section 2): a claim is
invalid if it is unverifiable, hallucinated, incomplete, incorrectly structured,
context-dependent or redundant; what an answer states and no claim holds is omitted. Rules see
the surface only: they find the frequent forms of each kind, not every instance, and a rate
they give is comparable between two extractors rather than true in itself.
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
from fas.text.reading.pattern_tables import load_patterns
from fas.text.reading.sentences import rough_sentences

_STOP = frozenset(
    "a an the of to in on at by for from with and or but nor so as if than then that this these those it its "
    "they them their he she his "
    "her you your we our i me my is are was were be been being am do does did have has had can could may "
    "might must shall should will "
    "would not no there here what which who whom whose when where why how also very such own same too just "
    "about into over under "
    "out up down any some each all both more most other s t re ve ll d m patients people person patient "
    "recommended recommend helps "
    "help include includes including considered doctor physician one oneself themselves".split()
)
KINDS = load_patterns(__file__)
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
    """The faults that rules find in the *claims* of *answer*.

    Every kind but `omitted` is a fault of a claim; `omitted` is counted by the statements of the
    answer (no question, no courtesy, at least four words) with which no claim overlaps.
    """
    sentences = statements(answer.prediction)
    known = content(answer.prediction) | content(answer.question or "")
    stems = [content(claim.text) for claim in claims]
    faults = []
    for number, claim in enumerate(claims):
        source = _source(claim, sentences)
        found: set[Kind] = set()
        if is_unverifiable(claim.text):
            found.add("unverifiable")
        if _adds(stems[number], known):
            found.add("hallucinated")
        if is_incomplete(claim.text) or loses_condition(claim.text, source):
            found.add("incomplete")
        if is_misstructured(claim.text):
            found.add("misstructured")
        if is_context_dependent(claim.text):
            found.add("context_dependent")
        if repeats(stems, number):
            found.add("redundant")
        faults.append(frozenset(found))
    return Quality(tuple(faults), tuple(_omitted(claims, sentences)))


def is_unverifiable(text: str) -> bool:
    """Talk, feelings and events of one person: nothing that literature could confirm."""
    return bool(
        is_talk(text)
        or is_question(text)
        or KINDS.first_person.search(text)
        or KINDS.third_person.search(text)
        or KINDS.event.search(text)
    )


def is_incomplete(text: str) -> bool:
    """A fragment: no finite verb, a subordinate clause alone, or an end that asks for more."""
    words = text.rstrip(" .!")
    if KINDS.dangling.search(words) or KINDS.subordinate_start.match(words):
        return True
    return not (KINDS.finite.search(words) or KINDS.verb_like.search(" ".join(words.split()[1:])))


def is_misstructured(text: str) -> bool:
    """Not a declarative sentence: an imperative, a question, a report of who said it, a label."""
    bare = text[opening(text) :]
    return bool(
        commands(bare)
        or is_question(text)
        or KINDS.reported.match(text)
        or text.rstrip().endswith(":")
        or re.match(r"[\w ]{1,40}:\s", text)
    )


def is_context_dependent(text: str) -> bool:
    """A pronoun or a demonstrative as subject, `you`, or a pointer to other parts of the answer."""
    return bool(KINDS.vague_start.match(text[opening(text) :]) or KINDS.vague_within.search(text))


def loses_condition(text: str, source: str) -> bool:
    """Whether the source sentence has one condition or group it speaks of, and the claim has none of its words."""
    conditions = [match for match in KINDS.condition.finditer(source) if content(match.group(2))]
    if len(conditions) != 1:
        return False
    condition = conditions[0]
    words = content(condition.group(2))
    stated = content(text)
    within = stated & content(source[: condition.start()]) or stated & content(source[condition.end() :])
    return (
        bool(within)
        and len(words & stated) < 0.5 * len(words)
        and condition.group(1).lower() not in text.lower()
        and _governs(source, condition, text)
    )


def _governs(source: str, condition: re.Match[str], text: str) -> bool:
    """Whether the claim comes from the clause that the condition stands in."""
    front = source[: condition.start()]
    clause_start = max(front.rfind(";"), front.rfind(", and "), front.rfind(", but "), front.rfind(": ")) + 1
    after = source[condition.end() :]
    clause = content(front[clause_start:]) if front[clause_start:].strip(" ,;") else content(after)
    return len(content(text) & clause) > 0.5 * max(1, len(content(text)))


def statements(prediction: str) -> list[Mapped]:
    """Sentences of the answer that may state something, by the rules alone."""
    found: list[Mapped] = []
    for block in read(prediction).prose:
        if block.kind == "heading":
            continue
        units = row_sentences(block.cells) if block.kind == "row" else rough_sentences(block.text)
        found.extend(unit for unit in units if unit.span() is not None)
    return found


def content(text: str) -> frozenset[str]:
    """Porter stems of the words that carry meaning."""
    return frozenset(stem(word) for word in re.findall(r"[^\W_]+", text.lower()) if word not in _STOP)


def _adds(stems: frozenset[str], known: frozenset[str]) -> bool:
    return bool(stems) and len(stems - known) > _FOREIGN * len(stems)


def repeats(stems: Sequence[frozenset[str]], number: int) -> bool:
    """Whether an earlier claim, or a longer one, says the same or contains all of it.

    Args:
        stems: Content stems of the claims of one answer, see `content`.
        number: Which of them is asked about.
    """
    own = stems[number]
    if not own:
        return False
    for other_number, other in enumerate(stems):
        if other_number == number:
            continue
        shared = len(own & other)
        same = shared >= _SAME * len(own | other)
        if same and other_number < number:
            return True
        if not same and own < other:
            return True
    return False


def _source(claim: Claim, sentences: Sequence[Mapped]) -> str:
    """The sentences a claim was taken from."""
    if claim.start is None or claim.end is None:
        return ""
    return " ".join(unit.text for unit in sentences if _overlap(unit, claim.start, claim.end))


def _overlap(unit: Mapped, start: int, end: int) -> bool:
    span = unit.span()
    return span is not None and span.start < end and start < span.end


def _omitted(claims: Sequence[Claim], sentences: Sequence[Mapped]) -> list[TextSpan]:
    spans = [(claim.start, claim.end) for claim in claims if claim.start is not None and claim.end is not None]
    touched = [any(_overlap(unit, start, end) for start, end in spans) for unit in sentences]
    # Of a sentence that stands twice, extractors keep the claims of the first.
    said = {content(unit.text) for unit, taken in zip(sentences, touched, strict=True) if taken}
    found = []
    for unit, taken in zip(sentences, touched, strict=True):
        text = unit.text[opening(unit.text) :]
        if (
            taken
            or content(unit.text) in said
            or len(content(text)) < 3
            or is_unverifiable(unit.text)
            or is_unverifiable(text)
            or is_incomplete(text)
            or text.endswith(":")
        ):
            continue
        span = unit.span()
        if span is not None:
            found.append(span)
    return found
