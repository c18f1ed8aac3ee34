"""When answering a question again ends, and with which answer.

| After the check of a round                                        | Stop           |
|-------------------------------------------------------------------|----------------|
| the check made no claims (empty answer, a letter alone)           | `unchecked`    |
| nothing failed, and everything was verified                       | `correct`      |
| nothing failed, but something could not be verified               | `unverified`   |
| something failed, and the answer is the one before                | `unchanged`    |
| something failed, and no round is left                            | `limit`        |
| something failed, and no document was found for it                | `no_knowledge` |
| something failed, and the documents are those of the round before | `unchanged`    |
| something failed, and the next answer cannot be had               | `failed`       |

A claim that failed counts even if others are unverified. `unchecked` and `unverified` are no reason to answer again:
nothing is known to be wrong; the same command tries the check again. `failed` also marks a first answer that
cannot be had.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

from fas.core.records.stored import AnswerRecord, ClaimRecord

Stop = Literal["correct", "limit", "unchanged", "no_knowledge", "unchecked", "unverified", "failed"]
STOPS: tuple[Stop, ...] = ("correct", "limit", "unchanged", "no_knowledge", "unchecked", "unverified", "failed")


class Check(NamedTuple):
    """What the check of one answer says.

    Attributes:
        n_verified: Those with a verdict.
        n_failed: Those that are a reason to answer again.
        error: The check of the whole answer failed.
    """

    n_claims: int
    n_supported: int
    n_verified: int
    n_failed: int
    error: bool

    @property
    def score(self) -> float:
        """Share of verified statements that are supported; NaN where none is verified."""
        return self.n_supported / self.n_verified if self.n_verified else math.nan

    @property
    def n_unverified(self) -> int:
        """Statements without a verdict."""
        return self.n_claims - self.n_verified

    @property
    def correct(self) -> bool:
        """LEAF's "factually correct": every statement is verified and supported, and there is one."""
        return 0 < self.n_claims == self.n_supported and not self.error


def check_of(record: AnswerRecord, failed: Callable[[ClaimRecord], bool]) -> Check:
    """The check in a line of `scores.jsonl`."""
    claims = record["claims"]
    labels = [claim["label"] for claim in claims]
    return Check(
        len(claims),
        labels.count("supported"),
        len(labels) - labels.count("unverified"),
        sum(map(failed, claims)),
        record["error"] is not None,
    )


def stop_after(check: Check, *, unchanged: bool, rounds_left: int) -> Stop | None:
    """Why a question is not answered again after *check*; None if it may be."""
    if check.error:
        return "unverified"
    if not check.n_claims:
        return "unchecked"
    if not check.n_failed:
        return "unverified" if check.n_unverified else "correct"
    if unchanged:
        return "unchanged"
    return None if rounds_left > 0 else "limit"


def best_round(scores: list[float]) -> int:
    """The round with the highest score, the later one of equals; an answer without a score ranks below all.

    >>> best_round([0.5, 1.0, 1.0]), best_round([0.75, float("nan")])
    (2, 0)
    """
    ranked = [(-1.0 if math.isnan(score) else score, i) for i, score in enumerate(scores)]
    return max(ranked)[1]
