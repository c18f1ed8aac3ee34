"""What a pronoun stands for, and patients for `you`."""

import pytest
from claim_texts import texts


def test_a_sentence_that_points_back_is_a_claim_without_the_one_before_it(extractor):
    found = texts(extractor, "Ibuprofen can cause stomach bleeding. This is more likely in older adults.")
    assert found == ["Ibuprofen can cause stomach bleeding.", "This is more likely in older adults."]


def test_what_points_at_nothing_that_was_claimed_is_a_claim_as_it_stands(extractor):
    found = texts(extractor, "Aspirin thins the blood.\n\nWhat about alcohol? This can be dangerous.")
    assert found == ["Aspirin thins the blood.", "This can be dangerous."]


def test_the_first_sentence_of_an_answer_points_at_the_question_and_is_kept(extractor):
    assert texts(extractor, "It can cause drowsiness.") == ["It can cause drowsiness."]


def test_a_side_effect_is_not_what_should_not_be_used(extractor):
    found = texts(
        extractor, "The most common side effect of metformin is nausea. It should not be used in kidney failure."
    )
    assert found[-1] == "It should not be used in kidney failure."


@pytest.mark.parametrize("word", ["Nobody", "Everybody"])
def test_nobody_is_what_no_pronoun_stands_for(extractor, word):
    found = texts(extractor, f"{word} knows why. It is a very common drug.")
    assert found[-1] == "It is a very common drug."


def test_you_in_a_title_is_nobody(extractor):
    found = texts(extractor, 'The most cited paper is "Attention Is All You Need" by Vaswani.')
    assert found == ['The most cited paper is "Attention Is All You Need" by Vaswani.']


def test_they_behind_a_plural_are_not_the_doctor(extractor):
    found = texts(extractor, "I spoke to your doctor. Low cell counts are harmless. They raise the risk of infections.")
    assert found[-1] == "Low cell counts raise the risk of infections."


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Type 2 diabetes is a chronic disease. It is caused by genes.", "Type 2 diabetes is caused by genes."),
        ("- Corticosteroids: These are drugs that ease pain.", "Corticosteroids are drugs that ease pain."),
        ("**Metformin lowers glucose:** It acts on the liver.", "Metformin acts on the liver."),
    ],
)
def test_it_is_the_subject_before_in_the_number_of_its_verb(extractor, first, second):
    assert texts(extractor, first)[-1] == second


def test_it_that_is_not_known_stands_for_what_follows(extractor):
    found = texts(extractor, "Saffron is a spice. It is not known if saffron helps.")
    assert found[-1] == "It is not known if saffron helps."


def test_effects_shown_are_the_effects_named_before(extractor):
    found = texts(extractor, "Common side effects of Saxenda include nausea. These side effects are usually mild.")
    assert found[-1] == "Common side effects of Saxenda are usually mild."


def test_they_who_may_test_are_the_provider_who_was_to_be_seen(extractor):
    found = texts(extractor, "It is important to consult a healthcare provider. They may recommend a blood test.")
    assert found[-1] == "A doctor may recommend a blood test."


def test_it_stands_for_what_is_shown(extractor):
    said = "Rivastigmine is safe. It has been shown that sleep helps."
    assert texts(extractor, said)[1] == "It has been shown that sleep helps."


def test_what_the_sentence_itself_names_is_not_asked_for_elsewhere(extractor):
    sentence = "Patients with cough or fever should report these symptoms."
    assert texts(extractor, f"Aspirin thins blood. {sentence}")[-1] == sentence


def test_those_who_are_described_are_named(extractor):
    sentence = "Vaccination protects those with asthma."
    assert texts(extractor, f"Aspirin thins blood. {sentence}")[-1] == sentence
