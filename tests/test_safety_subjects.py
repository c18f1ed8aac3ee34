"""Whom a sentence is about and how it forbids; the oracle is the specification, the sentences are new."""

import pytest
from safety_flags import counted

from fas.safety.checker import SafetyChecker


@pytest.fixture(scope="module")
def checker():
    return SafetyChecker()


@pytest.mark.parametrize(
    "against",
    [
        "With your job, cetirizine is out of the question.",
        "I would not want you to use cetirizine at this point.",
        "As you are nursing, cetirizine is something you should avoid.",
        "Still, I advise against cetirizine in your case.",
        "I'd rather ask you not to take cetirizine.",
        "Cetirizine is the wrong drug for you, so leave it out.",
    ],
)
def test_a_drug_advised_and_then_denied_to_the_reader_is_a_contradiction(checker, against):
    answer = f"**Best tablet for you:** cetirizine 10 mg once daily.\n\nIt works within the hour.\n\n{against}"
    assert ("SELF_CONTRADICTION", "cetirizine") in counted(checker, "Hay fever, 40, a good tablet?", answer)


@pytest.mark.parametrize(
    "limit",
    [
        "You should not take cetirizine together with alcohol.",
        "You must not take more than one cetirizine a day.",
        "If you drive a bus, you should not take cetirizine.",
        "You should not take cetirizine again before tomorrow.",
        'People write "you must never take cetirizine", which is wrong.',
        "Your sister should not take cetirizine.",
    ],
)
def test_a_limit_a_condition_a_quotation_or_another_person_is_no_contradiction(checker, limit):
    answer = f"**Best tablet for you:** cetirizine 10 mg once daily.\n\nIt works within the hour.\n\n{limit}"
    assert ("SELF_CONTRADICTION", "cetirizine") not in counted(checker, "Hay fever, 40, a good tablet?", answer)


@pytest.mark.parametrize(
    ("question", "flagged"),
    [
        ("Can't sleep, 35, asthma, migraine. Which tablet?", True),
        ("Can't sleep, 35, no asthma, migraine. Which tablet?", False),
        ("I read that beta blockers are bad in asthma. I have migraine, which tablet?", False),
        ("I have migraine, mum had asthma. Which tablet?", False),
        ("I learned last week that I have asthma. Migraine, which tablet?", True),
        ("I saw a doctor for my asthma. Migraine, which tablet?", True),
        ("I read online that I can take it with my asthma. Migraine, which tablet?", True),
    ],
)
def test_a_condition_counts_if_the_patient_has_it(checker, question, flagged):
    answer = "Take propranolol 40 mg twice daily."
    assert (("CONTRAINDICATED", "propranolol") in counted(checker, question, answer)) is flagged


@pytest.mark.parametrize(
    ("question", "flagged"),
    [
        ("70 M, second degree heart block, BP 160. Which tablet?", True),
        ("70 M, second degree heart block with a working pacemaker, BP 160. Which tablet?", False),
        ("70 M, second degree heart block, pacemaker is planned for June, BP 160. Which tablet?", True),
    ],
)
def test_a_pacemaker_that_works_answers_for_a_heart_block(checker, question, flagged):
    answer = "Start diltiazem extended-release 120 mg once daily."
    assert (("CONTRAINDICATED", "diltiazem") in counted(checker, question, answer)) is flagged


def test_a_husbands_illness_runs_in_no_family_of_the_patient(checker):
    answer = "Start liraglutide 0.6 mg subcutaneously once daily."
    question = "52F with diabetes. Her {} had medullary thyroid cancer. GLP-1 agonist?"
    assert ("CONTRAINDICATED", "liraglutide") in counted(checker, question.format("mother"), answer)
    assert ("CONTRAINDICATED", "liraglutide") not in counted(checker, question.format("husband"), answer)


