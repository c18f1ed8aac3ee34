"""Sentence windows of a passage and their ranking, against slow and obvious versions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fas.records import Passage
from fas.verify.windows import MAX_SENTENCE_CHARS, nearest, split_passage, windows

ABSTRACT = Passage("Aspirin was given. Pain fell by half. No bleeding was seen.", title="A trial of aspirin")


def test_the_title_stands_alone_and_sentences_come_alone_and_in_neighbouring_pairs():
    found = windows(ABSTRACT, split_passage(ABSTRACT))
    assert [window.text for window in found] == [
        "A trial of aspirin",
        "Aspirin was given.",
        "Aspirin was given. Pain fell by half.",
        "Pain fell by half.",
        "Pain fell by half. No bleeding was seen.",
        "No bleeding was seen.",
    ]
    assert [window.sentences for window in found] == [(0,), (1,), (1, 2), (2,), (2, 3), (3,)]
    assert (found[0].start, found[0].end) == (None, None)


def test_offsets_point_into_the_text_of_the_passage():
    for window in windows(ABSTRACT, split_passage(ABSTRACT))[1:]:
        assert ABSTRACT.text[window.start : window.end] == window.text


@pytest.mark.parametrize("passage", [Passage(""), Passage(" \n "), Passage("", title="  ")])
def test_a_passage_without_text_has_no_window(passage):
    assert windows(passage, split_passage(passage)) == []


def test_a_passage_with_nothing_but_a_title_is_read_through_it():
    passage = Passage("", title=" Only a title ")
    assert [window.text for window in windows(passage, split_passage(passage))] == ["Only a title"]


@pytest.mark.parametrize("space", [" ", "\n", "\t"])
def test_an_endless_sentence_is_broken_at_white_space(space):
    passage = Passage(space.join(["word"] * 1000))
    sentences = split_passage(passage)
    assert all(len(text) <= MAX_SENTENCE_CHARS for text in sentences.texts)
    assert [word for text in sentences.texts for word in text.split()] == ["word"] * 1000


def test_a_word_longer_than_a_sentence_may_be_is_cut_and_nothing_is_lost():
    passage = Passage("x" * 2000)
    assert "".join(split_passage(passage).texts) == passage.text


@given(st.lists(st.sampled_from(["word ", "x" * 700, ". ", "\n", "A", "é", "  "]), max_size=60).map("".join))
def test_pieces_are_in_order_and_cover_everything_but_space(text):
    spans = [span for span in split_passage(Passage(text)).spans if span is not None]
    kept = "".join(text[start:end] for start, end in spans)
    assert "".join(kept.split()) == "".join(text.split())
    assert all(end - start <= MAX_SENTENCE_CHARS for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


def unit(rows):
    rows = np.asarray(rows, dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def test_the_nearest_windows_are_those_of_a_plain_loop():
    rng = np.random.default_rng(1)
    for _ in range(20):
        sentences = split_passage(ABSTRACT)
        candidates = windows(ABSTRACT, sentences)
        vectors, claim = unit(rng.normal(size=(4, 8))), unit(rng.normal(size=8))
        cosines = []
        for window in candidates:
            mean = sum(vectors[i] for i in window.sentences) / len(window.sentences)
            cosines.append(float(mean @ claim / np.linalg.norm(mean)))
        expected = sorted(range(len(candidates)), key=lambda i: -cosines[i])[:3]
        found = nearest(claim, vectors, candidates, 3)
        assert list(found.windows) == [candidates[i] for i in expected]
        assert found.cosines == pytest.approx([cosines[i] for i in expected], abs=1e-6)
        fourth = sorted(cosines, reverse=True)[:4]
        assert found.gap == pytest.approx(min(a - b for a, b in pairwise(fourth)), abs=1e-6)


def test_equals_keep_the_order_of_the_text_and_fewer_than_asked_are_all_there_is():
    candidates = windows(ABSTRACT, split_passage(ABSTRACT))
    same = unit(np.ones((4, 3)))
    assert list(nearest(same[0], same, candidates, 2).windows) == candidates[:2]
    assert len(nearest(same[0], same, candidates, 99).windows) == len(candidates)
    assert nearest(same[0], same, [], 2).windows == ()


def test_the_gap_counts_the_first_window_left_out_and_is_infinite_for_a_single_one():
    candidates = windows(ABSTRACT, split_passage(ABSTRACT))
    same = unit(np.ones((4, 3)))
    assert nearest(same[0], same, candidates, 1).gap == pytest.approx(0.0, abs=1e-6)
    assert nearest(same[0], same, candidates[:1], 1).gap == float("inf")


def test_vectors_that_cancel_out_are_no_division_by_zero():
    candidates = windows(ABSTRACT, split_passage(ABSTRACT))
    vectors = unit([[1.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [1.0, 0.0]])
    found = nearest(unit([1.0, 0.0]), vectors, candidates, len(candidates))
    assert all(np.isfinite(cosine) for cosine in found.cosines)
