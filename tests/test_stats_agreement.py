"""Agreement and calibration against published worked examples, scikit-learn and loops."""

import math

import numpy as np
import pytest

from fas.stats.agreement import cohen_kappa, krippendorff_alpha
from fas.stats.calibration import (
    brier_score,
    calibration_error,
    reliability_curve,
    threshold_sweep,
    verdict_sweep,
)

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

# The oracles are loops over the same draws; which kind a figure gets is in test_stats_intervals.py.
pytestmark = pytest.mark.usefixtures("percentiles")


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_agrees_with_krippendorffs_worked_example(level, alpha):
    got = krippendorff_alpha(KRIPPENDORFF, level_of_measurement=level, n_resamples=500)
    assert got.value == pytest.approx(alpha, abs=5e-4)
    assert got.n == 11
    assert got.low < got.value < got.high


def alpha_by_pairs(ratings, level):
    """The definition: mean squared distance within units over that between any two ratings."""
    kept = [[v for v in unit if not math.isnan(v)] for unit in np.asarray(ratings).T]
    kept = [unit for unit in kept if len(unit) > 1]
    pool = [v for unit in kept for v in unit]

    def distance(a, b):
        if level == "nominal":
            return float(a != b)
        if level == "interval":
            return (a - b) ** 2
        low, high = min(a, b), max(a, b)
        between = sum(low <= v <= high for v in pool)
        return (between - (pool.count(a) + pool.count(b)) / 2) ** 2 if a != b else 0.0

    observed = sum(
        sum(distance(u[i], u[j]) for i in range(len(u)) for j in range(len(u)) if i != j) / (len(u) - 1) for u in kept
    ) / len(pool)
    n = len(pool)
    expected = sum(distance(pool[i], pool[j]) for i in range(n) for j in range(n) if i != j) / (n * (n - 1))
    return 1 - observed / expected


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_and_its_interval_agree_with_a_loop_over_pairs(level):
    rng = np.random.default_rng(0)
    truth = rng.integers(4, size=15)
    ratings = np.clip(truth + rng.integers(-1, 2, size=(3, 15)), 0, 3).astype(float)
    ratings[rng.random((3, 15)) < 0.2] = np.nan
    ratings = ratings[:, (~np.isnan(ratings)).sum(axis=0) >= 2]
    n = ratings.shape[1]
    got = krippendorff_alpha(ratings, level_of_measurement=level, n_resamples=100, seed=4)
    assert got.value == pytest.approx(alpha_by_pairs(ratings, level), abs=1e-12)
    picks = np.random.default_rng(4).integers(n, size=(100, n))
    draws = [alpha_by_pairs(ratings[:, row], level) for row in picks]
    np.testing.assert_allclose([got.low, got.high], np.quantile(draws, [0.025, 0.975]), atol=1e-10)


@pytest.mark.parametrize("scale", [1.0, 1e-7, 1e-160, 1e160])
def test_interval_alpha_is_the_same_in_every_unit(scale):
    ratings = np.array([[1, 2, 3], [1, 2, 3.1]])
    got = krippendorff_alpha(scale * ratings, level_of_measurement="interval", n_resamples=200)
    same = krippendorff_alpha(ratings, level_of_measurement="interval", n_resamples=200)
    assert got.value == pytest.approx(alpha_by_pairs(ratings, "interval"), abs=1e-12)
    np.testing.assert_allclose(got[1:3], same[1:3], atol=1e-12)


def test_ratings_that_differ_in_their_last_bits_are_equal():
    ratings = np.array([[0.1 + 0.2, 0.3, 0.3], [0.3, 0.3, 0.3]])
    assert len(np.unique(ratings)) == 2
    for scale in (1.0, 1e-160, 1e9):
        assert math.isnan(krippendorff_alpha(scale * ratings, level_of_measurement="interval", n_resamples=20).value)


def test_alpha_edge_cases():
    assert krippendorff_alpha([[1, 2, 3], [1, 2, 3]]).value == pytest.approx(1)
    assert math.isnan(krippendorff_alpha([[2, 2], [2, 2]]).value)
    assert math.isnan(krippendorff_alpha([[2.5, 2.5], [2.5, 2.5]], level_of_measurement="interval").value)
    assert krippendorff_alpha([[1, _], [_, 2]]).n == 0
    with pytest.raises(ValueError, match="must have shape"):
        krippendorff_alpha([1, 2])
    with pytest.raises(ValueError, match="must be 'nominal', 'ordinal' or 'interval', got 'ratio'"):
        krippendorff_alpha([[1, 2]], level_of_measurement="ratio")  # type: ignore[arg-type]


