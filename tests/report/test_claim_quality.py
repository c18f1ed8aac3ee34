"""Detectors of invalid claims, on claims written for each kind, and the command that counts them."""

import json

import pytest

from fas.claims import kinds
from fas.claims.kinds import inspect_claims, loses_condition
from fas.cli import main
from fas.core.records import Answer, Claim

VALID = [
    "Ibuprofen reduces fever.",
    "Taking ibuprofen helps the pain.",
    "Patients should call a doctor if fever lasts.",
    "It is important to eat well.",
    "Drinking plenty of fluids is recommended.",
    "Common side effects of metformin include nausea.",
]


@pytest.mark.parametrize("text", VALID)
def test_a_valid_claim_has_no_fault(text):
    found = inspect_claims([Claim(text, 0, len(text))], Answer("1", text))
    assert found.faults == (frozenset(),)
    assert found.omitted == ()


@pytest.mark.parametrize(
    "text",
    [
        "I had this pain too.",
        "You are experiencing pain.",
        "Hello and thank you for asking.",
        "His liver is damaged.",
        "Is it safe?",
        "You mentioned a rash.",
    ],
)
def test_events_feelings_and_talk_are_unverifiable(text):
    assert kinds.is_unverifiable(text)


@pytest.mark.parametrize(
    "text", ["Nausea.", "Fever and the.", "If fever lasts.", "Pain in the chest.", "Side effects include."]
)
def test_fragments_are_incomplete(text):
    assert kinds.is_incomplete(text)


def test_a_lost_condition_makes_a_claim_incomplete():
    source = "If you have a rash, the tablets should be stopped."
    assert loses_condition("The tablets should be stopped.", source)
    assert not loses_condition("If patients have a rash, the tablets should be stopped.", source)
    found = inspect_claims([Claim("The tablets should be stopped.", 20, len(source))], Answer("1", source))
    assert "incomplete" in found.faults[0]


def test_words_from_nowhere_are_hallucinated():
    answer = Answer("1", "Ibuprofen reduces fever.", "What is ibuprofen?")
    found = inspect_claims([Claim("Ibuprofen cures cancer quickly.", 0, 10)], answer)
    assert "hallucinated" in found.faults[0]


def test_the_second_of_two_equal_claims_and_the_part_of_a_longer_one_are_redundant():
    answer = Answer("1", "Ibuprofen reduces fever and pain.")
    claims = [
        Claim("Ibuprofen reduces fever.", 0, 24),
        Claim("Ibuprofen reduces a fever.", 0, 24),
        Claim("Ibuprofen reduces fever and pain.", 0, 33),
    ]
    found = inspect_claims(claims, answer)
    assert ["redundant" in faults for faults in found.faults] == [True, True, False]


def test_a_statement_that_no_claim_touches_is_omitted():
    prediction = "Ibuprofen reduces fever. Aspirin thins the blood. How are you?"
    found = inspect_claims([Claim("Ibuprofen reduces fever.", 0, 24)], Answer("1", prediction))
    assert [prediction[span.start : span.end] for span in found.omitted] == ["Aspirin thins the blood."]


def answers_with_given_claims(tmp_path):
    """Two answers with claims of which each fault is known by hand, and one without a claim."""
    prediction = "Ibuprofen reduces fever in adults. Rest helps the immune system recover from a cold."
    rows = [
        {
            "id": "a",
            "prediction": prediction,
            "claims": ["Take ibuprofen to reduce fever in adults.", "Ibuprofen reduces fever in adults."],
        },
        {"id": "b", "prediction": prediction, "claims": ["It reduces fever in adults.", "I spoke with the doctor."]},
        {"id": "c", "prediction": "", "claims": []},
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_the_command_names_the_faults_of_each_claim_and_counts_them(tmp_path, capsys):
    path = answers_with_given_claims(tmp_path)
    assert main(["claims", str(path), "--quality"]) == 0
    shown = capsys.readouterr().out
    assert "  - Take ibuprofen to reduce fever in adults. [incorrectly structured]\n" in shown
    assert "  - Ibuprofen reduces fever in adults. [redundant]\n" in shown
    assert "  - It reduces fever in adults. [context-dependent]\n" in shown
    rows = {line[:23].strip(): line[23:].split()[:3] for line in shown.split("interval\n")[1].splitlines()[1:9]}
    assert rows["incorrectly structured"][:2] == ["1", "4"]
    assert rows["context-dependent"] == ["1", "4", "25.0%"]
    assert rows["any of these"] == ["4", "4", "100.0%"]
    assert rows["answers without a claim"] == ["1", "3", "33.3%"]
