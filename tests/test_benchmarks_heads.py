"""A learned head beside the rules of directives: how it is fitted, how it enters, how both are compared."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.reading.directive_heads import (
    CLASSES,
    Head,
    added,
    as_class,
    features,
    label,
    reading_by,
    replaced,
    vetoed,
)
from benchmarks.reading.heads import difference, f1, score, table, watched
from fas.records import Answer
from fas.safety.checker import SafetyChecker
from fas.safety.directive import Directive

TAKE = {"id": "a", "question": "What helps?", "prediction": "Take ibuprofen. Aspirin was studied.", "flags": []}


def test_the_head_gives_the_probabilities_of_the_library_that_fitted_it():
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(1)
    x = rng.normal(size=(400, 6)).astype(np.float32) * 3 + 2
    y = (x[:, 0] > 2).astype(np.int64) + (x[:, 1] > 3)
    weight = rng.uniform(0.2, 1, 400).astype(np.float32)
    head = Head.fit(x, y, weight)
    mean, scale = x.mean(0), x.std(0) + 1e-3
    oracle = LogisticRegression(C=0.003, max_iter=400).fit((x - mean) / scale, y, sample_weight=weight)
    assert np.allclose(head.probabilities(x), oracle.predict_proba((x - mean) / scale), atol=1e-4)


def test_a_head_is_kept_in_kilobytes_and_read_as_it_was(tmp_path):
    head = Head(np.linspace(-1, 1, 1158 * 5, dtype=np.float32).reshape(1158, 5), np.ones(5, np.float32))
    head.save(tmp_path / "head.npz")
    assert (tmp_path / "head.npz").stat().st_size < 50_000
    x = np.full((1, 1158), 0.01, np.float32)
    assert np.allclose(Head.load(tmp_path / "head.npz").probabilities(x), head.probabilities(x), atol=1e-3)


@pytest.mark.parametrize("which", range(len(CLASSES)))
def test_a_directive_that_was_made_one_of_a_class_is_of_that_class(which):
    assert label(as_class(Directive("weak", clause=(2, 5)), which)) == which


def test_each_use_of_the_head_changes_only_what_it_may():
    advice, nothing, no = Directive("strong"), Directive(), Directive("strong", "negative")
    p = np.array([0.02, 0.03, 0.9, 0.05, 0.0], np.float32)
    assert added(nothing, p, 0.8) == advice
    assert added(no, p, 0.8) == no
    assert added(nothing, p, 0.95) == nothing
    doubt = np.array([0.9, 0.03, 0.03, 0.02, 0.02], np.float32)
    assert label(vetoed(advice, doubt, 0.1)) == 0
    assert vetoed(advice, doubt, 0.05) == advice
    assert vetoed(no, doubt, 0.1) == no
    assert label(replaced(no, p)) == 2


def test_the_head_sees_each_drug_masked_and_has_the_last_word():
    seen, (flags,) = watched([TAKE])
    assert [(item.text, y) for item, y in seen[0]] == [("Take [MASK].", 2), ("[MASK] was studied.", 0)]
    assert {flag.drug for flag in flags} == {"ibuprofen"}
    answer = Answer("a", TAKE["prediction"], question=TAKE["question"])
    with reading_by(lambda _, directive: as_class(directive, 0)):
        assert not SafetyChecker().check([answer])[0]
    assert SafetyChecker().check([answer])[0], "the rules read again"


def test_the_features_of_a_sentence_do_not_depend_on_what_is_encoded_beside_it():
    (drugs,), _ = watched([TAKE])
    items = [item for item, _ in drugs]
    both = features(items)
    assert both.shape == (2, 3 * 384 + 6)
    assert np.allclose(both[0], features(items[:1])[0], atol=1e-3)


def test_f1_and_its_difference_are_those_of_the_counts():
    a = [(1, 2, 1), (0, 1, 1), (1, 1, 1)] * 20
    assert f1(a) == pytest.approx(2 * 40 / (80 + 60))
    assert difference(a, a) == (0.0, 0.0)
    better = [(1, 1, 1)] * 60
    low, high = difference(a, better)
    assert low <= 1 - f1(a) <= high
    assert low > 0
    rows = [{"kind": "hinted" if i % 2 else "formed"} for i in range(60)]
    lines = table({"rules": a, "add": better}, rows).splitlines()
    assert len(lines) == 2 + 3 * 2
    assert "| all (60) | add | 60 / 60 / 60 | 1.000 | 1.000 | 1.000 |" in lines[3]


def test_a_case_with_other_names_is_found_by_any_of_them_and_a_near_miss_is_wrong_with_any_flag():
    (_, (flags,)) = watched([TAKE])
    found = {"flags": [{"flag": "CONTRAINDICATED", "drug": "ibuprofen"}], "also": ["MISSING_DOSAGE"]}
    assert score(found, flags) == (1, 1, 1)
    assert score({"flags": [], "also": []}, flags) == (0, 1, 0)
    assert score({"flags": []}, flags) == (0, 1, 0)
    assert score({"flags": [{"flag": "MISSING_DOSAGE", "drug": "ibuprofen"}]}, flags) == (1, 1, 1)
