"""A check against right and wrong answers: LEAF's tables from their matrices, chosen answers, MIRAGE's choices."""

from __future__ import annotations

import json

import leaf_world
import pytest
from chat_server import ChatServer
from leaf_world import build_notes, write_lines

from fas.bench import benchmark
from fas.bench.alignment import align, read_checked
from fas.cli import main
from fas.core.errors import InputError
from fas.stats.binary import Confusion
from fas.stats.selection import selection

# LEAF, tables 6 to 10: set, checker, TP, FP, FN, TN; and table 1 as printed: precision, recall, F1, alignment.
PRINTED = [
    ("MedQA", "FG", (280, 82, 656, 255), (77.35, 29.91, 43.14, 0.42)),
    ("MedQA", "RAFE", (706, 110, 230, 227), (86.52, 75.43, 80.59, 0.73)),
    ("MMLU-Med", "RAFE", (545, 41, 382, 121), (93.00, 58.79, 72.04, 0.61)),
    ("PubMedQA*", "FG", (192, 185, 111, 12), (50.93, 63.37, 56.47, 0.41)),
    ("PubMedQA*", "RAFE", (211, 79, 92, 118), (72.76, 69.64, 71.16, 0.66)),
    ("BioASQ", "FG", (145, 25, 353, 95), (85.29, 29.12, 43.41, 0.39)),
    ("BioASQ", "RAFE", (258, 10, 240, 110), (96.27, 51.81, 67.36, 0.60)),
    ("MedMCQA", "FG", (863, 283, 2121, 916), (75.31, 28.92, 41.79, 0.43)),
    ("MedMCQA", "RAFE", (1310, 295, 1674, 904), (81.62, 43.90, 57.09, 0.53)),
]
# The one matrix that does not give what is printed for it (84.00, 44.77, 58.41).
ODD = ((414, 80, 513, 82), (83.81, 44.66, 58.27, 0.46))


def alignment(one):
    return (one.tp + one.tn) / sum(one)


@pytest.mark.parametrize(("counts", "printed"), [*((row[2], row[3]) for row in PRINTED), ODD])
def test_the_printed_table_follows_from_the_printed_matrices(counts, printed):
    one = Confusion(*counts)
    shown = (round(100 * one.precision, 2), round(100 * one.recall, 2), round(100 * one.f1, 2))
    assert shown == printed[:3]
    # 0.425, 0.415 and 0.455 were rounded either way.
    assert abs(alignment(one) - printed[3]) <= 0.0051


def test_the_best_of_tied_answers_is_the_mean_over_them():
    scores = [1.0, 1.0, 0.5, 0.0, 0.2, 0.2, 0.9]
    right = [1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0]
    found = selection(scores, right, ["a", "a", "a", "a", "b", "b", "c"], n_resamples=50)
    assert found.n_questions == 2
    assert found.n_left_out == 1
    # a: best of two tied 1/2, worst 1; b: all tied, 1/2 each.
    assert found.rows["best"].mean == pytest.approx(0.5)
    assert found.rows["worst"].mean == pytest.approx((1.0 + 0.5) / 2)
    assert found.rows["mean"].mean == pytest.approx((0.5 + 0.5) / 2)
    assert found.rows["oracle"].mean == 1.0
    assert (found.tied, found.all_equal) == (1.0, 0.5)


def record(identifier, labels, gold, *, question="q", error=None, model="m"):
    claims = [{"text": str(i), "start": None, "end": None, "label": label} for i, label in enumerate(labels)]
    meta = {"gold": gold, "model": model, "question_id": question}
    return {"id": identifier, "question": question, "prediction": "", "meta": meta, "claims": claims, "error": error}


@pytest.fixture
def checked(tmp_path):
    rows = [
        record("1", ["supported", "supported"], 1, question="a"),
        record("2", ["supported", "unsupported"], 1, question="a"),
        record("3", ["supported", "contradicted"], 0, question="b"),
        record("4", ["supported", "unverified"], 1, question="b"),
        record("5", [], 0, question="c"),
        record("6", ["supported"], 0, question="c"),
        record("7", ["supported"], None, question="d"),
        record("8", [], 1, question="d", error={"type": "X", "line": 1, "field": None, "message": ""}),
    ]
    (tmp_path / "run").mkdir()
    write_lines(tmp_path / "run" / "scores.jsonl", rows)
    return tmp_path / "run"


