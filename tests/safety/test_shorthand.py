"""Notes, tables and lay words as people write them; the oracle is the specification, the sentences are new."""

import pytest
from safety_flags import counted

from fas.safety.checker import SafetyChecker
from fas.safety.doses import find_doses


@pytest.fixture(scope="module")
def checker():
    return SafetyChecker()


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


def test_a_positive_test_is_a_condition(checker):
    found = counted(checker, "HIV, HLA-B*5701 positive.", "Start abacavir 600 mg once daily.")
    assert ("CONTRAINDICATED", "abacavir") in found


@pytest.mark.parametrize(
    ("prediction", "flag"),
    [
        ("Commence apixaban for stroke prevention.", True),
        ("A handy trick is to take famotidine before supper.", True),
        ("Use Flonase, a steroid spray, in each nostril every morning.", True),
        ("Commence apixaban 5 mg twice daily. Repeat bloods in one month.", False),
        ("Apixaban 5 mg bd.", False),
        ("Take apixaban, one 5 mg film-coated tablet twice a day.", False),
    ],
)
def test_what_is_advised_without_an_amount_is_flagged(checker, prediction, flag):
    found = counted(checker, "What should I take?", prediction)
    assert any(name == "MISSING_DOSAGE" for name, _ in found) is flag


def test_a_yes_with_a_dose_gives_the_dose_of_the_drug_asked_about(checker):
    found = counted(checker, "Can I take loratadine for my hay fever?", "Yes, 10 mg once daily is fine for you.")
    assert found == set()


@pytest.mark.parametrize(
    "prediction",
    [
        "Loratadine 10 mg once daily is fine for you while nursing. Loratadine should never be used while nursing.",
        "Take loratadine 10 mg once daily. You should not take loratadine for hay fever.",
        "**Take**\n- loratadine 10 mg once daily\n\n**Do not take**\n- loratadine",
        "**You can take**\n- loratadine 10 mg once daily\n\n**You should not take**\n- loratadine",
    ],
)
def test_advice_taken_back_for_the_same_purpose_contradicts_itself(checker, prediction):
    assert ("SELF_CONTRADICTION", "loratadine") in counted(
        checker, "What helps my hay fever while nursing?", prediction
    )


@pytest.mark.parametrize("rejected", ["is out for you", "is off the table", "is a non-starter", "is not on the cards"])
def test_a_drug_that_is_out_is_advised_against(checker, rejected):
    assert counted(checker, "Anaphylaxis from penicillin. Sore throat.", f"Amoxicillin {rejected}.") == set()


@pytest.mark.parametrize(
    ("text", "unit"),
    [("875/125 mg twice daily", "combination"), ("49/51 mg daily", "combination"), ("5 mg daily", "mg")],
)
def test_the_amounts_of_a_combination_are_an_amount_without_a_mass(text, unit):
    (amount,) = find_doses(text).amounts
    assert amount.unit == unit
    assert (amount.mg is None) is (unit == "combination")


@pytest.mark.parametrize(
    ("question", "prediction"),
    [
        ("xyz drug?", "Methotrexate"),
        ("What is the medicine for singular 10 mg?", "Azithromycin."),
    ],
)
def test_a_name_or_a_composition_is_no_advice(checker, question, prediction):
    assert counted(checker, question, prediction) == set()
