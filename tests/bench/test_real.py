"""What real files of benchmarks' owners showed: each test names the case and fails on 0.1.0."""

from __future__ import annotations

import json
import logging
import sys

import bench_trees as trees
import pytest
from chat_server import ChatServer

from fas.bench import benchmark
from fas.bench.run import statement_judge
from fas.cli import main
from fas.errors import ProfileError
from fas.profile import PartSpec, load_profile

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
    return main(["bench", *arguments, "--quiet"])


def records(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


# --- ablations ------------------------------------------------------------------------------------


def test_the_ablations_of_a_folder_are_scored_and_tabled_by_the_command(workplace, capsys):
    common = ("--data", "data", "--profile", "quick.toml")
    assert bench("kqa", *common, "--passages", "references", "-o", "out") == 0
    assert bench("ablations", "out", "--profile", "quick.toml") == 0
    assert "one-window left out" in capsys.readouterr().err
    assert "without retrieval" in (workplace / "out" / "tables" / "ablations.md").read_text()
    assert list((workplace / "out" / "ablations" / "no-retrieval").glob("*/scores.jsonl"))


def test_the_general_checkpoint_of_the_ablations_is_an_option_of_the_command(workplace, capsys):
    answer = {"id": "a", "question": "Q?", "prediction": "Aspirin helps.", "passages": ["Aspirin helps."]}
    (workplace / "a.jsonl").write_text(json.dumps(answer) + "\n")
    settings = ("--profile", "mini", "--precision", "fp32", "--n-resamples", "20", "--no-safety")
    assert main(["score", "a.jsonl", "-o", "out", "--quiet", *settings]) == 0
    (workplace / "a.jsonl").rename(workplace / "out" / "answers.jsonl")
    assert bench("ablations", "out", "--general-nli", "fas-nli-mini", *settings) == 0
    assert (workplace / "out" / "ablations" / "general-nli" / "scores.jsonl").exists()
    assert bench("kqa", "--data", "data", "--general-nli", "x") == 2
    assert "--general-nli and --corpora are for `fas bench ablations DIR`" in capsys.readouterr().err


# --- gold -----------------------------------------------------------------------------------------


def test_a_verifier_that_reads_no_text_does_not_judge_gold_statements(workplace, capsys):
    with pytest.raises(ProfileError, match="verifier 'internal' reads no text"):
        statement_judge(load_profile("medscore"))
    with ChatServer("True") as server:
        line = f'[verify]\nname = "internal"\nmodel = "m"\nbase_url = "{server.url}"\n'
        (workplace / "internal.toml").write_text(line)
        code = bench("medlfqa", "--data", "data", "--profile", "internal.toml", "-o", "out")
        assert code == 2
        assert not server.log
    assert "--gold-profile names who judges" in capsys.readouterr().err


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


def test_a_missing_source_is_answered_with_the_passages_there_are(workplace, capsys):
    assert bench("kqa", "--data", "data", "--profile", "quick.toml", "-o", "out") == 2
    assert "--passages references" in capsys.readouterr().err


# --- which questions ------------------------------------------------------------------------------


def test_a_limit_draws_among_questions_that_somebody_answered(workplace, capsys):
    # Of the four questions of the tree, the first has no answer; any seed must find two that have.
    for seed in range(3):
        code = bench(
            "kqa", "--data", "data", "--profile", "quick.toml", "--passages", "references", "--prepare-only",
            "--limit", "2", "--sample-seed", str(seed), "-o", f"out{seed}",
        )  # fmt: skip
        assert code == 0, capsys.readouterr().err
        lines = [r for path in (workplace / f"out{seed}").glob("*/answers.jsonl") for r in records(path)]
        assert len({line["question_id"] for line in lines}) == 2


def test_errors_of_the_owners_client_are_no_answers(workplace, caplog):
    answers = workplace / "data" / "mirage" / "prediction" / "bioasq"
    timed_out = (
        "Request timed out: HTTPSConnectionPool(host='example.openai.azure.com', port=443): Read timed out. "
        "(read timeout=600)"
    )
    trees.write_json(answers / "rag_32" / "OpenAI" / "gpt-x" / "medcorp" / "RRF-4" / "test_a4.json", [timed_out])
    trees.write_json(answers / "cot" / "OpenAI" / "gpt-x" / "test_b1.json", [])
    with caplog.at_level(logging.WARNING):
        found = list(benchmark("mirage").candidates(workplace / "data"))
    assert sorted((c.item, c.model) for c in found) == [
        ("bioasq/a4", "gpt-x/cot"),
        ("bioasq/b1", "gpt-x/rag_32"),
        ("pubmedqa/12", "gpt-x/cot"),
    ]
    assert "2 stored replies are no answers" in caplog.text
    assert "gpt-x/rag_32 on bioasq/a4" in caplog.text


def test_mirages_copy_has_the_4469_explanations_its_card_states(shared_data):
    texts = [c.text for c in benchmark("mirage").candidates(shared_data)]
    assert len(texts) == 4469
    assert not [text for text in texts if text.startswith("Request timed out") or not text.strip()]


# --- a dry run ------------------------------------------------------------------------------------


def test_a_dry_run_needs_no_client_for_language_models(workplace, monkeypatch, capsys):
    # As where the package was never installed: neither importable nor to be found.
    monkeypatch.setitem(sys.modules, "openai", None)
    for name in [name for name in sys.modules if name.startswith("openai.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "openai")
    monkeypatch.setattr("importlib.util.find_spec", lambda name, package=None: None)
    answer = {"id": "a", "question": "Q?", "prediction": "Aspirin helps."}
    (workplace / "answers.jsonl").write_text(json.dumps(answer) + "\n")
    assert main(["score", "answers.jsonl", "--profile", "medscore", "--dry-run"]) == 0
    assert "nothing was sent" in capsys.readouterr().out
    assert main(["score", "answers.jsonl", "--profile", "medscore", "-o", "out", "--quiet"]) == 2
    assert "pip install 'fact-aligned-score[llm]'" in capsys.readouterr().err


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


def test_the_gold_judge_and_the_answers_of_all_models_share_one_budget(workplace, capsys):
    with ChatServer(answering) as server:
        code = bench(
            "medlfqa", "--data", "data", "--passages", "references", "--verify", "retrieved", "--model", "judge",
            "--base-url", server.url, "--max-calls", "5", "--no-tables", "--no-safety", "--precision", "fp32",
            "-o", "out",
        )  # fmt: skip
        assert code != 0
        assert len(server.log) <= 5
    assert "budget" in capsys.readouterr().err


def test_a_clause_is_compared_with_its_whole_sentence_at_a_threshold_of_ones_own(tmp_path):
    from fas.report.facts import Entailment, read_facts

    text = "Aspirin thins the blood and honey soothes a cough."
    claim = {"text": "Honey soothes a cough and thins nothing.", "start": 28, "end": 49, "label": "supported"}
    record = {"id": "a", "question": None, "prediction": text, "meta": {}, "claims": [claim], "error": None}
    (tmp_path / "scores.jsonl").write_text(json.dumps(record) + "\n")
    judge = Entailment(load_profile("mini").override(verify=PartSpec("lexical")), threshold=0.8)
    asked = []
    whole = judge.judge
    judge.judge = lambda pairs: asked.extend(pairs) or whole(pairs)
    read_facts(tmp_path, entailment=judge)
    assert asked == [(text, claim["text"])]
    assert judge.signature.endswith("t=0.8")