@pytest.mark.parametrize(("ours", "theirs"), [("none", None), ("linear", "linear"), ("quadratic", "quadratic")])
def test_kappa_and_its_interval_agree_with_scikit_learn(ours, theirs):
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(1)
    first = rng.integers(4, size=60)
    second = np.where(rng.random(60) < 0.6, first, rng.integers(4, size=60))
    got = cohen_kappa(first, second, weights=ours, n_resamples=100, seed=5)
    assert got.value == pytest.approx(cohen_kappa_score(first, second, weights=theirs), abs=1e-12)
    picks = np.random.default_rng(5).integers(60, size=(100, 60))
    draws = [cohen_kappa_score(first[r], second[r], weights=theirs, labels=[0, 1, 2, 3]) for r in picks]
    np.testing.assert_allclose([got.low, got.high], np.quantile(draws, [0.025, 0.975]), atol=1e-12)


def test_kappa_agrees_with_a_two_by_two_table_by_hand():
    # 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: observed 0.70, expected 0.50, kappa 0.40.
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert cohen_kappa(first, second, n_resamples=10).value == pytest.approx(0.4)


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


def test_kappa_of_incomplete_ratings_is_that_of_the_complete_pairs():
    rng = np.random.default_rng(3)
    first, second = rng.integers(3, size=(2, 40)).astype(float)
    questions = np.repeat(np.arange(20), 2)
    first[[0, 1, 7, 20]] = second[[7, 33]] = np.nan
    whole = ~np.isnan(first + second)
    got = cohen_kappa(first, second, weights="linear", clusters=questions, n_resamples=100)
    assert got == cohen_kappa(first[whole], second[whole], weights="linear", clusters=questions[whole], n_resamples=100)
    assert got.n == 35
    assert cohen_kappa([None, _], [1, 1]).n == 0
    with pytest.raises(ValueError, match="one label per answer: 40 answers, 35 labels"):
        cohen_kappa(first, second, clusters=questions[whole])


def test_kappa_edge_cases():
    assert math.isnan(cohen_kappa(["a", "a"], ["a", "a"]).value)
    assert cohen_kappa([], []).n == 0
    with pytest.raises(ValueError, match="same items, got 1 and 2"):
        cohen_kappa(["a"], ["a", "b"])
    with pytest.raises(ValueError, match="'c' is not among the categories"):
        cohen_kappa(["a"], ["c"], categories=["a", "b"])
    # A step of the scale that nobody used still counts as distance.
    assert cohen_kappa([1, 3, 3], [1, 1, 3], weights="quadratic", categories=[1, 2, 3]).value == pytest.approx(
        cohen_kappa([1, 3, 3], [1, 1, 3], weights="quadratic").value
    )


