"""What goes through the pipeline: answers, claims, passages, judgements, verdicts, and their counts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from fas.core.records.statements import Statement

Side = Literal["support", "contradict"]
Label = Literal["supported", "contradicted", "unsupported", "unverified"]
LABELS: tuple[Label, ...] = ("supported", "contradicted", "unsupported", "unverified")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of evidence.

    Attributes:
        text: What the verifier reads (for PubMed: the abstract).
        id: The bare PMID for PubMed, the passage's own id otherwise.
        title: Title of the document, if known.
        year: Year of publication, if known.
        status: `"retracted"` or `"concern"` where the source marks the document so; `"republished"` or `"updated"`
            where a later version of the work exists; else None.
        design: The study's design, e.g. `"randomized controlled trial"`, if the source tells (`fas.evidence.designs`).
        corpus: Which of several sources it came from, if there are several.
    """

    text: str
    id: str | None = None
    title: str | None = None
    year: int | None = None
    status: str | None = None
    design: str | None = None
    corpus: str | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """One verifiable statement of an answer.

    Attributes:
        text: The claim, readable on its own; the text to search for and to verify.
        start: First character of the source in the prediction (code points), or None
            for a given claim that does not occur exactly once.
        end: One past the last character of the source, or None.
        context: A longer form that says what the claim is about, for verifiers that judge
            a claim in its context (DnDScore); None for most extractors.
        failure: Why there is nothing to verify: the claims of a sentence could not be extracted (the text is
            then the sentence), or a claim could not be brought to its final form. It is counted as unverified,
            without a search. None for a claim.
        given_label: The label of a given claim in the input; scoring does not read it.
        compound: It may hold several statements: the extractor could not split its sentence for certain.
    """

    text: str
    start: int | None = None
    end: int | None = None
    context: str | None = None
    failure: str | None = None
    given_label: str | bool | None = None
    compound: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """One model answer and what came with it.

    Attributes:
        id: Unique in a run; the line number, counted from 1, where the input gave none.
        prediction: The text to be scored; may be empty.
        question: The question it answers, if known.
        references: Zero or more reference answers.
        passages: Evidence given with the answer; None if the answer brought none.
        claims: Claims to verify as given instead of extracted; None to extract.
        statements: Statements that a good answer makes, for the coverage; None to take those of the references.
        meta: Every other field of the input, unchanged.
        line: Line of the input, counted from 1; None for answers made in Python.
        reasoning: Characters of reasoning that were removed from the prediction.
    """

    id: str
    prediction: str
    question: str | None = None
    references: tuple[str, ...] = ()
    passages: tuple[Passage, ...] | None = None
    claims: tuple[Claim, ...] | None = None
    statements: tuple[Statement, ...] | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    line: int | None = None
    reasoning: int = field(default=0, repr=False)


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The result of the search for one claim.

    Attributes:
        passages: Best first, at most k.
        failure: Why the search (or a part of it) failed; None for an honest result, which
            may be empty.
        n_cut: How many given passages were left out because there were more than k.
        query: The query that was sent to a search engine, if it is not the claim itself.
        n_same: How many given passages were left out because they repeat another.
        scores: Score of each passage in the search, for display; empty where the source gives none.
    """

    passages: tuple[Passage, ...] = ()
    failure: str | None = None
    n_cut: int = 0
    query: str | None = None
    n_same: int = 0
    scores: tuple[float, ...] = ()


class Pair(NamedTuple):
    """A claim to be judged against one passage (None: from the verifier's own knowledge)."""

    claim: Claim
    passage: Passage | None
    question: str | None = None


class Case(NamedTuple):
    """A claim with everything there is to judge it by at once.

    Attributes:
        claim: The claim.
        passages: What was found for it, best first; empty for a verifier that needs none.
        question: The question the answer replies to, if known.
        source: The part of the answer the claim was taken from, if known.
    """

    claim: Claim
    passages: tuple[Passage, ...] = ()
    question: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verifier's calibrated opinion on one pair.

    Attributes:
        p_support: P(the passage supports the claim), in [0, 1]; NaN in the evidence of a claim whose
            passages were judged together, so that no single one has a probability.
        p_contradict: P(the passage contradicts the claim), likewise.
        sentence: The part of the passage that counted most (the rationale); None if unknown.
        start: Where `sentence` begins in the passage's text; None if unknown.
        end: One past its last character.
        failure: Why the pair could not be judged (then the probabilities are NaN), or None.
    """

    p_support: float
    p_contradict: float
    sentence: str | None = None
    start: int | None = None
    end: int | None = None
    failure: str | None = None


def failed_judgement(reason: str) -> Judgement:
    """The judgement of a pair that could not be judged, for *reason*."""
    return Judgement(math.nan, math.nan, failure=reason)


class Evidence(NamedTuple):
    """A passage and the judgement of a claim against it."""

    passage: Passage
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision on one claim, with its reasons.

    Attributes:
        claim: The claim.
        label: See `fas.scoring.formula.decide` for the definition of the four labels.
        conflicting: Both probabilities reached the threshold.
        p_support: Highest P(support) over the passages; NaN where nothing was judged.
        p_contradict: Highest P(contradict) over the passages; NaN where nothing was judged.
        evidence: Every passage judged, best rank first, at most k.
        no_evidence: The search succeeded and found nothing.
        failure: Why the claim is unverified, or a failure in spite of which there is a verdict; else None.
        stronger: Of a conflicting claim, the side whose best study design is the stronger one, `"support"` or
            `"contradict"`; None where neither is, or a design is unknown.
        newer: The side with the newer evidence, likewise by year.
        why: Of an unsupported claim with passages, why none settles it (`fas.scoring.verdicts.unsupported`); else None.
        missing: Of such a claim, its content words that no passage holds.
    """

    claim: Claim
    label: Label
    conflicting: bool = False
    p_support: float = math.nan
    p_contradict: float = math.nan
    evidence: tuple[Evidence, ...] = ()
    no_evidence: bool = False
    failure: str | None = None
    stronger: Side | None = None
    newer: Side | None = None
    why: str | None = None
    missing: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        from fas.core.records.as_json import verdict_dict
        from fas.core.records.shown import claim_html

        return claim_html(verdict_dict(self))


class Counts(NamedTuple):
    """Sufficient statistics of the claims of one answer, or of several.

    `n_claims` is the number extracted; supported, contradicted, unsupported and unverified
    add up to it.

    >>> Counts.of_labels(["supported", "unverified"]).plus(Counts.of_labels(["contradicted"])).n_verified
    2
    """

    n_claims: int = 0
    n_supported: int = 0
    n_contradicted: int = 0
    n_unsupported: int = 0
    n_unverified: int = 0
    n_no_evidence: int = 0
    n_conflicting: int = 0

    @property
    def n_verified(self) -> int:
        """Claims with a verdict."""
        return self.n_supported + self.n_contradicted + self.n_unsupported

    @classmethod
    def of_labels(cls, labels: Sequence[str], *, n_no_evidence: int = 0, n_conflicting: int = 0) -> Counts:
        """The counts of claims with these *labels*."""
        by_label = {f"n_{label}": labels.count(label) for label in LABELS}
        return cls(n_claims=len(labels), n_no_evidence=n_no_evidence, n_conflicting=n_conflicting, **by_label)

    def plus(self, other: Counts) -> Counts:
        """The counts of the claims of both."""
        return Counts(*(a + b for a, b in zip(self, other, strict=True)))
