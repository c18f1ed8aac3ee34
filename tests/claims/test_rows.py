"""Table rows as sentences: nothing of a row is lost, whatever its header is."""

from __future__ import annotations

import pytest

from fas.claims.extractor import SpacyClauses
from fas.core.records import Answer
from fas.models.parser import load_parser


@pytest.fixture(scope="module")
def extractor():
    return SpacyClauses(nlp=load_parser())


@pytest.mark.parametrize(
    ("header", "value", "claim"),
    [
        ("Dose", "400 mg", "The dose of Metformin is 400 mg."),
        ("Side effects", "nausea", "The side effects of Metformin are nausea."),
        ("How it works", "Lowers glucose", 'Metformin has "lowers glucose" under "How it works".'),
        ("Used for", "type 2 diabetes", 'Metformin has "type 2 diabetes" under "Used for".'),
        ("Safe in pregnancy?", "No", 'Metformin has "no" under "Safe in pregnancy".'),
        ("Notes", "Take it with food", "For Metformin, patients should take it with food."),
    ],
)
def test_a_cell_is_said_of_the_first_one_under_its_header(extractor, header, value, claim):
    text = f"| Topic | {header} |\n|---|---|\n| Metformin | {value} |\n"
    (found,) = extractor.extract([Answer("1", text)])[0]
    assert found.text == claim
    assert text[found.start : found.end].startswith("Metformin | ")
