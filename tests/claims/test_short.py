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


@pytest.fixture(scope="module")
def extractor():
    return SpacyClauses(nlp=load_parser())


@pytest.mark.parametrize("sentence", STATEMENTS)
def test_a_subject_and_a_verb_are_a_claim(extractor, sentence):
    stated = sentence.replace("!", ".")
    assert [claim.text for claim in extractor.extract([Answer("1", sentence)])[0]] == [stated]


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("### Treatment\nZinc helps.", ["Zinc helps."]),
        (
            "**Avoid ibuprofen in pregnancy**\nZinc helps.",
            ["Patients should avoid ibuprofen in pregnancy.", "Zinc helps."],
        ),
        ("## Do not take warfarin with ibuprofen", ["Patients should not take warfarin with ibuprofen."]),
        ("### 1. Do Not Take Warfarin", ["Patients should not take Warfarin."]),
        ("## Warfarin interacts with aspirin", ["Warfarin interacts with aspirin."]),
        ("Zinc helps, but honey fails.", ["Zinc helps.", "Honey fails."]),
        ("### Manage Your Stress\nZinc helps.", ["Zinc helps."]),
        ("## Seek Help", []),
        ("## How metformin works", []),
        ("## If you think you have a cold\n- Call a doctor.", ["Patients should call a doctor."]),
        ("## Does metformin lower glucose", []),
        ("## Avoid these foods\n- Grapefruit", ["Patients should avoid grapefruit."]),
        ("| Drug | Dose |\n|---|---|\n| Zinc | 5 mg |\n| Iron | TODO |", ["The dose of Zinc is 5 mg."]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("question", [None, "Does zinc shorten colds?"])
def test_headings_that_state_or_advise_are_claims_and_topics_are_none(extractor, question, answer, claims):
    assert [claim.text for claim in extractor.extract([Answer("1", answer, question=question)])[0]] == claims


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
