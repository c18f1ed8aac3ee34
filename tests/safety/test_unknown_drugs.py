"""Names in the place of a drug that no list has."""

import pytest
from safety_flags import counted

UNKNOWN = [
    ("Is it safe in pregnancy?", "Yes, Zolpitranol 20 mg once daily is fine in pregnancy."),
    ("", "Zolpitranol 500 mg twice daily is the best option."),
    ("", "The best choice is Zolpitranol 10 mg at night."),
    ("", "Zolpitranol 10 mg once daily can be used."),
    ("", "Try Zolpitranol 10 mg at bedtime."),
    ("", "Valproxil 500 mg twice daily is the best option."),
    ("", "Some gentler routes:\n\n1. **Zolpitranol** – 300 mg once daily with lunch.\n2. **Diet** – oats and nuts."),
    ("", "Women without a womb do best if you prescribe zolpitradine 15 mg twice a day."),
]


@pytest.mark.parametrize(("question", "answer"), UNKNOWN)
def test_an_unknown_drug_is_told_whatever_the_form_of_the_sentence(told, question, answer):
    assert [flag for flag, _, _ in told(question, answer)] == ["UNKNOWN_DRUG"]


KNOWN = [
    "Vitamin 20 mg once daily is fine.",
    "Patients received Zolpitranol 20 mg.",
    "The trial compared zolpitradine 15 mg twice a day with placebo.",
    "1. **Walking** – 30 minutes every day.",
]


@pytest.mark.parametrize("answer", KNOWN)
def test_a_common_word_or_a_warning_is_no_unknown_drug(told, answer):
    assert "UNKNOWN_DRUG" not in {flag for flag, _, _ in told("", answer)}


@pytest.mark.parametrize(
    "prediction",
    [
        "Begin tacrimovab 300 mg under the skin every 2 weeks.",
        "- add glucorimide: 25 mg each morning",
        "* Mivoxafloxacin 300 mg once daily for 10 days",
    ],
)
def test_a_name_nobody_knows_is_found_in_lower_case_and_without_a_verb(checker, prediction):
    assert {flag for flag, _ in counted(checker, "What can I take?", prediction)} == {"UNKNOWN_DRUG"}
