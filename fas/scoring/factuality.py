"""Scores of decompose-then-verify papers, from one answer's counts.

    factuality            share of an answer's verified claims that are true (Min et al., FActScore,
                          2023; Huang et al., MedScore, section 3.3). No claims, no value: MedScore
                          (section 4.2) leaves such answers out, and `zero_claim_rate` counts them.
    length_penalty        exp(1 - gamma / n) for n < gamma claims, else 1 (FActScore, gamma = 10)
    factuality_penalised  their product
    recall@K, f1@K        min(true / K, 1), and its harmonic mean with factuality; 0 for an answer
                          without a true claim (Wei et al., LongFact and SAFE, 2024, section 5). VeriScore
                          (Song et al., 2024) sets K to the median number of claims in a domain.
    all_supported         share of answers of which every claim is verified and true, and that have one: LEAF's
                          "factually correct" (section 2.1), which an answer without a claim is not
    zero_claim_rate       share of answers without a claim (MedScore, section 4.1: omission)
    claims_per_answer, claims_per_sentence, tokens_per_claim        (MedScore, table 2, section 4.1)
    decompscore           claims entailed by the sentence they were taken from, per answer (Wanner et
                          al., 2024); decompscore_share is their share, as DnDScore's table 2 prints it
    verifiable_rate       share of claims that the answer's verifiable spans entail, over answers
                          that have such spans; adjusted_verifiable_rate counts such an answer without
                          a claim as -1 (MedScore, section 4.3.1)

Means are over answers. `claims_per_sentence` and `tokens_per_claim` are ratios of sums, since MedScore
averages over sentences and claims. A claim that is `unverified` is in no share, and is not found by
recall@K. An answer with a sentence that could not be taken apart has an unknown number of claims: of
it only shares of claims are taken.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Unpack

import numpy as np

from fas.core.records import Counts, MetricSummary
from fas.stats.bootstrap import BootstrapOptions, FloatArray, Resampling, make_units, ratio_intervals, unit_sums
from fas.stats.intervals import MeanKind, classify_means
from fas.stats.paired import ratio_difference

GAMMA = 10.0
_SHARES = frozenset(
    "factuality all_supported length_penalty factuality_penalised recall f1 zero_claim_rate decompscore_share "
    "verifiable_rate "
    "changed false_to_true false_to_true_replaced true_to_false true_to_false_replaced".split()
)
_COUNTS = frozenset("claims_per_answer claims_per_sentence tokens_per_claim decompscore".split())
PRONOUNS = frozenset("she her hers herself he him his himself they them theirs themselves".split())
PATTERNS = ("TTT", "TTF", "TFT", "TFF", "FTT", "FTF", "FFT", "FFF")
_CHANGES = ((False, True), (True, False))


class CountedAnswer(NamedTuple):
    """The counts of one answer that the scores need; a claim is true if it is supported.

    Attributes:
        claims: The counts of its claims.
        n_unread: Sentences that could not be taken apart; with any, the number of claims is unknown.
        n_sentences: Sentences of the answer, by rule, the same for every extractor.
        per_sentence: Claims that begin in each sentence; empty if a claim has no place in the answer.
        n_tokens: Penn Treebank tokens of all claims.
        n_located: Claims whose sentence is known and was compared with them; None if that was not asked.
        n_entailed: Those entailed by it.
        n_matched: Claims entailed by a verifiable span; None if the answer has none, or that was not asked.
        n_compared: Claims that could be compared with its verifiable spans.
    """

    claims: Counts
    n_unread: int = 0
    n_sentences: int = 0
    per_sentence: tuple[int, ...] = ()
    n_tokens: int = 0
    n_located: int | None = None
    n_entailed: int = 0
    n_matched: int | None = None
    n_compared: int = 0


class Difference(NamedTuple):
    """A score of two runs over the answers that have one in both; NaN where none can be given.

    `p` belongs to the interval (`fas.stats.paired`).
    """

    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    p: float
    n: int
    how: str = ""


class Ratios(NamedTuple):
    """Scores as sums over sums, shape `[n_answers, n_scores]`; an answer that has no part in a score has 0 in both."""

    names: tuple[str, ...]
    above: FloatArray
    below: FloatArray


def factuality(claims: Counts) -> float:
    """Share of verified claims that are true, in [0, 1]; NaN where none is verified.

    >>> factuality(Counts(n_claims=5, n_supported=3, n_unsupported=1, n_unverified=1))
    0.75
    """
    return claims.n_supported / claims.n_verified if claims.n_verified else math.nan


def length_penalty(n_claims: int, gamma: float = GAMMA) -> float:
    """exp(1 - gamma / n) for fewer than *gamma* claims, else 1; 0 without claims, its limit.

    >>> round(length_penalty(5), 4), length_penalty(10), length_penalty(0)
    (0.3679, 1.0, 0.0)
    """
    if not 0.0 <= gamma < math.inf:
        raise ValueError(f"`gamma` must be at least 0, got {gamma!r}")
    if n_claims >= gamma:
        return 1.0
    return math.exp(1.0 - gamma / n_claims) if n_claims else 0.0


def recall_at_k(answer: CountedAnswer, k: int) -> float:
    """min(true / K, 1); NaN for K = 0, for an unknown number of claims, and if no claim is verified."""
    if k < 1 or _is_unknown(answer):
        return math.nan
    return min(answer.claims.n_supported / k, 1.0)


def f1_at_k(answer: CountedAnswer, k: int) -> float:
    """Harmonic mean of factuality and recall@K; 0 for an answer without a true claim.

    NaN where recall@K is: for K = 0 (half of the answers of a domain have no claim) VeriScore's
    program divides by zero. An answer without claims has 0, not NaN.

    >>> f1_at_k(CountedAnswer(Counts.of_labels(["supported"] * 2 + ["contradicted"] * 2)), k=4)
    0.5
    """
    recall = recall_at_k(answer, k)
    if math.isnan(recall) or answer.claims.n_supported == 0:
        return recall
    precision = factuality(answer.claims)
    return 2 * precision * recall / (precision + recall)


def median_claims(n_claims: Sequence[int]) -> int:
    """K as VeriScore sets it: the upper median of the numbers of claims; 0 without answers."""
    return sorted(n_claims)[len(n_claims) // 2] if n_claims else 0


def ratios(answers: Sequence[CountedAnswer], *, k: int | Sequence[int], gamma: float = GAMMA) -> Ratios:
    """Every score of every answer; *k* is one K for all, or one for each answer (then the names end in `@K`)."""
    if not isinstance(k, int) and len(k) != len(answers):
        raise ValueError(f"one K an answer is needed: {len(answers)} answers, {len(k)} K")
    named = k if isinstance(k, int) else "K"
    row: dict[str, tuple[float, float]] = {}
    rows = []
    for i, one in enumerate(answers):
        own = k if isinstance(k, int) else k[i]
        claims = one.claims
        share, penalty = factuality(claims), length_penalty(claims.n_claims, gamma)
        located = one.n_located or 0
        counted = one.n_unread == 0
        empty = claims.n_claims == 0
        checked = one.n_matched is not None
        rate = one.n_matched / one.n_compared if one.n_matched is not None and one.n_compared else math.nan
        row = {
            "factuality": _count_in_mean(share),
            "all_supported": _count_in_mean(float(0 < claims.n_claims == claims.n_supported) if counted else math.nan),
            "length_penalty": _count_in_mean(penalty if claims.n_verified and counted else math.nan),
            "factuality_penalised": _count_in_mean(share * penalty if counted else math.nan),
            f"recall@{named}": _count_in_mean(recall_at_k(one, own)),
            f"f1@{named}": _count_in_mean(f1_at_k(one, own)),
            "zero_claim_rate": _count_in_mean(float(empty) if counted else math.nan),
            "claims_per_answer": _count_in_mean(claims.n_claims if counted else math.nan),
            "claims_per_sentence": (claims.n_claims, one.n_sentences) if counted else (0.0, 0.0),
            "tokens_per_claim": (one.n_tokens, claims.n_claims),
            "decompscore": _count_in_mean(math.nan if one.n_located is None or not counted else one.n_entailed),
            "decompscore_share": _count_in_mean(one.n_entailed / located if located else math.nan),
            "verifiable_rate": _count_in_mean(rate),
            "adjusted_verifiable_rate": _count_in_mean(-1.0 if checked and empty and counted else rate),
        }
        rows.append(list(row.values()))
    return _make_table(tuple(row), rows)


def summaries(scores: Ratios, **options: Unpack[BootstrapOptions]) -> dict[str, MetricSummary]:
    """Each score with its interval, answers (or whole clusters of them) resampled.

    K is that of the whole sample in every resample. A score without a value is left out.
    """
    kinds = [
        MeanKind(share=kind.share and name.split("@")[0] in _SHARES, counted=name in _COUNTS)
        for name, kind in zip(scores.names, classify_means(scores.above, scores.below), strict=True)
    ]
    found = ratio_intervals(*scores, kinds, **options)
    return {name: one for name, one in found.items() if one.n}


def differences(a: Ratios, b: Ratios, **options: Unpack[BootstrapOptions]) -> dict[str, Difference]:
    """Paired differences of two runs on the same answers in the same order; a ValueError where they are not.

    An answer takes part in a score if it has one in both runs.
    """
    how = Resampling(**options)
    if a.names != b.names or a.above.shape != b.above.shape:
        raise ValueError(f"both runs need the same scores of the same answers, got {a.names} and {b.names}")
    both = (a.below > 0) & (b.below > 0)
    sides = [_sum_by_unit(Ratios(one.names, one.above * both, one.below * both), how) for one in (a, b)]
    found = {}
    for i, (name, n) in enumerate(zip(a.names, both.sum(axis=0), strict=True)):
        if n:
            first, second = ((above[:, i], below[:, i]) for above, below in sides)
            mean_a, mean_b = (float(above.sum() / below.sum()) for above, below in (first, second))
            one = ratio_difference(first, second, how)
            found[name] = Difference(mean_a, mean_b, mean_a - mean_b, one.low, one.high, one.p, int(n), one.how)
    return found


class ClaimChange(NamedTuple):
    """One claim judged by two methods (DnDScore, section 6.1): whether each found it true.

    `replaced`: whether decontextualising replaced a pronoun in it; None without a longer form.
    """

    true_a: bool
    true_b: bool
    replaced: bool | None


def pronoun_replaced(subclaim: str, decontextualised: str) -> bool:
    """Whether *subclaim* has a pronoun of DnDScore's footnote 1 that *decontextualised* has not.

    >>> pronoun_replaced("She prescribed it.", "Dr Vale prescribed ibuprofen.")
    True
    >>> pronoun_replaced("Ibuprofen is a drug.", "Ibuprofen, which she took, is a drug.")
    False
    """
    short, long = (PRONOUNS & set(re.findall("[a-z]+", text.lower())) for text in (subclaim, decontextualised))
    return bool(short - long)


def pattern_table(answers: Sequence[Sequence[str]], **options: Unpack[BootstrapOptions]) -> dict[str, MetricSummary]:
    """Share of each pattern of three judgements over all claims; *answers* are the patterns of each answer's claims.

    `FTT` are the claims that only the first method calls false; over subclaims, decontextualised claims and both
    (DnDScore), those that the bare subclaim lost. `n` counts answers.
    """
    rows = [[(patterns.count(name), len(patterns)) for name in PATTERNS] for patterns in answers]
    return summaries(_make_table(PATTERNS, rows), **options)


def change_table(
    answers: Sequence[Sequence[ClaimChange]], **options: Unpack[BootstrapOptions]
) -> dict[str, MetricSummary]:
    """Shares of changed judgements over all claims that both methods judged, answer by answer.

    `changed`, `false_to_true` and `true_to_false` are shares of all these claims;
    `false_to_true_replaced` and `true_to_false_replaced` are shares of those that changed that way
    and have a longer form: the ones in which a pronoun was replaced. `n` counts answers.
    """
    names = ("changed", "false_to_true", "false_to_true_replaced", "true_to_false", "true_to_false_replaced")
    rows = []
    for claims in answers:
        moved = [[one.replaced for one in claims if (one.true_a, one.true_b) == way] for way in _CHANGES]
        row = [(sum(map(len, moved)), len(claims))]
        for way in moved:
            known = [one for one in way if one is not None]
            row += [(len(way), len(claims)), (sum(known), len(known))]
        rows.append(row)
    return summaries(_make_table(names, rows), **options)


def _make_table(names: tuple[str, ...], rows: Sequence[Sequence[tuple[float, float]]]) -> Ratios:
    cells = np.array(rows, dtype=np.float64).reshape(len(rows), len(names), 2)
    return Ratios(names, cells[:, :, 0], cells[:, :, 1])


def _count_in_mean(value: float) -> tuple[float, float]:
    """One answer's part in a mean over answers; none where it has no value."""
    return (0.0, 0.0) if math.isnan(value) else (float(value), 1.0)


def _is_unknown(answer: CountedAnswer) -> bool:
    """Whether the number of an answer's statements is unknown: a sentence is unread, or no claim is verified."""
    return answer.n_unread > 0 or (answer.claims.n_verified == 0 and answer.claims.n_claims > 0)


def _sum_by_unit(scores: Ratios, options: Resampling) -> list[FloatArray]:
    units = make_units(len(scores.above), options.clusters)
    return [unit_sums(one, units)[0] for one in (scores.above, scores.below)]


def columns_of(scores: Ratios) -> Mapping[str, FloatArray]:
    """Each answer's own value of every score, NaN where it has none."""
    values = np.divide(scores.above, scores.below, out=np.full_like(scores.above, np.nan), where=scores.below > 0)
    return {name: values[:, column] for column, name in enumerate(scores.names)}
