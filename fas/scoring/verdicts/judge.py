"""From claims with what was found for them to verdicts: the verifier's half of the pipeline.

Most verifiers judge each passage of a claim alone, and the strongest passage counts; a
`JointVerifier` reads all of them at once and gives one judgement.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
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
# Of a passage that was read together with others: it has no probability of its own.
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

    *failures* say why the search for each claim failed, wholly or in part. *evidence_less*: no evidence was asked for,
    so that an empty case is no honest empty search. *contradiction* is *threshold* by default.
    """
    if isinstance(verifier, JointVerifier):
        return _judge_together(verifier, cases, failures, threshold, contradiction)
    return _judge_one_by_one(verifier, cases, failures, threshold, evidence_less, contradiction)


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
    verifier: JointVerifier,
    cases: Sequence[Case],
    failures: Sequence[str | None],
    threshold: float,
    contradiction: float | None,
) -> JudgedClaims:
    # A search that failed and brought nothing is no ground for a verdict, even of a verifier that needs no passage.
    asked = [
        i
        for i, (case, failure) in enumerate(zip(cases, failures, strict=True))
        if case.passages or (not verifier.needs_evidence and failure is None)
    ]
    outcomes = _in_slices(
        check_judgements(verifier, "verify_claims", verifier.verify_claims), [cases[i] for i in asked]
    )
    together = dict(zip(asked, outcomes, strict=True))
    verdicts = [
        decide(
            case.claim,
            [Evidence(passage, _READ) for passage in case.passages],
            threshold=threshold,
            contradiction=contradiction,
            failure=failure,
            together=together.get(i),
        )
        for i, (case, failure) in enumerate(zip(cases, failures, strict=True))
    ]
    return JudgedClaims(verdicts, sum(max(1, len(cases[i].passages)) for i in asked))


def _judge_one_by_one(
    verifier: Verifier,
    cases: Sequence[Case],
    failures: Sequence[str | None],
    threshold: float,
    evidence_less: bool,
    contradiction: float | None,
) -> JudgedClaims:
    from_memory = evidence_less and not verifier.needs_evidence
    pairs = [
        Pair(case.claim, passage, case.question)
        for case in cases
        for passage in case.passages or ((None,) if from_memory else ())
    ]
    judgements = iter(_in_slices(check_judgements(verifier, "verify", verifier.verify), pairs))
    verdicts = []
    for case, failure in zip(cases, failures, strict=True):
        evidence = [Evidence(passage, next(judgements)) for passage in case.passages]
        if not evidence and from_memory:
            evidence = [Evidence(Passage(""), next(judgements))]
        verdict = decide(
            case.claim,
            evidence,
            threshold=threshold,
            contradiction=contradiction,
            failure=failure,
            verifiable=bool(evidence) or not evidence_less,
        )
        verdicts.append(_with_reason(verdict, case))
    return JudgedClaims(verdicts, len(pairs))


def _with_reason(verdict: Verdict, case: Case) -> Verdict:
    """*verdict*, of an unsupported claim with the reason why no passage settles it."""
    if verdict.label != "unsupported" or not case.passages:
        return verdict
    reason, missing = explain_unsupported(case.claim.text, case.passages, case.question, verdict.p_support)
    return replace(verdict, why=reason, missing=missing)


def _in_slices(stage: Callable[[Sequence[T]], Sequence[Judgement]], items: Sequence[T]) -> list[Judgement]:
    slices = (items[start : start + _AT_ONCE] for start in range(0, len(items), _AT_ONCE))
    return [_sound(outcome) for part in slices for outcome in isolate_errors(stage, part)]


def _sound(outcome: Judgement | Exception) -> Judgement:
    """*outcome*, or a failed judgement if its probabilities are none: NaN compares as "below the threshold"."""
    if isinstance(outcome, Exception):
        return failed_judgement(f"{type(outcome).__name__}: {outcome}")
    p, q = outcome.p_support, outcome.p_contradict
    if outcome.failure is not None or (0.0 <= p <= 1.0 and 0.0 <= q <= 1.0):
        return outcome
    return failed_judgement(f"the verifier gave no probabilities: support {p}, contradict {q}")
