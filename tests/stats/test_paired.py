"""Paired and unpaired comparisons against loops, scipy and statsmodels."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fas.stats.bootstrap import group_difference
from fas.stats.draws import Resampling
from fas.stats.multiple import benjamini_hochberg, holm
from fas.stats.paired import _flip_tests, paired_difference
from fas.stats.ranking import kendall_rows, ranking_stability

# The oracles are loops over the same draws; which kind a figure gets is in stats/test_intervals.py.
pytestmark = pytest.mark.usefixtures("percentiles")


def two_systems(n=40, shift=0.1, seed=0):
    rng = np.random.default_rng(seed)
    b = rng.beta(4, 3, n)
    return b + shift + 0.2 * rng.normal(size=n), b


def swaps(a, b, n_resamples=10_000):
    """The p of the swaps alone; `paired_difference` gives the larger of it and that of the bootstrap-t."""
    sums = (a - b)[:, None]
    (found,) = _flip_tests(sums, np.ones_like(sums), Resampling(n_resamples))
    assert paired_difference(a, b, n_resamples=n_resamples).p >= found.p
    return found.p


def test_exact_randomisation_agrees_with_scipy_permutation_test():
    from scipy import stats

    a, b = two_systems(n=11, shift=0.05, seed=5)
    reference = stats.permutation_test(
        (a, b), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples", n_resamples=10_000
    )
    assert swaps(a, b) == pytest.approx(reference.pvalue, abs=1e-12)


def test_equal_systems_are_not_told_apart():
    a, _ = two_systems()
    got = paired_difference(a, a)
    assert (got.difference, got.effect_size, got.p) == (0, 0, 1)
    assert np.isnan(got.low)
    assert got.how.startswith("none: no difference in any of")


@pytest.mark.parametrize("values", [([], []), ([0.4], [0.2]), ([np.nan, 0.1], [0.2, 0.3])])
def test_fewer_than_two_common_answers_have_no_interval_and_no_p(values):
    got = paired_difference(*values)
    assert np.isnan([got.low, got.high, got.p]).all()


P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@settings(deadline=None, max_examples=30)
@given(P_VALUES)
def test_adjusted_p_values_agree_with_statsmodels(p):
    from statsmodels.stats.multitest import multipletests

    np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1], atol=1e-12)
    np.testing.assert_allclose(benjamini_hochberg(p), multipletests(p, method="fdr_bh")[1], atol=1e-12)


def test_equal_means_are_tied_whatever_their_sums_round_to():
    # In whole tenths nothing is rounded: the loop is exact.
    tenths = {"a": np.array([1, 2, 3]), "b": np.array([3, 2, 1]), "worse": np.array([0, 1, 0])}
    picks = np.random.default_rng(12345).integers(3, size=(500, 3))
    totals = {name: values[picks].sum(axis=1) for name, values in tenths.items()}
    assert np.mean(totals["a"] == totals["b"]) == pytest.approx(7 / 27, abs=0.06)
    systems = {name: values / 10 for name, values in tenths.items()}
    for scale in (1.0, 1e-15, 1e15):
        pair = ranking_stability({name: scale * systems[name] for name in ("a", "b")}, n_resamples=500)
        assert pair.order == ("a", "b")
        assert pair.same_order == np.mean(totals["a"] == totals["b"])
        assert np.isnan([pair.tau.value, pair.tau.low, pair.tau.high]).all()
    three = ranking_stability({name: -values for name, values in systems.items()}, n_resamples=500)
    assert three.order == ("worse", "a", "b")
    alike = (totals["a"] == totals["b"]) & (totals["worse"] < totals["a"])
    assert three.same_order == np.mean(alike)


@pytest.mark.parametrize("n", [12, 150])
def test_the_same_difference_everywhere_is_no_certainty_and_has_no_interval_without_width(n):
    found = paired_difference(np.full(n, 0.75), np.full(n, 0.25), n_resamples=500)
    assert found.difference == 0.5
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert found.how == f"none: the same difference in all of {n}"
    assert found.p < 0.01


def test_drawn_randomisation_agrees_with_scipy_within_monte_carlo_error():
    from scipy import stats

    a, b = two_systems(n=60, shift=0.04, seed=6)
    reference = stats.permutation_test(
        (a, b),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=20_000,
        rng=np.random.default_rng(0),
    ).pvalue
    assert 0.01 < reference < 0.9
    assert swaps(a, b, 20_000) == pytest.approx(reference, abs=4 * math.sqrt(reference / 20_000) * 2)
    # A normal-theory t test of the same differences is a coarse third opinion.
    assert paired_difference(a, b).p == pytest.approx(stats.ttest_rel(a, b).pvalue, abs=0.05)


def test_independent_groups_agree_with_the_bootstrap_of_scipy():
    from scipy import stats

    rng = np.random.default_rng(2)
    a, b = rng.random(135), rng.random(150) ** 2
    got = group_difference(a, b, n_resamples=10_000)
    reference = stats.bootstrap(
        (a, b),
        lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
        n_resamples=10_000,
        method="percentile",
        rng=np.random.default_rng(3),
    ).confidence_interval
    assert [got.low, got.high] == pytest.approx(list(reference), abs=0.01)
    assert got.value == pytest.approx(a.mean() - b.mean())


def test_kendall_between_rows_agrees_with_scipy():
    from scipy import stats

    rng = np.random.default_rng(1)
    rows, others = rng.integers(4, size=(20, 6)).astype(float), rng.normal(size=(20, 6))
    expected = [stats.kendalltau(a, b).statistic for a, b in zip(rows, others, strict=True)]
    np.testing.assert_allclose(kendall_rows(rows, others), expected, atol=1e-12)
