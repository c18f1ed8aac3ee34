"""Table cells under headers that are no nouns, as sentences."""

from __future__ import annotations

import pytest

from fas.claims.headers import SUBJECT, VALUE, sentence_under
from fas.claims.spacy_clauses import SpacyClauses
from fas.models.parser import load_parser
from fas.records import Answer


@pytest.fixture(scope="module")
def extractor():
    return SpacyClauses(nlp=load_parser())


def row(header: str, value: str, subject: str = "Metformin") -> str:
    return f"| Topic | {header} |\n|---|---|\n| {subject} | {value} |\n"


@pytest.mark.parametrize(
    ("header", "value", "claim"),
    [
        ("How often", "At every visit", "The frequency of Metformin is at every visit."),
        ("When", "At night", "The time of Metformin is at night."),
        ("When to take", "With meals", "The time to take Metformin is with meals."),
        ("How to take it", "With a glass of water", "The way to take Metformin is with a glass of water."),
        ("What it treats", "Type 2 diabetes", "Metformin treats type 2 diabetes."),
        ("What it is", "A sugar-lowering drug", "Metformin is a sugar-lowering drug."),
        ("How it works", "Lowers glucose made by the liver", "Metformin lowers glucose made by the liver."),
        ("Why", "Slows the heart", "Metformin slows the heart."),
        ("Why", "Kidney function", "The reason for Metformin is kidney function."),
        ("Used for", "type 2 diabetes", "Metformin is used for type 2 diabetes."),
        ("Best for", "mild pain", "Metformin is best for mild pain."),
        ("Works by", "blocking COX enzymes", "Metformin works by blocking COX enzymes."),
        ("May cause", "drowsiness", "Metformin may cause drowsiness."),
        (
            "Who should avoid it",
            "People with kidney disease",
            "People with kidney disease should avoid Metformin.",
        ),
        ("Take", "Two tablets", "Of Metformin, two tablets should be taken."),
        ("Avoid", "Grapefruit juice", "With Metformin, grapefruit juice should be avoided."),
        ("Avoid with", "alcohol", "Metformin should be avoided with alcohol."),
        ("Stop", "7 days before surgery", "Metformin should be stopped 7 days before surgery."),
        ("In adults", "5 mg daily", "Metformin in adults is 5 mg daily."),
    ],
)
def test_a_cell_under_a_question_a_verb_or_a_preposition_is_a_sentence(extractor, header, value, claim):
    text = row(header, value)
    (found,) = extractor.extract([Answer("1", text)])[0]
    assert found.text == claim
    assert text[found.start : found.end] == f"Metformin | {value}"


@pytest.mark.parametrize(
    ("header", "value", "claim"),
    [
        ("Safe in pregnancy?", "No", "Metformin is not safe in pregnancy."),
        ("Safe in pregnancy", "Yes", "Metformin is safe in pregnancy."),
        ("Is it safe in pregnancy?", "No.", "Metformin is not safe in pregnancy."),
        ("Take with food", "Yes", "Metformin should be taken with food."),
        ("Take with food?", "No", "Metformin should not be taken with food."),
    ],
)
def test_yes_and_no_become_the_verb_and_lie_within_the_span(extractor, header, value, claim):
    text = row(header, value)
    (found,) = extractor.extract([Answer("1", text)])[0]
    assert found.text == claim
    assert text[found.start : found.end] == f"Metformin | {value.rstrip('.')}"


@pytest.mark.parametrize(
    "header", ["Dose", "Uses", "Use", "Causes", "Side effects", "Half-life", "Cost?", "Whole blood"]
)
def test_a_noun_keeps_its_place_after_the(extractor, header):
    assert sentence_under(header, "400 mg", plural=False) is None
    (found,) = extractor.extract([Answer("1", row(header, "400 mg"))])[0]
    assert found.text.startswith("The ")
    assert " of Metformin " in found.text
    assert "?" not in found.text


def test_what_has_no_sentence_is_told_as_it_stands():
    assert sentence_under("Which one", "the tablets", plural=False) == []
    assert sentence_under("Prescription needed?", "Yes", plural=False) == []


def test_plural_subjects_and_people_have_plural_verbs():
    assert sentence_under("Used for", "pain", plural=True) == [SUBJECT, " are used for ", VALUE]
    assert sentence_under("Who needs it", "Adults", plural=False) == [VALUE, " need ", SUBJECT]
    assert sentence_under("Who needs it", "Everyone", plural=False) == [VALUE, " needs ", SUBJECT]


def test_capitals_of_an_abbreviation_stay(extractor):
    assert sentence_under("Used in COPD", "Yes", plural=False) == [SUBJECT, " is used in COPD"]
