"""A stored answer scored again with other settings: the only place that makes verdicts of stored probabilities."""

from __future__ import annotations

import math
from typing import NamedTuple

from fas.core.errors import InputError
from fas.core.profile import Weights
from fas.core.records import Claim, Evidence, Judgement, Passage, Verdict, failed_judgement
from fas.core.records.as_json import number_or_none
from fas.core.records.signature import Signature
from fas.core.records.stored import AnswerRecord, ClaimRecord, PassageRecord
from fas.scoring.formula import count, decide, evidence_score, fact_aligned_score, shares

_CLAIM = Claim("")
_PASSAGE = Passage("")


class Settings(NamedTuple):
    """The settings that turn stored probabilities into scores.

    `threshold` is NaN where no signature has it; `threshold_contradiction` is None where it is the same.
    """

    k: int
    threshold: float = math.nan
    threshold_contradiction: float | None = None
    weights: Weights = Weights()

    @classmethod
    def of(cls, signature: Signature | str | None, k: int = 5) -> Settings:
        """The settings that a signature names; the study's weights where it names none."""
        if signature is None:
            return cls(k)
        signature = Signature.of(signature)
        threshold, apart = (signature.part("verify").value(name) for name in ("t", "tc"))
        return cls(
            k,
            math.nan if threshold is None else float(threshold),
            None if apart is None else float(apart),
            Weights(*map(float, signature.fields["w"].split("/"))) if "w" in signature.fields else Weights(),
        )


def judged_together(claim: ClaimRecord) -> Judgement | None:
    """The one judgement on all passages of a claim, which have no probabilities of their own; None where they have."""
    whole = _to_judgement(claim)
    return None if whole.failure or any(not _to_judgement(one).failure for one in claim["evidence"]) else whole


def decide_again(claim: ClaimRecord, settings: Settings, n_passages: int | None = None) -> Verdict:
    """The verdict on a stored claim by *settings*, from its best *n_passages*; see `fas.scoring.formula.decide`.

    An InputError where its passages were judged together, and fewer of them are asked for.
    """
    stored, failure = [_to_judgement(one) for one in claim["evidence"]], claim["failure"]
    kept, together = stored[:n_passages], judged_together(claim)
    if together is not None and len(kept) < len(stored):
        raise InputError(
            "the verifier reads all passages of a claim at once, so the run cannot be rescored with fewer; "
            "score the answers again with a smaller k",
            kind="together",
        )
    # A failure that a passage shows is that passage's; otherwise it is one of the search.
    of_passage = together is None and any(one.failure for one in stored)
    return decide(
        _CLAIM,
        [Evidence(_PASSAGE, one) for one in kept],
        threshold=settings.threshold,
        contradiction=settings.threshold_contradiction,
        failure=None if of_passage else failure,
        together=together,
    )


def rescore(record: AnswerRecord, settings: Settings, n_passages: int | None = None) -> AnswerRecord:
    """A record of a scored answer with the shares and scores that *settings* give it.

    Passages are stored best rank first, so the first *n_passages* are those that a smaller k would have read (an
    evidence source that ranks the same way for every k is assumed; all built-in ones do). Reference metrics and the
    labels of the claims stay as they are.
    """
    share = shares(count(decide_again(claim, settings, n_passages) for claim in record["claims"]))
    bertscore: float | None = record.get("bertscore_f1")  # type: ignore[assignment]  # a number, by the reader
    values = share._asdict()
    values["fas"] = fact_aligned_score(share, math.nan if bertscore is None else bertscore, settings.weights)
    values["fas_evidence"] = evidence_score(share, settings.weights)
    return {**record, "k": settings.k, **{name: number_or_none(value) for name, value in values.items()}}  # type: ignore[typeddict-item]


def _to_judgement(stored: ClaimRecord | PassageRecord) -> Judgement:
    support, contradict = stored["p_support"], stored["p_contradict"]
    if support is None or contradict is None:
        return failed_judgement("stored as failed")
    return Judgement(support, contradict)
