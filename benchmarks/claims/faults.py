"""Claim quality without a judge: the faults that rules and an NLI model can see, for any extractor.

Six faults of the taxonomy of MedScore (Huang et al., section 2, and the annotators' instructions in
A.14) leave marks on the surface or in the relation of a claim to its sentence:

| fault          | kind of the taxonomy   | found by                                                       |
|----------------|------------------------|----------------------------------------------------------------|
| imperative     | incorrectly structured | rules: an order instead of a statement                         |
| vague_pronoun  | context-dependent      | rules: a subject such as "it" or "these", or "you" and "your"  |
| narrative      | unverifiable           | rules: events, feelings, courtesies, one person's story        |
| condition_lost | incomplete             | rules: the sentence has a condition, the claim none of it      |
| not_entailed   | hallucinated           | NLI: P(entailment) by the sentence is not above the threshold  |
| redundant      | redundant              | NLI, or rules without it: another claim of the answer says it  |

Omission is counted by answers without a claim and by `fas.report.claim_faults.inspect_claims`. A rate is
comparable between extractors on the same answers, not true in itself: rules see the frequent
forms, the NLI model errs, and a claim that names what its sentence only points at ("it" became
"metformin") does not follow from the sentence alone. That last is why `not_entailed` can also be
measured against the sentence with the ones before it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from fas.text.reading.commands import commands
from fas.claims.entailment import ClaimEntailment
from fas.claims.checkworthiness import opening
from fas.claims.llm.units import source_sentences
from fas.report.claim_faults import stem_content, is_context_dependent, is_unverifiable, loses_condition, repeats
from fas.core.records import Answer, Claim

Fault = Literal["imperative", "vague_pronoun", "narrative", "condition_lost", "not_entailed", "redundant"]
FAULTS: tuple[Fault, ...] = (
    "imperative",
    "vague_pronoun",
    "narrative",
    "condition_lost",
    "not_entailed",
    "redundant",
)


# Verbs that are nouns too, with what follows only the verb; `commands` leaves them to a parser.
_NOUN_OR_ORDER = re.compile(
    r"^(?:please |always |also |then |just |immediately )?(?:(?:stop|start|try|keep) \w+ing"
    r"|(?:call|check|clean|contact|cover|cut|drink|find|hold|limit|monitor|place|rest|review|schedule|see|set|start|stop|"
    r"stretch|test|treat|use|visit|warm|wash|watch|wrap) (?:your|the|a|an|any|all|it|them|this|these|yourself|911))\b",
    re.IGNORECASE,
)


class Findings(NamedTuple):
    """What was found in the claims of one answer.

    Attributes:
        faults: For each claim that did not fail, its faults.
        unknown: For each of them, the faults that could not be looked for: the claim has no place in
            the answer, or the model cannot read it, or there is no model.
    """

    faults: tuple[frozenset[Fault], ...]
    unknown: tuple[frozenset[Fault], ...]

    def rate(self, fault: Fault) -> float:
        """Share of the claims with *fault* among those it was looked for in; NaN if there are none."""
        seen = [
            fault in found for found, unknown in zip(self.faults, self.unknown, strict=True) if fault not in unknown
        ]
        return sum(seen) / len(seen) if seen else math.nan


def detect(
    claims: Sequence[Sequence[Claim]],
    answers: Sequence[Answer],
    entailment: ClaimEntailment | None = None,
    *,
    threshold: float = 0.5,
    before: int = 0,
) -> list[Findings]:
    """The faults of the claims of each answer; claims that failed are left out.

    Args:
        claims: The claims of each answer, from any extractor.
        answers: The answers.
        entailment: What says whether one text entails another; without it `not_entailed` is unknown
            and `redundant` goes by shared words.
        threshold: P(entailment) above which a text counts as entailed.
        before: How many sentences before a claim's own also belong to what must entail it.
    """
    kept = [[claim for claim in several if claim.failure is None] for several in claims]
    sources = [source_sentences(answer, several) for several, answer in zip(kept, answers, strict=True)]
    premises = [source_sentences(a, several, before=before) for several, a in zip(kept, answers, strict=True)]
    entailed = _ask_entailment(kept, premises, entailment, threshold) if entailment is not None else None
    return [_find_faults(*one, entailed) for one in zip(kept, sources, premises, strict=True)]


def is_order(text: str) -> bool:
    """Whether a claim tells somebody to do something instead of stating something.

    >>> is_order("Call your doctor."), is_order("Calls to the doctor are free.")
    (True, False)
    """
    bare = text[opening(text) :]
    return commands(bare) or bool(_NOUN_OR_ORDER.match(bare))


def _find_faults(
    claims: Sequence[Claim],
    sources: Sequence[str | None],
    premises: Sequence[str | None],
    entailed: dict[tuple[str, str], bool | None] | None,
) -> Findings:
    texts = [claim.text for claim in claims]
    stems = [stem_content(text) for text in texts]
    faults, unknown = [], []
    for number, (text, source, premise) in enumerate(zip(texts, sources, premises, strict=True)):
        found: dict[Fault, bool | None] = {
            "imperative": is_order(text),
            "vague_pronoun": is_context_dependent(text),
            "narrative": is_unverifiable(text),
            "condition_lost": None if source is None else loses_condition(text, source),
            "not_entailed": _negate(entailed[premise, text]) if entailed is not None and premise is not None else None,
            "redundant": repeats(stems, number) if entailed is None else _said_by_another(texts, number, entailed),
        }
        faults.append(frozenset(fault for fault, present in found.items() if present))
        unknown.append(frozenset(fault for fault, present in found.items() if present is None))
    return Findings(tuple(faults), tuple(unknown))


def _ask_entailment(
    claims: Sequence[Sequence[Claim]],
    premises: Sequence[Sequence[str | None]],
    entailment: ClaimEntailment,
    threshold: float,
) -> dict[tuple[str, str], bool | None]:
    """Whether the first text entails the second, for all pairs that are asked about; None where unreadable."""
    pairs = [
        (premise, claim.text)
        for several, own in zip(claims, premises, strict=True)
        for claim, premise in zip(several, own, strict=True)
        if premise is not None
    ]
    for several in claims:
        texts = list(dict.fromkeys(claim.text for claim in several))
        pairs += [(a, b) for a in texts for b in texts if a != b]
    distinct = list(dict.fromkeys(pairs))
    found = entailment.probabilities(distinct)
    return {pair: None if math.isnan(p) else p > threshold for pair, p in zip(distinct, found, strict=True)}


def _said_by_another(texts: Sequence[str], number: int, entailed: dict[tuple[str, str], bool | None]) -> bool | None:
    """Whether another claim entails this one; of two that entail each other, only the later is redundant."""
    own = texts[number]
    unknown = False
    for place, other in enumerate(texts):
        if place == number:
            continue
        if other == own:
            if place < number:
                return True
            continue
        says = entailed[other, own]
        unknown = unknown or says is None
        if says and (place < number or not entailed[own, other]):
            return True
    return None if unknown else False


def _negate(value: bool | None) -> bool | None:
    return None if value is None else not value
