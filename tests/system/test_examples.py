"""The files in examples/ follow the input format, and hold what their README promises."""

from __future__ import annotations

import json
import re
from collections import Counter
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


def test_both_files_ask_the_same_questions_of_different_systems(root: Path, answers: list[dict[str, Any]]) -> None:
    other = lines(root / "examples/answers_b.jsonl")
    assert [(r["id"], r.get("question"), r["type"]) for r in answers] == [
        (r["id"], r.get("question"), r["type"]) for r in other
    ]
    assert [r.get("passages") for r in answers] == [r.get("passages") for r in other]
    assert {r["model"] for r in answers}.isdisjoint({r["model"] for r in other})
    assert sum(a["prediction"] != b["prediction"] for a, b in zip(answers, other, strict=True)) == len(answers)


def test_all_kinds_and_types_are_there_and_each_model_has_its_share(answers: list[dict[str, Any]]) -> None:
    kinds = Counter(row["kind"] for row in answers)
    assert kinds.keys() == {"good", "mixed", "wrong", "empty", "hostile"}
    assert min(kinds["good"], kinds["mixed"], kinds["wrong"], kinds["hostile"]) >= 5
    assert {row["type"] for row in answers} == {"factoid", "list", "summary", "hostile"}
    models = Counter(row["model"] for row in answers)
    assert len(models) == 2
    assert max(models.values()) - min(models.values()) <= 1


def test_some_answers_lack_references_or_passages(answers: list[dict[str, Any]]) -> None:
    assert [r["id"] for r in answers if not r.get("references")] == ["q25", "q26", "h04", "h06"]
    assert [r["id"] for r in answers if not r.get("passages")] == ["h06", "q27", "q28"]
    assert {1, 2} <= {len(r["references"]) for r in answers if isinstance(r.get("references"), list)}
    assert any(isinstance(r.get("references"), str) for r in answers)


def test_the_hostile_answers_are_as_hostile_as_the_readme_says(answers: list[dict[str, Any]]) -> None:
    text = {row["id"]: row["prediction"] for row in answers}
    assert text["q24"] == ""
    assert 1900 <= len(text["h01"].split()) <= 2100
    assert text["h01"][-1] not in ".!?"
    assert re.search(r"[\U0001f300-\U0001faff]", text["h02"])
    assert re.search(r"[α-ω]", text["h02"])
    assert {"\u200b", "\u200d", "\ufeff"} <= set(text["h02"])
    assert "<script>" in text["h03"]
    assert "|:-----|" in text["h03"]
    assert "\n       - " in text["h03"]
    assert "```" in text["h03"]
    assert re.search(r"[äöüß]", text["h04"])
    assert "\x00" in text["h05"]
    assert "\u202e" in text["h05"]
    assert text["h06"].strip() == ""
    assert text["h06"] != ""


def test_invisible_characters_are_written_as_escapes(root: Path) -> None:
    for path in (root / "examples").glob("*.jsonl"):
        raw = path.read_text(encoding="utf-8")
        assert not re.search("[\u200b-\u200f\u202a-\u202f\u2060-\u2069\ufeff\u00a0]", raw), path.name


def test_the_notes_are_short_texts_with_a_title_and_a_year(notes: dict[str, dict[str, Any]]) -> None:
    assert len(notes) >= 120
    for note in notes.values():
        assert note.keys() == {"id", "title", "year", "text"}
        assert re.fullmatch(r"note-\d{3}|[1-9]\d{5,7}", note["id"]), note["id"]
        assert 1980 <= note["year"] <= 2026, note["id"]
        assert 60 <= len(note["text"].split()) <= 200, note["id"]
        assert note["text"].endswith("."), note["id"]


def test_every_passage_is_one_of_the_notes(answers: list[dict[str, Any]], notes: dict[str, dict[str, Any]]) -> None:
    for row in answers:
        passages = row.get("passages", [])
        assert len(passages) in (0, 5)
        assert all(passage == notes[passage["id"]] for passage in passages), row["id"]


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
