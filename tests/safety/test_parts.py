"""Names, doses, segments and clauses, each against values worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fas.safety.doses import find_doses
from fas.safety.matcher import DrugMatcher
from fas.safety.rules import read_rules, rule_folder
from fas.safety.segments import split_segments
from fas.safety.text import normalise_text


@pytest.fixture(scope="module")
def matcher():
    book = read_rules(rule_folder())
    return DrugMatcher(book.vocabulary, stop=book.stop)


NAMES = [
    ("Take Tylenol® tonight", ["acetaminophen"]),
    ("paracetamol and acetaminophen", ["acetaminophen", "acetaminophen"]),
    ("salbutamol", ["albuterol"]),
    ("pethidine, rifampicin, glibenclamide", ["meperidine", "rifampin", "glyburide"]),
    ("METFORMIN HCl 500 mg", ["metformin"]),
    ("amoxicillin-clavulanate", ["amoxicillin"]),
    ("TMP-SMX", ["sulfamethoxazole"]),
    ("ibuprofin and metfornin", ["ibuprofen", "metformin"]),
    ("statins, NSAIDs and an ACE inhibitor", ["statins", "nsaids", "ace_inhibitors"]),
    ("lead, iron, gold and today", []),
    ("environment, ironic, aspiring", []),
    ("the ppi of the screen", []),
    ("non-aspirin pain relief", []),
    ("prednisolone", ["prednisolone"]),
]


@pytest.mark.parametrize(("text", "leads"), NAMES)
def test_names_are_found_whole_and_longest(matcher, text, leads):
    assert [mention.lead for mention in matcher.find(normalise_text(text))] == leads


@given(st.text(max_size=200))
def test_plain_text_keeps_a_way_back(text):
    plain = normalise_text(text)
    assert len(plain.lower) == len(plain.plain)
    for at in range(len(plain.plain)):
        start, end = plain.span(at, at + 1)
        assert 0 <= start < end <= len(text)


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


@given(st.text(alphabet="aA .:|*#-1)\n", max_size=120))
def test_segments_never_overlap_and_point_into_the_text(text):
    end = 0
    for segment in split_segments(text):
        assert end <= segment.start < segment.end <= len(text)
        assert len(segment.text) == segment.end - segment.start
        end = segment.end
