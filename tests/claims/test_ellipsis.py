"""Predicates of which only the auxiliary is left: no claim says `patients should not` and nothing more."""

import pytest

from fas.claims.extractor import SpacyClauses
from fas.core.records import Answer
from fas.models.parser import load_parser


@pytest.fixture(scope="module")
def extractor():
    return SpacyClauses(nlp=load_parser())


def texts(extractor, prediction, question=None):
    return [claim.text for claim in extractor.extract([Answer("1", prediction, question)])[0]]


@pytest.mark.parametrize(
    "sentence",
    [
        "Aspirin is safe in this setting, but ibuprofen is not.",
        "Bacterial conjunctivitis responds to antibiotics; viral conjunctivitis does not.",
        "Metformin does not cause weight gain, whereas insulin does.",
        "Penicillin is associated with more allergic reactions, whereas cefuroxime is not.",
        "Morphine can cause constipation, and so can codeine.",
        "Statins are not safe in pregnancy, and neither are ACE inhibitors.",
        "Type 1 diabetes cannot be prevented, but type 2 diabetes can.",
        "Women have a risk of ovarian cancer that men do not have.",
    ],
)
def test_a_sentence_in_which_one_verb_serves_two_subjects_stays_whole(extractor, sentence):
    assert texts(extractor, sentence) == [sentence]


@pytest.mark.parametrize(
    ("question", "answer", "claim"),
    [
        ("Are antibiotics effective in colds?", "No, they aren't.", "Antibiotics are not effective in colds."),
        ("Can aspirin cause ulcers?", "Yes, it can.", "Aspirin can cause ulcers."),
        ("Can aspirin cause ulcers?", "No, it cannot.", "Aspirin cannot cause ulcers."),
        ("Is gout a form of arthritis?", "Yes, it certainly is!", "Gout is a form of arthritis."),
    ],
)
def test_a_decision_that_echoes_the_question_says_what_the_question_asks(extractor, question, answer, claim):
    assert texts(extractor, answer, question) == [claim]
