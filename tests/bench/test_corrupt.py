"""Controlled corruption by its properties: what was changed is known exactly, and nothing else changed.

Oracles: undoing the reported changes gives the original back; sentences edited by hand; arithmetic.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fas.bench.corrupt import Corruptor
from fas.bench.falsify import KINDS

SENTENCES = (
    "Ibuprofen lowers a fever within 2 hours.",
    "Honey must not be given before the first birthday.",
    "Take the tablets with food.",
    "Do not drive after taking codeine.",
    "The infection is caused by bacteria, and antibiotics are effective.",
    "Warfarin may increase the risk of bleeding.",
    "About 40% of patients recover in 3-5 days.",
    "If the pain is severe, call a doctor.",
    "How long does it last?",
    "Type 2 diabetes is a chronic disease; its symptoms usually develop over several years.",
    "There is no cure.",
    "Some people are allergic to it.",
    "An effective vaccine is available.",
    "It is also used for migraine.",
    "The drug does not cause drowsiness.",
)


@pytest.fixture(scope="module")
def corruptors():
    """Parsing takes the time; a text and seed are parsed once."""
    made = {}

    def get(text, seed=0, kinds=KINDS):
        key = (text, seed, tuple(kinds))
        if key not in made:
            made[key] = Corruptor(text, seed=seed, kinds=kinds)
        return made[key]

    return get


def undone(corruption):
    text = corruption.text
    for change in reversed(corruption.changes):
        assert text[change.start : change.end] == change.after
        text = text[: change.start] + change.before + text[change.end :]
    return text


ANSWERS = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=7, unique=True).map(" ".join)


@settings(max_examples=40, deadline=None)
@given(ANSWERS, st.integers(0, 3), st.floats(0, 1), st.floats(0, 1))
def test_changes_can_be_undone_are_as_many_as_asked_and_grow_with_the_share(corruptors, text, seed, one, other):
    small, large = sorted((one, other))
    corruptor = corruptors(text, seed)
    few, many = corruptor.corrupt(small), corruptor.corrupt(large)
    for share, result in ((small, few), (large, many)):
        assert undone(result) == text
        allowed = result.n_statements - result.n_fixed
        assert len(result.changes) == min(int(share * result.n_statements + 0.5), allowed)
        statements = [change.statement for change in result.changes]
        assert statements == sorted(set(statements))  # one change a statement, in order
        assert all(change.before != change.after for change in result.changes)
    edits_of_many = {(c.statement, c.before, c.after) for c in many.changes}
    assert {(c.statement, c.before, c.after) for c in few.changes} <= edits_of_many


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Aspirin is an anticoagulant.", "Aspirin is not an anticoagulant."),
        ("Lisinopril lowers blood pressure.", "Lisinopril does not lower blood pressure."),
        ("Antibiotics treat infections.", "Antibiotics do not treat infections."),
        ("The drug lowered mortality in adults.", "The drug did not lower mortality in adults."),
        ("Take the tablets with food.", "Do not take the tablets with food."),
        ("Do not drive at night.", "Drive at night."),
        ("The drug does not cause drowsiness.", "The drug causes drowsiness."),
        ("You should not stop it abruptly.", "You should stop it abruptly."),
        ("It can cause bleeding.", "It cannot cause bleeding."),
        ("It may cause bleeding.", "It cannot cause bleeding."),
        ("It cannot be cured.", "It can be cured."),
        ("It is also used for pain.", "It is also not used for pain."),
        ("Smoking has been shown to raise blood pressure.", "Smoking has not been shown to raise blood pressure."),
    ],
)
def test_a_negation_against_sentences_negated_by_hand(sentence, expected):
    assert Corruptor(sentence, kinds=["negation"]).corrupt(1.0).text == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "There is no cure.",  # has no form to negate without another verb
        "Some people are allergic to it.",  # "some are not" says nothing against it
        "It is not only used for pain.",
        "It has no side effects.",
        "It is only used for pain.",
    ],
)
def test_no_negation_is_offered_where_it_would_not_be_false_or_not_be_english(sentence):
    result = Corruptor(sentence, kinds=["negation"]).corrupt(1.0)
    assert (result.text, result.n_statements, result.n_fixed) == (sentence, 1, 1)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Salt increases blood pressure.", "Salt decreases blood pressure."),
        ("An effective vaccine is available.", "An ineffective vaccine is available."),
        ("It is a safe drug.", "It is an unsafe drug."),
        ("An acute infection is meant.", "A chronic infection is meant."),
        ("Doses are lower in children.", "Doses are higher in children."),
        ("It lowers the risk.", "It raises the risk."),
        ("It is less common in men.", "It is more common in men."),
        ("It is no longer sold.", "It is no longer sold."),
        ("It prevents the virus from spreading.", "It prevents the virus from spreading."),
        ("A doctor is called when the risk is high.", "A doctor is called when the risk is high."),
        ("It is a high-risk group.", "It is a high-risk group."),
    ],
)
def test_a_direction_against_sentences_turned_by_hand(sentence, expected):
    assert Corruptor(sentence, kinds=["direction"]).corrupt(1.0).text == expected


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("sentence", "pattern"),
    [
        ("It lasts 8 days.", r"It lasts (\d+) days\."),
        ("Some 40% of patients recover.", r"Some (\d+)% of patients recover\."),
        ("Give 0.6 mg at once.", r"Give (\d\.\d) mg at once\."),
        ("It lasts 4 to 6 weeks.", r"It lasts (\d+) to \d+ weeks\."),
        ("It lasts three weeks.", r"It lasts (six|seven|eight|nine|ten|twelve) weeks\."),
    ],
)
def test_a_number_becomes_another_of_the_same_form(sentence, pattern, seed):
    result = Corruptor(sentence, seed=seed, kinds=["number"]).corrupt(1.0)
    found = re.fullmatch(pattern, result.text)
    assert found, result.text
    assert result.text != sentence
    number = found[1]
    if number.replace(".", "").isdigit():
        before = float(re.search(r"\d+(\.\d+)?", sentence)[0])
        assert float(number) / before >= 2 or before / float(number) >= 2
        assert float(number) <= (99 if "%" in sentence else 999)
