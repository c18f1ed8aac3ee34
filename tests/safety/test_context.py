"""What the words around an entity say of it: the ConText model and its table."""

import re

import pytest

from fas.safety.context import COLUMNS, TABLE, Context
from fas.safety.tables import read_table

ROWS = read_table(TABLE, COLUMNS)


def marked(example):
    """The text of an example and where its brackets stand."""
    start, end = example.index("["), example.index("]") - 1
    return example.replace("[", "").replace("]", ""), start, end


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"line {row.line}")
def test_the_words_of_a_row_say_its_modifier_of_what_its_example_marks(row):
    text, start, end = marked(row["example"])
    assert f"{row['modifier']} {row['side']}" in Context(text).said(start, end)


@pytest.mark.parametrize(
    ("example", "modifier"),
    [
        ("Avoid alcohol, but [aspirin] is fine.", "avoid before"),
        ("No fever; [asthma] since childhood.", "denied before"),
        ("You have asthma. Not the cat: [gout].", "denied before"),
    ],
)
def test_a_scope_ends_where_a_new_thought_begins(example, modifier):
    text, start, end = marked(example)
    assert modifier not in Context(text).said(start, end)


def test_a_nearer_trigger_says_more():
    text, start, end = marked("Never take [aspirin].")
    far, begin, close = marked("Never on any account whatsoever take [aspirin].")
    assert Context(text).said(start, end)["avoid before"] > Context(far).said(begin, close)["avoid before"]


def test_no_words_of_the_table_hold_a_group_that_captures():
    assert not [row.line for row in ROWS if re.search(r"\((?!\?)", row["words"])]
