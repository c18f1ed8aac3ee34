"""A learned table of phrases finds sentences that ask and state nothing."""

from __future__ import annotations

import pytest

from fas.text.asking import is_asking

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


@pytest.mark.parametrize("sentence", ASKING)
def test_an_aim_a_question_and_a_hypothesis_ask(sentence):
    assert is_asking(sentence)


@pytest.mark.parametrize("sentence", STATING)
def test_a_result_a_method_and_advice_do_not_ask(sentence):
    assert not is_asking(sentence)
