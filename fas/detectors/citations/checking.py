"""Whether cited sources exist, are retracted, and support the claims they stand with.

Every claim with citations is judged against each cited passage by itself and, where there are several and none
supports it alone, against all of them together. The measures are those of ALCE (Gao, Yen, Yu, Chen, EMNLP 2023,
section 3.2), per claim instead of per sentence, with the run's verifier as judge:

    recall       share of an answer's claims that their citations support, alone or together; a claim without a
                 citation is not supported by any
    precision    share of the citations that count: one that supports its claim alone, or without which the
                 citations together would no longer support it. A source that does not exist does not count; one
                 that could not be checked (an address, say) is in no share

A citation of a claim that is supported by another passage of the answer's evidence and by none that it cites is
`misattributed`. The judge says what a text supports, not what is true.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from fas.core.records import Answer, Case, Claim, Passage, RecordError, Retrieval, Verdict
from fas.core.records.cited import Library
from fas.detectors.citations.parsing import Citation, ParsedCitations, attach_citations, parse_citations
from fas.detectors.citations.sources import CitedSource, look_up

Stand = Literal["supports", "contradicts", "neither", "unjudged"]
_STANDS: dict[str, Stand] = {"supported": "supports", "contradicted": "contradicts", "unsupported": "neither"}
MEASURES = (
    "citation_recall", "citation_precision", "cited_claims", "missing_sources", "retracted_sources", "misattributed",
)  # fmt: skip

Judge = Callable[[Sequence[Case]], Sequence[Verdict]]
Search = Callable[[Sequence[Claim], Sequence[Answer]], Sequence[Retrieval]]


class CitedClaim(NamedTuple):
    """A claim with what its citations say.

    Attributes:
        places: Its citations, by their place among those of the answer.
        stands: What each of their sources says of it; `unjudged` where there is no text or the judgement failed.
        together: Whether all of them together support it; None where that could not be judged.
        counts: Whether each citation counts for precision; None where it is in no share.
        elsewhere: A passage that supports it, where its citations do not; None otherwise.
    """

    claim: Claim
    places: tuple[int, ...]
    stands: tuple[Stand, ...]
    together: bool | None
    counts: tuple[bool | None, ...]
    elsewhere: Passage | None = None


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """The citations of one answer.

    Attributes:
        error: Why nothing could be said, or None.
        measures: Name to value in [0, 1], NaN where undefined; see `MEASURES`.
    """

    answer: Answer
    citations: tuple[Citation, ...] = ()
    sources: tuple[CitedSource, ...] = ()
    claims: tuple[CitedClaim, ...] = ()
    error: RecordError | None = None
    measures: dict[str, float] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """One line of `citations.jsonl`; NaN becomes None."""
        return {
            "id": self.answer.id,
            **{name: None if math.isnan(value) else value for name, value in self.measures.items()},
            "citations": [_citation_dict(*pair) for pair in zip(self.citations, self.sources, strict=True)],
            "claims": [_claim_dict(one) for one in self.claims],
            "error": None
            if self.error is None
            else {name: getattr(self.error, name) for name in RecordError.__slots__},
        }


def check(
    answers: Sequence[Answer],
    claims: Sequence[Sequence[Claim]],
    *,
    judge: Judge,
    library: Library | None,
    search: Search,
    parsed: Sequence[ParsedCitations] | None = None,
) -> list[CheckedAnswer]:
    """The citations of *answers*, whose claims are known.

    Args:
        answers: The answers.
        claims: The claims of each; those that failed are passed over.
        judge: Verdicts on cases of one passage each.
        library: Where sources are looked up besides the given passages.
        search: Other evidence for a claim, for misattribution.
        parsed: The citations found in each; found here by default.
    """
    if parsed is None:
        parsed = [parse_citations(answer.prediction) for answer in answers]
    cited = [one.citations for one in parsed]
    sources = look_up(answers, cited, library)
    own = [
        [c for c in several if c.failure is None and (c.start is None or c.start < one.list_start)]
        for several, one in zip(claims, parsed, strict=True)
    ]
    places = [
        attach_citations(citations, [None if c.start is None or c.end is None else (c.start, c.end) for c in several])
        for citations, several in zip(cited, own, strict=True)
    ]
    flat = [(a, i) for a, several in enumerate(own) for i in range(len(several))]
    alone = _judge_alone(answers, own, places, sources, flat, judge)
    joint = _judge_jointly(answers, own, places, sources, flat, alone, judge)
    found = {key: _cite_claim(own[key[0]][key[1]], places[key[0]][key[1]], sources[key[0]], alone[key], joint.get(key))
             for key in flat}  # fmt: skip
    lost = [key for key in flat if places[key[0]][key[1]] and found[key].together is False]
    others = _supported_elsewhere(answers, own, places, sources, lost, judge, search)
    result = []
    for a, answer in enumerate(answers):
        checked = [found[a, i]._replace(elsewhere=others.get((a, i))) for i in range(len(own[a]))]
        one = CheckedAnswer(answer, cited[a], tuple(sources[a]), tuple(checked), None, {})
        one.measures.update(measures(one))
        result.append(one)
    return result


def measures(checked: CheckedAnswer) -> dict[str, float]:
    """The measures of one answer, each a share in [0, 1]; NaN where there is nothing to take a share of.

    `cited_claims`: claims with a citation among all claims. `missing_sources`: sources that do not exist among those
    that could be checked. `retracted_sources`: retracted ones, or under concern, among those found. `misattributed`:
    claims that their citations do not support and another passage does, among claims with citations.
    """
    claims = checked.claims
    with_citations = [one for one in claims if one.places]
    judged = [one for one in claims if not one.places or one.together is not None]
    counts = [count for one in claims for count in one.counts if count is not None]
    states = [source.state for source in checked.sources]
    found = [source.passage for source in checked.sources if source.passage is not None]
    marked = [passage for passage in found if passage.status in ("retracted", "concern")]
    return {
        "citation_recall": _share(sum(one.together is True for one in judged), len(judged)),
        "citation_precision": _share(sum(counts), len(counts)),
        "cited_claims": _share(len(with_citations), len(claims)),
        "missing_sources": _share(states.count("missing"), len(states) - states.count("unchecked")),
        "retracted_sources": _share(len(marked), len(found)),
        "misattributed": _share(sum(one.elsewhere is not None for one in claims), len(with_citations)),
    }


Key = tuple[int, int]


def _judge_alone(
    answers: Sequence[Answer],
    own: Sequence[Sequence[Claim]],
    places: Sequence[Sequence[Sequence[int]]],
    sources: Sequence[Sequence[CitedSource]],
    flat: Sequence[Key],
    judge: Judge,
) -> dict[Key, list[Stand]]:
    asked: list[tuple[Key, int]] = []
    cases = []
    stands: dict[Key, list[Stand]] = {}
    for a, i in flat:
        stands[a, i] = ["unjudged"] * len(places[a][i])
        for n, place in enumerate(places[a][i]):
            passage = sources[a][place].passage
            if passage is not None:
                asked.append(((a, i), n))
                cases.append(Case(own[a][i], (passage,), answers[a].question))
    for (key, n), verdict in zip(asked, judge(cases) if cases else (), strict=True):
        stands[key][n] = _STANDS.get(verdict.label, "unjudged")
    return stands


def _judge_jointly(
    answers: Sequence[Answer],
    own: Sequence[Sequence[Claim]],
    places: Sequence[Sequence[Sequence[int]]],
    sources: Sequence[Sequence[CitedSource]],
    flat: Sequence[Key],
    alone: dict[Key, list[Stand]],
    judge: Judge,
) -> dict[Key, dict[frozenset[int], bool | None]]:
    """Whether several passages support a claim together, and with one of them left out, where none does alone."""
    asked: list[tuple[Key, frozenset[int]]] = []
    for key in flat:
        a, i = key
        there = [n for n, place in enumerate(places[a][i]) if sources[a][place].passage is not None]
        if len(there) < 2 or "supports" in alone[key]:
            continue
        whole = frozenset(there)
        asked.append((key, whole))
        if len(there) > 2:
            asked += [(key, whole - {n}) for n in there]
    cases = []
    for (a, i), subset in asked:
        passages = [sources[a][places[a][i][n]].passage for n in sorted(subset)]
        text = "\n\n".join(f"{p.title}\n{p.text}" if p.title else p.text for p in passages if p is not None)
        cases.append(Case(own[a][i], (Passage(text),), answers[a].question))
    found: dict[Key, dict[frozenset[int], bool | None]] = {}
    for (key, subset), verdict in zip(asked, judge(cases) if cases else (), strict=True):
        outcome = None if verdict.label == "unverified" else verdict.label == "supported"
        found.setdefault(key, {})[subset] = outcome
    return found


def _cite_claim(
    claim: Claim,
    places: Sequence[int],
    sources: Sequence[CitedSource],
    stands: Sequence[Stand],
    joint: dict[frozenset[int], bool | None] | None,
) -> CitedClaim:
    own = [sources[place] for place in places]
    together: bool | None
    if not places:
        together = None
    elif "supports" in stands:
        together = True
    elif joint is not None:
        together = joint[max(joint, key=len)]
    elif any(source.state == "unchecked" for source in own) or any(
        stand == "unjudged" and source.passage is not None for stand, source in zip(stands, own, strict=True)
    ):
        together = None  # what was not read may support it
    else:
        together = False
    counts: list[bool | None] = []
    for n, (stand, source) in enumerate(zip(stands, own, strict=True)):
        if source.state == "unchecked" or (source.passage is not None and stand == "unjudged"):
            counts.append(None)
        elif stand == "supports":
            counts.append(True)
        elif joint is not None and together and source.passage is not None:
            # Of two passages that support only together, neither can be left out.
            without = [value for subset, value in joint.items() if n not in subset]
            counts.append(None if None in without else not any(without))
        else:
            counts.append(False)
    return CitedClaim(claim, tuple(places), tuple(stands), together, tuple(counts))


def _supported_elsewhere(
    answers: Sequence[Answer],
    own: Sequence[Sequence[Claim]],
    places: Sequence[Sequence[Sequence[int]]],
    sources: Sequence[Sequence[CitedSource]],
    lost: Sequence[Key],
    judge: Judge,
    search: Search,
) -> dict[Key, Passage]:
    if not lost:
        return {}
    retrievals = search([own[a][i] for a, i in lost], [answers[a] for a, _ in lost])
    asked: list[tuple[Key, Passage]] = []
    for (a, i), retrieval in zip(lost, retrievals, strict=True):
        read = {sources[a][place].passage for place in places[a][i]}
        asked += [((a, i), passage) for passage in retrieval.passages if passage not in read]
    verdicts = judge([Case(own[a][i], (p,), answers[a].question) for (a, i), p in asked]) if asked else []
    found: dict[Key, Passage] = {}
    for (key, passage), verdict in zip(asked, verdicts, strict=True):
        if verdict.label == "supported":
            found.setdefault(key, passage)
    return found


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


def _citation_dict(citation: Citation, source: CitedSource) -> dict[str, Any]:
    passage = source.passage
    return {
        "source": citation.source._asdict(),
        "resolved": citation.resolved._asdict(),
        "start": citation.start,
        "end": citation.end,
        "covers": list(citation.covers),
        "state": source.state,
        "reason": source.reason,
        "id": None if passage is None else passage.id,
        "title": None if passage is None else passage.title,
        "year": None if passage is None else passage.year,
        "status": None if passage is None else passage.status,
    }


def _claim_dict(one: CitedClaim) -> dict[str, Any]:
    return {
        "text": one.claim.text,
        "start": one.claim.start,
        "end": one.claim.end,
        "citations": list(one.places),
        "stands": list(one.stands),
        "supported": one.together,
        "counts": list(one.counts),
        "elsewhere": None if one.elsewhere is None else (one.elsewhere.id or one.elsewhere.text[:80]),
    }
