"""Thresholds chosen by cross-validation over questions, against a search by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fas.detectors.threshold import best_threshold, cross_validate_threshold
from fas.stats.binary import Confusion


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.2, 0.5, 0.7, 1.0]), st.booleans()), min_size=2, max_size=20))
def test_the_best_threshold_is_the_highest_of_the_best(rows):
    scores, gold = zip(*rows, strict=True)
    if all(gold) or not any(gold):
        with pytest.raises(ValueError, match="with and without a hallucination"):
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
    found = cross_validate_threshold(scores, gold, questions)
    assert len(found.thresholds) == 5
    for fold in range(5):
        inside = found.fold == fold
        outside = {q for q, i in zip(questions, inside, strict=True) if not i}
        assert not outside & {q for q, i in zip(questions, inside, strict=True) if i}
        chosen = best_threshold(scores[~inside], gold[~inside]).value
        assert found.thresholds[fold] == chosen
        assert (found.flagged[inside] == (scores[inside] >= chosen)).all()
    assert found.in_sample == best_threshold(scores, gold)


def test_fewer_than_ten_positives_refuse_to_choose_and_ask_for_a_threshold():
    with pytest.raises(ValueError, match=r"9 answers hold .* --threshold"):
        cross_validate_threshold(np.linspace(0, 1, 30), [True] * 9 + [False] * 21, [str(i) for i in range(30)])
