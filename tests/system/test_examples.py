"""The files in examples/ follow the input format, and hold what their README promises."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fas.answers.files import read_answers
from fas.records import Answer

FIELDS = {"id": str, "question": str, "prediction": str, "type": str, "kind": str, "model": str}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def answers(root: Path) -> list[dict[str, Any]]:
    return lines(root / "examples/answers.jsonl")


@pytest.fixture(scope="module")
def notes(root: Path) -> dict[str, dict[str, Any]]:
    rows = lines(root / "examples/evidence.jsonl")
    assert len({row["id"] for row in rows}) == len(rows)
    return {row["id"]: row for row in rows}


@pytest.mark.parametrize("name", ["answers.jsonl", "answers_b.jsonl"])
def test_every_line_has_the_fields_of_the_input_format(root: Path, name: str) -> None:
    rows = lines(root / "examples" / name)
    assert len({row["id"] for row in rows}) == len(rows)
    for row in rows:
        for field, kind in FIELDS.items():
            if field in row:
                assert isinstance(row[field], kind), (row["id"], field)
        assert {"id", "prediction", "type", "model"} <= row.keys()
        references = row.get("references", [])
        assert isinstance(references, str) or all(isinstance(r, str) and r for r in references)
        for passage in row.get("passages", []):
            assert passage.keys() == {"id", "title", "year", "text"}


@pytest.mark.parametrize("name", ["answers.jsonl", "answers_b.jsonl"])
def test_the_reader_takes_every_line(root: Path, name: str) -> None:
    read = list(read_answers(root / "examples" / name))
    assert all(isinstance(answer, Answer) for answer in read)
    assert [a.prediction for a in read if isinstance(a, Answer)] == [
        row["prediction"] for row in lines(root / "examples" / name)
    ]


@pytest.mark.parametrize(
    ("answer", "note", "figures"),
    [
        ("q01", "9742977", ["32%", "36%"]),
        ("q05", "7968073", ["8%", "12%"]),
        ("q12", "32678530", ["41.4%", "29.3%"]),
        ("q27", "21062666", ["8.5%", "10.9%"]),
        ("q14", "10376614", ["34%"]),
    ],
)
def test_figures_in_good_answers_are_those_of_the_note(
    answers: list[dict[str, Any]], notes: dict[str, dict[str, Any]], answer: str, note: str, figures: list[str]
) -> None:
    prediction = next(row["prediction"] for row in answers if row["id"] == answer)
    for figure in figures:
        assert figure in prediction
        assert figure in notes[note]["text"]