def probabilities(n=300, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.beta(2, 1, n)
    return p, (rng.random(n) < p**1.5).astype(int)


@pytest.mark.parametrize(("ours", "theirs"), [("width", "uniform"), ("mass", "quantile")])
def test_reliability_curve_agrees_with_scikit_learn(ours, theirs):
    from sklearn.calibration import calibration_curve

    p, y = probabilities()
    rows = reliability_curve(p, y, n_bins=10, strategy=ours)
    accuracy, confidence = calibration_curve(y, p, n_bins=10, strategy=theirs)
    np.testing.assert_allclose([row.accuracy for row in rows], accuracy, atol=0.02 if ours == "mass" else 1e-12)
    np.testing.assert_allclose([row.confidence for row in rows], confidence, atol=0.02 if ours == "mass" else 1e-12)
    assert sum(row.n for row in rows) == 300


def ece_by_hand(p, y, n_bins):
    total = 0.0
    for i in range(n_bins):
        inside = [j for j in range(len(p)) if min(int(p[j] * n_bins), n_bins - 1) == i]
        if inside:
            total += abs(np.mean(p[inside]) - np.mean(y[inside])) * len(inside) / len(p)
    return total


def test_calibration_error_agrees_with_a_loop_over_bins_and_draws():
    p, y = probabilities(n=80)
    got = calibration_error(p, y, n_bins=4, n_resamples=400, seed=2)
    picks = np.random.default_rng(2).integers(80, size=(400, 80))
    draws = [ece_by_hand(p[r], y[r], 4) for r in picks]
    plain = ece_by_hand(p, y, 4)
    assert got.value == pytest.approx(max(0, 2 * plain - np.mean(draws)))  # the bias taken off
    assert got.low <= got.value <= got.high


def test_the_interval_of_a_calibration_error_is_what_a_plain_loop_over_errors_leaves_standing():
    p, y = probabilities(n=80)
    got = calibration_error(p, y, n_bins=4, n_resamples=400, seed=2)
    assert got.how == "inversion"

    def gaps(rows):
        where = np.minimum((p[rows] * 4).astype(int), 3)
        return np.array([(p[rows] - y[rows])[where == b].sum() / len(rows) for b in range(4)])

    whole = gaps(np.arange(80))
    picks = np.random.default_rng(2).integers(80, size=(400, 80))
    noise = [gaps(rows) - whole for rows in picks]
    weights = np.bincount(np.minimum((p * 4).astype(int), 3), minlength=4) / 80
    signs, seen = np.where(whole >= 0, 1, -1), abs(whole).sum()
    spreads = [whole / seen, signs * weights, (1 if whole.sum() >= 0 else -1) * weights]

    def stands(error):
        for spread in spreads:
            drawn = [abs(error * spread + one).sum() for one in noise]
            if np.mean([d >= seen for d in drawn]) >= 0.025 and np.mean([d <= seen for d in drawn]) >= 0.025:
                return True
        return False

    assert stands(got.low)
    assert stands(got.high)
    assert not stands(got.high + 0.005)
    assert got.low == 0 or not stands(got.low - 0.005)


def test_calibration_error_of_a_hand_made_case():
    # Two predictions at 0.9, one right: gap 0.4; two at 0.2, none right: gap 0.2; mean 0.3.
    given = [0.9, 0.9, 0.2, 0.2], [1, 0, 0, 0]
    assert sum(row.n * abs(row.confidence - row.accuracy) for row in reliability_curve(*given, n_bins=5)) / 4 == (
        pytest.approx(0.3)
    )
    assert calibration_error(*given, n_bins=5).how == "none: too few for 2 bins"
    assert calibration_error([1.0, 0.0], [1, 0]).value == 0
    assert calibration_error([0.7, _], [1, 1]).n == 1
    assert math.isnan(calibration_error([], []).value)
    assert calibration_error([0.5, 0.5], [1, 0], strategy="mass").value == 0


def test_brier_score_agrees_with_scikit_learn():
    from sklearn.metrics import brier_score_loss

    p, y = probabilities()
    assert brier_score(p, y) == pytest.approx(brier_score_loss(y, p))


def test_threshold_sweep_agrees_with_scikit_learn():
    from sklearn.metrics import accuracy_score, precision_recall_fscore_support

    p, y = probabilities()
    rows = threshold_sweep(p, y)
    assert [row.threshold for row in rows] == [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9]
    for row in rows:
        precision, recall, f1, _support = precision_recall_fscore_support(y, p >= row.threshold, average="binary")
        assert (row.precision, row.recall, row.f1) == pytest.approx((precision, recall, f1))
        assert row.accuracy == pytest.approx(accuracy_score(y, p >= row.threshold))
    assert threshold_sweep([0.7], [1], [0.7])[0].n_positive == 1, "the threshold itself is included"
    assert math.isnan(threshold_sweep([0.1], [1], [0.5])[0].precision)


def test_verdict_sweep_follows_the_definition_claim_by_claim():
    rng = np.random.default_rng(3)
    e, c = rng.random(50), rng.random(50)
    e[4] = np.nan
    answers = rng.integers(8, size=50)
    gold = [None if i % 5 == 0 else ("supported", "contradicted", "unsupported")[i % 3] for i in range(50)]

    def verdict(i, t):
        if e[i] >= t and e[i] >= c[i]:
            return "supported"
        return "contradicted" if c[i] >= t and c[i] > e[i] else "unsupported"

    for row in verdict_sweep(e, c, [0.5, 0.7], answers=answers, gold=gold):
        shares = []
        for answer in set(answers.tolist()):
            labels = [verdict(i, row.threshold) for i in range(50) if answers[i] == answer and i != 4]
            shares.append([labels.count(name) / len(labels) for name in ("supported", "contradicted", "unsupported")])
        assert [row.supported, row.contradicted, row.unsupported] == pytest.approx(np.mean(shares, axis=0).tolist())
        judged = [i for i in range(50) if gold[i] is not None and i != 4]
        assert row.agreement == pytest.approx(np.mean([verdict(i, row.threshold) == gold[i] for i in judged]))
        assert row.n == 49


def test_verdict_sweep_closes_the_threshold_and_breaks_ties_towards_support():
    (row,) = verdict_sweep([0.7, 0.8, 0.7], [0.7, 0.9, 0.1], [0.7])
    assert (row.supported, row.contradicted, row.unsupported) == pytest.approx((2 / 3, 1 / 3, 0))
    assert math.isnan(row.agreement)
    assert math.isnan(verdict_sweep([], [], [0.7])[0].supported)
    with pytest.raises(ValueError, match=r"one value per claim is needed of each, got lengths \[1, 2\]"):
        verdict_sweep([0.1], [0.1, 0.2])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: reliability_curve([1.2], [1]), r"`probabilities` must lie in \[0, 1\], got 1.2"),
        (lambda: reliability_curve([0.2], [3]), "`outcomes` must be 0 or 1, got 3.0"),
        (lambda: reliability_curve([0.2], [1], n_bins=0), "`n_bins` must be at least 1, got 0"),
        (
            lambda: reliability_curve([0.2], [1], strategy="log"),  # type: ignore[arg-type]
            "`strategy` must be 'width' or 'mass', got 'log'",
        ),
        (lambda: threshold_sweep([0.2], [1, 0]), "need the same length, got 1 and 2"),
    ],
)
def test_arguments_out_of_range_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
