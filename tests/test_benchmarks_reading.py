"""What counts on how many texts the rows of the readers' patterns fire."""

from __future__ import annotations

import pytest

from benchmarks.reading.counting import Counting, Counts, counted, tables
from benchmarks.reading.cues import annotated, main
from fas.safety.cues import CUES


def test_counting_notes_the_row_that_took_part_and_finds_what_the_pattern_finds():
    plain = CUES.negated
    text = "You should never"
    with counted() as counts:
        counts.text = "one"
        found = CUES.negated.search(text)
        assert found is not None
        assert found.span() == plain.search(text).span()  # type: ignore[union-attr]
        fired = {row.row.expression for row, texts in counts.fired.items() if texts == {"one"}}
        assert any("{NOT}" in expression for expression in fired)
        assert all(row.module == "fas.safety.cues" and row.row.name == "negated" for row in counts.fired)


def test_counting_leaves_the_tables_as_they_were():
    before = {(module, name): getattr(table, name) for module, table in tables().items() for name in table.names}
    with counted() as counts:
        assert isinstance(CUES.negated, Counting)
        assert isinstance(counts, Counts)
    after = {(module, name): getattr(table, name) for module, table in tables().items() for name in table.names}
    assert all(before[key] is after[key] for key in before)
    assert len(before) > 300


@pytest.mark.parametrize("seed", ["1"])
def test_the_rows_that_fire_on_a_sample_of_annotated_answers_are_counted(seed, capsys):
    made = main(["--sample", "20", "--seed", seed])
    capsys.readouterr()
    assert made["texts"] == made["independent"] == 20
    for cells in made["modules"].values():
        assert cells["rows"] == sum(n for kind, n in cells.items() if kind != "rows")
    assert sum(cells.get("two or more", 0) for cells in made["modules"].values()) > 50
    assert len(list(annotated())) > 3_600
