"""No text makes a pattern of the package run on: what a line or a reply costs grows with its length."""

from __future__ import annotations

import pytest
from processor_time import at_most

from fas.llm.messages import Reply
from fas.records import Answer
from fas.safety.checker import SafetyChecker
from fas.safety.segments import segments
from fas.verify.llm_verdict import read_verdict


@pytest.mark.parametrize("n", [50, 20_000])
@pytest.mark.parametrize("unit", ["-", "--", "- ", "-- ", ":--", "--:", "|--", "--|", "-- |", ":-: "])
def test_a_row_of_dashes_before_a_word_is_cut_into_sentences_at_once(unit, n):
    with at_most(2):
        found = segments(unit * n + " Summary")
    assert found[-1].text.endswith("Summary")


def test_the_flags_behind_a_row_of_dashes_are_found():
    with at_most(20):
        flags = SafetyChecker().check([Answer("1", "-" * 50 + " Summary\n\nTake 10 g of paracetamol every day.")])
    assert flags[0]


@pytest.mark.parametrize("n", [40, 3_000])
@pytest.mark.parametrize("tail", ["", "x", "true"])
@pytest.mark.parametrize(
    "unit",
    [
        "from text ",
        "given text ",
        "given the ",
        "from text given ",
        "from text 1 given text in text above ",
        "based on the first and ",
        "so ",
        "but the claim is that ",
        "the answer is: ",
        "from the second one because ",
        "(not ",
        "not ",
        "-> ",
    ],
)
def test_a_reply_that_names_its_source_again_and_again_is_read_at_once(unit, tail, n):
    with at_most(2):
        read_verdict(Reply(text=f"Given text {unit * n}{tail}"))


@pytest.mark.parametrize("passages", [1, 5, 10])
def test_a_verdict_behind_every_passage_it_names_is_still_read(passages):
    named = ", ".join(map(str, range(1, passages + 1)))
    assert read_verdict(Reply(text=f"According to passages {named}, the claim is true.")).truth == "true"
