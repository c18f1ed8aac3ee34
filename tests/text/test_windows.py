"""Sentences and sentence windows of a passage."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from fas.core.records import Passage
from fas.text.windows import MAX_SENTENCE_CHARS, split_passage, windows

ABSTRACT = Passage("Aspirin was given. Pain fell by half. No bleeding was seen.", title="A trial of aspirin")


def test_the_title_is_a_window_alone_and_sentences_come_alone_and_in_neighbouring_pairs():
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
