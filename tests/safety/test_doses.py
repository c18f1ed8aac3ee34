"""Amounts, each against values worked out by hand."""

import pytest

from fas.safety.doses import find_doses
from fas.safety.text import normalise_text

AMOUNTS = [
    ("400 mg", [(400.0, 400.0, "mg")]),
    ("1,200 mg a day", [(1200.0, 1200.0, "mg")]),
    ("10-15 mg/kg", [(10.0, 15.0, "mg")]),
    ("two puffs", [(2.0, 2.0, "puff")]),
    ("½ tablet", [(0.5, 0.5, "tablet")]),
    ("50 µg", [(50.0, 50.0, "mcg")]),
    ("1% hydrocortisone cream", [(1.0, 1.0, "%")]),
    ("126 mg/dL", []),
    ("30 mL/min", []),
    ("4.5 mEq/L", []),
    ("a 5-year-old", []),
    ("in 2019, 30% of patients", []),
]


@pytest.mark.parametrize(("text", "amounts"), AMOUNTS)
def test_amounts_are_read_and_laboratory_units_are_not(text, amounts):
    found = find_doses(normalise_text(text).plain).amounts
    assert [(a.low, a.high, a.unit) for a in found] == amounts


@pytest.mark.parametrize(
    ("text", "unit"),
    [("875/125 mg twice daily", "combination"), ("49/51 mg daily", "combination"), ("5 mg daily", "mg")],
)
def test_the_amounts_of_a_combination_are_an_amount_without_a_mass(text, unit):
    (amount,) = find_doses(text).amounts
    assert amount.unit == unit
    assert (amount.mg is None) is (unit == "combination")
