"""Judgements that change between two methods on the same claims (DnDScore, section 6.1)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fas.records import MetricSummary
from fas.stats.factuality import Ratios, summaries

# The pronouns of DnDScore's footnote 1.
PRONOUNS = frozenset("she her hers herself he him his himself they them theirs themselves".split())
_WORD = re.compile(r"[a-z]+")


class ClaimChange(NamedTuple):
    """One claim judged by both methods.

    Attributes:
        true_a: Whether the first method found it true.
        true_b: Whether the second did.
        replaced: Whether decontextualising replaced a pronoun in it; None without a longer form.
    """

    true_a: bool
    true_b: bool
    replaced: bool | None


def pronoun_replaced(subclaim: str, decontextualised: str) -> bool:
    """Whether *subclaim* has a pronoun of the list that *decontextualised* has not.

    >>> pronoun_replaced("She prescribed it.", "Dr Vale prescribed ibuprofen.")
    True
    >>> pronoun_replaced("Ibuprofen is a drug.", "Ibuprofen, which she took, is a drug.")
    False
    """
    return bool(_pronouns(subclaim) - _pronouns(decontextualised))


PATTERNS = ("TTT", "TTF", "TFT", "TFF", "FTT", "FTF", "FFT", "FFF")


def pattern_table(
    answers: Sequence[Sequence[str]],
    *,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
    clusters: npt.ArrayLike | None = None,
) -> dict[str, MetricSummary]:
    """Share of each pattern of three judgements over all claims, with intervals from resampled answers.

    `FTT` are the claims that only the first method calls false: over subclaims, decontextualised claims and both
    (DnDScore), what the bare subclaim lost. `n` counts answers.

    Args:
        answers: The patterns of each answer's claims, see `PATTERNS`.
        n_resamples: Bootstrap draws.
        level: Confidence level.
        seed: Seed.
        clusters: Question of each answer.
    """
    above = np.array([[patterns.count(name) for name in PATTERNS] for patterns in answers], dtype=np.float64)
    below = np.array([[len(patterns)] * len(PATTERNS) for patterns in answers], dtype=np.float64)
    scores = Ratios(PATTERNS, above.reshape(-1, len(PATTERNS)), below.reshape(-1, len(PATTERNS)))
    return summaries(scores, n_resamples=n_resamples, level=level, seed=seed, clusters=clusters)


def change_table(
    answers: Sequence[Sequence[ClaimChange]],
    *,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
    clusters: npt.ArrayLike | None = None,
) -> dict[str, MetricSummary]:
    """Shares of changed judgements over all claims, with intervals from resampled answers.

    `changed`, `false_to_true` and `true_to_false` are shares of the claims that both methods judged;
    `false_to_true_replaced` and `true_to_false_replaced` are shares of those that changed that way
    and have a longer form: the ones in which a pronoun was replaced. `n` counts answers.

    Args:
        answers: The claims of each answer that both methods judged.
        n_resamples: Bootstrap draws.
        level: Confidence level.
        seed: Seed.
        clusters: Question of each answer.
    """
    names = ("changed", "false_to_true", "false_to_true_replaced", "true_to_false", "true_to_false_replaced")
    rows = []
    for claims in answers:
        up = [claim for claim in claims if claim.true_b and not claim.true_a]
        down = [claim for claim in claims if claim.true_a and not claim.true_b]
        known_up, known_down = ([c for c in some if c.replaced is not None] for some in (up, down))
        n = len(claims)
        rows.append(
            [
                (len(up) + len(down), n),
                (len(up), n),
                (sum(bool(c.replaced) for c in known_up), len(known_up)),
                (len(down), n),
                (sum(bool(c.replaced) for c in known_down), len(known_down)),
            ]
        )
    cells = np.array(rows, dtype=np.float64).reshape(len(rows), len(names), 2)
    scores = Ratios(names, cells[:, :, 0], cells[:, :, 1])
    return summaries(scores, n_resamples=n_resamples, level=level, seed=seed, clusters=clusters)


def _pronouns(text: str) -> frozenset[str]:
    return PRONOUNS & frozenset(_WORD.findall(text.lower()))
