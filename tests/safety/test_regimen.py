"""How much of a drug an answer has somebody take in a day."""

import pytest

from fas.core.records import Answer
from fas.safety.regimen import find_intakes


def most(checker, answer, question=None):
    """The largest amount of one day, in milligrams."""
    reading, _ = checker.read(Answer("1", answer, question=question))
    return max((intake.daily for intake in find_intakes(reading) if intake.daily is not None), default=None)


@pytest.mark.parametrize(
    ("answer", "milligrams"),
    [
        ("Take ibuprofen 400 mg every 6 hours.", 1600),
        ("Take metformin 1,000 mg with breakfast, lunch and dinner.", 3000),
        ("Take two 500 mg tablets of acetaminophen every 4 hours.", 6000),
        ("Begin with two 2 mg capsules of loperamide. Adults may go up to twelve capsules within 24 hours.", 24),
        ("Naproxen 500 mg at 6 am, 10 am, 2 pm, 6 pm and 10 pm.", 2500),
        ("Tramadol 50 mg tablets are taken as two at a time. Swallow those two every four hours.", 600),
        ("Take zolpidem 10 mg at bedtime. When you wake, take a second 10 mg tablet.", 20),
        ("Take four caplets of acetaminophen (650 mg each) three times a day.", 7800),
        ("Take tizanidine 4 mg at bedtime, plus 2 mg in the morning.", 6),
        ("Take two tablets (1,000 mg) of acetaminophen three times a day.", 3000),
        ("At each of these times take two 500 mg caplets of acetaminophen:\n\n- 6 am\n- 10 am\n- 2 pm", 3000),
        ("| Time | Acetaminophen |\n|---|---|\n| Morning | 1,000 mg |\n| Noon | 1,000 mg |\n| Night | 500 mg |", 2500),
    ],
)
def test_the_total_of_a_day(checker, answer, milligrams):
    assert most(checker, answer) == pytest.approx(milligrams)


@pytest.mark.parametrize(
    ("answer", "milligrams"),
    [
        ("Acetaminophen 60 300 mg once a day.", 300),
        ("Take acetaminophen 1 000 mg once a day.", 1000),
        ("Take acetaminophen 1,500 mg once a day.", 1500),
    ],
)
def test_a_space_parts_thousands_only_before_zeros(checker, answer, milligrams):
    assert most(checker, answer) == pytest.approx(milligrams)
