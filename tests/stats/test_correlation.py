"""Correlations, pairwise accuracy and AUROC against scipy, scikit-learn and loops."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fas.stats import coefficients
from fas.stats.correlation import (
    auroc_estimate,
    correlation,
    correlation_difference,
    pairwise_accuracy,
    steiger_test,
    system_correlation,
    williams_test,
)

# The oracles are loops over the same draws; which kind a figure gets is in stats/test_intervals.py.
pytestmark = pytest.mark.usefixtures("percentiles")


def scipy_coefficient(name, x, y):
    from scipy import stats

    return {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[name](x, y).statistic


def tied_data(n=40, seed=0):
    rng = np.random.default_rng(seed)
    gold = rng.integers(5, size=n).astype(float)
    return np.round(gold + rng.normal(size=n) * 2, 0), gold


@pytest.mark.parametrize("name", coefficients.COEFFICIENTS)
def test_coefficient_and_interval_agree_with_scipy_in_a_loop_over_the_same_draws(name):
    x, y = tied_data()
    got = correlation(x, y, name=name, n_resamples=300, seed=8)
    assert got.value == pytest.approx(scipy_coefficient(name, x, y), abs=1e-12)
    picks = np.random.default_rng(8).integers(40, size=(300, 40))
    draws = [scipy_coefficient(name, x[row], y[row]) for row in picks]
    np.testing.assert_allclose([got.low, got.high], np.quantile(draws, [0.025, 0.975]), atol=1e-12)


def test_answers_without_score_or_gold_are_left_out():
    x, y = tied_data(n=30)
    holes_x, holes_y = np.append(x, [np.nan, 1]), np.append(y, [2, np.nan])
    assert correlation(holes_x, holes_y, n_resamples=100) == correlation(x, y, n_resamples=100)


@pytest.mark.parametrize("name", coefficients.COEFFICIENTS)
@pytest.mark.parametrize(
    "data", [([], []), ([1.0], [2.0]), ([1, 1, 1], [1, 2, 3]), ([0.1] * 5, [0.1, 0.2, 0.3, 0.4, 0.5])]
)
def test_what_does_not_vary_has_no_correlation(name, data):
    got = correlation(*data, name=name, n_resamples=50)
    assert np.isnan([got.value, got.low, got.high]).all()


def test_auroc_agrees_with_scikit_learn_on_the_sample_and_on_every_draw():
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(0)
    gold = rng.integers(2, size=50)
    scores = np.round(gold + rng.normal(size=50), 1)
    got = auroc_estimate(scores, gold, n_resamples=200, seed=3)
    assert got.value == pytest.approx(roc_auc_score(gold, scores), abs=1e-12)
    picks = np.random.default_rng(3).integers(50, size=(200, 50))
    draws = [roc_auc_score(gold[row], scores[row]) for row in picks]
    np.testing.assert_allclose([got.low, got.high], np.quantile(draws, [0.025, 0.975]), atol=1e-12)


def pairwise_by_hand(scores, gold, questions):
    credit, pairs, tied = 0.0, 0, 0
    for i in range(len(scores)):
        for j in range(i):
            if questions[i] != questions[j] or gold[i] == gold[j]:
                continue
            pairs += 1
            same = np.sign(scores[i] - scores[j]) == np.sign(gold[i] - gold[j])
            equal = scores[i] == scores[j]
            tied += equal
            credit += 1.0 if same else 0.5 if equal else 0.0
    return credit / pairs, pairs, tied


def test_pairwise_accuracy_agrees_with_a_loop_over_all_pairs():
    scores, gold = tied_data(n=48, seed=9)
    questions = np.random.default_rng(0).integers(10, size=48)
    got = pairwise_accuracy(scores, gold, questions)
    value, pairs, tied = pairwise_by_hand(scores, gold, questions)
    assert got.value == pytest.approx(value)
    assert (got.n_pairs, got.n_tied) == (pairs, tied)
    assert got.low <= got.value <= got.high


@pytest.mark.parametrize("name", coefficients.COEFFICIENTS)
def test_system_level_agrees_with_scipy_on_means_over_the_same_questions(name):
    rng = np.random.default_rng(4)
    questions = np.tile(np.arange(12), 5)
    systems = np.repeat([f"s{i}" for i in range(5)], 12)
    quality = np.repeat(np.arange(5), 12)
    gold = quality + rng.normal(size=60)
    scores = quality + 3 * rng.normal(size=60)
    got = system_correlation(scores, gold, systems, name=name, n_resamples=150, seed=2, clusters=questions)
    table_s, table_g = scores.reshape(5, 12), gold.reshape(5, 12)
    assert got.n == 5
    assert got.value == pytest.approx(scipy_coefficient(name, table_s.mean(axis=1), table_g.mean(axis=1)))
    draws = [
        scipy_coefficient(name, table_s[:, row].mean(axis=1), table_g[:, row].mean(axis=1))
        for row in np.random.default_rng(2).integers(12, size=(150, 12))
    ]
    np.testing.assert_allclose([got.low, got.high], np.quantile(draws, [0.025, 0.975]), atol=1e-12)


def test_williams_agrees_with_howells_worked_example():
    # Howell, Statistical Methods for Psychology (6th ed., p. 262): r = .80, .72, .89; N = 26.
    t, p = williams_test(0.80, 0.72, 0.89, 26)
    assert t == pytest.approx(1.361, abs=5e-4)
    assert p == pytest.approx(0.187, abs=5e-4)


def test_steiger_agrees_with_output_of_cocor():
    # R package cocor, test steiger1980: r = .2493 and .3395, between .4082, n = 553 give z = -2.0660, p = 0.0388.
    z, p = steiger_test(0.2493, 0.3395, 0.4082, 553)
    assert z == pytest.approx(-2.0660, abs=2e-3)
    assert p == pytest.approx(0.0388, abs=3e-4)


def test_difference_of_correlations_agrees_with_a_loop_over_the_same_draws():
    rng = np.random.default_rng(0)
    gold = rng.normal(size=50)
    good, poor = gold + 0.5 * rng.normal(size=50), gold + 2 * rng.normal(size=50)
    got = correlation_difference(good, poor, gold, n_resamples=200, seed=7)
    picks = np.random.default_rng(7).integers(50, size=(200, 50))
    draws = [
        scipy_coefficient("spearman", good[r], gold[r]) - scipy_coefficient("spearman", poor[r], gold[r]) for r in picks
    ]
    np.testing.assert_allclose([got.low, got.high], np.quantile(draws, [0.025, 0.975]), atol=1e-12)
    assert got.williams == williams_test(got.first, got.second, got.between, 50)
    assert got.p < 0.05
    assert got.as_dict()["steiger"]["p"] == got.steiger.p


SMALL = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=12)


@settings(deadline=None, max_examples=80)
@given(SMALL, st.integers(0, 2**31))
def test_every_resample_is_the_coefficient_of_the_copied_items(pairs, seed):
    x, y = np.array(pairs, dtype=float).T
    picks = np.random.default_rng(seed).integers(len(x), size=(5, len(x)))
    counts = np.array([np.bincount(row, minlength=len(x)) for row in picks], dtype=float)
    for name in coefficients.COEFFICIENTS:
        got = coefficients.coefficient(name, x, y)(counts)
        for value, row in zip(got, picks, strict=True):
            if np.ptp(x[row]) == 0 or np.ptp(y[row]) == 0:
                assert math.isnan(value)
            else:
                assert value == pytest.approx(scipy_coefficient(name, x[row], y[row]), abs=1e-9)


def test_steiger_and_williams_agree_on_steigers_own_case():
    # Steiger (1980): N = 103, r = .4 and .5, between .1; both tests near -0.89.
    assert williams_test(0.4, 0.5, 0.1, 103).statistic == pytest.approx(-0.89, abs=5e-3)
    assert steiger_test(0.4, 0.5, 0.1, 103).statistic == pytest.approx(-0.89, abs=5e-3)
