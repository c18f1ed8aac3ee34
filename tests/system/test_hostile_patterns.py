"""No text makes a pattern of the package run on: what a line or a reply costs grows with its length."""

from __future__ import annotations

import pytest
from processor_time import at_most

from fas.llm.messages import Reply
from fas.safety.segments import segments
from fas.verify.llm_verdict import read_verdict


@pytest.mark.parametrize("n", [50, 20_000])
@pytest.mark.parametrize("unit", ["-", "--", "- ", "-- ", ":--", "--:", "|--", "--|", "-- |", ":-: "])
def test_a_row_of_dashes_before_a_word_is_cut_into_sentences_at_once(unit, n):
    with at_most(2):
        found = segments(unit * n + " Summary")
    assert found[-1].text.endswith("Summary")


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
