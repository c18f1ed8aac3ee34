"""What counts on how many texts the rows of the readers' patterns fire."""

from __future__ import annotations

import pytest

from benchmarks.reading.counting import Counting, Counts, counted, tables
from benchmarks.reading.cues import annotated, main
from fas.safety.asks import ASKS


def test_counting_notes_the_row_that_took_part_and_finds_what_the_pattern_finds():
    plain = ASKS.beside
    text = "Is it safe together with food?"
    with counted() as counts:
        counts.text = "one"
        found = ASKS.beside.search(text)
        assert found is not None
        assert found.span() == plain.search(text).span()  # type: ignore[union-attr]
        fired = {row.row.expression for row, texts in counts.fired.items() if texts == {"one"}}
        assert "together" in fired
        assert all(row.module == "fas.safety.asks" and row.row.name == "beside" for row in counts.fired)


def test_counting_leaves_the_tables_as_they_were():
    before = {(module, name): getattr(table, name) for module, table in tables().items() for name in table.names}
    with counted() as counts:
        assert isinstance(ASKS.beside, Counting)
        assert isinstance(counts, Counts)
    after = {(module, name): getattr(table, name) for module, table in tables().items() for name in table.names}
    assert all(before[key] is after[key] for key in before)
    assert len(before) > 150


@pytest.mark.parametrize("seed", ["1"])
def test_the_rows_that_fire_on_a_sample_of_annotated_answers_are_counted(seed, capsys):
    made = main(["--sample", "20", "--seed", seed])
    capsys.readouterr()
    assert made["texts"] == made["independent"] == 20
    for cells in made["modules"].values():
        assert cells["rows"] == sum(n for kind, n in cells.items() if kind != "rows")
    assert sum(cells.get("two or more", 0) for cells in made["modules"].values()) > 50
    assert len(list(annotated())) > 3_600
