"""Cues as data: every row finds its example, reaches as far as it says, and is told where it is wrong."""

from __future__ import annotations

import random

import pytest

from fas.text.reading.cues import COLUMNS, TABLE, load_cues, read_cues

ROWS = read_cues(TABLE)


def marked(example: str) -> tuple[str, int, int]:
    """An example without its brackets, and where they stood."""
    start, end = example.index("["), example.index("]") - 1
    return example.replace("[", "").replace("]", ""), start, end


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"line {row.line}")
def test_every_row_finds_what_its_example_shows(row):
    text, start, end = marked(row.example)
    found = [hit for hit in load_cues().hits(text) if hit.cue == row]
    assert found, f"line {row.line}: {row.cue!r} is not in {text!r}"
    assert any(hit.speaks_of(text, start, end) for hit in found), f"line {row.line}: out of reach in {text!r}"


def test_a_cue_reaches_over_as_many_words_as_its_row_says_and_over_no_end():
    # The oracle counts and looks word by word, as the table's columns are explained.
    generator = random.Random(34)
    vocabulary = ["old", "blue", "but", "and", "now", "mild", "because", "if", "ugly"]
    row = next(row for row in ROWS if row.value == "denied" and row.cue.startswith("not|"))
    assert row.words == 6
    assert {"but", "and", "now", "because", "if"} <= row.ends
    for _ in range(300):
        between = generator.choices(vocabulary, weights=[6, 6, 1, 1, 1, 6, 1, 1, 6], k=generator.randrange(9))
        text = " ".join(["never", *between, "asthma"])
        start = len(text) - len("asthma")
        expected = len(between) <= 6 and not {"but", "and", "now", "because", "if"} & set(between)
        assert ("denied" in load_cues().about("condition", text, start, len(text))) == expected, text


@pytest.mark.parametrize(("line", "problem"), [
    ("use\tstopped\tbefore\t3\tclause\t\tquit", "7 cells, expected 8"),
    ("use\tstopped\tbehind\t3\tclause\t\tquit\tI quit [x].", "where is 'behind'"),
    ("use\tstopped\tbefore\tfew\tclause\t\tquit\tI quit [x].", "words is 'few'"),
    ("use\tstopped\tbefore\t3\tpage\t\tquit\tI quit [x].", "reach is 'page'"),
    ("use\tstopped\tbefore\t3\tclause\t\tquit\tI quit x.", "an example with"),
])  # fmt: skip
def test_a_wrong_row_is_told_with_its_line(tmp_path, line, problem):
    path = tmp_path / "cues.tsv"
    path.write_text("\t".join(COLUMNS) + "\n" + line + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"cues\.tsv, line 2: ") as raised:
        read_cues(path)
    assert problem in str(raised.value)
