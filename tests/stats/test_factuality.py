"""Factuality scores from counts: hand-worked values, the papers' identities, and FActScore's human labels."""

from __future__ import annotations

import gzip
import json
import math

import numpy as np
import pytest

from fas.core.records import Counts
from fas.scoring.factuality import (
    ClaimChange,
    CountedAnswer,
    change_table,
    columns_of,
    differences,
    f1_at_k,
    factuality,
    length_penalty,
    median_claims,
    ratios,
    recall_at_k,
    summaries,
)

# The oracles are loops over the same draws; which kind a figure gets is in stats/test_intervals.py.
pytestmark = pytest.mark.usefixtures("percentiles")


def claims(n, true, verified=None):
    verified = n if verified is None else verified
    return Counts(n, n_supported=true, n_unsupported=verified - true, n_unverified=n - verified)


def counts(n, true, verified=None, **more):
    return CountedAnswer(claims(n, true, verified), **more)


@pytest.mark.parametrize(
    ("n", "true", "verified", "expected"),
    [(4, 3, 4, 0.75), (4, 3, 3, 1.0), (5, 0, 5, 0.0), (0, 0, 0, math.nan), (3, 0, 0, math.nan)],
)
def test_factuality_is_the_share_of_verified_claims(n, true, verified, expected):
    assert factuality(claims(n, true, verified)) == pytest.approx(expected, nan_ok=True)


def test_the_length_penalty_is_that_of_factscore():
    # exp(1 - 10/n) below ten claims, by hand: n = 5 gives e^-1, n = 1 gives e^-9.
    assert length_penalty(5) == pytest.approx(math.exp(-1))
    assert length_penalty(1) == pytest.approx(math.exp(-9))
    assert [length_penalty(n) for n in (10, 11, 500)] == [1.0, 1.0, 1.0]
    assert length_penalty(9) < 1
    assert length_penalty(0) == 0.0
    assert length_penalty(0, gamma=0) == length_penalty(3, gamma=0) == 1.0
    assert length_penalty(1, gamma=0.5) == 1.0
    assert all(length_penalty(n) < length_penalty(n + 1) for n in range(9))
    for gamma in (-1, math.nan, math.inf):
        with pytest.raises(ValueError, match="`gamma` must be at least 0"):
            length_penalty(5, gamma)


def test_f1_at_k_by_hand():
    # 6 of 8 true, K = 10: P = 0.75, R = 0.6, F1 = 0.9 / 1.35 = 2/3.
    assert f1_at_k(counts(8, 6), 10) == pytest.approx(2 / 3)
    # More true claims than K: R is 1, F1 = 2 * 0.75 / 1.75.
    assert f1_at_k(counts(8, 6), 3) == pytest.approx(1.5 / 1.75)
    assert recall_at_k(counts(8, 6), 3) == 1.0
    assert f1_at_k(counts(8, 0), 10) == 0.0


def test_an_answer_is_factually_correct_only_if_every_claim_is_verified_and_true():
    answers = [counts(3, 3), counts(3, 2), counts(3, 2, 2), counts(0, 0), counts(2, 2, 2, n_unread=1)]
    scores = ratios(answers, k=3)
    values = columns_of(scores)["all_supported"].tolist()
    assert values[:4] == [1.0, 0.0, 0.0, 0.0]
    assert math.isnan(values[4])


def test_the_adjusted_verifiable_rate_is_the_papers():
    # MedScore, table 5: with a share z of verifiable answers without a claim the rate r becomes (1 - z) r - z.
    # VeriScoreQA: r = 82.20% and the adjusted 47.48% mean z = 34.72 / 182.20 = 19.06%.
    answers = [counts(10_000, 0, n_matched=8220, n_compared=10_000)] * 8094 + [counts(0, 0, n_matched=0)] * 1906
    found = summaries(ratios(answers, k=1), n_resamples=1)
    assert found["verifiable_rate"].mean == pytest.approx(0.8220)
    assert found["adjusted_verifiable_rate"].mean == pytest.approx(0.4748, abs=2e-4)


def test_a_difference_is_paired_and_over_the_answers_that_count_in_both():
    rng = np.random.default_rng(1)
    easy = rng.integers(0, 11, 40)
    # The second run finds one true claim less everywhere: the difference has no spread, the means have.
    a = ratios([counts(20, int(t) + 5) for t in easy] + [counts(0, 0)], k=10)
    b = ratios([counts(20, int(t) + 4) for t in easy] + [counts(20, 20)], k=10)
    found = differences(a, b, n_resamples=300)["factuality"]
    assert (found.difference, found.n) == (pytest.approx(0.05), 40)
    assert found.how == "none: the same difference in all of 40"
    assert found.mean_a - found.mean_b == pytest.approx(0.05)
    assert found.p <= 2 / 301 + 1e-9
    reverse = differences(b, a, n_resamples=300)["factuality"]
    assert reverse.difference == pytest.approx(-0.05)


