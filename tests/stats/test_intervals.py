"""Which interval a figure gets: statsmodels and SciPy as oracles, simulation for what it covers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from fas.core.profile import Profile
from fas.core.records import Report
from fas.report.html import write_html
from fas.report.text import render_table
from fas.scoring.aggregate import collect_columns, report_of
from fas.stats.bootstrap import mean_intervals, ratio_intervals
from fas.stats.correlation import correlation
from fas.stats.intervals import MeanKind, explain_missing, ratio_variance
from fas.stats.paired import paired_differences


@pytest.fixture
def rng():
    return np.random.default_rng(37)


@pytest.mark.parametrize(("events", "n"), [(0, 10), (1, 30), (10, 10), (7, 200), (1, 2), (29, 29)])
def test_a_flag_rate_has_clopper_and_pearsons_interval_as_statsmodels_computes_it(events, n):
    from statsmodels.stats.proportion import proportion_confint

    values = np.arange(n) < events
    got = mean_intervals({"flag:X": values.astype(float)}, proportions=["flag:X"])["flag:X"]
    assert (got.low, got.high) == pytest.approx(proportion_confint(events, n, method="beta"), abs=1e-9)
    assert got.how == "exact"


def test_a_mean_of_counts_has_no_limit_below_zero():
    # Claims of five answers, as a small model gave them; the bootstrap-t alone goes down to -8.
    values = np.array([[19.0], [18.0], [19.0], [9.0], [16.0]])
    free, counted = (
        ratio_intervals(["n"], values, np.ones(5), [kind])["n"] for kind in (MeanKind(), MeanKind(counted=True))
    )
    assert free.low < 0 == counted.low
    assert free.high == counted.high


def test_the_variance_of_unequal_clusters_is_that_of_statsmodels_freed_of_leverage(rng):
    import statsmodels.api as sm

    sizes = np.array([40, 1, 7, 3, 12, 1, 25, 8])
    groups = np.repeat(np.arange(8), sizes)
    y = rng.normal(size=8)[groups] + rng.normal(size=sizes.sum())
    fitted = sm.OLS(y, np.ones(len(y))).fit(cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False})
    sums = np.bincount(groups, y)
    residuals = sums - y.mean() * sizes
    plain = (residuals**2).sum() / sizes.sum() ** 2
    assert fitted.cov_params()[0, 0] == pytest.approx(plain)
    free = (residuals**2 / (1 - sizes / sizes.sum())).sum() / sizes.sum() ** 2
    assert ratio_variance(sums, sizes.astype(float), y.mean()) == pytest.approx(free)


@pytest.mark.parametrize("n", [2, 4])
def test_too_few_values_have_no_interval_and_the_reason_stands_in_its_place(n, rng):
    got = mean_intervals({"rougeL": rng.random(n)})["rougeL"]
    assert math.isnan(got.low)
    assert explain_missing(got.how) == f"too few ({n})"


@pytest.mark.parametrize(
    ("draw", "mean", "least"),
    [
        (lambda rng, n: rng.beta(5, 0.8, (n, 600)), 5 / 5.8, 0.92),
        (lambda rng, n: rng.exponential(1.0, (n, 600)), 1.0, 0.90),
        (lambda rng, n: rng.binomial(5, rng.beta(0.3, 2.7, (n, 600))) / 5, 0.1, 0.90),
    ],
    ids=["skewed scores", "beyond one", "shares near nothing"],
)
@pytest.mark.parametrize("n", [5, 10, 30])
def test_means_of_few_answers_are_covered_where_percentiles_fail(draw, mean, least, n, rng):
    data = draw(rng, n)
    got = mean_intervals({str(i): data[:, i] for i in range(600)}, n_resamples=1000)
    held = [one.low <= mean <= one.high for one in got.values() if not math.isnan(one.low)]
    assert len(held) > 500
    assert np.mean(held) >= least - 2 * math.sqrt(0.95 * 0.05 / 600)  # two standard errors of 600 samples


def test_studentised_limits_agree_with_a_loop_over_the_same_draws(rng):
    values = rng.exponential(2.0, 12)
    got = mean_intervals({"x": values}, n_resamples=999, seed=4)["x"]
    picks = np.random.default_rng(4).integers(12, size=(999, 12))
    mean, error = values.mean(), values.std(ddof=1) / math.sqrt(12)
    roots = [(values[p].mean() - mean) / (values[p].std(ddof=1) / math.sqrt(12)) for p in picks]
    # The 25th of 999 from either end: twice 25 of 1,000 is 5%.
    low, high = (mean - np.sort(roots)[place] * error for place in (-25, 24))
    assert got.how == "studentised"
    assert (got.low, got.high) == pytest.approx((low, high))


def test_many_ordinary_scores_keep_the_percentile_interval_of_the_definition(rng):
    values = rng.random(120)
    got = mean_intervals({"x": values}, seed=3)["x"]
    means = values[np.random.default_rng(3).integers(120, size=(10_000, 120))].mean(axis=1)
    assert (got.low, got.high) == pytest.approx(tuple(np.quantile(means, [0.025, 0.975])))
    assert got.how == "percentile"


@pytest.mark.parametrize("n", [5, 7, 12, 40, 99, 100, 140])
def test_interval_and_test_of_a_difference_never_contradict_each_other(n, rng):
    data = rng.normal(0.25, 1.0, (n, 400))
    zero = np.zeros(n)
    keys = [str(i) for i in range(400)]
    got = paired_differences({k: data[:, i] for i, k in enumerate(keys)}, dict.fromkeys(keys, zero), n_resamples=2000)
    for one in got.values():
        if n < 6:
            assert math.isnan(one.low)
            assert one.p > 0.05
        else:
            assert (one.low <= 0 <= one.high) == (one.p > 0.05)


def test_pearsons_interval_is_near_fishers_where_that_is_exact(rng):
    widths = []
    for _ in range(40):
        x = rng.normal(size=60)
        y = 0.6 * x + 0.8 * rng.normal(size=60)
        got = correlation(x, y, name="pearson", n_resamples=200)
        exact = stats.pearsonr(x, y).confidence_interval(0.95)
        widths.append((got.high - got.low) / (exact.high - exact.low))
    assert np.mean(widths) == pytest.approx(1.0, abs=0.1)


def records(n, *, claims, question=None, flags=0):
    """Answers with `claims[i]` = (supported, contradicted, all)."""
    made = []
    for i in range(n):
        s, c, m = claims[i % len(claims)]
        row = dict.fromkeys(
            ("fas", "fas_evidence", "rouge1", "rouge2", "rougeL", "bleu4", "bertscore_f1"), 0.1 + i / 50
        )
        row |= {"support": s / m, "contra": c / m, "unsupported": (m - s - c) / m, "n_claims": m}
        row |= {"n_unverified": 0, "n_no_evidence": 0, "n_conflicting": 0, "claims": [], "meta": {}, "error": None}
        row |= {"id": str(i), "question": None if question is None else f"q{i // question}"}
        row["flags"] = [{"flag": "X", "status": None}] if i < flags else []
        made.append(row)
    return made


def report(made) -> Report:
    return report_of(collect_columns(made, k=5), profile=Profile(), signature="n:6|boot:10000|seed:12345", timing={})


def test_shares_are_given_over_answers_and_over_claims_each_with_its_interval(tmp_path):
    made = records(40, claims=[(1, 0, 1), (2, 3, 20), (0, 1, 4)])
    got = report(made)
    macro = np.mean([one["support"] for one in made])
    micro = sum(one["support"] * one["n_claims"] for one in made) / sum(one["n_claims"] for one in made)
    assert got.metrics["support@5"].mean == pytest.approx(macro)
    assert got.claim_shares["support@5"].mean == pytest.approx(micro)
    assert got.claim_shares["support@5"].n == sum(one["n_claims"] for one in made)
    assert sum(one.mean for one in got.claim_shares.values()) == pytest.approx(1.0)
    for one in got.claim_shares.values():
        assert one.low <= one.mean <= one.high
    text = render_table(got)
    assert "mean over answers" in text
    assert "share of all claims" in text
    assert got.as_dict()["claim_shares"]["contra@5"]["n"] == got.claim_shares["contra@5"].n
    (tmp_path / "scores.jsonl").write_text("")
    write_html(tmp_path / "report.html", got, tmp_path / "scores.jsonl")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"{100 * macro:.1f}% of an answer's claims on average" in page.replace("&#39;", "'")
    assert f"{100 * micro:.1f}% of all {got.claim_shares['support@5'].n} claims" in page
