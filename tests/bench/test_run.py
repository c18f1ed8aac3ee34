"""`fas bench` from the files of a benchmark to scores and tables, with the shipped lexical verifier.

Oracles: the texts of `bench_trees`, and `fas score` on the same answers.
"""

from __future__ import annotations

import json

import pytest
from bench_runs import bench, records
from chat_server import ChatServer

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


# --- ablations ------------------------------------------------------------------------------------


def test_the_ablations_of_a_folder_are_scored_and_tabled_by_the_command(workplace):
    assert bench("kqa", "--passages", "references", "-o", "out") == 0
    assert main(["bench", "ablations", "out", "--profile", "quick.toml"]) == 0
    assert "without retrieval" in (workplace / "out" / "tables" / "ablations.md").read_text()
    assert list((workplace / "out" / "ablations" / "no-retrieval").glob("*/scores.jsonl"))


def test_an_ablation_with_other_settings_than_the_run_is_refused_since_more_would_change(workplace, capsys):
    assert bench("kqa", "--passages", "references", "-o", "out") == 0
    for option, name in (("--claims=sentences", "claims"), ("-k=3", "k"), ("--weights=0.5,0.3,0.2", "w")):
        assert main(["bench", "ablations", "out", "--profile", "quick.toml", *option.split("=")]) == 2
        assert f"was made with other settings: {name!r} was" in capsys.readouterr().err
    assert not (workplace / "out" / "ablations").exists()


# --- gold -----------------------------------------------------------------------------------------


def test_answers_that_physicians_judged_need_no_other_judge_and_no_evidence(workplace, fresh_cache):
    profile = '[verify]\nname = "internal"\nmodel = "m"\nbase_url = "{}"\n[safety]\nenabled = false\n'
    with ChatServer("True") as server:
        (workplace / "quick.toml").write_text(profile.format(server.url))
        assert bench("kqa", "-o", "out", "--n-resamples", "20") == 0
    rows = records(workplace / "out" / "gpt4" / "scores.jsonl")
    assert [claim["label"] for claim in rows[0]["claims"]] == ["supported"] * len(rows[0]["claims"])


# --- language models of a benchmark's run ------------------------------------------------------------


def answering(request):
    """Claims: the sentence itself; verdicts: true."""
    if "Statement:" in request.text:
        return "True"
    return f"- {request.text.split('Sentence of the context:')[-1].strip().splitlines()[0]}"


def test_a_benchmark_takes_other_parts_and_a_model_for_the_verifier_alone(workplace, capsys, fresh_cache):
    with ChatServer(answering) as server:
        arguments = (
            "kqa", "--passages", "references", "--claims", "medscore", "--verify", "retrieved", "--model", "writer",
            "--verify-model", "judge", "--base-url", server.url, "-o", "out",
        )  # fmt: skip
        assert bench(*arguments, "--dry-run") == 0
        told = capsys.readouterr().out
        assert not server.log
        assert not (workplace / "out").exists()
        assert "nothing was sent" in told
        assert bench(*arguments) == 0
        models = {request.body["model"]: "Statement:" in request.text for request in server.log}
    assert models == {"writer": False, "judge": True}
    (record,) = records(workplace / "out" / "gpt4" / "scores.jsonl")
    assert {claim["label"] for claim in record["claims"]} == {"supported"}
