"""The short names of Python give what the parts of a run give."""

import doctest

import pytest

import fas
from fas.pipeline import single


def test_the_examples_of_the_docstrings_hold():
    assert doctest.testmod(single).attempted >= 2
    assert doctest.testmod(single).failed == 0


def test_claims_and_flags_of_one_text_are_those_of_a_scored_answer():
    text = "Take 10 g of paracetamol a day. Aspirin relieves pain and lowers fever."
    question = "What helps against pain?"
    report = fas.score_answers(
        [{"prediction": text, "question": question, "passages": ["Aspirin relieves pain."]}],
        verify="lexical",
        n_resamples=20,
    )
    (answer,) = report.answers
    assert [verdict.claim.text for verdict in answer.verdicts] == [
        claim.text for claim in fas.extract_claims(text, question=question)
    ]
    assert list(answer.flags) == fas.check_safety(text, question=question)


def test_reasoning_is_no_part_of_the_text():
    assert fas.check_safety("<think>Take 10 g of paracetamol a day.</think>Rest.") == []


def test_a_misspelt_name_carries_what_python_needs_to_suggest_the_right_one():
    with pytest.raises(AttributeError) as raised:
        _ = fas.check_saftey
    assert (raised.value.name, raised.value.obj) == ("check_saftey", fas)
