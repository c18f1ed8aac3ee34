"""Sentences that ask and state nothing are told by a learned table of phrases, and no verdict rests on them."""

from __future__ import annotations

import pytest

from fas.records import Claim, Pair, Passage
from fas.text.asking import is_asking
from fas.verify.choice import WindowChoice
from fas.verify.nli import NliVerifier

ASKING = [
    "We aimed to determine whether zinc shortens colds in adults.",
    "OBJECTIVE: To evaluate the efficacy of zinc lozenges in adults with colds.",
    "The purpose of this trial was to compare zinc with placebo.",
    "It remains unclear whether zinc shortens colds.",
    "We hypothesized that zinc would shorten colds.",
    "Does zinc shorten colds?",
]
STATING = [
    "Zinc shortened colds by two days.",
    "We found that zinc shortened colds by two days (P = 0.01).",
    "Take zinc within a day of the first symptoms, whether or not you have a fever.",
    "Adults with colds were randomly assigned to zinc or placebo.",
    "Zinc does not prevent pneumonia.",
    "In conclusion, zinc is no better than placebo.",
]


@pytest.fixture(scope="module")
def verifier():
    return NliVerifier(windows=2, cache=False, precision="fp32")  # whole passages are read with their aims


@pytest.mark.parametrize("sentence", ASKING)
def test_an_aim_a_question_and_a_hypothesis_ask(sentence):
    assert is_asking(sentence)


@pytest.mark.parametrize("sentence", STATING)
def test_a_result_a_method_and_advice_do_not_ask(sentence):
    assert not is_asking(sentence)


@pytest.mark.parametrize("claim", ["Zinc shortens colds.", "Zinc does not shorten colds."])
def test_what_a_study_aimed_at_neither_supports_nor_contradicts(verifier, claim):
    passage = Passage(
        "This study aimed to determine whether zinc shortens colds. " * 2, title="Does zinc shorten colds?"
    )
    (judged,) = verifier.verify([Pair(Claim(claim), passage)])
    assert (judged.p_support, judged.p_contradict, judged.sentence) == (0.0, 0.0, None)


def test_asking_sentences_are_read_where_that_is_asked_for(verifier):
    passage = Passage("We aimed to determine whether zinc shortens colds.")
    pair = Pair(Claim("Zinc shortens colds."), passage)
    everything = WindowChoice(verifier.choice.encoder, 2, reads_asking=True)
    assert [window.text for window in everything.choose([pair])[0].windows] == [passage.text]
    assert everything.left_out(passage) == ()
    assert WindowChoice(verifier.choice.encoder, 2).choose([pair])[0].windows == ()
