"""What is taken apart, what it shares, and what stays whole because its pieces would say something else."""

# ruff: noqa: E501 - a sentence is easier to read on one line

import pytest
from claim_texts import texts

from fas.core.records import Answer


def test_what_still_holds_several_statements_is_marked(extractor):
    prediction = "The drug reduced strokes by 25% and deaths by 27%. Aspirin thins blood."
    assert [claim.compound for claim in extractor.extract([Answer("1", prediction)])[0]] == [True, False]


@pytest.mark.parametrize(
    "sentence",
    [
        "A common symptom of the infection is itching in and around the vagina.",
        "The drug reduced strokes by 25% and deaths by 27%.",
        "Other symptoms can include pain and discomfort during intercourse.",
        "Bacteria can form colonies where they can change and become harder to kill.",
        "The Achilles tendon is involved in activities such as running and jumping.",
        "He met a former classmate, who gave him an unknown drug.",
    ],
)
def test_a_list_that_loses_its_meaning_in_pieces_is_one_claim(extractor, sentence):
    assert texts(extractor, sentence) == [sentence]


def test_an_if_clause_that_the_parser_took_for_the_main_one_does_not_lose_the_sentence(extractor):
    sentence = "If the brown rash is spreading, has a raised border or is accompanied by other signs such as fever, chills, or swelling, it is essential to see a dermatologist."
    assert texts(extractor, sentence) == [sentence]


def test_verbs_joined_behind_that_share_their_subject(extractor):
    found = texts(extractor, "Studies have shown that statins can lower cholesterol and reduce inflammation.")
    assert found == [
        "Studies have shown that statins can lower cholesterol.",
        "Studies have shown that statins can reduce inflammation.",
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "Bright lights make people wake up and stay awake.",
    ],
)
def test_verbs_joined_in_a_clause_without_that_stay_together(extractor, sentence):
    assert texts(extractor, sentence) == [sentence]


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
    "sentence",
    [
        "Body height, weight, and head circumference are significantly related.",
        "The diagnosis is typically based on symptoms and examination by a physician.",
        "People with coeliac disease may have trouble absorbing folate, leading to folate deficiency.",
        "Semaglutide reduced deaths in people with obesity and without diabetes.",
        "Antihistamines do not cure allergies, but rather help to control them.",
        "Most tumors are benign.",
    ],
)
def test_a_sentence_whose_pieces_would_say_something_else_is_one_claim(extractor, sentence):
    assert texts(extractor, sentence) == [sentence]


@pytest.mark.parametrize(
    ("sentence", "second"),
    [
        # some of the cases
        ("In some cases, surgery is needed, but most patients recover without it.",
         "Most patients recover without it."),
        # another group of people
        # a place of its own
        ("In the liver, paracetamol is metabolised, and the metabolites are excreted in urine.",
         "The metabolites are excreted in urine."),
        # of the text, not of the matter
        ("In general, paracetamol is safe, but ibuprofen is risky.", "Ibuprofen is risky."),
        # a date
        ("In 2019, surgeons used the device, and the company sold it.", "The company sold it."),
        # another time
        ("In mice, the vaccine prevented infection, but trials are needed.", "Trials are needed."),
    ],
)  # fmt: skip
def test_a_circumstance_of_the_first_clause_alone_stays_with_it(extractor, sentence, second):
    assert texts(extractor, sentence)[-1] in {second, sentence}  # apart and without it, or not taken apart


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("During pregnancy, ibuprofen is not recommended, but paracetamol is safe.",
         ["During pregnancy, ibuprofen is not recommended.", "During pregnancy, paracetamol is safe."]),
        (
            "In children under 12, codeine should be avoided, and tramadol is not recommended.",
            [
                "In children under 12, codeine should be avoided.",
                "In children under 12, tramadol is not recommended.",
            ],
        ),
        ("In adults, the dose is 10 mg, and children should take 5 mg.",
         ["In adults, the dose is 10 mg.", "Children should take 5 mg."]),
        ("- **Under 3 months:** Call a doctor.", ["Under 3 months, patients should call a doctor."]),
    ],
)  # fmt: skip
def test_a_condition_or_population_in_front_is_carried_into_every_part(extractor, text, claims):
    assert texts(extractor, text) == claims
