"""Measurements are rows: each finds its example, and nothing is counted that only looks like one."""

from __future__ import annotations

import pytest

from fas.core.records import Answer
from fas.safety.checker import SafetyChecker
from fas.safety.states import Measure, find_measures, load_measures


@pytest.mark.parametrize("row", load_measures(), ids=lambda row: f"{row.name}: {row.example}")
def test_every_row_finds_the_value_of_its_example(row: Measure):
    match = row.pattern.search(row.example)
    assert match is not None, row.pattern.pattern
    found = [v for name, v, start, _ in find_measures(row.example) if (name, start) == (row.name, match.start())]
    assert any(value == pytest.approx(row.value, abs=1e-3) for value in found), found


@pytest.mark.parametrize(("text", "name", "value"), [
    ("My eGFR was 24 before the transplant and is 71 now.", "egfr", 71),
    ("Take 50 mg/kg.", "weight_kg", None),
    ("G3P2 at 33+4, swollen", "gestation_weeks", 33),
    ("now 24+5, no pain", "gestation_weeks", 24),
    ("primip 31/40", "gestation_weeks", 31),
    ("20 wks with #2", "gestation_weeks", 20),
    ("Patients with an eGFR below 30 can take it.", "egfr", 30),
])  # fmt: skip
def test_a_number_is_a_measurement_only_where_it_is_one(text, name, value):
    found = [v for key, v, _, _ in find_measures(text) if key == name]
    assert found == [] if value is None else found[0] == pytest.approx(value)


def test_a_value_below_a_limit_is_less_than_it_and_more_than_any_smaller_limit():
    ((_, value, _, _),) = find_measures("Fine with an eGFR below 30.")
    assert 29.999 < value < 30


def test_an_amount_stands_for_the_asked_drug_only_where_the_answer_names_none():
    checker = SafetyChecker()
    question = "Can we use the promethazine syrup?"
    bare, _ = checker.read(Answer("1", "Yes, 6.25 mg every 6 hours is OK.", question))
    named, _ = checker.read(Answer("2", "No, ibuprofen. 200 mg every 6 hours is OK.", question))
    assert [(drug.mention.lead, drug.mention.text) for drug in bare.drugs] == [("promethazine", "6.25 mg")]
    assert {drug.mention.lead for drug in named.drugs} == {"ibuprofen"}
