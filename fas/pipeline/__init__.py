"""The main job: answers -> claims -> passages -> verdicts -> counts -> scores. Read this first.

A `Pipeline` scores chunks of answers with the parts that a profile names (`fas.pipeline.chosen`). It does no input
and no output (`fas.pipeline.runs.folder` does) and no statistics (`fas.scoring.aggregate` does). What one answer can
ruin stays on that answer: every stage is tried for the whole chunk, and if it raises, again for each item alone
(`fas.scoring.verdicts.isolation`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import TypeVar

from fas.claims.checkworthiness import states_nothing
from fas.core.guards.redaction import redact
from fas.core.loading import track_loading
from fas.core.parts import ClaimExtractor, ClaimRefiner
from fas.core.records import (
    Answer,
    AnswerScore,
    Case,
    Claim,
    Flag,
    RecordError,
    ReferenceScores,
    Retrieval,
    Verdict,
)
from fas.core.records.statements import Coverage, Statement
from fas.evidence.top_k import dedupe_top_k
from fas.pipeline.chosen import ChosenParts, choose_evidence, choose_evidence_source, limit_claims_time
from fas.scoring.formula import count, evidence_score, fact_aligned_score, shares
from fas.scoring.verdicts.covering import cover, list_statements
from fas.scoring.verdicts.isolation import isolate_errors
from fas.scoring.verdicts.judge import judge
from fas.scoring.verdicts.returned import extract_checked_claims, retrieve_checked
from fas.text.language import UNREADABLE, is_english, is_foreign, is_mixed

__all__ = [
    "CHUNK",
    "Pipeline",
    "PipelineTally",
    "choose_evidence",
    "choose_evidence_source",
    "isolate_errors",
    "limit_claims_time",
    "make_error",
    "refine_claims",
    "split_into_chunks",
]

CHUNK = 16
_STAGES = {
    "claims": "finding claims",
    "evidence": "searching evidence",
    "verify": "verifying claims",
    "reference": "comparing with references",
    "safety": "checking safety",
    "coverage": "looking for what references say",
}

T = TypeVar("T")
R = TypeVar("R")


@dataclass
class PipelineTally:
    """What a run did, for the progress bar, the report's timing and its notes.

    Attributes:
        seconds: Stage to seconds spent.
        n_claims: Claims extracted.
        n_pairs: Claims judged against a passage.
        n_cut: Given passages left out because there were more than k.
        n_same: Passages left out because they repeat another one of the claim.
        n_over: Passages beyond k that an evidence source gave; they are not read.
    """

    seconds: dict[str, float] = field(default_factory=dict)
    n_claims: int = 0
    n_pairs: int = 0
    n_cut: int = 0
    n_same: int = 0
    n_over: int = 0


class Pipeline(ChosenParts):
    """Scores answers as a profile says; made as `ChosenParts` are.

    Attributes:
        tally: What was done since it was made, or counted from nothing.
        watch: Called with the claims of a chunk and what was found for them, before they are judged.
    """

    tally: PipelineTally
    watch: Callable[[Sequence[Case]], object] | None = None

    def start_counts(self) -> None:
        """Count from nothing."""
        self.tally = PipelineTally()

    def score(self, answers: Sequence[Answer]) -> list[AnswerScore]:
        """The score of each answer, in order; an answer that fails carries its error."""
        errors: dict[int, RecordError] = {}
        claims = self._extract(answers, errors)
        verdicts = self._verify(answers, claims, errors)
        references = self._compare(answers, errors)
        flags = self._check(answers, errors)
        covered = self._cover(answers, errors)
        result = []
        for i, answer in enumerate(answers):
            if i in errors:
                result.append(AnswerScore(answer, error=errors[i]))
            else:
                result.append(self._assemble(answer, verdicts[i], references[i], flags[i], covered.get(i)))
        return result

    def _assemble(
        self,
        answer: Answer,
        verdicts: Sequence[Verdict],
        reference: ReferenceScores,
        flags: tuple[Flag, ...],
        coverage: Coverage | None,
    ) -> AnswerScore:
        counts = count(verdicts)
        share = shares(counts)
        return AnswerScore(
            answer=answer,
            counts=counts,
            reference=reference,
            fas=fact_aligned_score(share, reference.bertscore_f1, self.profile.weights),
            fas_evidence=evidence_score(share, self.profile.weights),
            support=share.support,
            contra=share.contra,
            unsupported=share.unsupported,
            verdicts=tuple(verdicts),
            flags=flags,
            coverage=coverage,
            not_scored="" if verdicts else self._explain_no_claims(answer),
        )

    def _explain_no_claims(self, answer: Answer) -> str:
        """Why *answer* has no claim."""
        if not self._reads_language_of(answer):
            return "language"
        return states_nothing(answer.prediction, answer.question or "") or "no claim found"

    def _reads_language_of(self, answer: Answer) -> bool:
        """Whether the models of the run read the language of *answer*, or of the claims that came with it."""
        text = answer.prediction if answer.claims is None else " ".join(claim.text for claim in answer.claims)
        return not self._has_english_part(self.extractor, self.verifier) or is_english(text)

    @staticmethod
    def _has_english_part(*parts: object) -> bool:
        return any(getattr(part, "reads_english_only", False) for part in parts)

    def _extract(self, answers: Sequence[Answer], errors: dict[int, RecordError]) -> list[list[Claim]]:
        with self._measure_time("claims"):
            read = [self._reads_language_of(answer) for answer in answers]
            todo = [i for i, answer in enumerate(answers) if answer.claims is None and read[i]]
            found = isolate_errors(
                partial(extract_checked_claims, self.extractor),
                [answers[i] for i in todo],
                seconds=self._claims_seconds,
            )
            claims: list[list[Claim]] = [
                list(answer.claims or ()) if known else [] for answer, known in zip(answers, read, strict=True)
            ]
            for i, outcome in zip(todo, found, strict=True):
                if isinstance(outcome, Exception):
                    errors[i] = make_error(answers[i], outcome, "prediction")
                else:
                    claims[i] = outcome
            self._refine(answers, claims, errors)
            if self._has_english_part(self.verifier):
                claims = [_mark_foreign(several) for several in claims]
        self.tally.n_claims += sum(map(len, claims))
        return claims

    def _refine(self, answers: Sequence[Answer], claims: list[list[Claim]], errors: dict[int, RecordError]) -> None:
        """Put given claims through the extractor's filter, which the signature names for all."""
        given = [i for i, answer in enumerate(answers) if answer.claims is not None and claims[i]]
        outcomes = refine_claims(self.extractor, [answers[i] for i in given])
        for i, outcome in zip(given, outcomes, strict=True):
            if isinstance(outcome, Exception):
                errors[i] = make_error(answers[i], outcome, "claims")
            else:
                claims[i] = outcome

    def _verify(
        self, answers: Sequence[Answer], claims: Sequence[Sequence[Claim]], errors: Mapping[int, RecordError]
    ) -> list[list[Verdict]]:
        every = [(i, claim) for i, several in enumerate(claims) if i not in errors for claim in several]
        flat = [(i, claim) for i, claim in every if claim.failure is None]
        with self._measure_time("evidence"):
            outcomes = isolate_errors(
                lambda items: retrieve_checked(
                    self.retriever, [self.to_search(c) for _, c in items], [answers[i] for i, _ in items]
                ),
                flat,
            )
        retrievals = self._dedupe_retrievals(outcomes)
        cases = [
            Case(claim, retrieval.passages, answers[i].question, _find_source(answers[i], claim))
            for (i, claim), retrieval in zip(flat, retrievals, strict=True)
        ]
        if self.watch is not None:
            self.watch(cases)
        with self._measure_time("verify"):
            judged = judge(
                self.verifier,
                cases,
                [retrieval.failure for retrieval in retrievals],
                threshold=self.profile.threshold,
                contradiction=self.profile.threshold_contradiction,
                evidence_less=self.evidence.is_none,
            )
        self.tally.n_pairs += judged.n_pairs
        verdicts: list[list[Verdict]] = [[] for _ in answers]
        reached = iter(judged.verdicts)
        for i, claim in every:
            # Nothing is searched for or judged where a sentence could not be taken apart.
            failed = claim.failure is not None
            verdicts[i].append(Verdict(claim, "unverified", failure=claim.failure) if failed else next(reached))
        return verdicts

    def _dedupe_retrievals(self, outcomes: Sequence[Retrieval | Exception]) -> list[Retrieval]:
        """At most k different passages a claim."""
        found = []
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                found.append(Retrieval(failure=redact(f"{type(outcome).__name__}: {outcome}")))
                continue
            kept = dedupe_top_k(outcome, self.profile.k)
            self.tally.n_cut += outcome.n_cut
            self.tally.n_same += outcome.n_same + kept.n_same
            self.tally.n_over += kept.n_over
            found.append(kept.retrieval)
        return found

    def _compare(self, answers: Sequence[Answer], errors: dict[int, RecordError]) -> list[ReferenceScores]:
        with self._measure_time("reference"):
            outcomes = isolate_errors(self.references.score, answers)
        return _keep_errors(outcomes, answers, errors, "references", ReferenceScores())

    def _check(self, answers: Sequence[Answer], errors: dict[int, RecordError]) -> list[tuple[Flag, ...]]:
        if self.safety is None:
            return [()] * len(answers)
        with self._measure_time("safety"):
            outcomes = isolate_errors(self.safety.check, answers, seconds=self.profile.text_timeout)
        return _keep_errors(outcomes, answers, errors, "prediction", ())

    def _cover(self, answers: Sequence[Answer], errors: dict[int, RecordError]) -> dict[int, Coverage]:
        """The coverage of each answer; empty if the profile does not measure it."""
        if not self.profile.coverage:
            return {}
        with self._measure_time("coverage"):
            todo = [i for i in range(len(answers)) if i not in errors]
            stated = list_statements(
                [answers[i] for i in todo],
                lambda texts: isolate_errors(self.extractor.extract, texts, seconds=self._claims_seconds),
            )
            groups: dict[int, list[tuple[Statement, ...]]] = {}
            for i, found in zip(todo, stated, strict=True):
                if isinstance(found, Exception):
                    errors[i] = make_error(answers[i], found, "references")
                else:
                    groups[i] = found
            outcomes = cover(
                self.verifier,
                [answers[i] for i in groups],
                list(groups.values()),
                threshold=self.profile.threshold,
                contradiction=self.profile.threshold_contradiction,
            )
        return dict(zip(groups, outcomes, strict=True))

    @contextmanager
    def _measure_time(self, stage: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            with track_loading(_STAGES[stage]):
                yield
        finally:
            self.tally.seconds[stage] = self.tally.seconds.get(stage, 0.0) + time.perf_counter() - began


def split_into_chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of *size* items; the last one may be shorter.

    >>> list(split_into_chunks("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk


def refine_claims(extractor: ClaimExtractor, answers: Sequence[Answer]) -> list[list[Claim] | Exception]:
    """The claims that *answers* brought, behind the filter of *extractor* if it has one; else as they came."""
    if not isinstance(extractor, ClaimRefiner):
        return [list(answer.claims or ()) for answer in answers]
    refine = extractor.refine
    return isolate_errors(lambda several: refine([one.claims or () for one in several], several), answers)


def _keep_errors(
    outcomes: Sequence[R | Exception],
    answers: Sequence[Answer],
    errors: dict[int, RecordError],
    field_name: str,
    default: R,
) -> list[R]:
    result: list[R] = []
    for i, outcome in enumerate(outcomes):
        if isinstance(outcome, Exception):
            errors.setdefault(i, make_error(answers[i], outcome, field_name))
            result.append(default)
        else:
            result.append(outcome)
    return result


def make_error(answer: Answer, error: Exception, field_name: str) -> RecordError:
    """The error record of an answer that *error* ruined."""
    return RecordError(type(error).__name__, answer.line, field_name, redact(str(error)))


def _mark_foreign(claims: Sequence[Claim]) -> list[Claim]:
    """The claims of an answer, those in another language than English with that as their failure."""
    mixed = is_mixed(" ".join(claim.text for claim in claims))
    return [
        replace(claim, failure=UNREADABLE) if claim.failure is None and is_foreign(claim.text, mixed=mixed) else claim
        for claim in claims
    ]


def _find_source(answer: Answer, claim: Claim) -> str | None:
    """What *claim* was taken from."""
    return answer.prediction[claim.start : claim.end] if claim.start is not None else None
