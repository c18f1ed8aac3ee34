"""The rules that were measured for PMID 29915538: a result in numbers before a conclusion that compares without any."""

from __future__ import annotations

import pytest
from sklearn.metrics import f1_score

from benchmarks.embedded_models.nli.result_first import RULES, directions_read, exchanged, macro_f1
from fas.verify.features import directions

CLAIM = "Metformin increases body weight."
VAGUE = "Metformin appeared more effective on body weight than other drugs including GLP-1 agonists."
RESULT = "There was a significant reduction in body weight (WMD: -3.47 kg, P < 0.001)."


@pytest.mark.parametrize(
    ("claim", "first", "second", "by"),
    [
        (CLAIM, VAGUE, RESULT, {"numbers", "comparison", "clear"}),
        (CLAIM, RESULT, VAGUE, set()),
        (CLAIM, "Metformin acts on body weight.", RESULT, {"numbers", "clear"}),
        (CLAIM, VAGUE, "The mean age was 54.3 years.", {"numbers", "comparison"}),
        (CLAIM, "Body weight rose.", RESULT, {"numbers"}),
        ("Metformin acts on body weight.", VAGUE, RESULT, set()),
    ],
)
def test_which_rule_puts_the_second_window_first(claim, first, second, by):
    assert {rule for rule in RULES if exchanged(rule, claim, first, second)} == by


def test_words_of_praise_are_no_direction_while_they_are_read_so():
    with directions_read(without_praise=True):
        assert directions("It was more effective.") == frozenset()
        assert directions("Bleeding was more frequent, and mortality higher.") == {"up"}
    assert directions("It was more effective.") == {"up"}


def test_macro_f1_is_that_of_scikit_learn():
    gold, said = ["a", "b", "b", "c", "a"], ["a", "b", "c", "c", "b"]
    assert macro_f1(gold, said) == pytest.approx(f1_score(gold, said, average="macro"))
