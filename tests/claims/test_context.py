"""What a claim needs to stand alone, and what is dropped or kept whole because it could not: whole answers, real parser."""

# ruff: noqa: E501 - a sentence is easier to read on one line

import pytest

from fas.claims.extractor import SpacyClauses
from fas.core.records import Answer
from fas.models.parser import load_parser


@pytest.fixture(scope="module")
def extractor():
    return SpacyClauses(nlp=load_parser())


def texts(extractor, prediction, question=None):
    claims = extractor.extract([Answer("1", prediction, question)])[0]
    for claim in claims:
        assert prediction[claim.start : claim.end].strip()
    return [claim.text for claim in claims]


# Pointing back


def test_a_sentence_that_points_back_is_a_claim_without_the_one_before_it(extractor):
    found = texts(extractor, "Ibuprofen can cause stomach bleeding. This is more likely in older adults.")
    assert found == ["Ibuprofen can cause stomach bleeding.", "This is more likely in older adults."]


def test_what_points_at_nothing_that_was_claimed_is_a_claim_as_it_stands(extractor):
    found = texts(extractor, "Aspirin thins the blood.\n\nWhat about alcohol? This can be dangerous.")
    assert found == ["Aspirin thins the blood.", "This can be dangerous."]


def test_a_cited_finding_keeps_its_hedge(extractor):
    sentence = "Some studies suggest that zinc shortens colds."
    assert texts(extractor, sentence) == [sentence]


def test_what_still_holds_several_statements_is_marked(extractor):
    prediction = "The drug reduced strokes by 25% and deaths by 27%. Aspirin thins blood."
    assert [claim.compound for claim in extractor.extract([Answer("1", prediction)])[0]] == [True, False]


def test_the_first_sentence_of_an_answer_points_at_the_question_and_is_kept(extractor):
    assert texts(extractor, "It can cause drowsiness.") == ["It can cause drowsiness."]


def test_what_means_or_comes_because_is_said_without_the_pointer(extractor):
    found = texts(
        extractor,
        "Statins lower cholesterol. This means that they can prevent heart attacks. This is because plaques stop growing.",
    )
    assert found[-1] == "Plaques stop growing."


# Pronouns


def test_a_side_effect_is_not_what_should_not_be_used(extractor):
    found = texts(
        extractor, "The most common side effect of metformin is nausea. It should not be used in kidney failure."
    )
    assert found[-1] == "It should not be used in kidney failure."


# One reader's case


@pytest.mark.parametrize(
    "sentence",
    [
        "I spoke to your doctor. They would like to see you again.",
        "I had the same pain last year.",
        "Your fever was high.",
        "You should not worry about the result.",
        "The question does not say which drug is meant.",
    ],
)
def test_what_is_told_of_writer_and_reader_is_no_claim(extractor, sentence):
    assert texts(extractor, sentence) == []


# Kept whole


@pytest.mark.parametrize(
    "sentence",
    [
        "A common symptom of the infection is itching in and around the vagina.",
        "The device is worn over the nose and mouth.",
        "Aleve can cause stomach or intestinal bleeding.",
        "The drug reduced strokes by 25% and deaths by 27%.",
        "Other symptoms can include pain and discomfort during intercourse.",
        "Antibiotics are prescribed based on the type of infection and its severity.",
        "Bacteria can form colonies where they can change and become harder to kill.",
        "Obesity can change the heart's structure and function.",
    ],
)
def test_a_list_that_loses_its_meaning_in_pieces_is_one_claim(extractor, sentence):
    assert texts(extractor, sentence) == [sentence]


def test_an_if_clause_that_the_parser_took_for_the_main_one_does_not_lose_the_sentence(extractor):
    sentence = "If the brown rash is spreading, has a raised border or is accompanied by other signs such as fever, chills, or swelling, it is essential to see a dermatologist."
    assert texts(extractor, sentence) == [sentence]


# Seams

# Later findings


def test_commands_of_which_one_points_at_the_other_stay_together(extractor):
    found = texts(extractor, "Clean the wound with soap and water and keep it dry.")
    assert found == ["Patients should clean the wound with soap and water and keep it dry."]


@pytest.mark.parametrize("word", ["Nobody", "Everybody"])
def test_nobody_is_what_no_pronoun_stands_for(extractor, word):
    found = texts(extractor, f"{word} knows why. It is a very common drug.")
    assert found[-1] == "It is a very common drug."


