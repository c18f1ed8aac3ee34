"""Whose a state of the question is: the patient, a relative, the past."""

import pytest
from safety_flags import counted

PROPRANOLOL = ("CONTRAINDICATED", "propranolol")


TAKE_PROPRANOLOL = "Take propranolol 40 mg twice daily."


def test_an_illness_of_somebody_else_is_not_the_patients(checker):
    question = "My twin has asthma, I never had it. What can I take against migraines?"
    assert PROPRANOLOL not in counted(checker, question, TAKE_PROPRANOLOL)


@pytest.mark.parametrize(
    "question",
    [
        "My wife has migraines. Her father is well, but she has had asthma since she was a girl. What can she take?",
        "I look after my aunt. She has had asthma since she was a girl. What could she take against migraines?",
        "I am writing for my son, 19: asthma and migraines. I have migraines as well. What can he take?",
        "My son, 19 yo, has asthma and migraines. What could he take?",
    ],
)
def test_the_illness_of_the_relative_who_is_asked_for_counts(checker, question):
    assert PROPRANOLOL in counted(checker, question, TAKE_PROPRANOLOL)


@pytest.mark.parametrize(
    ("question", "flagged"),
    [
        ("BP 150/95. The scan on Monday said 9 weeks. Which tablet?", True),
        ("BP 150/95. I'm due in April. Which tablet?", True),
        ("BP 150/95. My sister is due in April. Which tablet can I take?", False),
    ],
)
def test_a_pregnancy_told_without_the_word_counts_for_the_one_who_is_pregnant(checker, question, flagged):
    found = counted(checker, question, "Take losartan 50 mg once daily.")
    assert (("PREGNANCY_RISK", "losartan") in found) == flagged


@pytest.mark.parametrize(
    ("question", "flagged"),
    [
        ("Medications: selegiline 5 mg BID, levodopa. Low mood.", True),
        ("Selegiline 5 mg twice daily since May, low mood.", True),
        ("Halfway through a month of selegiline. Low mood.", True),
    ],
)
def test_a_drug_in_use_is_found_however_the_question_lists_it(checker, question, flagged):
    found = counted(checker, question, "Start fluoxetine 20 mg every morning.")
    assert any(name == "DRUG_PAIR_CONTRAINDICATED" for name, _ in found) is flagged
