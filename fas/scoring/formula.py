"""From judgements to labels, from labels to counts, from counts to the Fact-Aligned Score.

Pure arithmetic; the definitions are those of the study's section 3 (FAS = 0.3 BERTScore +
0.4 Support@k + 0.3 (1 - Contra@k)), with the cases it leaves open decided as documented here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from fas.core.profile import Weights
from fas.core.records import Claim, Counts, Evidence, Judgement, Passage, Side, Verdict
from fas.evidence.designs import DESIGNS
from fas.evidence.designs import stronger as compare_designs

NOT_ASKED = "no evidence was asked for"
"""Why a claim is unverified in a run without evidence: nothing failed."""


def decide(
    claim: Claim,
    evidence: Sequence[Evidence],
    *,
    threshold: float,
    contradiction: float | None = None,
    failure: str | None = None,
    verifiable: bool = True,
    together: Judgement | None = None,
) -> Verdict:
    """The verdict on one claim, from passages with their judgements, best rank first.

    With p_e and p_c the highest P(support) and P(contradict) over the passages that could be
    judged, and threshold t: supported if p_e >= t and p_e >= p_c; contradicted if p_c >= t
    and p_c > p_e; else unsupported. If the search or any judgement failed, a claim that
    would be unsupported is unverified, because the passage that was not read might settle it.

    *contradiction* is another threshold of contradiction, *failure* why the search failed, wholly or in part;
    *verifiable* is False if no evidence was asked for. *together* is the one judgement of a verifier that judges all
    passages at once: p_e and p_c are then its probabilities, and those of *evidence* are not looked at.
    """
    judgements = [item.judgement for item in evidence] if together is None else [together]
    judged = [judgement for judgement in judgements if judgement.failure is None]
    reasons = (failure, *(judgement.failure for judgement in judgements), None if verifiable else NOT_ASKED)
    reason = next((reason for reason in reasons if reason is not None), None)
    p_support = max((j.p_support for j in judged), default=math.nan)
    p_contradict = max((j.p_contradict for j in judged), default=math.nan)
    above = p_support >= threshold, p_contradict >= (contradiction or threshold)  # NaN compares false
    if above[0] and p_support >= p_contradict:
        label = "supported"
    elif above[1] and p_contradict > p_support:
        label = "contradicted"
    elif reason is not None:
        label = "unverified"
    else:
        label = "unsupported"
    stronger, newer = conflict_sides(evidence, threshold) if all(above) else (None, None)
    return Verdict(
        claim=claim,
        label=label,  # type: ignore[arg-type]  # one of the four literals above
        conflicting=all(above),
        p_support=p_support,
        p_contradict=p_contradict,
        evidence=tuple(evidence),
        no_evidence=reason is None and not evidence and together is None,
        failure=reason,
        stronger=stronger,
        newer=newer,
    )


def conflict_sides(evidence: Sequence[Evidence], threshold: float) -> tuple[Side | None, Side | None]:
    """Which side of contradictory evidence has the stronger study design, and which the newer study.

    Each side is as strong as its strongest design and as new as its newest study. None where the sides are equal, or
    nothing is known of one of them; passages that were judged together take no side.
    """
    sides: dict[Side, list[Passage]] = {"support": [], "contradict": []}
    for passage, judged in evidence:
        if judged.p_support >= threshold:
            sides["support"].append(passage)
        elif judged.p_contradict >= threshold:
            sides["contradict"].append(passage)
    designs = [min((DESIGNS.index(one.design) for one in side if one.design in DESIGNS), default=None)
               for side in sides.values()]  # fmt: skip
    years = [max((one.year for one in side if one.year is not None), default=None) for side in sides.values()]
    order = compare_designs(*(None if rank is None else DESIGNS[rank] for rank in designs))
    newer = 0 if years[0] is None or years[1] is None else (years[0] > years[1]) - (years[0] < years[1])
    named: dict[int, Side | None] = {1: "support", -1: "contradict", 0: None}
    return named[order], named[newer]


def count(verdicts: Iterable[Verdict]) -> Counts:
    """The sufficient statistics of one answer's verdicts."""
    verdicts = tuple(verdicts)
    return Counts.of_labels(
        [verdict.label for verdict in verdicts],
        n_no_evidence=sum(verdict.no_evidence for verdict in verdicts),
        n_conflicting=sum(verdict.conflicting for verdict in verdicts),
    )


def counts_of_record(record: Mapping[str, Any]) -> Counts:
    """The same, as a line of `scores.jsonl` holds them."""
    written = {name: record[name] for name in ("n_claims", "n_unverified", "n_no_evidence", "n_conflicting")}
    return Counts.of_labels([claim.get("label") for claim in record["claims"]])._replace(**written)


class Shares(NamedTuple):
    """Support@k, Contra@k and Unsupported@k of one answer; they sum to 1, or are all NaN."""

    support: float
    contra: float
    unsupported: float


def shares(counts: Counts) -> Shares:
    """Shares of the verified claims; NaN where no claim was verified.

    >>> shares(Counts(n_claims=5, n_supported=2, n_contradicted=1, n_unsupported=1, n_unverified=1))
    Shares(support=0.5, contra=0.25, unsupported=0.25)
    """
    verified = counts.n_verified
    if verified == 0:
        return Shares(math.nan, math.nan, math.nan)
    return Shares(counts.n_supported / verified, counts.n_contradicted / verified, counts.n_unsupported / verified)


def fact_aligned_score(share: Shares, bertscore_f1: float, weights: Weights) -> float:
    """FAS of one answer; NaN without a reference or without a verified claim.

    Higher is better. In [0, 1] when BERTScore is.
    """
    return (
        weights.bertscore * bertscore_f1
        + weights.support * share.support
        + weights.no_contradiction * (1.0 - share.contra)
    )


def evidence_score(share: Shares, weights: Weights) -> float:
    """FAS without its reference part, rescaled to [0, 1]; NaN without a verified claim."""
    total = weights.support + weights.no_contradiction
    return (weights.support * share.support + weights.no_contradiction * (1.0 - share.contra)) / total