def test_you_in_a_title_is_nobody(extractor):
    found = texts(extractor, 'The most cited paper is "Attention Is All You Need" by Vaswani.')
    assert found == ['The most cited paper is "Attention Is All You Need" by Vaswani.']


@pytest.mark.parametrize(
    ("told", "claims"),
    [
        (
            "They suspect that your rash is caused by an allergy.",
            ["It is likely that a patient's rash is caused by an allergy."],
        ),
        ("They think it might be due to earwax.", ["It might be due to earwax."]),
        ("They do not think that antibiotics help.", ["It is unlikely that antibiotics help."]),
        ("They recommend using a cream.", ["It is recommended to use a cream."]),
        ("They recommend rest and fluids.", ["Rest is recommended.", "Fluids are recommended."]),
        ("They recommend that you have a urinalysis.", ["It is recommended that patients have a urinalysis."]),
        ("They strongly advise against smoking.", ["A doctor strongly advises against smoking."]),
        (
            "They believe that it is gout and would like to test.",
            ["A doctor believes that it is gout and would like to test."],
        ),
    ],
)
def test_what_a_doctor_thinks_or_recommends_is_said_without_the_doctor_and_keeps_its_hedge(extractor, told, claims):
    assert texts(extractor, f"I spoke to your doctor. {told}") == claims


@pytest.mark.parametrize("own", ["They took a look at your results.", "They will work with you to find a solution."])
def test_what_a_doctor_does_for_this_reader_is_no_claim(extractor, own):
    assert texts(extractor, f"I spoke to your doctor. {own}") == []


def test_they_behind_a_plural_are_not_the_doctor(extractor):
    found = texts(extractor, "I spoke to your doctor. Low cell counts are harmless. They raise the risk of infections.")
    assert found[-1] == "Low cell counts raise the risk of infections."


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Type 2 diabetes is a chronic disease. It is caused by genes.", "Type 2 diabetes is caused by genes."),
        ("AhR, or aryl hydrocarbon receptor, is a protein. It binds dioxins.", "AhR binds dioxins."),
        ("- Corticosteroids: These are drugs that ease pain.", "Corticosteroids are drugs that ease pain."),
        ("**Metformin lowers glucose:** It acts on the liver.", "Metformin acts on the liver."),
    ],
)
def test_it_is_the_subject_before_in_the_number_of_its_verb(extractor, first, second):
    assert texts(extractor, first)[-1] == second


def test_it_that_is_not_known_stands_for_what_follows(extractor):
    found = texts(extractor, "Saffron is a spice. It is not known if saffron helps.")
    assert found[-1] == "It is not known if saffron helps."


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
        "Melatonin helps people fall asleep and stay asleep.",
    ],
)
def test_verbs_joined_in_a_clause_without_that_stay_together(extractor, sentence):
    assert texts(extractor, sentence) == [sentence]


def test_the_documents_that_a_sentence_is_taken_from_are_no_part_of_it(extractor):
    found = texts(extractor, "According to Document [1], Document [2], and Document [13], zinc shortens colds.")
    assert found == ["Zinc shortens colds."]


def test_effects_shown_are_the_effects_named_before(extractor):
    found = texts(extractor, "Common side effects of Saxenda include nausea. These side effects are usually mild.")
    assert found[-1] == "Common side effects of Saxenda are usually mild."


def test_they_who_may_test_are_the_provider_who_was_to_be_seen(extractor):
    found = texts(extractor, "It is important to consult a healthcare provider. They may recommend a blood test.")
    assert found[-1] == "A doctor may recommend a blood test."


def test_a_step_whose_label_says_its_command_again_is_not_said_of_the_label(extractor):
    found = texts(
        extractor,
        "How to choose a clinic:\n\n1. **Shortlist**: Shortlist three clinics near you.\n2. **Review**: Review their ratings.",
    )
    assert not any(" is shortlist" in text.lower() or " is review" in text.lower() for text in found)


def test_what_a_doctor_does_not_believe_is_unlikely(extractor):
    said = "I spoke to your doctor. They don't think that the cyst is cancer."
    assert texts(extractor, said) == ["It is unlikely that the cyst is cancer."]


def test_a_denial_in_front_does_not_lose_the_sentence(extractor):
    assert texts(extractor, "Not necessarily, muscle pain is caused by work.") == ["Muscle pain is caused by work."]


def test_it_stands_for_what_is_shown(extractor):
    said = "Rivastigmine is safe. It has been shown that sleep helps."
    assert texts(extractor, said)[1] == "It has been shown that sleep helps."
