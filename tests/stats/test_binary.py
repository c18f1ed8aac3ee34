"""Decisions against gold: the published tables from their counts, a bootstrap by a plain loop, the type-I rate."""

from __future__ import annotations

import csv
import itertools
import math

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from fas.detectors.detection_text import count_significant
from fas.stats.binary import Confusion, answer_counts, binary_summaries, pair_tests
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


def systems(n=40, seed=1):
    rng = np.random.default_rng(seed)
    gold = rng.random(n) < 0.3
    a, b = ((rng.random(n) < np.where(gold, 0.7, rate)) for rate in (0.2, 0.4))
    return gold, a.astype(float), b.astype(float)


def f1_of(flagged, gold):
    hits, total = (flagged & gold).sum(), flagged.sum() + gold.sum()
    return 2 * hits / total if gold.any() else math.nan


def test_p_of_few_answers_is_that_of_all_swaps_of_the_two_systems():
    gold, a, b = systems(n=12, seed=4)
    assert 6 <= int((a != b).sum()) <= 12
    (test,) = pair_tests({"a": answer_counts(a, gold), "b": answer_counts(b, gold)}, n_resamples=4096)

    def gap(first, second):
        return abs(f1_of(first.astype(bool), gold) - f1_of(second.astype(bool), gold))

    swaps = [np.array(one, dtype=bool) for one in itertools.product((0, 1), repeat=12)]
    reached = [gap(np.where(swap, b, a), np.where(swap, a, b)) >= gap(a, b) - 1e-12 for swap in swaps]
    assert test.p >= np.mean(reached) - 1e-12
    assert (test.low <= 0 <= test.high) == (test.p > 0.05)


def test_recall_and_precision_have_clopper_and_pearsons_limits():
    gold = [True] * 30 + [False] * 30
    found = binary_summaries({"x": answer_counts([0.0] * 57 + [1.0] * 3, gold)})["x"]
    assert (found["recall"].mean, found["recall"].how) == (0.0, "exact")
    assert (found["recall"].low, found["recall"].high) == pytest.approx(proportion_confint(0, 30, method="beta"))
    assert (found["precision"].low, found["precision"].high) == pytest.approx(proportion_confint(0, 3, method="beta"))
    assert found["f1"].high > 0.03


def test_the_recall_of_what_flags_everything_is_no_estimate():
    gold = [True] * 3 + [False] * 9
    found = binary_summaries({"all": answer_counts(np.ones(12), gold)}, always=["all"])["all"]
    assert (found["recall"].mean, found["recall"].how) == (1.0, "none: 1 by construction")
    assert math.isnan(found["recall"].low)
    assert found["precision"].low < 0.25 < found["precision"].high


def test_without_positives_recall_and_f1_are_undefined():
    found = binary_summaries({"x": answer_counts([1.0, 0.0], [False, False])})["x"]
    assert math.isnan(found["recall"].mean)
    assert math.isnan(found["f1"].mean)
    assert found["precision"].mean == 0.0
    assert math.isnan(Confusion(0, 1, 0, 1).f1)


def printed_table_3(root):
    """Both halves of the printed square: mental health above the diagonal, prenatal care below it."""
    lines = (root / "benchmarks" / "detectors" / "table3.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split()[1:] for line in lines]
    pairs = [(i, j) for i in range(len(rows)) for j in range(i + 1, len(rows))]
    return {(i, j): float(rows[i][j]) for i, j in pairs}, {(i, j): float(rows[j][i]) for i, j in pairs}


def test_table_3_has_56_and_45_significant_pairs_and_what_is_left_after_adjusting(root):
    mental, prenatal = printed_table_3(root)
    assert len(mental) == len(prenatal) == 105
    assert (count_significant(mental), count_significant(prenatal)) == (56, 45)
    for pairs, strict, discovery in ((mental, 21, 50), (prenatal, 8, 27)):
        p = list(pairs.values())
        assert int((holm(p) <= 0.05).sum()) == strict
        assert int((benjamini_hochberg(p) <= 0.05).sum()) == discovery
    # Every printed p is a multiple of 1 / 5000.
    assert all(round(value * 5000) == pytest.approx(value * 5000) for value in (*mental.values(), *prenatal.values()))


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
