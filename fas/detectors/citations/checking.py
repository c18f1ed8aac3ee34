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
from itertools import islice
from typing import Any, Literal, NamedTuple

from fas.core.records import Answer, Case, Claim, Passage, RecordError, Retrieval, Verdict
from fas.core.records.as_json import error_dict
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
    """A claim with the judgement of its citations.

    Attributes:
        places: Positions of its citations among those of the answer.
        stands: The verdict of each source; `unjudged` without a text, or if the judgement failed.
        together: Whether all of them together support it; None if that could not be judged.
        counts: Whether each citation counts for precision; None if it is in no share.
        elsewhere: A passage that supports it if its citations do not; else None.
    """

    claim: Claim
    places: tuple[int, ...]
    stands: tuple[Stand, ...]
    together: bool | None
    counts: tuple[bool | None, ...]
    elsewhere: Passage | None = None


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """The citations of one answer; *measures*: name to value in [0, 1], NaN where undefined (`MEASURES`)."""

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
            "error": None if self.error is None else error_dict(self.error),
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
    """Check the citations of *answers*, whose *claims* are known; failed claims are skipped.

    *library*: more sources than the given passages. *search*: other evidence for a claim, for misattribution. *parsed*:
    the citations of each, found here by default.
    """
    parsed = parsed or [parse_citations(answer.prediction) for answer in answers]
    cited = [one.citations for one in parsed]
    sources = look_up(answers, cited, library)
    flat: list[_Cited] = []
    sizes = []
    for answer, several, found_in, named in zip(answers, claims, parsed, sources, strict=True):
        own = [c for c in several if c.failure is None and (c.start is None or c.start < found_in.list_start)]
        spans = [None if c.start is None or c.end is None else (c.start, c.end) for c in own]
        for claim, places in zip(own, attach_citations(found_in.citations, spans), strict=True):
            flat.append(_Cited(answer, claim, tuple(places), tuple(named[place] for place in places)))
        sizes.append(len(own))
    alone = _judge_alone(flat, judge)
    joint = _judge_jointly(flat, alone, judge)
    found = [_cite_claim(one, alone[i], joint.get(i)) for i, one in enumerate(flat)]
    lost = [i for i, one in enumerate(found) if one.places and one.together is False]
    for i, passage in _supported_elsewhere(flat, lost, judge, search).items():
        found[i] = found[i]._replace(elsewhere=passage)
    rest = iter(found)
    result = []
    for answer, citations, named, size in zip(answers, cited, sources, sizes, strict=True):
        one = CheckedAnswer(answer, citations, tuple(named), tuple(islice(rest, size)), None, {})
        one.measures.update(measures(one))
        result.append(one)
    return result


def measures(checked: CheckedAnswer) -> dict[str, float]:
    """The measures of one answer, each a share in [0, 1]; NaN without anything to take a share of.

    `cited_claims`: claims with a citation among all claims. `missing_sources`: nonexistent sources among those that
    could be checked. `retracted_sources`: those retracted or under concern, among those found. `misattributed`: claims
    that another passage supports and their citations do not, among claims with citations.
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


class _Cited(NamedTuple):
    """A claim of an answer with the places of its citations and their sources."""

    answer: Answer
    claim: Claim
    places: tuple[int, ...]
    sources: tuple[CitedSource, ...]

    def case(self, passage: Passage) -> Case:
        return Case(self.claim, (passage,), self.answer.question)


def _judge_alone(flat: Sequence[_Cited], judge: Judge) -> list[list[Stand]]:
    stands: list[list[Stand]] = [["unjudged"] * len(one.places) for one in flat]
    asked = [(i, n, source.passage) for i, one in enumerate(flat) for n, source in enumerate(one.sources)]
    known = [(i, n, passage) for i, n, passage in asked if passage is not None]
    verdicts = judge([flat[i].case(passage) for i, _, passage in known]) if known else ()
    for (i, n, _), verdict in zip(known, verdicts, strict=True):
        stands[i][n] = _STANDS.get(verdict.label, "unjudged")
    return stands


def _judge_jointly(
    flat: Sequence[_Cited], alone: Sequence[Sequence[Stand]], judge: Judge
) -> dict[int, dict[frozenset[int], bool | None]]:
    """Whether several passages support a claim together, and with one of them left out, where none does alone."""
    asked: list[tuple[int, frozenset[int]]] = []
    cases = []
    for i, one in enumerate(flat):
        there = {n: source.passage for n, source in enumerate(one.sources) if source.passage is not None}
        if len(there) < 2 or "supports" in alone[i]:
            continue
        whole = frozenset(there)
        for subset in (whole, *(whole - {n} for n in there if len(there) > 2)):
            passages = [there[n] for n in sorted(subset)]
            asked.append((i, subset))
            cases.append(
                one.case(Passage("\n\n".join(f"{p.title}\n{p.text}" if p.title else p.text for p in passages)))
            )
    found: dict[int, dict[frozenset[int], bool | None]] = {}
    for (i, subset), verdict in zip(asked, judge(cases) if cases else (), strict=True):
        found.setdefault(i, {})[subset] = None if verdict.label == "unverified" else verdict.label == "supported"
    return found


def _cite_claim(cited: _Cited, stands: Sequence[Stand], joint: dict[frozenset[int], bool | None] | None) -> CitedClaim:
    own = cited.sources
    # What was not read may support the claim.
    unread = [
        source.state == "unchecked" or (stand == "unjudged" and source.passage is not None)
        for stand, source in zip(stands, own, strict=True)
    ]
    together: bool | None = "supports" in stands or (None if not own or any(unread) else False)
    if joint is not None and "supports" not in stands:
        together = joint[max(joint, key=len)]
    counts: list[bool | None] = []
    for n, (stand, source) in enumerate(zip(stands, own, strict=True)):
        if unread[n]:
            counts.append(None)
        elif stand != "supports" and joint is not None and together and source.passage is not None:
            # Of two passages that support only together, neither can be left out.
            without = [value for subset, value in joint.items() if n not in subset]
            counts.append(None if None in without else not any(without))
        else:
            counts.append(stand == "supports")
    return CitedClaim(cited.claim, cited.places, tuple(stands), together, tuple(counts))


def _supported_elsewhere(
    flat: Sequence[_Cited], lost: Sequence[int], judge: Judge, search: Search
) -> dict[int, Passage]:
    if not lost:
        return {}
    retrievals = search([flat[i].claim for i in lost], [flat[i].answer for i in lost])
    asked: list[tuple[int, Passage]] = []
    for i, retrieval in zip(lost, retrievals, strict=True):
        read = {source.passage for source in flat[i].sources}
        asked += [(i, passage) for passage in retrieval.passages if passage not in read]
    verdicts = judge([flat[i].case(passage) for i, passage in asked]) if asked else []
    found: dict[int, Passage] = {}
    for (i, passage), verdict in zip(asked, verdicts, strict=True):
        if verdict.label == "supported":
            found.setdefault(i, passage)
    return found


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan


def _citation_dict(citation: Citation, source: CitedSource) -> dict[str, Any]:
    return {
        "source": citation.source._asdict(),
        "resolved": citation.resolved._asdict(),
        "start": citation.start,
        "end": citation.end,
        "covers": list(citation.covers),
        "state": source.state,
        "reason": source.reason,
        **{name: getattr(source.passage, name, None) for name in ("id", "title", "year", "status")},
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
