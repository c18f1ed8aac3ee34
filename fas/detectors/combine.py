"""Several members' findings on one answer made into one list: alignment member by member, one closed formula.

Members are taken in one at a time (Lasko et al., section 3.2). A finding that is aligned with a cluster joins it,
any other one begins a cluster. The fold with lambda = W_(j-1) / W_j,

    aligned:    score <- lambda * score + (1 - lambda) * confidence_j        unaligned: the missing side is 0

ends at

    score(cluster) = sum of w_i * confidence_i over its members / sum of w over all members that have an opinion

which does not depend on the order of the members for given clusters. The clusters do depend on it; so members are
folded in the order of (family, run), whatever order they were named in, and `count_changed_pairs` says how much another
order would change.

The paper's section 1 names harm among what goes into the combination; section 3.2 has no formula for it. `weigh_harm`
multiplies the confidence of a finding by its level of harm before all of the above.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from fas.core.records.stored import Harm
from fas.detectors.align import MIN_SIMILARITY, Vectors, align, unit
from fas.detectors.records import HARMS, DetectedFinding, Findings, Part, answer_score, median_harm

HARM_WEIGHTS: Mapping[Harm, float] = {level: i / (len(HARMS) - 1) for i, level in enumerate(HARMS)}
"""What `weigh_harm` multiplies a confidence by: equal steps from 0 to 1 over the five levels, our choice."""

SAME = 0.95
"""Cosine of explanations from which two findings of one member in one place are one."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """A member's findings on one answer, with the unit vectors of their explanations, shape `[n_findings, d]`."""

    member: str
    weight: float
    findings: tuple[DetectedFinding, ...]
    vectors: Vectors

    def take(self, places: Sequence[int]) -> Opinion:
        """With the findings in these places, in this order."""
        vectors = self.vectors[np.array(places, dtype=np.intp)]
        return replace(self, findings=tuple(self.findings[i] for i in places), vectors=vectors)


def tidy_opinion(opinion: Opinion) -> tuple[Opinion, int]:
    """The opinion sorted by place (findings without one last) and without doubles, and the number of doubles.

    Of two findings that say the same of the same place, the more confident one stays. The same place: the spans
    overlap, or, without spans, the snippets are equal. The same: a cosine of the explanations above `SAME`, or equal
    explanations.
    """
    found = opinion.findings
    opinion = opinion.take(sorted(range(len(found)), key=lambda i: _place(found[i])))
    order = sorted(range(len(found)), key=lambda i: -opinion.findings[i].confidence)
    kept: list[int] = []
    for i in order:
        if not any(_are_same(opinion, i, j) for j in kept):
            kept.append(i)
    return opinion.take(sorted(kept)), len(found) - len(kept)


def weigh_harm(finding: DetectedFinding) -> DetectedFinding:
    """The finding with its confidence times the weight of its level of harm; one that names no level stays."""
    if finding.harm is None:
        return finding
    return replace(finding, confidence=finding.confidence * HARM_WEIGHTS[finding.harm])


def clusters(
    opinions: Sequence[Opinion], *, min_similarity: float = MIN_SIMILARITY
) -> list[tuple[tuple[int, int], ...]]:
    """Which findings belong together, as positions (member, finding), by folding *opinions* in their order.

    A cluster's vector is the normalised mean of its members' vectors. Two findings of one member are never in one.
    """
    places: list[list[tuple[int, int]]] = []
    totals: list[Vectors] = []
    for number, opinion in enumerate(opinions):
        if not opinion.findings:
            continue
        so_far = unit(np.stack(totals)) if totals else np.zeros((0, 0))
        paired = {pair.right: pair.left for pair in align(so_far, opinion.vectors, min_similarity=min_similarity)}
        for i, vector in enumerate(opinion.vectors):
            if i in paired:
                places[paired[i]].append((number, i))
                totals[paired[i]] = totals[paired[i]] + vector
            else:
                places.append([(number, i)])
                totals.append(vector)
    return [tuple(cluster) for cluster in places]


def merge_findings(places: Sequence[tuple[int, int]], opinions: Sequence[Opinion]) -> DetectedFinding:
    """The finding of a cluster: its score, the text of its most confident member, the median level of harm."""
    total = sum(opinion.weight for opinion in opinions)
    parts = [(opinions[m], opinions[m].findings[i]) for m, i in places]
    score = sum(opinion.weight * finding.confidence for opinion, finding in parts) / total
    best = max((finding for _, finding in parts), key=lambda finding: finding.confidence)
    return replace(
        best,
        harm=median_harm(finding.harm for _, finding in parts),
        confidence=min(1.0, score),
        tags=tuple(sorted({tag for _, finding in parts for tag in finding.tags})),
        by=tuple(Part(opinion.member, finding) for opinion, finding in parts),
    )


