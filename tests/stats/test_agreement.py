"""Agreement and calibration against published worked examples, scikit-learn and loops."""

import math

import numpy as np
import pytest

from fas.stats.agreement import cohen_kappa, krippendorff_alpha

_ = math.nan
# Four observers, twelve units, five categories: Krippendorff, Computing Krippendorff's Alpha-Reliability (2011).
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
        [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
    ]
)

# The oracles are loops over the same draws; which kind a figure gets is in stats/test_intervals.py.
pytestmark = pytest.mark.usefixtures("percentiles")


def test_alpha_agrees_with_krippendorffs_worked_example():
    got = krippendorff_alpha(KRIPPENDORFF, n_resamples=500)
    assert got.value == pytest.approx(0.743, abs=5e-4)
    assert got.n == 11
    assert got.low < got.value < got.high


def alpha_by_pairs(ratings):
    """The definition: how often two ratings differ within units over how often any two do."""
    kept = [[v for v in unit if not math.isnan(v)] for unit in np.asarray(ratings).T]
    kept = [unit for unit in kept if len(unit) > 1]
    pool = [v for unit in kept for v in unit]
    n = len(pool)
    observed = sum(sum(a != b for a in unit for b in unit) / (len(unit) - 1) for unit in kept) / n
    return 1 - observed / (sum(a != b for a in pool for b in pool) / (n * (n - 1)))


def test_alpha_and_its_interval_agree_with_a_loop_over_pairs():
    rng = np.random.default_rng(0)
    truth = rng.integers(4, size=15)
    ratings = np.clip(truth + rng.integers(-1, 2, size=(3, 15)), 0, 3).astype(float)
    ratings[rng.random((3, 15)) < 0.2] = np.nan
    ratings = ratings[:, (~np.isnan(ratings)).sum(axis=0) >= 2]
    n = ratings.shape[1]
    got = krippendorff_alpha(ratings, n_resamples=100, seed=4)
    assert got.value == pytest.approx(alpha_by_pairs(ratings), abs=1e-12)
    picks = np.random.default_rng(4).integers(n, size=(100, n))
    draws = [alpha_by_pairs(ratings[:, row]) for row in picks]
    np.testing.assert_allclose([got.low, got.high], np.quantile(draws, [0.025, 0.975]), atol=1e-10)


def test_kappa_and_its_interval_agree_with_scikit_learn():
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(1)
    first = rng.integers(4, size=60)
    second = np.where(rng.random(60) < 0.6, first, rng.integers(4, size=60))
    got = cohen_kappa(first, second, n_resamples=100, seed=5)
    assert got.value == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)
    picks = np.random.default_rng(5).integers(60, size=(100, 60))
    draws = [cohen_kappa_score(first[r], second[r], labels=[0, 1, 2, 3]) for r in picks]
    np.testing.assert_allclose([got.low, got.high], np.quantile(draws, [0.025, 0.975]), atol=1e-12)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([1, 1, 0, 0, _, _], [1, 1, 0, 0, _, _]),
        ([1, 1, 0, 0, _, 1], [1, 1, 0, 0, 0, None]),
        (np.array([1, 1, 0, 0, _, 0]), np.array([1, 1, 0, 0, 1, _])),
        (["b", "b", "a", "a", None, "a"], ["b", "b", "a", "a", "b", _]),
    ],
)
def test_items_that_a_rater_left_out_are_no_category(first, second):
    got = cohen_kappa(first, second, n_resamples=50)
    assert (got.value, got.n) == (1.0, 4)
    assert math.isnan(got.low), "perfect agreement in four items has no interval of no width"


def test_an_agreement_on_rare_events_holds_no_agreement_beyond_chance_where_fisher_sees_none():
    from scipy.stats import fisher_exact

    first, second = np.zeros((2, 100))
    first[:10], second[10:20] = 1, 1
    assert fisher_exact([[0, 10], [10, 80]]).pvalue > 0.5
    for got in (cohen_kappa(first, second), krippendorff_alpha([first, second])):
        assert got.how == "exact"
        assert got.low < got.value < 0 < got.high


def test_two_raters_who_agree_on_every_rare_event_have_clopper_and_pearsons_doubt():
    from statsmodels.stats.proportion import proportion_confint

    rated = np.zeros(100)
    rated[:6] = 1
    got = cohen_kappa(rated, rated)
    share, size = proportion_confint(6, 6, method="beta")[0], 100 * proportion_confint(6, 100, method="beta")[1]
    both, rest = size * share, size * (1 - share) / 2
    table = np.array([[both, rest], [rest, 100 - size]]) / 100
    chance = table.sum(0) @ table.sum(1)
    assert got.high == 1
    assert got.low == pytest.approx((np.trace(table) - chance) / (1 - chance), abs=1e-9)
