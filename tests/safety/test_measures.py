"""Measurements are rows: each finds its example, and nothing is counted that only looks like one."""

from __future__ import annotations

import pytest

from fas.safety.measures import Measure, find_measures, load_measures


@pytest.mark.parametrize("row", load_measures(), ids=lambda row: f"{row.name}: {row.example}")
def test_every_row_finds_the_value_of_its_example(row: Measure):
    match = row.pattern.search(row.example)
    assert match is not None, row.pattern.pattern
    found = [v for name, v, start, _ in find_measures(row.example) if (name, start) == (row.name, match.start())]
    assert any(value == pytest.approx(row.value, abs=1e-3) for value in found), found


@pytest.mark.parametrize(("text", "name", "value"), [
    ("My eGFR was 24 before the transplant and is 71 now.", "egfr", 71),
    ("A ten-month-old baby", "age_years", 10 / 12),
    ("I have smoked for 20 years.", "age_years", None),
    ("Take 50 mg/kg.", "weight_kg", None),
    ("My baby was born 3 weeks ago.", "age_years", None),
])  # fmt: skip
def test_a_number_is_a_measurement_only_where_it_is_one(text, name, value):
    found = [v for key, v, _, _ in find_measures(text) if key == name]
    assert found == [] if value is None else found[0] == pytest.approx(value)