def combine_findings(
    id: str,  # noqa: A002  (the answer's, as everywhere)
    opinions: Sequence[Opinion],
    *,
    abstained: Sequence[str] = (),
    min_similarity: float = MIN_SIMILARITY,
) -> Findings:
    """The combination's findings on one answer, highest score first.

    *opinions*: tidied, in the order of (family, run). *abstained*: members without one; their weight is in no sum.
    """
    if not opinions:
        return Findings(id, failure="every member abstains", abstained=tuple(abstained))
    found = [merge_findings(places, opinions) for places in clusters(opinions, min_similarity=min_similarity)]
    found.sort(key=lambda finding: (-finding.confidence, _place(finding)))
    return Findings(
        id,
        tuple(found),
        score=max((finding.confidence for finding in found), default=0.0),
        baselines=baselines(opinions),
        abstained=tuple(abstained),
    )


def baselines(opinions: Sequence[Opinion]) -> dict[str, float]:
    """Scores without alignment, which alignment must beat.

    `share of members`: the share of the weight that has any finding. `mean of highest`: the weighted mean of every
    member's highest confidence.
    """
    total = sum(opinion.weight for opinion in opinions)
    highest = [answer_score(Findings("", opinion.findings)) for opinion in opinions]
    return {
        "share of members": sum(o.weight for o in opinions if o.findings) / total,
        "mean of highest": sum(o.weight * score for o, score in zip(opinions, highest, strict=True)) / total,
    }


def count_changed_pairs(opinions: Sequence[Opinion], *, min_similarity: float = MIN_SIMILARITY) -> tuple[int, int]:
    """How many pairs of findings are aligned in only one of both orders of the members, and how many in either."""
    last = len(opinions) - 1
    forward = {pair for places in clusters(opinions, min_similarity=min_similarity) for pair in _pairs(places)}
    turned = clusters(opinions[::-1], min_similarity=min_similarity)
    backward = {pair for places in turned for pair in _pairs([(last - m, i) for m, i in places])}
    return len(forward ^ backward), len(forward | backward)


def run_weights(families: Mapping[str, str], *, by: str | Mapping[str, float] = "run") -> dict[str, float]:
    """The weight of every member.

    >>> run_weights({"judge/run-0": "judge", "judge/run-1": "judge", "rag": "rag"}, by={"judge": 2.0, "rag": 0.5})
    {'judge/run-0': 1.0, 'judge/run-1': 1.0, 'rag': 0.5}

    *by*: `run`: 1 each. `family`: 1 for each family, shared among its members. A mapping: the weight of a member, or of
    a family, which its members share; 1 for a family that it does not name.

    Raises:
        ValueError: *by* is a word other than these, names nothing that is combined, or holds a weight that is not
            above 0.
    """
    if by == "run":
        return dict.fromkeys(families, 1.0)
    if isinstance(by, str) and by != "family":
        raise ValueError(f"`weights` must be 'run', 'family' or NAME=WEIGHT for each member, got {by!r}")
    own: Mapping[str, float] = {} if isinstance(by, str) else by
    unknown = sorted(set(own) - {*families, *families.values()})
    if unknown:
        raise ValueError(f"`weights` names {unknown[0]!r}, which is no member; available: {', '.join(families)}")
    for name, weight in own.items():
        if not 0 < weight < math.inf:
            raise ValueError(f"the weight of {name} must be above 0, got {weight!r}")
    sizes = Counter(families.values())
    return {member: own.get(member, own.get(family, 1.0) / sizes[family]) for member, family in families.items()}


def _pairs(places: Sequence[tuple[int, int]]) -> set[frozenset[tuple[int, int]]]:
    return {frozenset(pair) for pair in combinations(places, 2)}


def _are_same(opinion: Opinion, i: int, j: int) -> bool:
    a, b = opinion.findings[i], opinion.findings[j]
    if a.start is not None and b.start is not None and a.end is not None and b.end is not None:
        here = a.start < b.end and b.start < a.end
    else:
        here = a.start is b.start and a.snippet == b.snippet
    return here and (a.explanation == b.explanation or float(opinion.vectors[i] @ opinion.vectors[j]) > SAME)


def _place(finding: DetectedFinding) -> tuple[bool, int, str, str]:
    return finding.start is None, finding.start or 0, finding.snippet, finding.explanation
