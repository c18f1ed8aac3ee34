"""`fas bench` from the files of a benchmark to scores and tables, with the shipped lexical verifier.

Oracles: the texts of `bench_trees`, and `fas score` on the same answers.
"""

from __future__ import annotations

import json

import pytest
from bench_runs import bench, records

from fas.bench import benchmark
from fas.bench.dataset import Candidate, Item
from fas.bench.prepare import answer_record
from fas.cli import main
from fas.core.records import Passage

# --- what is selected and written ---------------------------------------------------------------


def test_a_record_carries_what_tables_group_and_correlate_by():
    passage = Passage("P.", id="7", year=2001)
    item = Item("9", "Q?", ("R1.", "R2."), (passage,), "list", {"subset": "10B", "exact": [["x"]], "decision": "yes"})
    meta = {"comprehensiveness": 0.25, "hallucination": 0.125, "mode": None}
    record = answer_record("bioasq", item, Candidate("9", "m/x", 2, "T.", 0.5, meta), "own")
    assert record == {
        "id": "9#2",
        "question": "Q?",
        "prediction": "T.",
        "references": ["R1.", "R2."],
        "passages": [{"text": "P.", "id": "7", "year": 2001}],
        "dataset": "bioasq",
        "model": "m/x",
        "question_id": "9",
        "sample": 2,
        "n_references": 2,
        "gold": 0.5,
        "kind": "list",
        "subset": "10B",
        "decision": "yes",
        "comprehensiveness": 0.25,
        "hallucination": 0.125,
        "gold_comprehensiveness": 0.25,
        "gold_no_hallucination": 0.875,
    }


# --- the command --------------------------------------------------------------------------------


def test_stored_answers_become_scores_and_gold_and_a_second_run_does_nothing_anew(workplace, capsys):
    assert bench("kqa", "--passages", "references", "-o", "out") == 0
    shown = capsys.readouterr()
    assert "kqa: 4 questions" in shown.err
    assert {p.name for p in (workplace / "out").iterdir()} == {"bench.json", "gpt4", "bard"}
    scores = {r["id"]: r for r in records(workplace / "out" / "bard" / "scores.jsonl")}
    assert set(scores) == {"2#0", "judged/0#0"}
    assert scores["2#0"]["meta"]["gold"] == 1.0
    assert scores["2#0"]["meta"]["judged_by"] == "physicians"
    assert records(workplace / "out" / "bard" / "gold.jsonl") == [
        {"id": "2#0", "gold": 1.0},
        {"id": "judged/0#0", "gold": 0.0},
    ]
    described = json.loads((workplace / "out" / "bench.json").read_text())
    assert described["subset_rule"] == benchmark("kqa").subset_rule
    assert described["models"] == {"gpt4": "gpt4", "bard": "bard"}
    assert (described["gold"], described["gold_judge"]) == ({"physicians": 3}, None)

    # The same answers through `fas score` give the same scores.
    assert main(["score", "out/bard/answers.jsonl", "-o", "alone", "--profile", "quick.toml", "--quiet"]) == 0
    assert records(workplace / "alone" / "scores.jsonl") == list(scores.values())

    before = (workplace / "out" / "bard" / "scores.jsonl").stat().st_mtime_ns
    assert bench("kqa", "--passages", "references", "-o", "out") == 0
    assert (workplace / "out" / "bard" / "scores.jsonl").stat().st_mtime_ns == before


def test_gold_by_statements_is_written_beside_answers_that_had_none(workplace, capsys):
    arguments = ("medlfqa", "--samples", "1", "--prepare-only", "-o", "out")
    assert bench(*arguments) == 0
    shown = capsys.readouterr()
    path = workplace / "out" / "gamma-7b_wo-kqa_silver_wogold" / "answers.jsonl"
    assert shown.out.splitlines() == [str(path.relative_to(workplace))]
    assert "judged by lexical[1]" in shown.err
    found = records(path)
    # The expert's own words entail every statement of the question.
    assert [r["gold"] for r in found] == [1.0, 1.0, 1.0]
    assert {r["judged_by"] for r in found} == {"lexical[1]"}
    assert json.loads((workplace / "out" / "bench.json").read_text())["gold_judge"] == "lexical[1], t=0.7"
    assert bench(*arguments[:-1], "bare", "--no-gold") == 0
    assert [r["gold"] for r in records(workplace / "bare" / path.parent.name / "answers.jsonl")] == [None] * 3
    assert not (workplace / "bare" / path.parent.name / "gold.jsonl").exists()


def test_questions_that_a_model_cannot_answer_stop_the_run_or_are_left_out(workplace, capsys):
    assert bench("kqa", "--generate", "abstract", "--prepare-only", "-o", "out") == 2
    assert "could not answer 4 of 4 questions, e.g. 0: the question comes with no abstract" in capsys.readouterr().err
    assert bench("kqa", "--generate", "abstract", "--skip-failed", "--prepare-only", "-o", "out") == 2
    assert "no stored answers to these questions" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("bioask",), "no benchmark 'bioask'; did you mean 'bioasq'?"),
        (("bioasq",), "no golden file of BioASQ Task B"),
        (("pubmedqa",), "no stored answers to these questions; generate some with --generate"),
        (("kqa", "--models", "gpt5", "--prepare-only"), "no stored answers of the model 'gpt5'"),
        (("kqa", "--subset", "silver"), "--subset silver: no question has it; available: answered, judged, all"),
    ],
)
def test_a_mistake_exits_2_with_what_to_do(workplace, capsys, arguments, message):
    assert bench(*arguments) == 2
    assert message in capsys.readouterr().err
