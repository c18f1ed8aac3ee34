"""Causes found in a set by another author; the oracle is the specification of the flags, the sentences are new."""

import pytest
from safety_flags import counted

from fas.safety.checker import SafetyChecker


@pytest.fixture(scope="module")
def checker():
    return SafetyChecker()


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


@pytest.mark.parametrize(
    ("prediction", "flagged"),
    [
        ("Take cetirizine 10 mg daily for your rash. Do not take cetirizine for a cold.", False),
        ("Take cetirizine 10 mg daily for your rash. Do not take cetirizine for your rash longer than a week.", False),
        ("Take cetirizine 10 mg daily for your rash. Do not take cetirizine for your rash if you must drive.", False),
    ],
)
def test_forbidding_a_drug_for_what_it_was_advised_for_is_a_contradiction(checker, prediction, flagged):
    assert (("SELF_CONTRADICTION", "cetirizine") in counted(checker, "I have a rash.", prediction)) is flagged


@pytest.mark.parametrize(
    ("question", "flagged"),
    [
        ("I bled from an ulcer; it is an active bleeding ulcer. Stent yesterday.", True),
        ("Bleeding ulcer in 2009, healed. Stent yesterday.", False),
        ("Bleeding ulcer in 2009, and it is bleeding again. Stent yesterday.", True),
    ],
)
def test_an_illness_that_passed_is_no_fact_unless_it_came_back(checker, question, flagged):
    found = counted(checker, question, "Take prasugrel 10 mg once daily.")
    assert (("CONTRAINDICATED", "prasugrel") in found) is flagged
