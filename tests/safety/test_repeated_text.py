"""Text that says one thing again and again: time grows with its length, in the whole check and in each kind of flag."""

import sys

import pytest
from processor_time import times_as_long

from fas.core.records import Answer
from fas.safety.allergies import find_allergies
from fas.safety.checker import SafetyChecker
from fas.safety.contradictions import find_contradictions
from fas.safety.dosage import find_missing_doses
from fas.safety.excess import find_excess
from fas.safety.flags import build_case
from fas.safety.pairs import find_pairs
from fas.safety.persons import find_restrictions
from fas.safety.unknown_drugs import find_unknown_names

UNITS = [
    "5 mg ",
    "aspirin ",
    "aspirin 5 mg ",
    "aspirin or ",
    "aspirin\n\n",
    "- aspirin 5 mg\n",
    "| aspirin | 5 mg |\n",
    "warfarin: 5 mg\n",
    "Take ibuprofen with warfarin. ",
    "Do not take aspirin. Take aspirin. ",
    "allergic to penicillin, take amoxicillin ",
    "aspirin under 6 years ",
    "pregnant isotretinoin ",
    "take two tablets every day ",
    "take zoloxib 5 mg ",
    "I took aspirin. ",
]
KINDS = [
    find_missing_doses,
    find_restrictions,
    find_allergies,
    find_pairs,
    find_excess,
    find_unknown_names,
    find_contradictions,
]


@pytest.fixture(scope="module")
def checker():
    made = SafetyChecker()
    made.check([Answer("1", "Take aspirin 5 mg daily.", question="I am allergic to penicillin. Can I take aspirin?")])
    return made


@pytest.mark.parametrize("unit", UNITS)
def test_the_time_of_a_check_grows_with_the_text(checker, unit):
    bound = 9  # four times the text: a square would be 16 times
    assert times_as_long(lambda n: checker.check([Answer("1", (unit * n)[:n])]), 3_000, 12_000, below=bound) < bound


def steps(checker, kind, text):
    """Lines of Python that *kind* runs to find what it finds in *text*."""
    question = "I take warfarin and I'm allergic to penicillin. I am pregnant."
    reading, _ = checker.read(Answer("1", text, question=question))
    case = build_case(reading, checker.book)
    counted = 0

    def count(frame, event, _):
        nonlocal counted
        counted += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        for _ in kind(case):
            pass
    finally:
        sys.settrace(before)
    return counted


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("unit", ["5 mg ", "aspirin ", "aspirin 5 mg ", "Take ibuprofen 5 mg with warfarin. "])
def test_the_steps_of_each_kind_of_flag_grow_with_the_text(checker, kind, unit):
    short, long = (steps(checker, kind, (unit * n)[:n]) for n in (2_000, 8_000))
    assert long <= 5 * short + 100  # a square would be 16 times
