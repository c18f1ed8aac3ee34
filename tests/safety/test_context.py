"""What the words around an entity say of it: the ConText model and its table."""

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
