"""What real files of benchmarks' owners showed: each test names the case and fails on 0.1.0."""

from __future__ import annotations

import json

import bench_trees as trees
import pytest
from chat_server import ChatServer

from fas.cli import main

QUICK = '[verify]\nname = "lexical"\n[safety]\nenabled = false\n[run]\nprecision = "fp32"\nn_resamples = 20\n'


@pytest.fixture
def workplace(tmp_path, monkeypatch, fresh_cache):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    (tmp_path / "quick.toml").write_text(QUICK)
    trees.kqa(tmp_path / "data" / "kqa")
    trees.mirage(tmp_path / "data" / "mirage")
    trees.medlfqa(tmp_path / "data" / "OLAPH")
    return tmp_path


def bench(*arguments):
    return main(["bench", "run", *arguments, "--quiet"])


def records(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


# --- ablations ------------------------------------------------------------------------------------


def test_the_ablations_of_a_folder_are_scored_and_tabled_by_the_command(workplace):
    common = ("--data", "data", "--profile", "quick.toml")
    assert bench("kqa", *common, "--passages", "references", "-o", "out") == 0
    assert main(["bench", "ablations", "out", "--profile", "quick.toml"]) == 0
    assert "without retrieval" in (workplace / "out" / "tables" / "ablations.md").read_text()
    assert list((workplace / "out" / "ablations" / "no-retrieval").glob("*/scores.jsonl"))


def test_an_ablation_with_other_settings_than_the_run_is_refused_since_more_would_change(workplace, capsys):
    common = ("--data", "data", "--profile", "quick.toml")
    assert bench("kqa", *common, "--passages", "references", "--no-tables", "-o", "out") == 0
    for option, name in (("--claims=sentences", "claims"), ("-k=3", "k"), ("--weights=0.5,0.3,0.2", "w")):
        assert main(["bench", "ablations", "out", "--profile", "quick.toml", *option.split("=")]) == 2
        assert f"was made with other settings: {name!r} was" in capsys.readouterr().err
    assert not (workplace / "out" / "ablations").exists()


# --- gold -----------------------------------------------------------------------------------------


def test_answers_that_physicians_judged_need_no_other_judge_and_no_evidence(workplace):
    profile = '[verify]\nname = "internal"\nmodel = "m"\nbase_url = "{}"\n[safety]\nenabled = false\n'
    with ChatServer("True") as server:
        (workplace / "internal.toml").write_text(profile.format(server.url))
        code = bench(
            "kqa", "--data", "data", "--profile", "internal.toml", "-o", "out", "--no-tables", "--n-resamples", "20"
        )
    assert code == 0
    rows = records(workplace / "out" / "gpt4" / "scores.jsonl")
    assert [claim["label"] for claim in rows[0]["claims"]] == ["supported"] * len(rows[0]["claims"])


# --- language models of a benchmark's run ------------------------------------------------------------


def answering(request):
    """Claims: the sentence itself; verdicts: true."""
    if "Statement:" in request.text:
        return "True"
    return f"- {request.text.split('Sentence of the context:')[-1].strip().splitlines()[0]}"


def test_a_benchmark_takes_other_parts_and_a_model_for_the_verifier_alone(workplace, capsys):
    with ChatServer(answering) as server:
        arguments = (
            "kqa", "--data", "data", "--passages", "references", "--claims", "medscore", "--verify", "retrieved",
            "--model", "writer", "--verify-model", "judge", "--base-url", server.url, "--no-tables",
            "--n-resamples", "20", "--no-safety", "--precision", "fp32", "-o", "out",
        )  # fmt: skip
        assert bench(*arguments, "--dry-run") == 0
        told = capsys.readouterr().out
        assert not server.log
        assert not (workplace / "out").exists()
        assert "nothing was sent" in told
        assert bench(*arguments) == 0
        models = {request.body["model"]: "Statement:" in request.text for request in server.log}
    assert models == {"writer": False, "judge": True}
    record = records(workplace / "out" / "gpt4" / "scores.jsonl")[0]
    assert {claim["label"] for claim in record["claims"]} == {"supported"}
