"""`fas safety check --explain`: the entities, modifiers, relations and stances of one answer."""

import pytest

from fas.cli import main
from fas.core.records import Answer
from fas.safety.checker import SafetyChecker
from fas.safety.explained import explain

QUESTION = "I have asthma and weigh 70 kg. What helps my migraine?"
ANSWER = "Avoid ibuprofen. Take propranolol 40 mg twice daily."


@pytest.fixture(scope="module")
def tables():
    return {table.title: table for table in explain(SafetyChecker(), Answer("1", ANSWER, question=QUESTION))}


def test_every_drug_has_its_place_its_stance_and_its_modifiers(tables):
    rows = {row[1]: row for row in tables["Drugs"].rows}
    assert rows.keys() == {"ibuprofen", "propranolol"}
    start, end = map(int, rows["propranolol"][0].split("-"))
    assert ANSWER[start:end] == "propranolol"
    assert "avoid before" in rows["ibuprofen"][4]
    assert "advise before" in rows["propranolol"][4]


def test_a_dose_has_its_drug_and_what_it_comes_to_in_a_day(tables):
    assert [row[1:5] for row in tables["Doses"].rows] == [("propranolol", "40 mg", "2 a day", "80 mg")]


def test_the_patient_is_what_the_question_tells(tables):
    assert ("has", "asthma (asthma)") in tables["Patient of the question"].rows
    assert ("weight_kg", "70") in tables["Patient of the question"].rows


def test_a_finding_has_its_probability_and_what_counted(tables):
    first = tables["Findings"].rows[0]
    assert first[2:5] == ("CONTRAINDICATED", "propranolol", "asthma")
    assert 0 < float(first[0]) <= 1
    assert "+" in first[5] or "-" in first[5]


def test_the_command_prints_the_tables(capsys):
    assert main(["safety", "check", "--explain", "--text", ANSWER, "--question", QUESTION]) == 0
    said = capsys.readouterr().out
    assert "Drugs" in said
    assert "propranolol" in said
