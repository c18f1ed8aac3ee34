"""The labelled verdicts: what they hold, and that what is measured on trains nothing."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from benchmarks.verdicts.labels import HERE, held_out_cases, held_out_contrast, is_held_out, read_rows, training_pairs
from recipes.verifier.calibrate import (
    FEATURES,
    Labelled,
    Rows,
    called,
    case_probabilities,
    contradiction_threshold,
    fit,
    folds,
    measure,
    share_bias,
    support_threshold,
)
from recipes.verifier.quotes import quotes_of

REASONS = {
    "S": {"plain", "inferred"},
    "C": {"plain", "inferred"},
    "N": {"off_topic", "related", "part", "hedge", "aim", "bad"},
}


@pytest.mark.parametrize("name", ["cases.jsonl.gz", "cases_after_15.jsonl.gz"])
def test_every_case_has_a_label_with_a_reason_of_the_codebook_and_the_passage_that_decides(name):
    for row in read_rows(HERE / name):
        assert row["why"] in REASONS[row["label"]], row["case"]
        assert (row["passage"] is None) == (row["label"] == "N"), row["case"]
        assert row["passage"] is None or 1 <= row["passage"] <= len(row["passages"]), row["case"]
        assert row["weight"] > 0


@pytest.mark.parametrize("name", ["contrast.jsonl.gz", "contrast_after_15.jsonl.gz"])
def test_every_contrast_claim_has_a_label_a_question_and_one_passage(name):
    for row in read_rows(HERE / name):
        assert row["label"] in REASONS, row["case"]
        assert row["question"].strip(), row["case"]
        assert row["claim"].strip(), row["case"]
        assert row["passage"]["text"].strip(), row["case"]


def test_there_are_thousands_of_negated_supported_contradicted_and_partly_supported_claims():
    codes = Counter(row.get("code") for row in read_rows(HERE / "contrast.jsonl.gz"))
    assert codes["sn"] >= 900
    assert codes["c"] + codes["cn"] >= 1500
    assert codes["p"] >= 900


def test_no_claim_of_a_held_out_question_trains():
    trained = {pair.claim for pair in training_pairs()}
    held = [row for row in (*held_out_cases(), *held_out_contrast()) if row["claim"] in trained]
    # The same words may be a claim of another question.
    assert len(held) < 20
    assert all(is_held_out(row["question"]) for row in held)


def test_the_threshold_of_support_has_the_highest_f_with_precision_counted_twice():
    p = np.array([0.95] * 20 + [0.72] * 10 + [0.55] * 10)
    right = np.array([True] * 20 + [True] * 8 + [False] * 2 + [False] * 10)
    # F0.5 by hand: at 0.5 28 of 40 and all 28, 0.745; at 0.6 28 of 30, 0.946; at 0.75 20 of 20 and 20 of 28, 0.926.
    assert support_threshold(p, right, np.ones(40)) == pytest.approx(0.6)


def test_the_lowest_threshold_at_which_half_of_the_contradictions_are_right_is_chosen():
    p = np.array([0.95] * 5 + [0.72] * 5 + [0.55] * 10)
    right = np.array([True] * 4 + [False] + [True] * 2 + [False] * 3 + [False] * 10)
    # Of those at 0.5 and above 6 of 20 are right, at 0.56 and above 6 of 10.
    assert contradiction_threshold(p, right, np.ones(20)) == pytest.approx(0.56)


def test_precision_recall_and_bands_by_hand():
    labels = np.array([0, 0, 1, 2])
    p = np.array([[0.9, 0.0], [0.4, 0.1], [0.75, 0.0], [0.1, 0.8]])
    found = measure(labels, called(p, 0.7, 0.7), np.array([1.0, 1.0, 2.0, 1.0]), p)
    assert found["S"]["precision"] == pytest.approx(1 / 3)
    assert found["S"]["recall"] == pytest.approx(1 / 2)
    assert found["C"]["precision"] == found["C"]["recall"] == 1.0
    assert found["bands"]["0.7"] == {"right": 0, "n": 1, "weighted": 0.0, "mean_p": 0.75}


def test_quotes_stand_in_their_passage_and_changed_ones_do_not():
    rows = quotes_of(held_out_cases()[:12])
    assert {row["label"] for row in rows} == {"S", "C"}
    for row in rows:
        assert (row["claim"] in row["passage"]["text"]) == (row["label"] == "S")
        assert is_held_out(row["question"])


def test_quotes_raise_support_where_they_lie_and_leave_contradiction_as_it_was():
    rng = np.random.default_rng(7)

    def labelled(n, middle, label):
        x = rng.normal(0.0, 1.0, (n, len(FEATURES)))
        x[:, 0] += middle
        y = np.full(n, label) if label is not None else rng.integers(0, 3, n)
        x[:, 2] += y == 2
        x[:, 0] += y == 0
        rows = Rows(x, np.arange(n), np.ones(n, dtype=bool))
        return Labelled(rows, y, np.ones(n), np.arange(n) % 5, np.ones(n, dtype=bool), np.arange(n))

    cases, contrast = labelled(300, 0.0, None), labelled(300, 0.0, None)
    quotes, none = labelled(200, 3.0, 0), labelled(0, 0.0, 0)
    plain, taught = (case_probabilities(quotes.rows, 200, fit(cases, contrast, own, None)) for own in (none, quotes))
    assert taught[:, 0].mean() > plain[:, 0].mean()
    assert taught[:, 1] == pytest.approx(plain[:, 1])


def test_cases_of_one_question_share_a_fold():
    fold = folds(["a", "b", "a", "c", "b"])
    assert fold[0] == fold[2]
    assert fold[1] == fold[4]


def test_the_bias_of_a_share_by_hand_and_its_interval_by_questions_instead_of_claims():
    # Of weight 10, labels support 4 and verdicts 1 + 2; a claim of weight 1 is contradicted, and none is called so.
    labels, said = np.array([0, 0, 1, 2, 1]), np.array([0, 1, 0, 1, 1])
    weights = np.array([1.0, 3.0, 2.0, 1.0, 3.0])
    found = share_bias(labels, said, weights, np.arange(5))
    assert found["support"]["mean"] == pytest.approx(-0.1)
    assert found["contra"]["mean"] == pytest.approx(-0.1)
    assert found["unsupported"]["mean"] == pytest.approx(0.2)
    rng = np.random.default_rng(3)
    labels, said = rng.integers(0, 3, (2, 60))
    once = share_bias(labels, said, np.ones(60), np.arange(60))
    four_times = share_bias(np.repeat(labels, 4), np.repeat(said, 4), np.ones(240), np.repeat(np.arange(60), 4))
    for name, one in once.items():
        assert (four_times[name]["low"], four_times[name]["high"]) == pytest.approx((one["low"], one["high"]))
