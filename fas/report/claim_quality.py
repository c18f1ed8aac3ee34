"""How the claims of many answers fare against the seven kinds of invalid claims, with intervals over answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fas.core.records import Answer, Claim
from fas.core.records.claim_faults import KINDS, Kind
from fas.report.claim_faults import Quality, inspect_claims
from fas.stats.bootstrap import ratio_intervals
from fas.stats.intervals import MeanKind

LABELS: dict[Kind, str] = {kind: kind.replace("_", "-") for kind in KINDS} | {"misstructured": "incorrectly structured"}


class Share(NamedTuple):
    """A share with its 95% interval, answers resampled.

    Attributes:
        n: How many.
        of: Of how many.
        low: Lower limit; NaN where there is none.
        how: Kind of interval, or why there is none.
    """

    n: int
    of: int
    low: float
    high: float
    how: str


class QualityTally:
    """Counts faults of claims, answer by answer; holds a few numbers for each."""

    def __init__(self) -> None:
        self._rows: list[list[int]] = []

    def add(self, claims: Sequence[Claim], answer: Answer) -> Quality:
        """The faults of the *claims* of *answer*; claims that failed are left out."""
        read = [claim for claim in claims if claim.failure is None]
        quality = inspect_claims(read, answer)
        found = [sum(kind in faults for faults in quality.faults) for kind in KINDS if kind != "omitted"]
        whole = len(read) == len(claims)  # else what failed would count as omitted
        self._rows.append([*found, sum(map(bool, quality.faults)), len(read), not read and whole, whole])
        return quality

    def shares(self, *, n_resamples: int = 10_000, seed: int = 12345) -> dict[str, Share]:
        """Label of each kind, `any of these` and `answers without a claim`, to its share; empty without an answer."""
        if not self._rows:
            return {}
        rows = np.array(self._rows, dtype=np.float64)
        names = [LABELS[kind] for kind in KINDS if kind != "omitted"] + ["any of these", "answers without a claim"]
        above = np.delete(rows, [-3, -1], axis=1)
        below = np.column_stack([np.repeat(rows[:, [-3]], len(names) - 1, axis=1), rows[:, -1]])
        kinds = [MeanKind(share=True)] * (len(names) - 1) + [MeanKind(proportion=True)]
        found = ratio_intervals(names, above, below, kinds, n_resamples=n_resamples, seed=seed)
        totals = zip(names, above.sum(axis=0), below.sum(axis=0), strict=True)
        return {
            name: Share(int(n), int(of), found[name].low, found[name].high, found[name].how) for name, n, of in totals
        }