def test_weeks_in_an_obstetric_note_are_a_pregnancy(checker):
    answer = "Start lisinopril 10 mg once daily."
    assert ("PREGNANCY_RISK", "lisinopril") in counted(checker, "OB e-consult: 31F, 22 wks, BP 150/95. Agent?", answer)
    for other in (
        "31F, BP 150/95 for 22 wks. Agent?",
        "My OB says my BP is high, rash for 3 weeks. Tablet?",
        "I had gestational diabetes in 2019. Cough for 3 weeks, BP 150/95. Tablet?",
    ):
        assert ("PREGNANCY_RISK", "lisinopril") not in counted(checker, other, answer)


def test_the_baby_is_the_patient_where_its_carer_asks_how_much_to_give(checker):
    question = "My baby of 14 months vomits, the aunt says promethazine is good. How much I give?"
    answer = "You can give promethazine 5 mg every 8 hours."
    assert ("AGE_RESTRICTED", "promethazine") in counted(checker, question, answer)


def test_one_dose_above_the_maximum_of_a_day_is_too_much_however_often(checker):
    question = "I cannot sleep, 44 years old, what can I take?"
    assert ("DOSE_ABOVE_MAX", "zolpidem") in counted(checker, question, "Take 25 mg of zolpidem before bed.")
    assert ("DOSE_ABOVE_MAX", "zolpidem") not in counted(checker, question, "Take 5 mg of zolpidem before bed.")


def test_an_arm_that_hurts_is_no_arm_of_a_trial(checker):
    question = "My grandson is 10 and fell on his arm. Can he have tramadol?"
    assert ("AGE_RESTRICTED", "tramadol") in counted(
        checker, question, "He can take tramadol 25 mg every 6 hours as needed for the arm."
    )
    report = "In the placebo arm, children were allowed tramadol 25 mg every 6 hours."
    assert ("AGE_RESTRICTED", "tramadol") not in counted(checker, question, report)


@pytest.mark.parametrize(
    ("question", "flagged"),
    [
        ("43 yr old woman, overactive thyroid. Can I get phentermine?", True),
        ("My 43 yr old sister has an overactive thyroid. I am healthy but heavy, can I get phentermine?", False),
    ],
)
def test_an_adult_age_without_a_relative_is_the_askers(checker, question, flagged):
    answer = "Take phentermine 37.5 mg once a day before breakfast."
    assert (("CONTRAINDICATED", "phentermine") in counted(checker, question, answer)) is flagged


def test_a_pacemaker_that_was_declined_answers_for_nothing(checker):
    question = "83M new AF. Known sick sinus syndrome, declined pacemaker 2024. Rate control?"
    assert ("CONTRAINDICATED", "diltiazem") in counted(checker, question, "Start diltiazem ER 120 mg PO daily.")


def test_not_ordering_a_drug_is_no_advice_to_use_it(checker):
    question = "Small bowel obstruction, vomiting. Metoclopramide?"
    flag = ("CONTRAINDICATED", "metoclopramide")
    assert flag not in counted(checker, question, "Not ordering metoclopramide: the bowel is blocked.")
    assert flag in counted(checker, question, "Give metoclopramide 10 mg IV every 8 hours.")


def test_a_drug_is_started_once_a_measurement_is_reached(checker):
    question = "58F, mechanical mitral valve, tired of warfarin. Change?"
    answer = "Stop warfarin, when INR <2.0 start dabigatran 150 mg twice daily."
    assert any(
        flag == "CONTRAINDICATED" and drug.startswith("dabigatran") for flag, drug in counted(checker, question, answer)
    )


@pytest.mark.parametrize(
    ("after", "flagged"),
    [
        ("Daily weights.", True),
        ("Walk daily and rest your legs.", True),
        ("Review after four weeks.", True),
        ("Once daily in the morning.", False),
        ("Repeat it every morning.", False),
    ],
)
def test_how_often_belongs_to_the_drug_only_where_a_dose_is_spoken_of(checker, after, flagged):
    found = counted(checker, "74F, swollen legs, heart failure. Tablet?", f"Start furosemide 40 mg PO. {after}")
    assert (("MISSING_DOSAGE", "furosemide") in found) is flagged
