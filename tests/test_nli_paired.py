"""Differences between two models on the same pairs."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture(scope="module")
def paired(nli_script):
    return nli_script("paired")


GOLD = np.array(["entailment", "contradiction", "contradiction", "contradiction"])
# All called contradicted; the entailed one is the one it is least sure of.
ALL_DOWN = np.array([[0.3, 0.3, 0.4], [0.1, 0.2, 0.7], [0.2, 0.1, 0.7], [0.1, 0.1, 0.8]])


def test_balanced_accuracy_does_not_move_with_how_often_a_class_is_chosen(paired):
    found = paired.measures(GOLD, ALL_DOWN)
    assert found["accuracy"] == pytest.approx(3 / 4)
    assert found["balanced"] == pytest.approx(1 / 2)  # recalls 0 and 1
    assert found["macro_f1"] == pytest.approx((0 + 6 / 7) / 2)
    assert found["auroc"] == pytest.approx(1.0)
    assert found["chosen"] == 0.0


def test_without_neutral_the_auroc_is_that_of_entailments_share_of_the_two(paired):
    # Alone, P(entailment) puts the contradicted pair above the entailed one; beside its contradiction it does not.
    p = np.array([[0.3, 0.6, 0.1], [0.4, 0.1, 0.5]])
    assert paired.measures(np.array(["entailment", "contradiction"]), p)["auroc"] == 1.0


def test_gold_that_knows_only_support_gives_the_auroc_alone(paired):
    gold = np.array(["entailment", "not_entailment"])
    assert paired.measures(gold, np.array([[0.9, 0.1, 0.0], [0.2, 0.2, 0.6]])) == {"auroc": 1.0}


def test_a_model_beside_itself_differs_by_nothing_and_the_interval_of_another_holds_the_difference(paired):
    rng = np.random.default_rng(4)
    gold = rng.choice(["entailment", "neutral", "contradiction"], size=300)
    p, q = rng.dirichlet((1, 1, 1), size=300), rng.dirichlet((1, 1, 1), size=300)
    assert all(found[2:] == (0, 0, 0) for found in paired.differences(gold, p, p, seed=1).values())
    for own, other, difference, low, high in paired.differences(gold, p, q, seed=1).values():
        assert difference == own - other
        assert low < difference < high


def test_files_with_different_pairs_are_refused(paired, tmp_path, monkeypatch):
    for name, gold in (("a", GOLD), ("b", GOLD[::-1])):
        kept = {"scifact.gold": gold, "scifact.verifier": ALL_DOWN, "scifact.bare": ALL_DOWN}
        np.savez(tmp_path / f"{name}.npz", **kept)
    monkeypatch.setattr("sys.argv", ["paired.py", str(tmp_path / "a.npz"), str(tmp_path / "b.npz")])
    with pytest.raises(SystemExit, match="scifact: the two files hold different pairs"):
        paired.main()
