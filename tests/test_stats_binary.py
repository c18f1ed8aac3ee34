"""Decisions against gold: the published tables from their counts, a bootstrap by a plain loop, the type-I rate."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from fas.report.triangle import read_triangle, significant, triangle
from fas.stats.binary import AnswerSums, Confusion, answer_counts, binary_summaries, p_shifted, pair_tests
from fas.stats.multiple import benjamini_hochberg, holm

SETS = {"MH": (280, 77), "PC": (260, 70)}


def printed(root):
    with (root / "benchmarks" / "detectors" / "table1.tsv").open(encoding="utf-8") as file:
        return list(csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t"))


def test_table_1_of_the_paper_from_its_counts_to_three_decimals(root):
    rows = [row for row in printed(root) if row["flagged"]]
    assert len(rows) == 12
    for row in rows:
        n, positives = SETS[row["case"]]
        flagged, hits = int(row["flagged"]), int(row["hits"])
        found = Confusion(hits, flagged - hits, positives - hits, n - flagged - positives + hits)
        shown = [f"{value:.3f}" for value in (found.f1, found.precision, found.recall)]
        assert shown == [row["f1"], row["precision"], row["recall"]], row


def test_each_row_of_table_1_fits_exactly_one_pair_of_counts(root):
    for row in printed(root):
        if not row["flagged"] or "derived" in row["system"]:
            continue
        n, positives = SETS[row["case"]]
        fits = [
            (flagged, hits)
            for hits in range(positives + 1)
            for flagged in range(max(hits, 1), n + 1)
            if f"{hits / positives:.3f}" == row["recall"] and f"{hits / flagged:.3f}" == row["precision"]
            and f"{2 * hits / (flagged + positives):.3f}" == row["f1"]
        ]  # fmt: skip
        assert fits == [(int(row["flagged"]), int(row["hits"]))], row


def test_table_3_has_56_and_45_significant_pairs_and_what_is_left_after_adjusting(root):
    lines = (root / "benchmarks" / "detectors" / "table3.txt").read_text(encoding="utf-8").splitlines()
    mental, prenatal = read_triangle(lines)
    assert len(mental) == len(prenatal) == 105
    assert (significant(mental), significant(prenatal)) == (56, 45)
    for pairs, strict, discovery in ((mental, 21, 50), (prenatal, 8, 27)):
        p = list(pairs.values())
        assert int((holm(p) <= 0.05).sum()) == strict
        assert int((benjamini_hochberg(p) <= 0.05).sum()) == discovery
    # Every printed p is a multiple of 1 / 5000.
    assert all(round(value * 5000) == pytest.approx(value * 5000) for value in (*mental.values(), *prenatal.values()))


def test_outputs_7_and_13_of_prenatal_care_are_the_same(root):
    lines = (root / "benchmarks" / "detectors" / "table3.txt").read_text(encoding="utf-8").splitlines()
    _, prenatal = read_triangle(lines)

    def p(i, j):
        return prenatal[min(i, j) - 1, max(i, j) - 1]

    assert p(7, 13) == 1.0
    assert all(p(7, other) == p(13, other) for other in range(1, 16) if other not in (7, 13))


def test_the_triangle_reads_back_what_it_prints():
    upper = {(0, 1): 0.04, (0, 2): 0.5, (1, 2): 1.0}
    lower = {(0, 1): 0.2, (0, 2): 0.06, (1, 2): 0.0}
    text = triangle(3, upper, lower)
    assert text.count("*") == 2
    rows = [line.replace("*", "") for line in text.splitlines()[2:]]
    assert read_triangle(rows) == (upper, lower)
    with pytest.raises(ValueError, match="square"):
        read_triangle(["1 -- .1", "2 .1"])


def systems(n=40, seed=1):
    rng = np.random.default_rng(seed)
    gold = rng.random(n) < 0.3
    a, b = ((rng.random(n) < np.where(gold, 0.7, rate)) for rate in (0.2, 0.4))
    return gold, a.astype(float), b.astype(float)


def f1_of(flagged, gold):
    hits, total = (flagged & gold).sum(), flagged.sum() + gold.sum()
    return 2 * hits / total if gold.any() else math.nan


def test_intervals_and_p_equal_a_plain_loop_over_the_same_draws(percentiles):
    gold, a, b = systems()
    clusters = np.arange(40) // 2
    made = {"a": answer_counts(a, gold), "b": answer_counts(b, gold)}
    (test,) = pair_tests(made, n_resamples=500, seed=7, clusters=clusters)
    summary = binary_summaries(made, n_resamples=500, seed=7, clusters=clusters)
    picks = np.random.default_rng(7).integers(20, size=(500, 20))
    rows = []
    for pick in picks:
        items = np.concatenate([np.flatnonzero(clusters == one) for one in pick])
        rows.append([f1_of(one[items].astype(bool), gold[items]) for one in (a, b)])
    drawn = np.array(rows)
    difference = f1_of(a.astype(bool), gold) - f1_of(b.astype(bool), gold)
    assert test.difference == pytest.approx(difference)
    assert test.p == pytest.approx((np.abs(drawn[:, 0] - drawn[:, 1] - difference) >= abs(difference) - 1e-12).mean())
    known = drawn[~np.isnan(drawn[:, 0]), 0]
    assert (summary["a"]["f1"].low, summary["a"]["f1"].high) == pytest.approx(tuple(np.quantile(known, [0.025, 0.975])))


def test_p_is_1_for_equal_outputs():
    gold, a, _ = systems()
    (test,) = pair_tests({"a": answer_counts(a, gold), "b": answer_counts(a, gold)}, n_resamples=200)
    assert (test.difference, test.p) == (0.0, 1.0)
    assert math.isnan(p_shifted([math.nan], 0.1))
    assert math.isnan(p_shifted([0.1], math.nan))


def test_a_false_alarm_of_one_side_counts_though_the_other_has_no_part_in_the_answer():
    # The trap: an answer that is a true negative of one run has denominator 0 there and must not vanish from the other.
    gold = np.array([True, True, False, False])
    quiet, loud = np.array([1.0, 1.0, 0.0, 0.0]), np.array([1.0, 1.0, 1.0, 1.0])
    (test,) = pair_tests({"quiet": answer_counts(quiet, gold), "loud": answer_counts(loud, gold)}, n_resamples=50)
    assert (test.f1_a, test.f1_b) == (1.0, pytest.approx(2 / 3))


def test_answers_that_one_side_did_not_decide_are_compared_by_neither():
    gold = np.array([True, True, False, True])
    a, b = np.array([1.0, 0.0, 0.0, np.nan]), np.array([1.0, 1.0, 1.0, 0.0])
    (test,) = pair_tests({"a": answer_counts(a, gold), "b": answer_counts(b, gold)}, n_resamples=50)
    assert (test.n, test.f1_a, test.f1_b) == (3, pytest.approx(2 / 3), pytest.approx(0.8))
    summary = binary_summaries({"a": answer_counts(a, gold)}, n_resamples=50)
    assert summary["a"]["recall"].mean == 0.5


def test_nothing_flagged_has_no_precision_and_f1_of_0_if_there_are_positives():
    found = binary_summaries({"none": answer_counts([0.0, 0.0, 0.0], [True, False, False])}, n_resamples=100)["none"]
    assert math.isnan(found["precision"].mean)
    assert (found["recall"].mean, found["f1"].mean) == (0.0, 0.0)


def test_a_detector_that_finds_nothing_has_wilsons_limits_and_no_certainty():
    gold = [True] * 30 + [False] * 30
    found = binary_summaries({"x": answer_counts([0.0] * 59 + [1.0], gold)}, n_resamples=200)["x"]
    assert (found["recall"].mean, found["recall"].how) == (0.0, "wilson")
    assert (found["recall"].low, found["recall"].high) == pytest.approx(proportion_confint(0, 30, method="wilson"))
    assert found["f1"].high > 0.03
    # One decision is a case, no rate: its precision is undefined in a third of the draws.
    assert found["precision"].how.startswith("none")


def test_without_positives_recall_and_f1_are_undefined():
    found = binary_summaries({"x": answer_counts([1.0, 0.0], [False, False])}, n_resamples=100)["x"]
    assert math.isnan(found["recall"].mean)
    assert math.isnan(found["f1"].mean)
    assert found["precision"].mean == 0.0
    assert math.isnan(Confusion(0, 1, 0, 1).f1)


def test_where_a_quarter_of_the_resamples_has_no_positive_there_is_no_interval():
    # One positive of two answers: a quarter of the resamples has none; F1 is 1 in all others.
    found = binary_summaries({"x": answer_counts([1.0, 0.0], [True, False])}, n_resamples=500)["x"]
    assert math.isnan(found["f1"].low)
    assert found["f1"].how.startswith("none: undefined in 2")


def test_the_type_i_rate_on_shuffled_labels_is_near_5_percent():
    rng = np.random.default_rng(11)
    rejected = 0
    for trial in range(200):
        gold = rng.random(80) < 0.4
        # Two systems of one kind: either one's decisions could be the other's.
        a, b = ((rng.random(80) < np.where(gold, 0.6, 0.3)).astype(float) for _ in range(2))
        (test,) = pair_tests({"a": answer_counts(a, gold), "b": answer_counts(b, gold)}, n_resamples=400, seed=trial)
        rejected += test.p <= 0.05
    assert 0.02 <= rejected / 200 <= 0.085


def test_wrong_shapes_are_refused():
    with pytest.raises(ValueError, match="one value per answer"):
        answer_counts([1.0], [True, False])
    with pytest.raises(ValueError, match="lengths"):
        pair_tests({"a": answer_counts([1.0], [True]), "b": answer_counts([1.0, 0.0], [True, False])})
    assert isinstance(answer_counts([1.0], [True]), AnswerSums)
