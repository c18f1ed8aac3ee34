"""Bootstrap intervals against naive loops, scipy.stats.bootstrap and properties."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fas.stats.bootstrap import mean_intervals
from fas.stats.intervals import two_sided_p

# The oracles are loops over the same draws; which kind a figure gets is in stats/test_intervals.py.
pytestmark = pytest.mark.usefixtures("percentiles")


def naive(values, n_resamples, seed, level=0.95, clusters=None):
    """The definition, one resample at a time, on the documented draws."""
    labels = list(range(len(values))) if clusters is None else list(clusters)
    names = list(dict.fromkeys(labels))
    members = [[i for i, label in enumerate(labels) if label == name] for name in names]
    picks = np.random.default_rng(seed).integers(len(names), size=(n_resamples, len(names)))
    means = []
    for row in picks:
        drawn = np.array([values[i] for unit in row for i in members[unit]])
        drawn = drawn[~np.isnan(drawn)]
        if len(drawn):
            means.append(drawn.mean())
    return np.quantile(means, [(1 - level) / 2, (1 + level) / 2])


def test_clusters_agree_with_a_naive_loop_that_draws_whole_questions():
    rng = np.random.default_rng(4)
    questions = np.array([f"q{i}" for i in rng.integers(9, size=40)])
    values = rng.beta(2, 3, 40)
    values[5] = np.nan
    got = mean_intervals({"fas": values}, n_resamples=300, seed=5, clusters=questions)["fas"]
    np.testing.assert_allclose(got[1:3], naive(values, 300, 5, clusters=questions), rtol=1e-12)


def test_percentiles_agree_with_scipy_bootstrap_within_monte_carlo_error():
    from scipy import stats

    values = np.random.default_rng(7).beta(1, 4, 60)
    reference = stats.bootstrap(
        (values,), np.mean, n_resamples=40_000, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    got = mean_intervals({"x": values}, n_resamples=40_000)["x"]
    spread = values.std() / np.sqrt(60)
    assert got.low == pytest.approx(reference.low, abs=0.03 * spread)
    assert got.high == pytest.approx(reference.high, abs=0.05 * spread)


def test_all_metrics_of_a_call_share_their_draws():
    x = np.random.default_rng(0).random(30)
    got = mean_intervals({"x": x, "halved": x / 2, "mirrored": 1 - x}, n_resamples=500)
    assert got["halved"].low == pytest.approx(got["x"].low / 2, rel=1e-12)
    assert got["mirrored"].high == pytest.approx(1 - got["x"].low, rel=1e-12)
    assert mean_intervals({"x": x}, n_resamples=500)["x"][:4] == pytest.approx(got["x"][:4], rel=1e-12)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(0, 1) | st.just(float("nan")), min_size=2, max_size=30), st.integers(0, 2**32))
def test_limits_of_shares_hold_the_mean_and_lie_in_their_range(values, seed):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = mean_intervals({"x": values}, n_resamples=50, seed=seed)["x"]
        if not np.isnan(got.low):
            assert 0 <= got.low <= got.mean + 1e-12
            assert got.mean - 1e-12 <= got.high <= 1


def test_two_sided_p_inverts_the_interval():
    draws = np.arange(1.0, 1000.0) - 20.5  # 20 of 999 lie below 0
    assert two_sided_p(draws) == pytest.approx(2 * 21 / 1000)
    assert two_sided_p(np.zeros(99)) == 1.0
    assert np.isnan(two_sided_p(np.array([np.nan])))


def test_missing_values_agree_with_a_naive_loop_that_skips_them():
    values = np.random.default_rng(2).beta(2, 3, 30)
    values[[3, 4, 20]] = np.nan
    whole = np.arange(30.0) / 30
    got = mean_intervals({"fas": values, "whole": whole}, n_resamples=400, seed=3)
    np.testing.assert_allclose(got["fas"][1:3], naive(values, 400, 3), rtol=1e-12)
    np.testing.assert_allclose(got["whole"][1:3], naive(whole, 400, 3), rtol=1e-12)
    assert got["fas"].n == 27
