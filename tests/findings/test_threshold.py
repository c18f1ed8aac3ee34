"""Thresholds chosen by cross-validation over questions, against a search by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fas.findings.threshold import best_threshold, check_threshold, cross_validated, folds_of
from fas.stats.binary import Confusion


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.2, 0.5, 0.7, 1.0]), st.booleans()), min_size=2, max_size=20))
def test_the_best_threshold_is_the_highest_of_the_best(rows):
    scores, gold = zip(*rows, strict=True)
    if all(gold) or not any(gold):
        with pytest.raises(ValueError, match="with a hallucination and answers without"):
            best_threshold(scores, gold)
        return
    tried = {t: Confusion.of([s >= t for s in scores], gold).f1 for t in scores if t > 0}
    best = best_threshold(scores, gold)
    if not tried:
        assert best == (1.0, 0.0)
        return
    assert best.f1 == pytest.approx(max(tried.values()))
    assert best.value == max(t for t, f1 in tried.items() if f1 == pytest.approx(best.f1))


def data(n=60, seed=0):
    rng = np.random.default_rng(seed)
    gold = rng.random(n) < 0.4
    return np.round(rng.random(n) * 0.6 + gold * 0.4, 2), gold, [f"q{i // 2}" for i in range(n)]


def test_every_answer_is_decided_with_a_threshold_of_other_questions():
    scores, gold, questions = data()
    found = cross_validated(scores, gold, questions)
    assert len(found.thresholds) == 5
    for fold in range(5):
        inside = found.fold == fold
        outside = {q for q, i in zip(questions, inside, strict=True) if not i}
        assert not outside & {q for q, i in zip(questions, inside, strict=True) if i}
        chosen = best_threshold(scores[~inside], gold[~inside]).value
        assert found.thresholds[fold] == chosen
        assert (found.flagged[inside] == (scores[inside] >= chosen)).all()
    assert found.in_sample == best_threshold(scores, gold)


def test_what_an_answer_scores_does_not_change_its_own_threshold():
    scores, gold, questions = data()
    before = cross_validated(scores, gold, questions)
    turned = gold.copy()
    turned[before.fold == 2] = ~turned[before.fold == 2]
    assert cross_validated(scores, turned, questions).thresholds[2] == before.thresholds[2]


def test_folds_are_dealt_out_evenly_and_by_seed():
    groups = [f"q{i}" for i in range(23)]
    assert sorted(np.bincount(folds_of(groups)).tolist()) == [4, 4, 5, 5, 5]
    assert (folds_of(groups, seed=1) == folds_of(groups, seed=1)).all()
    assert (folds_of(groups, seed=1) != folds_of(groups, seed=2)).any()


def test_fewer_than_ten_positives_refuse_to_choose_and_ask_for_a_threshold():
    with pytest.raises(ValueError, match=r"9 answers hold .* --threshold"):
        cross_validated(np.linspace(0, 1, 30), [True] * 9 + [False] * 21, [str(i) for i in range(30)])


def test_folds_outside_which_no_negative_is_left_refuse():
    # All negatives answer one question, so they are in one fold.
    questions = ["q"] * 5 + [f"p{i}" for i in range(20)]
    with pytest.raises(ValueError, match=r"fold \d of 5: outside it"):
        cross_validated(np.linspace(0, 1, 25), [False] * 5 + [True] * 20, questions)


def test_an_answer_without_a_finding_is_never_flagged():
    # Flagging everything would have the better F1 here, 2/3; but nothing was found in most of the answers.
    scores = [0.0] * 35 + [0.4] * 5
    gold = [True] * 20 + [False] * 20
    found = cross_validated(scores, gold, [str(i) for i in range(40)])
    assert not found.flagged[:35].any()
    assert all(threshold > 0 for threshold in found.thresholds)
    nothing = cross_validated([0.0] * 40, gold, [str(i) for i in range(40)])
    assert not nothing.flagged.any()
    with pytest.raises(ValueError, match="above 0"):
        check_threshold(0.0)
