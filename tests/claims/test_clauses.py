"""Short statements and fragments, also where the parser has never met the name."""

import pytest
from claim_texts import texts

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
    "Zinc helps.",
    "Symptoms improved!",
]


NO_STATEMENTS = [
    "Muscle aches",
    "It works.",
    "Zinc is.",
    "Common side effects.",
    "Blood pressure targets.",
    "Options in adults.",
    "Blood sugar levels.",
]


@pytest.mark.parametrize("sentence", STATEMENTS)
def test_a_subject_and_a_verb_are_a_claim(extractor, sentence):
    stated = sentence.replace("!", ".")
    assert texts(extractor, sentence) == [stated]


@pytest.mark.parametrize("fragment", NO_STATEMENTS)
def test_a_compound_of_nouns_is_none(extractor, fragment):
    assert texts(extractor, fragment) == []


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
    assert texts(extractor, answer) == claims


@pytest.mark.parametrize("text", ["Warfarin and aspirin increase bleeding.", "Cats and dogs chase mice."])
def test_a_sentence_whose_verb_the_tagger_takes_for_a_noun_is_a_claim(extractor, text):
    assert texts(extractor, text) == [text]
