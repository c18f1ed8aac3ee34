"""Questions told as stories and answers that agree, order or lay out in tables; the oracle is the specification."""

import pytest
from safety_flags import counted

from fas.safety.checker import SafetyChecker

PROPRANOLOL = ("CONTRAINDICATED", "propranolol")
TAKE_PROPRANOLOL = "Take propranolol 40 mg twice daily."


@pytest.fixture(scope="module")
def checker():
    return SafetyChecker()


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
        ("BP 150/95. The scan on Monday said 9 weeks. Which tablet?", True),
        ("BP 150/95. I'm due in April. Which tablet?", True),
        ("BP 150/95. My sister is due in April. Which tablet can I take?", False),
    ],
)
def test_a_pregnancy_told_without_the_word_counts_for_the_one_who_is_pregnant(checker, question, flagged):
    found = counted(checker, question, "Take losartan 50 mg once daily.")
    assert (("PREGNANCY_RISK", "losartan") in found) == flagged


ASTHMA = "I have asthma and migraines. What can I take?"


@pytest.mark.parametrize(
    "prediction",
    [
        "**Propranolol 40 mg twice daily.**\n\nDrink enough water.",
        "**Propranolol 40 mg twice daily**\n\nDrink enough water.",
        "My pick: propranolol.",
        "**Short answer:** propranolol, 40 mg twice daily.",
        "Yes, that is fine for you: propranolol 40 mg twice daily is the usual tablet.",
        "You'd be fine with propranolol 40 mg twice daily.",
        "You can offer propranolol 40 mg twice daily; it is taken with water.",
        "Propranolol is an old tablet. In your situation I'd begin it at 40 mg twice daily.",
        "| Problem | Plan |\n|---|---|\n| Migraine | Take propranolol 40 mg twice daily |",
        "- **Medication** – start propranolol 40 mg twice daily.",
        "A dependable choice for you is propranolol 40 mg twice daily.",
        "| Week | Propranolol |\n|---|---|\n| 1-2 | 40 mg once daily |\n| 3-4 | 40 mg twice daily |",
        "Go for it. The dose of propranolol is 40 mg twice daily.",
        "Propranolol is what they mean. Here is how I would take it:\n- Week 1: 40 mg once daily\n- Then: twice daily",
    ],
)
def test_advice_without_a_verb_of_advice_beside_the_drug_is_advice(checker, prediction):
    assert PROPRANOLOL in counted(checker, ASTHMA, prediction)


@pytest.mark.parametrize(
    "prediction",
    [
        "Do not co-administer propranolol 40 mg with salbutamol.",
        "| | Propranolol | Topiramate |\n|---|---|---|\n| Usual dose | 40 mg twice daily | 50 mg twice daily |",
    ],
)
def test_what_is_quoted_or_forbidden_in_such_forms_is_no_advice(checker, prediction):
    assert PROPRANOLOL not in counted(checker, ASTHMA, prediction)


def test_the_rows_of_a_day_are_added_up(checker):
    rows = "| Meal | Metformin |\n|---|---|\n" + "".join(
        f"| {m} | {{0}} mg |\n" for m in ("Breakfast", "Lunch", "Dinner", "Night")
    )
    question = "49, diabetes, kidneys fine. How high can I go with metformin?"
    assert ("DOSE_ABOVE_MAX", "metformin") in counted(checker, question, rows.format("1,000"))
    assert ("DOSE_ABOVE_MAX", "metformin") not in counted(checker, question, rows.format("500"))


def test_a_count_of_tablets_has_the_strength_that_stands_before_it(checker):
    question = "Dust mites, nose drips all day. 26, healthy. What can I take?"
    answer = "Take loratadine 10 mg, {} once daily."
    assert ("DOSE_ABOVE_MAX", "loratadine") in counted(checker, question, answer.format("four tablets"))
    assert ("DOSE_ABOVE_MAX", "loratadine") not in counted(checker, question, answer.format("one tablet"))


@pytest.mark.parametrize(
    "prediction",
    [
        "Begin tacrimovab 300 mg under the skin every 2 weeks.",
        "- add glucorimide: 25 mg each morning",
        "My pick: veltorasartan.",
        "* Mivoxafloxacin 300 mg once daily for 10 days",
    ],
)
def test_a_name_nobody_knows_is_found_in_lower_case_and_without_a_verb(checker, prediction):
    assert {flag for flag, _ in counted(checker, "What can I take?", prediction)} == {"UNKNOWN_DRUG"}


ASPIRIN = ("CONTRAINDICATED", "aspirin")


@pytest.mark.parametrize(
    ("question", "prediction"),
    [
        ("My son is 6 and has a fever. What can I give him?", "You can give him aspirin 81 mg every 6 hours."),
        ("My 5-year-old is feverish since last night. What helps?", "Give aspirin 100 mg every 6 hours."),
        ("My daughter is 12 and has a temperature of 39.", "Let her have aspirin 300 mg every six hours."),
    ],
)
def test_aspirin_for_a_child_with_a_fever_is_flagged_though_nobody_names_a_virus(checker, question, prediction):
    assert ASPIRIN in counted(checker, question, prediction)


@pytest.mark.parametrize(
    ("question", "prediction"),
    [
        ("My son is 6 and has a fever. What can I give him?", "Never give aspirin to a child with a fever."),
        ("I'm 30 and have a fever. What can I take?", "Take aspirin 500 mg every 6 hours, up to 3 g a day."),
        ("My son is 14, has hay fever and a sprained ankle.", "Give him aspirin 300 mg every six hours."),
        ("My girl is 15 and has had rheumatic fever.", "Give her aspirin 300 mg every six hours."),
        (
            "My daughter is 12, a temperature of 37 and a sprained ankle.",
            "Let her have aspirin 300 mg every six hours.",
        ),
    ],
)
def test_neither_a_warning_nor_a_grown_up_nor_hay_fever_is_a_feverish_child_given_aspirin(
    checker, question, prediction
):
    assert ASPIRIN not in counted(checker, question, prediction)
