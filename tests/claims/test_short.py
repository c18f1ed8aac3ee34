"""Short statements about drugs are claims, also where the parser has never met the name."""

import pytest

from fas.claims.extractor import SpacyClauses
from fas.core.records import Answer
from fas.models.parser import load_parser

STATEMENTS = [
    "Niraparib prolongs survival.",
    "The drug prolongs survival.",
    "Statins lower cholesterol.",
    "Iron treats anemia.",
    "Insulin controls glucose.",
    "Fiber eases constipation.",
    "Vitamin D strengthens bones.",
    "Amlodipine widens blood vessels.",
    "Pembrolizumab extends life.",
    "Ibuprofen relieves pain.",
    "Orlistat blocks fat absorption.",
    "Zortivane worsens reflux in older adults.",
    "Quellimab halves the risk of a stroke.",
    "This helps prevent kidney stones.",
    "Zinc may help shorten colds.",
]
NO_STATEMENTS = ["Common side effects.", "Blood pressure targets.", "Options in adults.", "Blood sugar levels."]


@pytest.fixture(scope="module")
def extractor():
    return SpacyClauses(nlp=load_parser())


@pytest.mark.parametrize("sentence", STATEMENTS)
def test_a_subject_a_verb_and_an_object_are_a_claim(extractor, sentence):
    assert [claim.text for claim in extractor.extract([Answer("1", sentence)])[0]] == [sentence]


@pytest.mark.parametrize("fragment", NO_STATEMENTS)
def test_a_compound_of_nouns_is_none(extractor, fragment):
    assert extractor.extract([Answer("1", fragment)])[0] == []


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("Take 5 µg of vitamin D. Aspirin cannot cure colds.",
         ["Patients should take 5 µg of vitamin D.", "Aspirin cannot cure colds."]),
        ("Most cases are influenza A. Antivirals shorten it.",
         ["Most cases are influenza A.", "Antivirals shorten it."]),
        ("The vaccine protects against hepatitis A.", ["The vaccine protects against hepatitis A."]),
    ],
)  # fmt: skip
def test_a_sentence_that_ends_in_the_letter_of_a_name_is_a_claim_by_itself(extractor, answer, claims):
    assert [claim.text for claim in extractor.extract([Answer("1", answer)])[0]] == claims
