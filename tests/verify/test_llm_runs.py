"""Whole runs with a language model: the worked example, dry runs, budgets, offline, kill -9 and resume."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from chat_server import ChatServer

from fas.cli import main

URL = "http://127.0.0.1:8080/v1"
N_SENTENCES = 3


pytestmark = pytest.mark.usefixtures("fresh_cache")


def model(request):
    """Claims: the sentence itself, none for thanks. Verdicts: true for fever."""
    if "Statement:" in request.text:
        return "True" if "fever" in request.text.split("Statement:")[1].split("\n")[0] else "False"
    marked = re.findall(r"<SOS>(.+?)<EOS>", request.text)  # the instructions name the marks, too
    sentence = max(marked, key=len) if marked else request.text.split("Sentence of the context:")[-1].strip()
    return "No verifiable claim" if "Thanks" in sentence else f"- {sentence.splitlines()[0]}"


def write_answers(path, n, **more):
    rows = [
        {
            "id": f"a{i}",
            "question": f"What helps against fever in case {i}?",
            "prediction": f"Thanks for asking about {i}. Ibuprofen lowers fever in case {i}. It is sold in {i} shops.",
            **more,
        }
        for i in range(n)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return rows


def score(*arguments):
    return main(["score", *map(str, arguments), "--quiet", "--n-resamples", "50", "--no-safety"])


def records(folder):
    return [json.loads(line) for line in (folder / "scores.jsonl").read_text().splitlines()]


def local(server):
    return ["--profile", "medscore", "--model", "test-model", "--base-url", server.url]


# The worked example.


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def test_the_commands_of_the_worked_example_run(root, tmp_path, monkeypatch, capsys):
    page = (root / "docs" / "how-to" / "llm.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    # The file as its owners publish it; the sentences are ours.
    rows = write_answers(tmp_path / "x.jsonl", 3)
    published = [
        {
            "id": row["id"],
            "question": row["question"],
            "doctor_response": "Ibuprofen lowers fever.",
            "response": row["prediction"],
        }
        for row in rows
    ]
    Path("AskDocs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in published))
    (code,) = blocks(page, "python")
    exec(compile(code, "docs/how-to/llm.md", "exec"), {})
    converted = [json.loads(line) for line in Path("askdocs.jsonl").read_text().splitlines()]
    assert [set(row) for row in converted] == [{"id", "question", "prediction", "passages"}] * 3
    commands = [line for block in blocks(page, "sh") for line in block.splitlines() if line.startswith("fas ")]
    assert len(commands) == 8
    with ChatServer(model) as server:
        for command in commands:
            arguments = shlex.split(command.replace(URL, server.url))[1:]
            extra = ["--quiet", "--n-resamples", "50"] if arguments[0] == "score" else ["--n-resamples", "50"]
            assert main([*arguments, *(extra if "--dry-run" not in arguments else [])]) == 0, command
        asked = [request.everything for request in server.log]
    # Nothing was asked twice over all runs, though three of them need the same claims.
    assert len(asked) == len(set(asked))
    shown = capsys.readouterr().out
    assert "nothing was sent" in shown
    assert re.search(r"^factuality +0\.500 ", shown, re.MULTILINE)
    # "sold in shops" is false either way; "lowers fever" is true either way.
    assert "judgements of 6 claims that both runs judged" in shown
    (profile,) = blocks(page, "toml")
    Path("mine.toml").write_text(profile)
    with ChatServer(model_with_pairs) as server:
        Path("mine.toml").write_text(profile.replace(URL, server.url))
        assert main(["score", "askdocs.jsonl", "-o", "out/mine", "--profile", "mine.toml", "--quiet"]) == 0
        assert {request.body["model"] for request in server.log} == {"local", "mistral-small"}


def model_with_pairs(request):
    if request.schema is None:
        return model(request)
    pairs = [{"subclaim": "It lowers fever.", "decontextualised": "Ibuprofen lowers fever."}]
    return json.dumps({"ambiguities": "", "pairs": pairs})


# Dry runs.


def test_a_dry_run_sends_and_writes_nothing_and_its_exact_part_is_what_the_run_then_takes(
    tmp_path, monkeypatch, capsys
):
    write_answers(tmp_path / "in.jsonl", 5)
    monkeypatch.chdir(tmp_path)
    with ChatServer(model) as server:
        before = sorted(tmp_path.rglob("*"))
        assert (
            main(["score", "in.jsonl", *local(server), "--dry-run", "--json", "--claims-per-sentence", "0.6667"]) == 0
        )
        found = json.loads(capsys.readouterr().out)
        assert server.log == []
        assert [path for path in sorted(tmp_path.rglob("*")) if "cache" not in path.parts] == [
            path for path in before if "cache" not in path.parts
        ]
        assert score("in.jsonl", "-o", "out", *local(server)) == 0
        verdicts = [request for request in server.log if "Statement:" in request.text]
        assert found["claims"]["test-model"]["calls"] == len(server.log) - len(verdicts) == 5 * N_SENTENCES
        # 2 of 3 sentences give a claim here, and that is what was assumed.
        assert found["verdicts"]["test-model"]["calls"] == len(verdicts) == 10
        assert found["total"]["cost"] is None
        capsys.readouterr()
        # All is in the cache now: nothing is left to ask, and nothing is assumed of the claims.
        assert main(["score", "in.jsonl", *local(server), "--dry-run", "--json"]) == 0
        again = json.loads(capsys.readouterr().out)
        assert again["total"]["calls"] == 0
        assert again["verdicts"]["test-model"]["cached"] == 10
        assert len(server.log) == 25


@pytest.mark.parametrize("extractor", ["factscore", "veriscore", "medscore", "dnd"])
def test_a_dry_run_knows_every_extractor(extractor, tmp_path, monkeypatch, capsys):
    write_answers(tmp_path / "in.jsonl", 4)
    monkeypatch.chdir(tmp_path)
    with ChatServer(model) as server:
        assert main(["score", "in.jsonl", *local(server), "--claims", extractor, "--dry-run", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    rate = {"factscore": 4.24, "veriscore": 0.57, "medscore": 1.77, "dnd": 4.24}[extractor]
    assert found["claims"]["test-model"]["calls"] == 12
    assert found["verdicts"]["test-model"]["calls"] == int(12 * rate)


# Budgets, offline, interruptions.


def test_a_budget_stops_the_run_and_a_larger_one_goes_on(tmp_path, monkeypatch, capsys):
    write_answers(tmp_path / "in.jsonl", 20)
    monkeypatch.chdir(tmp_path)
    with ChatServer(model) as server:
        assert score("in.jsonl", "-o", "out", *local(server), "--max-calls", "30") == 2
        assert "the budget of 30 calls does not allow the next request" in capsys.readouterr().err
        assert len(server.log) + server.probes == 30
        # The first chunk of 16 answers takes 48 + 32 calls; with 90 it is finished and kept.
        assert score("in.jsonl", "-o", "out", *local(server), "--max-calls", "55") == 2
        assert len(server.log) + server.probes == 85
        assert len(records(tmp_path / "out")) == 16
        assert score("in.jsonl", "-o", "out", *local(server)) == 0
        assert len(server.log) == len(server.answered) == 100
    found = records(tmp_path / "out")
    assert [record["id"] for record in found] == [f"a{i}" for i in range(20)]
    assert {record["support"] for record in found} == {0.5}
    assert "16 calls in this run" in (tmp_path / "out" / "report.json").read_text()
