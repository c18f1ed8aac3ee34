"""`fas bench questions` and `--answers FILE`: a model of one's own on a benchmark's questions."""

from __future__ import annotations

import json

import pytest
from bench_runs import bench, records

from fas.cli import main


@pytest.fixture
def questions(workplace):
    assert main(["bench", "questions", "kqa", "--data", "data", "-o", "questions.jsonl"]) == 0
    return records(workplace / "questions.jsonl")


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


RUN = ("kqa", "--answers", "own.jsonl", "--passages", "references", "--no-gold", "-o", "out")


def test_questions_out_answers_in_and_the_references_are_the_benchmark_s(workplace, questions):
    rows = [
        {"id": one["id"], "question": one["question"], "prediction": f"It helps {i}."}
        for i, one in enumerate(questions)
    ]
    write(workplace / "own.jsonl", rows)
    assert bench(*RUN) == 0
    lines = records(workplace / "out" / "own" / "answers.jsonl")
    assert [line["prediction"] for line in lines] == [row["prediction"] for row in rows]
    assert [line["references"] for line in lines] == [one.get("references", []) for one in questions]
    assert [line["id"] for line in lines] == [f"{one['id']}#0" for one in questions]
    scored = records(workplace / "out" / "own" / "scores.jsonl")
    assert [line["meta"]["model"] for line in scored] == ["own"] * len(questions)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": "unknown"}, "'unknown' is not a question of this benchmark"),
        ({"question": "Another?"}, "states another question"),
        ({"prediction": 5}, "prediction"),
    ],
)
def test_an_answer_to_another_question_is_refused_before_anything_is_scored(
    workplace, questions, capsys, change, message
):
    write(workplace / "own.jsonl", [{"id": questions[0]["id"], "prediction": "It helps."} | change])
    assert bench(*RUN) == 2
    assert message in capsys.readouterr().err
    assert not (workplace / "out" / "own" / "scores.jsonl").exists()