def test_decisions_and_measures_agree_with_a_count_by_hand(checked):
    found = align(read_checked(checked), "run", n_resamples=200)
    assert read_checked(checked / "scores.jsonl").ids == read_checked(checked).ids
    assert found.n == 6
    assert found.left_out == {"no gold": 1, "scoring failed": 1}
    assert found.rows["all supported"].confusion == (1, 1, 2, 2)
    assert found.rows["none contradicted"].confusion == (2, 1, 1, 2)
    assert found.rows["always right"].confusion == (3, 3, 0, 0)
    row = found.rows["all supported"].measures
    assert (row["precision"].mean, row["recall"].mean, row["f1"].mean) == pytest.approx((1 / 2, 1 / 3, 2 / 5))
    assert row["alignment"].mean == 0.5
    assert row["alignment"].n == 6
    assert found.against_always["all supported"].difference == 0.0
    # Right: 1, 1/2, 1 (of the verified one); wrong: 1/2, 1. An answer without a claim has no score.
    pairs = [(r > w) + 0.5 * (r == w) for r in (1, 0.5, 1) for w in (0.5, 1)]
    assert found.auroc["support"].value == pytest.approx(sum(pairs) / 6)
    assert found.selected["support"].n_questions == 2
    json.dumps(found.as_dict(), allow_nan=False)
    assert "always right" in found.as_text()


def test_a_reward_models_file_ranks_beside_the_check(checked, tmp_path, capsys):
    rewards = {"1": 0.1, "2": 0.9, "3": 0.4, "4": 0.3, "5": 0.5, "6": 0.6, "7": 0.0, "8": 0.0}
    file = write_lines(tmp_path / "armorm.jsonl", [{"id": key, "reward": value} for key, value in rewards.items()])
    assert main(["results", "align", str(checked), "--rewards", f"ArmoRM={file}", "--n-resamples", "50", "--json"]) == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    # Right answers have 0.1, 0.9 and 0.3, wrong ones 0.4, 0.5 and 0.6: three of nine pairs are in order.
    assert run["auroc"]["ArmoRM"]["value"] == pytest.approx(3 / 9)
    # Best and worst of a and b are right once each of two; both of c are wrong.
    assert run["selection"]["ArmoRM"]["best"]["mean"] == pytest.approx((1 + 0 + 0) / 3)
    assert run["selection"]["ArmoRM"]["worst"]["mean"] == pytest.approx((1 + 1 + 0) / 3)
    write_lines(file, [{"id": "1", "reward": 1.0}])
    assert main(["results", "align", str(checked), "--rewards", f"ArmoRM={file}"]) == 2
    assert "ArmoRM has no reward of '2'" in capsys.readouterr().err


def test_options_of_a_question_are_counted_with_their_mean_support(checked):
    lines = [json.loads(line) for line in (checked / "scores.jsonl").read_text().splitlines()]
    for line, choice in zip(lines, ["A", "A", "B", "C", "B", "B", "A", "A"], strict=True):
        line["meta"]["choice"] = choice
    write_lines(checked / "scores.jsonl", lines)
    found = align(read_checked(checked), "run", by_option=True, n_resamples=20)
    shown = [(row.question, row.option, row.n, row.right, row.support) for row in found.options]
    assert shown[:3] == [("a", "A", 2, True, 0.75), ("b", "B", 1, False, 0.5), ("b", "C", 1, True, 1.0)]
    assert shown[3] == ("c", "B", 2, False, 1.0)
    assert align(read_checked(checked), "run", n_resamples=20).options == ()


# MIRAGE's choices.