def test_changed_judgements_by_hand():
    up, up_plain, down = ClaimChange(False, True, True), ClaimChange(False, True, False), ClaimChange(True, False, None)
    same = ClaimChange(True, True, False)
    found = change_table([[up, up, up_plain, same], [down, same, same, same], [same, same]], n_resamples=50)
    assert {name: pytest.approx(one.mean) for name, one in found.items()} == {
        "changed": 4 / 10,
        "false_to_true": 3 / 10,
        "false_to_true_replaced": 2 / 3,
        "true_to_false": 1 / 10,
    }
    assert found["changed"].n == 3


@pytest.mark.parametrize(
    ("n", "k"), [([3], 3), ([1, 9], 9), ([5, 1, 3], 3), ([0, 0, 4], 0), ([4, 2, 8, 6], 6), ([], 0)]
)
def test_k_is_the_upper_median(n, k):
    assert median_claims(n) == k


@pytest.mark.parametrize("irrelevant_counts", [False, True])
@pytest.mark.parametrize("model", ["InstructGPT", "ChatGPT", "PerplexityAI"])
def test_human_facts_of_factscore_give_the_human_scores(shared_data, model, irrelevant_counts):
    # People labelled the facts of biographies S, NS or IR. The oracle is the arithmetic of FActScore's program
    # (mean over answers with facts; exp(1 - gamma / n) below gamma facts), with IR left out or as not supported.
    path = shared_data / "eval" / "factscore_labeled" / f"{model}.jsonl.gz"
    if not path.is_file():
        pytest.skip("no FActScore labels among the development data")
    answers, shares, penalised = [], [], []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            facts = [fact["label"] for part in row["annotations"] or () for fact in part["human-atomic-facts"] or ()]
            true = facts.count("S")
            n = len(facts) if irrelevant_counts else true + facts.count("NS")
            answers.append(counts(n, true))
            if n:
                shares.append(true / n)
                penalised.append(true / n * (1.0 if n > 10 else math.exp(1 - 10 / n)))
    assert len(answers) == 183
    found = summaries(ratios(answers, k=10), n_resamples=10)
    assert found["factuality"].n == found["factuality_penalised"].n == len(shares)
    assert found["factuality"].mean == pytest.approx(sum(shares) / len(shares))
    assert found["factuality_penalised"].mean == pytest.approx(sum(penalised) / len(penalised))
    assert found["zero_claim_rate"].mean == pytest.approx(1 - len(shares) / 183)
    if model == "ChatGPT" and irrelevant_counts:
        assert round(100 * found["factuality"].mean) == 58  # the paper's abstract


def test_every_score_of_three_answers_by_hand():
    answers = [
        counts(4, 3, n_sentences=2, n_tokens=40, n_located=4, n_entailed=3, n_matched=2, n_compared=4),
        counts(0, 0, n_sentences=3, n_located=0, n_matched=0),
        counts(12, 6, 10, n_sentences=5, n_tokens=100, n_located=10, n_entailed=10),
    ]
    found = {name: (one.mean, one.n) for name, one in summaries(ratios(answers, k=4), n_resamples=50).items()}
    # Shares: 3/4 and 6/10; penalties: e^(1 - 10/4) and 1.
    penalty = math.exp(-1.5)
    expected = {
        "factuality": ((0.75 + 0.6) / 2, 2),
        "all_supported": (0.0, 3),
        "length_penalty": ((penalty + 1) / 2, 2),
        "factuality_penalised": ((0.75 * penalty + 0.6) / 2, 2),
        "recall@4": ((0.75 + 0 + 1) / 3, 3),
        "f1@4": ((0.75 + 0 + 2 * 0.6 / 1.6) / 3, 3),
        "zero_claim_rate": (1 / 3, 3),
        "claims_per_answer": (16 / 3, 3),
        "claims_per_sentence": (16 / 10, 3),
        "tokens_per_claim": (140 / 16, 2),
        "decompscore": (13 / 3, 3),
        "decompscore_share": ((3 / 4 + 1) / 2, 2),
        "verifiable_rate": (2 / 4, 1),
        "adjusted_verifiable_rate": ((0.5 - 1) / 2, 2),
    }
    assert set(found) == set(expected)
    for name, (mean, n) in expected.items():
        assert found[name] == (pytest.approx(mean), n), name
