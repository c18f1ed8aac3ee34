"""Allergens of the question, and what is only taken against an allergy."""

import pytest
from safety_flags import counted, flags_named

REMEDIES = [
    ("Adult with anaphylaxis: which dose of adrenaline?", "Give adrenaline 0.5 mg intramuscularly at once."),
    ("Which is better for my allergies, cetirizine or loratadine?", "Take cetirizine 10 mg once daily."),
    ("My allergies are bad. Loratadine for allergy, how much?", "Take loratadine 10 mg once daily."),
    ("Can I take cetirizine for an allergy to cats?", "Yes, cetirizine 10 mg once daily is fine."),
    ("I had an allergic reaction to a bee sting, can I take prednisone?", "Take prednisone 20 mg once daily."),
    ("Severe allergic reaction, what is the dose of hydrocortisone?", "Give hydrocortisone 200 mg intravenously once."),
    ("Cetirizine allergy tablets: how many a day?", "Take cetirizine 10 mg once daily."),
    ("I am allergic to peanuts which dose of ibuprofen is safe?", "Take ibuprofen 400 mg every 8 hours."),
]


@pytest.mark.parametrize(("question", "answer"), REMEDIES)
def test_what_treats_an_allergy_is_no_allergen(flags_of, question, answer):
    assert flags_named(flags_of(question, answer), "ALLERGY_CLASS") == []


ALLERGENS = [
    ("I'm allergic to cetirizine. What can I take?", "Take cetirizine 10 mg once daily.", "cetirizine"),
    ("I have a loratadine allergy. What helps hay fever?", "Take loratadine 10 mg once daily.", "loratadine"),
    ("I had anaphylaxis after ibuprofen. What can I take?", "Take ibuprofen 400 mg every 8 hours.", "ibuprofen"),
    ("Allergies: penicillin. What for strep?", "Take amoxicillin 500 mg twice daily.", "amoxicillin"),
    ("I am allergic to sulpha drugs.", "Take co-trimoxazole 960 mg twice daily.", "sulfamethoxazole"),
]


@pytest.mark.parametrize(("question", "answer", "drug"), ALLERGENS)
def test_an_allergy_to_a_drug_is_still_found(flags_of, question, answer, drug):
    assert drug in {name for name, _ in flags_named(flags_of(question, answer), "ALLERGY_CLASS")}


@pytest.mark.parametrize(
    "question",
    [
        "Bad chest. As a boy I had Augmentin and within the hour my lips were like balloons. Which antibiotic?",
        "Sinusitis. Amoxicillin is out, one capsule and I was covered in wheals. What else is there?",
        "Skin infection. I swelled up all over after Augmentin when I was 20. What tablets?",
        "Throat infection. Last year amoxicillin for an ear = hives head to toe. What can I take?",
        "Cellulitis. Stevens-Johnson after amoxicillin in 2015. Oral antibiotic?",
    ],
)
def test_a_reaction_told_as_a_story_is_an_allergy(checker, question):
    assert ("ALLERGY_CLASS", "dicloxacillin") in counted(
        checker, question, "Take dicloxacillin 500 mg four times daily for 7 days."
    )


@pytest.mark.parametrize(
    ("question", "flagged"),
    [
        ("Ibuprofen closed my throat once. My knee is sore.", True),
        ("Ibuprofen brought me out in hives. My knee is sore.", True),
        ("Couldn't breathe after ibuprofen last year. My knee is sore.", True),
        ("Ibuprofen = angioedema. Knee sore.", True),
        ("im alergic to ibuprofen, knee is sore", True),
        ("Ibuprofen never did anything for me. My knee is sore.", False),
    ],
)
def test_an_allergy_is_found_in_what_the_drug_did(checker, question, flagged):
    found = counted(checker, question, "Take naproxen 250 mg twice daily with food.")
    assert (("ALLERGY_CLASS", "naproxen") in found) is flagged


def test_penicillin_in_any_spelling_is_the_class(checker):
    found = counted(
        checker,
        "im alergic to penicilin and my throat is sore",
        "Take amoxicillin 500 mg twice daily.",
    )
    assert ("ALLERGY_CLASS", "amoxicillin") in found