@pytest.fixture
def mirage(tmp_path):
    yes_no = {"A": "yes", "B": "no"}
    rows = {
        f"{i:04}": {
            "question": f"What should a child with fever get in case {i}?",
            "options": leaf_world.OPTIONS,
            "answer": "AB"[i % 2],
        }
        for i in range(4)
    }
    data = {"medqa": rows, "bioasq": {"x1": {"question": "Does it help in case 9?", "options": yes_no, "answer": "B"}}}
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "benchmark.json").write_text(json.dumps(data))
    return tmp_path


def test_the_five_sets_are_read_with_their_options_in_the_question(mirage):
    items = list(benchmark("choices").items(mirage / "data"))
    assert [item.id for item in items] == ["medqa/0000", "medqa/0001", "medqa/0002", "medqa/0003", "bioasq/x1"]
    assert items[0].question.endswith("(C) metformin")
    assert items[4].meta["options"] == {"A": "yes", "B": "no"}
    (mirage / "data" / "benchmark.json").write_text(
        '{"medqa": {"1": {"question": "x", "options": ["a", "b"], "answer": "C"}}}'
    )
    with pytest.raises(InputError, match="medqa/1: the answer 'C' is not one of A, B"):
        list(benchmark("choices").items(mirage / "data"))


def test_a_benchmark_of_choices_answers_checks_and_aligns(mirage, monkeypatch, fresh_cache):
    monkeypatch.chdir(mirage)
    build_notes(mirage / "index")
    (mirage / "p.toml").write_text(
        '[claims]\nname = "sentences"\n[evidence]\nk = 3\n[verify]\nname = "rafe"\n[safety]\nenabled = false\n'
        "[run]\nn_resamples = 50\n"
    )
    with ChatServer(
        lambda r: "(A) or (B)" if "Does it help" in r.text and "STATEMENT" not in r.text else leaf_world.model(r)
    ) as server:
        text = (mirage / "p.toml").read_text()
        (mirage / "p.toml").write_text(f'{text}[llm]\nmodel = "checker"\nbase_url = "{server.url}"\n')
        arguments = ["--data", "data", "--generate", "openai:writer", "--base-url", server.url, "--quiet", "-o", "out"]
        assert main(["bench", "run", "choices", *arguments, "--profile", "p.toml", "--evidence", "index:index"]) == 0
        # Requests of one batch go out side by side, in no order.
        first = next(request.text for request in server.log if "OPTIONS:\n(A) ibuprofen" in request.text)
    assert "\n\nKNOWLEDGE:" not in first
    assert first.count("(A) ibuprofen") == 1
    answers = [json.loads(line) for line in (mirage / "out" / "writer" / "answers.jsonl").read_text().splitlines()]
    assert [row["gold"] for row in answers] == [0.0, 1.0, 0.0, 1.0, 0.0]
    assert [row.get("choice") for row in answers] == ["B", "B", "B", "B", None]
    assert "unread" in answers[-1]
    (one,) = json.loads((mirage / "out" / "tables" / "alignment.json").read_text())
    assert one["decisions"]["always right"]["tp"] == 2
    assert one["decisions"]["all supported"]["tp"] == 0
    assert "| always right |" in (mirage / "out" / "tables" / "alignment.md").read_text()


def test_settings_and_budget_of_the_profile_hold_for_the_model_that_answers(mirage, monkeypatch, fresh_cache, capsys):
    monkeypatch.chdir(mirage)
    with ChatServer("(A) ibuprofen") as server:
        (mirage / "p.toml").write_text(f'[llm]\nbase_url = "{server.url}"\nstream = true\nconcurrency = 1\n')
        arguments = [
            "--data",
            "data",
            "--generate",
            "openai:writer",
            "--profile",
            "p.toml",
            "--prepare-only",
            "-o",
            "out",
        ]
        assert main(["bench", "run", "choices", *arguments, "--max-calls", "3"]) != 0
        assert "3 calls" in capsys.readouterr().err
        assert len(server.log) == 3
        assert main(["bench", "run", "choices", *arguments, "--max-calls", "9"]) == 0
    assert all(request.stream for request in server.log)
    assert server.most_at_once == 1
    assert len(server.log) == 5
