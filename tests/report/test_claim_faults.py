"""Detectors of faulty claims, on claims written for each kind."""

import pytest

from fas.core.records import Answer, Claim
from fas.report.claim_faults import inspect_claims, is_incomplete, is_unverifiable, loses_condition

VALID = [
    "Ibuprofen reduces fever.",
    "Taking ibuprofen helps the pain.",
    "Patients should call a doctor if fever lasts.",
    "It is important to eat well.",
    "Drinking plenty of fluids is recommended.",
    "Common side effects of metformin include nausea.",
]


@pytest.mark.parametrize("text", VALID)
def test_a_valid_claim_has_no_fault(text):
    found = inspect_claims([Claim(text, 0, len(text))], Answer("1", text))
    assert found.faults == (frozenset(),)
    assert found.omitted == ()


@pytest.mark.parametrize(
    "text",
    [
        "I had this pain too.",
        "You are experiencing pain.",
        "Hello and thank you for asking.",
        "His liver is damaged.",
        "Is it safe?",
        "You mentioned a rash.",
    ],
)
def test_events_feelings_and_talk_are_unverifiable(text):
    assert is_unverifiable(text)


@pytest.mark.parametrize(
    "text", ["Nausea.", "Fever and the.", "If fever lasts.", "Pain in the chest.", "Side effects include."]
)
def test_fragments_are_incomplete(text):
    assert is_incomplete(text)


def test_a_lost_condition_makes_a_claim_incomplete():
    source = "If you have a rash, the tablets should be stopped."
    assert loses_condition("The tablets should be stopped.", source)
    assert not loses_condition("If patients have a rash, the tablets should be stopped.", source)
    found = inspect_claims([Claim("The tablets should be stopped.", 20, len(source))], Answer("1", source))
    assert "incomplete" in found.faults[0]


def test_words_from_nowhere_are_hallucinated():
    answer = Answer("1", "Ibuprofen reduces fever.", "What is ibuprofen?")
    found = inspect_claims([Claim("Ibuprofen cures cancer quickly.", 0, 10)], answer)
    assert "hallucinated" in found.faults[0]


def test_the_second_of_two_equal_claims_and_the_part_of_a_longer_one_are_redundant():
    answer = Answer("1", "Ibuprofen reduces fever and pain.")
    claims = [
        Claim("Ibuprofen reduces fever.", 0, 24),
        Claim("Ibuprofen reduces a fever.", 0, 24),
        Claim("Ibuprofen reduces fever and pain.", 0, 33),
    ]
    found = inspect_claims(claims, answer)
    assert ["redundant" in faults for faults in found.faults] == [True, True, False]


def test_a_statement_that_no_claim_touches_is_omitted():
    prediction = "Ibuprofen reduces fever. Aspirin thins the blood. How are you?"
    found = inspect_claims([Claim("Ibuprofen reduces fever.", 0, 24)], Answer("1", prediction))
    assert [prediction[span.start : span.end] for span in found.omitted] == ["Aspirin thins the blood."]
