"""Two drugs that meet, or do not."""

import pytest
from safety_flags import flags_named

from fas.core.records import Answer
from fas.safety.checker import SafetyChecker

TOGETHER = [
    ("I take warfarin.", "Take ibuprofen 400 mg three times daily.", {"warfarin", "ibuprofen"}),
    ("I take lithium.", "Take naproxen 250 mg twice daily.", {"lithium", "naproxen"}),
    ("I take lithium.", "Start hydrochlorothiazide 25 mg once daily.", {"lithium", "hydrochlorothiazide"}),
    ("I take diazepam every night.", "Take oxycodone 5 mg every 6 hours.", {"diazepam", "oxycodone"}),
    ("I'm on sertraline.", "Take tramadol 50 mg every 6 hours.", {"sertraline", "tramadol"}),
    ("I take methotrexate for arthritis.", "Take trimethoprim 100 mg twice daily.", {"methotrexate", "trimethoprim"}),
    ("I take atorvastatin.", "Take clarithromycin 500 mg twice daily.", {"atorvastatin", "clarithromycin"}),
]


@pytest.mark.parametrize(("question", "answer", "drugs"), TOGETHER)
def test_two_drugs_whose_labels_warn_of_each_other_interact(question, answer, drugs):
    (found,) = SafetyChecker().check([Answer(id="1", prediction=answer, question=question)])
    pairs = [({flag.drug, flag.target}, flag.severity) for flag in found if flag.flag == "INTERACTION"]
    assert [pair for pair, _ in pairs] == [drugs]
    assert {severity for _, severity in pairs} <= {"medium", "low"}


APART = [
    (
        "Can I take tea with azithromycin?",
        "Tell your doctor what you take, such as medications for irregular heartbeat like amiodarone and sotalol.",
    ),
    ("I take warfarin.", "Take paracetamol 500 mg every 6 hours. Avoid ibuprofen."),
    ("I take lithium.", "Do not take ibuprofen with lithium."),
]


@pytest.mark.parametrize(("question", "answer"), APART)
def test_drugs_that_do_not_meet_do_not_interact(told, question, answer):
    assert "INTERACTION" not in {flag for flag, _, _ in told(question, answer)}


def test_of_a_class_and_its_member_beside_one_drug_the_member_is_told(flags_of):
    answer = "It is safe to take diclofenac 50 mg twice daily with lisinopril or other NSAIDs with lisinopril."
    pairs = [{f.drug, f.target} for f in flags_of("I take lisinopril 10 mg.", answer) if f.flag == "INTERACTION"]
    assert pairs == [{"diclofenac", "lisinopril"}]


def test_drugs_that_or_joins_are_not_taken_together(flags_of):
    choice = flags_of("What helps a sprain?", "You can take ibuprofen 400 mg or naproxen 250 mg twice a day.")
    both = flags_of("What helps a sprain?", "Take ibuprofen 400 mg and naproxen 250 mg together twice a day.")
    assert flags_named(choice, "INTERACTION") == flags_named(choice, "DRUG_PAIR_CONTRAINDICATED") == []
    assert flags_named(both, "INTERACTION") or flags_named(both, "DRUG_PAIR_CONTRAINDICATED")
