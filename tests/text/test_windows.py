"""Sentence windows of a passage and their ranking, against slow and obvious versions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fas.records import Claim, Pair, Passage
from fas.text.windows import MAX_SENTENCE_CHARS, RIVAL_MARGIN, SHARED_WORDS, nearest, split_passage, windows
from fas.verify.choice import WindowChoice

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


def taken_by_hand(claim, vectors, candidates, n, shared):
    """Greedy choice, step by step: the windows taken, their cosines, and how near others came."""
    cosines, values = [], []
    for window, share in zip(candidates, shared, strict=True):
        mean = sum(vectors[i] for i in window.sentences) / len(window.sentences)
        cosines.append(float(mean @ claim / max(np.linalg.norm(mean), 1e-12)))
        late = window.sentences[-1] / (len(vectors) - 1)
        values.append(cosines[-1] + 0.3 * share + 0.12 * late + (0.04 if len(window.sentences) == 2 else 0.0))
    taken, gap = [], float("inf")
    while len(taken) < n:
        used = {i for t in taken for i in candidates[t].sentences}
        free = [i for i, window in enumerate(candidates) if not used & set(window.sentences)]
        if not free:
            break
        free.sort(key=lambda i: -values[i])
        if len(free) > 1:
            gap = min(gap, values[free[0]] - values[free[1]])
        taken.append(free[0])
    return taken, cosines, gap


NOTHING_SHARED = np.zeros(6)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_windows_taken_are_those_of_a_plain_loop(n):
    rng = np.random.default_rng(n)
    sentences = split_passage(ABSTRACT)
    candidates = windows(ABSTRACT, sentences)
    for _ in range(20):
        vectors, claim, shared = unit(rng.normal(size=(4, 8))), unit(rng.normal(size=8)), rng.random(6)
        expected, cosines, gap = taken_by_hand(claim, vectors, candidates, n, shared)
        found = nearest(claim, vectors, candidates, n, shared=shared)
        assert list(found.windows) == [candidates[i] for i in expected]
        assert found.cosines == pytest.approx([cosines[i] for i in expected], abs=1e-6)
        assert found.closest == pytest.approx(max(cosines), abs=1e-6)
        assert found.gap == pytest.approx(gap, abs=1e-6)


def test_windows_that_are_taken_do_not_overlap():
    rng = np.random.default_rng(3)
    candidates = windows(ABSTRACT, split_passage(ABSTRACT))
    for _ in range(50):
        found = nearest(unit(rng.normal(size=8)), unit(rng.normal(size=(4, 8))), candidates, 3, shared=rng.random(6))
        read = [i for window in found.windows for i in window.sentences]
        assert len(read) == len(set(read))


def test_whatever_a_small_change_of_all_values_would_take_is_among_the_rivals():
    rng = np.random.default_rng(4)
    passage = Passage(" ".join(f"Sentence number {i} was written." for i in range(9)))
    candidates = windows(passage, split_passage(passage))
    changed = 0
    for _ in range(300):
        # Nearly equal sentences, so that the change decides often.
        vectors, claim = unit(1 + 0.02 * rng.normal(size=(9, 6))), unit(np.ones(6))
        shared = 0.03 * rng.random(len(candidates)) + 0.4 * np.array([-w.sentences[-1] / 8 for w in candidates])
        found = nearest(claim, vectors, candidates, 2, shared=shared)
        moved = shared + (RIVAL_MARGIN / 2 / SHARED_WORDS) * rng.uniform(-1, 1, size=len(candidates))
        again = nearest(claim, vectors, candidates, 2, shared=moved)
        changed += again.windows != found.windows
        assert set(again.windows) <= set(found.rivals)
    assert changed > 30


def test_many_equal_sentences_are_chosen_from_in_no_time():
    passage = Passage("It rained. " * 5000)
    candidates = windows(passage, split_passage(passage))
    same = unit(np.ones((5000, 3)))
    found = nearest(same[0], same, candidates, 2, shared=np.zeros(len(candidates)))
    # The last two, because nothing but their place tells them apart.
    assert [window.sentences for window in found.windows] == [(4998, 4999), (4996, 4997)]


def test_equals_keep_the_order_of_the_text_and_no_more_than_fit_beside_each_other_are_taken():
    same = unit(np.ones((4, 3)))
    level = [window for window in windows(ABSTRACT, split_passage(ABSTRACT)) if len(window.sentences) == 1]
    against_place = np.array([0.4 * (1 - window.sentences[-1] / 3) for window in level])
    assert list(nearest(same[0], same, level, 2, shared=against_place).windows) == level[:2]
    assert len(nearest(same[0], same, level, 99, shared=np.zeros(4)).windows) == 4
    assert nearest(same[0], same, [], 2, shared=np.zeros(0)).windows == ()


def test_the_gap_counts_the_first_window_left_out_and_is_infinite_for_a_single_one():
    candidates = windows(ABSTRACT, split_passage(ABSTRACT))
    same = unit(np.ones((4, 3)))
    # Sentences 2 and 3 stand at the end, and so does 3 alone: 0.04 tell them apart.
    assert nearest(same[0], same, candidates, 1, shared=NOTHING_SHARED).gap == pytest.approx(0.04, abs=1e-6)
    assert nearest(same[0], same, candidates[:1], 1, shared=NOTHING_SHARED[:1]).gap == float("inf")


def test_vectors_that_cancel_out_are_no_division_by_zero():
    candidates = windows(ABSTRACT, split_passage(ABSTRACT))
    vectors = unit([[1.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [1.0, 0.0]])
    found = nearest(unit([1.0, 0.0]), vectors, candidates, len(candidates), shared=NOTHING_SHARED)
    assert all(np.isfinite(cosine) for cosine in found.cosines)


def choice(n):
    """Chooses among windows all of which are equally similar to any claim."""

    class Same:
        def embed(self, texts):
            return unit(np.ones((len(texts), 3)))

    return WindowChoice(Same(), n)


def test_of_equally_similar_windows_the_one_that_holds_the_claims_words_is_read():
    passage = Passage("Zinc shortened colds. Taste was altered. Nobody left the study. It was paid for by a charity.")
    asked = [Pair(Claim("Zinc shortens a cold."), passage), Pair(Claim("Patients left the study early."), passage)]
    first, second = choice(1).choose(asked)
    assert first.windows[0].text.startswith("Zinc shortened colds.")
    assert "Nobody left the study." in second.windows[0].text


def test_a_claim_without_words_is_read_against_the_end_of_the_passage():
    (found,) = choice(1).choose([Pair(Claim("?"), Passage("Pain fell. Nausea was common. We conclude that it works."))])
    assert found.windows[0].text == "Nausea was common. We conclude that it works."
