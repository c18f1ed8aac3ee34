"""Sentence windows of a passage and their ranking, against slow and obvious versions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fas.records import Claim, Pair, Passage
from fas.text.windows import MAX_SENTENCE_CHARS, split_passage, windows
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
