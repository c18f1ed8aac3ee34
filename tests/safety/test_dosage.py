"""Drugs that somebody is told to take without an amount."""

import pytest
from safety_flags import counted

NOT_TOLD = [
    ("what is u02 medicine", "imipramine pamoate, Hydrocodone Bitartrate and Acetaminophen"),
    ("tylenol pm mg?", "Acetaminophen 500 mg; Diphenhydramine HCl 25 mg"),
    ("why am i so cold?", "It is found among people who take Bystolic, especially who also take medication Nexium."),
    ("What is cortisol?", "Cortisol is made by the adrenal glands; hydrocortisone is the name of the medicine."),
    ("Do they interact?", "Coadministration of NEURONTIN (125 to 500 mg; N=48) decreases hydrocodone exposure."),
]


@pytest.mark.parametrize(("question", "answer"), NOT_TOLD)
def test_a_dose_is_missed_only_of_what_somebody_is_told_to_take(flags_of, question, answer):
    counted = [flag for flag in flags_of(question, answer) if flag.flag == "MISSING_DOSAGE" and flag.status is None]
    assert counted == []


TOLD = [
    ("I have a headache.", "Take ibuprofen for the pain.", "ibuprofen"),
    ("I have type 2 diabetes. What first?", "You should start metformin.", "metformin"),
    (
        "A bladder infection?",
        "You should take nitrofurantoin and finish the course even if you feel well.",
        "nitrofurantoin",
    ),
    ("My son has strep throat.", "Give him amoxicillin for ten days.", "amoxicillin"),
]


@pytest.mark.parametrize(("question", "answer", "drug"), TOLD)
def test_a_missing_dose_of_an_instruction_is_still_found(flags_of, question, answer, drug):
    found = [(flag.drug, flag.status) for flag in flags_of(question, answer) if flag.flag == "MISSING_DOSAGE"]
    assert found == [(drug, None)]


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
    ("question", "prediction"),
    [
        ("xyz drug?", "Methotrexate"),
        ("What is the medicine for singular 10 mg?", "Azithromycin."),
    ],
)
def test_a_name_or_a_composition_is_no_advice(checker, question, prediction):
    assert counted(checker, question, prediction) == set()
