"""What a sentence shows and does not name, one reader's case, and cuts that would break a sentence: real parser."""

import pytest

from fas.claims.extractor import SpacyClauses
from fas.core.records import Answer
from fas.models.parser import load_parser

PASSED_ON = "I spoke to your doctor. "


@pytest.fixture(scope="module")
def extractor():
    return SpacyClauses(nlp=load_parser())


def texts(extractor, prediction, question=None):
    return [claim.text for claim in extractor.extract([Answer("1", prediction, question)])[0]]


# Shown and not named


def test_what_the_sentence_itself_names_is_not_asked_for_elsewhere(extractor):
    sentence = "Patients with cough or fever should report these symptoms."
    assert texts(extractor, f"Aspirin thins blood. {sentence}")[-1] == sentence


def test_those_who_are_described_are_named(extractor):
    sentence = "Vaccination protects those with asthma."
    assert texts(extractor, f"Aspirin thins blood. {sentence}")[-1] == sentence


# One reader's case


@pytest.mark.parametrize(
    "sentence",
    [
        "Your doctor would like to see your mother again.",
        "Your doctor also wonders if a pump was considered.",
        "It's okay to talk openly about your feelings.",
        "If you would like to discuss this further, your doctor is here to support you.",
        "Without the records, it's challenging to provide more specific advice.",
    ],
)
def test_what_a_doctor_wants_or_offers_is_no_claim(extractor, sentence):
    assert texts(extractor, PASSED_ON + sentence) == []


# Cuts


@pytest.mark.parametrize(
    "sentence",
    [
        "Body height, weight, and head circumference are significantly related.",
        "The diagnosis is typically based on symptoms and examination by a physician.",
        "People with coeliac disease may have trouble absorbing folate, leading to folate deficiency.",
        "Antihistamines do not cure allergies, but rather help to control them.",
        "Most tumors are benign.",
    ],
)
def test_a_sentence_whose_pieces_would_say_something_else_is_one_claim(extractor, sentence):
    assert texts(extractor, sentence) == [sentence]


def test_a_prohibition_keeps_how_and_without_what(extractor):
    assert texts(extractor, "Do not abruptly stop taking sertraline without consulting a doctor.") == [
        "Patients should not abruptly stop taking sertraline without consulting a doctor."
    ]
