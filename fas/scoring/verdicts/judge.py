"""From claims and their passages to verdicts: the verifier's half of the pipeline.

Most verifiers judge each passage of a claim alone, and the strongest passage counts; a
`JointVerifier` reads all of them at once and gives one judgement.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, TypeVar

from fas.core.errors import ProfileError
from fas.core.parts import JointVerifier, Verifier
from fas.core.records import Case, Evidence, Judgement, Pair, Passage, Verdict, failed_judgement
from fas.core.records.evidence_source import EVIDENCE_CHOICES, EvidenceSource
from fas.scoring.formula import decide
from fas.scoring.verdicts.isolation import isolate_errors
from fas.scoring.verdicts.returned import check_judgements
from fas.scoring.verdicts.unsupported import explain_unsupported

# One answer of a megabyte has tens of thousands of pairs; they are judged in slices.
_AT_ONCE = 4096
# A passage that was read together with others has no probability of its own.
_READ = Judgement(math.nan, math.nan)

T = TypeVar("T")


class JudgedClaims(NamedTuple):
    """The verdicts on some claims, and how many claims were judged against a passage."""

    verdicts: list[Verdict]
    n_pairs: int


def judge(
    verifier: Verifier,
    cases: Sequence[Case],
    failures: Sequence[str | None],
    *,
    threshold: float,
    evidence_less: bool,
    contradiction: float | None = None,
) -> JudgedClaims:
    """A verdict for every case, in order.

    *failures* are the reasons why the search for each claim failed, wholly or in part. *evidence_less*: no evidence was
    asked for, so that an empty case is no honest empty search. *contradiction* is *threshold* by default.
    """
    settle = partial(decide, threshold=threshold, contradiction=contradiction)
    if isinstance(verifier, JointVerifier):
        return _judge_together(verifier, cases, failures, settle)
    return _judge_one_by_one(verifier, cases, failures, settle, evidence_less)


def check_match(name: str, verifier: Verifier, evidence: EvidenceSource) -> None:
    """Refuse (ProfileError) a verifier that reads no passages beside evidence, or one that reads some beside none.

    Checked for verifiers that judge all passages at once: their every request may cost money.
    """
    if not isinstance(verifier, JointVerifier):
        return
    if not verifier.reads_passages and not evidence.is_none:
        raise ProfileError(
            f"verifier {name!r} judges from its own knowledge and reads no passages, but the evidence is {evidence!r}; "
            "set the evidence to 'none', or take a verifier that reads passages ('retrieved', 'provided', 'dnd', 'nli')"
        )
    if verifier.needs_evidence and evidence.is_none:
        raise ProfileError(
            f"verifier {name!r} judges by passages, but the evidence is 'none'; name another source "
            f"({EVIDENCE_CHOICES}), or take the verifier 'internal'"
        )


def _judge_together(
    verifier: JointVerifier, cases: Sequence[Case], failures: Sequence[str | None], settle: Callable[..., Verdict]
) -> JudgedClaims:
    # A search that failed and brought nothing is no ground for a verdict, even of a verifier that needs no passage.
    asked = [
        i
        for i, (case, failure) in enumerate(zip(cases, failures, strict=True))
        if case.passages or (not verifier.needs_evidence and failure is None)
    ]
    stage = check_judgements(verifier, "verify_claims", verifier.verify_claims)
    together = dict(zip(asked, _judge_in_slices(stage, [cases[i] for i in asked]), strict=True))
    verdicts = []
    for i, (case, failure) in enumerate(zip(cases, failures, strict=True)):
        evidence = [Evidence(passage, _READ) for passage in case.passages]
        verdicts.append(settle(case.claim, evidence, failure=failure, together=together.get(i)))
    return JudgedClaims(verdicts, sum(max(1, len(cases[i].passages)) for i in asked))


def _judge_one_by_one(
    verifier: Verifier,
    cases: Sequence[Case],
    failures: Sequence[str | None],
    settle: Callable[..., Verdict],
    evidence_less: bool,
) -> JudgedClaims:
    from_memory = evidence_less and not verifier.needs_evidence
    pairs = [
        Pair(case.claim, passage, case.question)
        for case in cases
        for passage in case.passages or ((None,) if from_memory else ())
    ]
    judgements = iter(_judge_in_slices(check_judgements(verifier, "verify", verifier.verify), pairs))
    verdicts = []
    for case, failure in zip(cases, failures, strict=True):
        passages = case.passages or ((Passage(""),) if from_memory else ())
        evidence = [Evidence(passage, next(judgements)) for passage in passages]
        verdict = settle(case.claim, evidence, failure=failure, verifiable=bool(evidence) or not evidence_less)
        if verdict.label == "unsupported" and case.passages:
            why, missing = explain_unsupported(case.claim.text, case.passages, case.question, verdict.p_support)
            verdict = replace(verdict, why=why, missing=missing)
        verdicts.append(verdict)
    return JudgedClaims(verdicts, len(pairs))


def _judge_in_slices(stage: Callable[[Sequence[T]], Sequence[Judgement]], items: Sequence[T]) -> list[Judgement]:
    slices = (items[start : start + _AT_ONCE] for start in range(0, len(items), _AT_ONCE))
    return [_to_judgement(outcome) for part in slices for outcome in isolate_errors(stage, part)]


def _to_judgement(outcome: Judgement | Exception) -> Judgement:
    """*outcome*, or a failed judgement for impossible probabilities: NaN compares as "below the threshold"."""
    if isinstance(outcome, Exception):
        return failed_judgement(f"{type(outcome).__name__}: {outcome}")
    p, q = outcome.p_support, outcome.p_contradict
    if outcome.failure is not None or (0.0 <= p <= 1.0 and 0.0 <= q <= 1.0):
        return outcome
    return failed_judgement(f"the verifier gave no probabilities: support {p}, contradict {q}")
