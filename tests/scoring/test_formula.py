"""Labels, counts, shares and the Fact-Aligned Score, against arithmetic done by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fas.core.profile import Weights
from fas.core.records import Claim, Counts, Evidence, Judgement, Passage, failed_judgement
from fas.scoring.formula import Shares, count, decide, evidence_score, fact_aligned_score, shares

CLAIM = Claim("Aspirin thins blood.")
DEFAULT = Weights()
P = st.floats(0, 1)


def seen(*judgements):
    """Evidence from (P(support), P(contradict)) pairs; None for a failed judgement."""
    return [
        Evidence(Passage(f"note {i}"), failed_judgement("timeout") if pair is None else Judgement(*pair))
        for i, pair in enumerate(judgements)
    ]


def label(*judgements, failure=None, threshold=0.7):
    return decide(CLAIM, seen(*judgements), threshold=threshold, failure=failure).label


@pytest.mark.parametrize(
    ("judgements", "expected"),
    [
        ([(0.9, 0.0)], "supported"),
        ([(0.7, 0.0)], "supported"),  # the threshold is closed
        ([(0.7 - 1e-12, 0.0)], "unsupported"),
        ([(0.0, 0.7)], "contradicted"),
        ([(0.0, 0.69)], "unsupported"),
        ([(0.8, 0.8)], "supported"),  # a tie goes to support
        ([(0.8, 0.81)], "contradicted"),
        ([(0.1, 0.2), (0.75, 0.0), (0.0, 0.6)], "supported"),  # the maximum over the passages
        ([(0.75, 0.0), (0.0, 0.9)], "contradicted"),
        ([(0.69, 0.75), (0.72, 0.0)], "contradicted"),
        ([], "unsupported"),
    ],
)
def test_a_claim_is_decided_by_the_best_passage_for_each_side(judgements, expected):
    assert label(*judgements) == expected


@pytest.mark.parametrize("failure", ["timeout", None])
def test_a_failure_makes_unverified_only_what_would_have_been_unsupported(failure):
    failed = [] if failure else [None]
    assert label(*failed, failure=failure) == "unverified"
    assert label((0.6, 0.6), *failed, failure=failure) == "unverified"
    assert label((0.7, 0.0), *failed, failure=failure) == "supported"
    assert label(*failed, (0.1, 0.9), failure=failure) == "contradicted"


def test_an_honest_empty_search_is_unsupported_and_counted():
    verdict = decide(CLAIM, [], threshold=0.7)
    assert (verdict.label, verdict.no_evidence, verdict.failure) == ("unsupported", True, None)
    assert math.isnan(verdict.p_support)


def test_a_claim_above_the_threshold_on_both_sides_is_conflicting():
    assert decide(CLAIM, seen((0.7, 0.0), (0.0, 0.7)), threshold=0.7).conflicting
    assert decide(CLAIM, seen((0.9, 0.1), (0.0, 0.95)), threshold=0.7).conflicting
    assert not decide(CLAIM, seen((0.9, 0.69)), threshold=0.7).conflicting
    assert not decide(CLAIM, [], threshold=0.7).conflicting


def test_the_counts_of_seven_claims_by_hand():
    verdicts = [
        decide(CLAIM, seen((0.9, 0.0)), threshold=0.7),
        decide(CLAIM, seen((0.9, 0.8)), threshold=0.7),
        decide(CLAIM, seen((0.1, 0.8)), threshold=0.7),
        decide(CLAIM, seen((0.1, 0.1)), threshold=0.7),
        decide(CLAIM, [], threshold=0.7),
        decide(CLAIM, [], threshold=0.7, failure="x"),
        decide(CLAIM, seen(None), threshold=0.7),
    ]
    assert count(iter(verdicts)) == Counts(
        n_claims=7, n_supported=2, n_contradicted=1, n_unsupported=2, n_unverified=2, n_no_evidence=1, n_conflicting=1
    )
    assert count([]) == Counts()


def test_the_score_of_an_answer_by_hand():
    # 10 claims, 2 of them unverified: shares of 8. Support 4/8, contra 1/8, unsupported 3/8.
    # FAS = 0.3 * 0.8 + 0.4 * 0.5 + 0.3 * (1 - 0.125) = 0.24 + 0.2 + 0.2625 = 0.7025
    # without the reference: (0.2 + 0.2625) / 0.7
    share = shares(Counts(n_claims=10, n_supported=4, n_contradicted=1, n_unsupported=3, n_unverified=2))
    assert share == Shares(0.5, 0.125, 0.375)
    assert fact_aligned_score(share, 0.8, DEFAULT) == pytest.approx(0.7025, abs=1e-12)
    assert evidence_score(share, DEFAULT) == pytest.approx(0.4625 / 0.7, abs=1e-12)


@pytest.mark.parametrize("counts", [Counts(), Counts(n_claims=3, n_unverified=3)])
def test_without_a_verified_claim_nothing_is_a_number(counts):
    share = shares(counts)
    assert all(math.isnan(value) for value in share)
    assert math.isnan(fact_aligned_score(share, 0.9, DEFAULT))
    assert math.isnan(evidence_score(share, DEFAULT))


NUMBER = st.integers(0, 40)


@given(NUMBER, NUMBER, NUMBER, NUMBER)
def test_shares_lie_between_zero_and_one_and_sum_to_one(supported, contradicted, unsupported, unverified):
    total = supported + contradicted + unsupported + unverified
    share = shares(Counts(total, supported, contradicted, unsupported, unverified))
    if supported + contradicted + unsupported:
        assert sum(share) == pytest.approx(1.0, abs=1e-12)
        assert all(0.0 <= value <= 1.0 for value in share)
    else:
        assert all(math.isnan(value) for value in share)


@given(NUMBER, NUMBER, NUMBER, P)
def test_one_more_supported_claim_never_lowers_and_one_more_contradicted_never_raises_the_score(s, c, u, f1):
    if s + c + u == 0:
        return
    before = shares(Counts(s + c + u, s, c, u))
    better = shares(Counts(s + c + u + 1, s + 1, c, u))
    worse = shares(Counts(s + c + u + 1, s, c + 1, u))
    for score in (lambda share: fact_aligned_score(share, f1, DEFAULT), lambda share: evidence_score(share, DEFAULT)):
        assert score(better) >= score(before) - 1e-12
        assert score(worse) <= score(before) + 1e-12


@given(st.lists(st.one_of(st.none(), st.tuples(P, P)), max_size=5), st.randoms(use_true_random=False))
def test_the_order_of_the_passages_does_not_change_the_verdict(judgements, random):
    shuffled = list(judgements)
    random.shuffle(shuffled)
    first = decide(CLAIM, seen(*judgements), threshold=0.7)
    second = decide(CLAIM, seen(*shuffled), threshold=0.7)
    assert (first.label, first.conflicting, first.no_evidence) == (second.label, second.conflicting, second.no_evidence)
    assert repr((first.p_support, first.p_contradict)) == repr((second.p_support, second.p_contradict))


@given(st.lists(st.tuples(P, P), min_size=1, max_size=5), st.floats(0.5, 0.999))
def test_the_label_is_the_one_of_the_definition(judgements, threshold):
    p_e, p_c = max(p for p, _ in judgements), max(p for _, p in judgements)
    supported = p_e >= threshold and p_e >= p_c
    contradicted = p_c >= threshold and p_c > p_e
    assert not (supported and contradicted)
    expected = "supported" if supported else "contradicted" if contradicted else "unsupported"
    assert label(*judgements, threshold=threshold) == expected
