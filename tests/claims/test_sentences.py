"""Sentence boundaries: what may never, may and must end a sentence."""

import pytest

from fas.reading.mapped import Mapped
from fas.reading.sentences import boundaries, rough_sentences


def sentences(text):
    return [sentence.text for sentence in rough_sentences(Mapped.whole(text))]


@pytest.mark.parametrize(
    "whole",
    [
        "Give 0.5 mg/kg q8h for 7 days.",
        "Use an NSAID, e.g. ibuprofen, for pain.",
        "Dr. Smith and Mrs. Jones agree.",
        "Compare warfarin vs. heparin here.",
        "That is a lot, i.e. more than 4 g.",
        "It takes approx. 5 ml of water.",
        "See Fig. 2 and Smith et al. 2019 for more.",
        "The strain E. coli causes it.",
        "Take no. 5 first.",
        "Values above 1.5 are high.",
        "1. Take it with food.",
    ],
)
def test_abbreviations_decimals_and_doses_never_split(whole):
    assert sentences(whole) == [whole]


def test_plain_stops_split():
    assert sentences("It helps. It is safe! Is it? Yes.") == ["It helps.", "It is safe!", "Is it?", "Yes."]


def test_a_letter_that_belongs_to_a_name_ends_a_sentence_and_an_initial_does_not():
    assert sentences("Babies need vitamin D. Milk has little. Most have influenza A. It passes.") == [
        "Babies need vitamin D.",
        "Milk has little.",
        "Most have influenza A.",
        "It passes.",
    ]
    assert boundaries(["vitamin", "D", ".", "Milk"], [True, False, True, True])[3] is True
    assert boundaries(["by", "D", ".", "Smith"], [True, False, True, True])[3] is None
    assert boundaries(["group", "E", ".", "coli"], [True, False, True, True])[3] is False


def test_a_stop_within_quotes_splits_after_the_quote():
    assert sentences('He said "rest." Then he left.') == ['He said "rest."', "Then he left."]


def test_the_parser_is_asked_where_an_abbreviation_may_end_a_sentence():
    words = ["Take", "5", "mg", ".", "Then", "rest", "."]
    spaces = [True, True, False, True, True, False, False]
    assert boundaries(words, spaces) == [True, False, False, False, None, False, False]


def test_before_a_small_letter_the_parser_decides_and_only_after_a_plain_word():
    words = ["It", "helps", ".", "and", "more"]
    assert boundaries(words, [True, False, True, True, False])[3] is None
    words = ["Take", "5", "mg", ".", "and", "more"]
    assert boundaries(words, [True, True, False, True, True, False])[4] is False
    assert sentences("It helps. and more") == ["It helps. and more"]


def test_offsets_survive_splitting():
    text = "Rest helps. Ice too."
    spans = [sentence.span() for sentence in rough_sentences(Mapped.whole(text, 100))]
    assert spans == [(100, 111), (112, 120)]
