"""docs/papers/detectors.md: the worked example runs as written, on the published sample, against a scripted server."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from chat_server import ChatServer
from findings_made import write_lines

from fas.cli import main

URL = "http://127.0.0.1:8080/v1"
SAMPLE = "sample_data_export_from_JSL.json"
WRONG = "Heavy drinking is not recommended"  # begins a sentence that an expert marked


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def script(request):
    """A model that objects to sentences about drinking; critics and reviewer agree; claims are the sentences."""
    system = request.messages[0]["content"]
    if "answers for the safety" in system or "knows the literature" in system:
        return json.dumps({"ok": True, "feedback": ""})
    if "lead a review" in system:
        return json.dumps({"approve": True, "instruction": ""})
    if "physician" in system:
        found = re.search(rf"{WRONG}[^.]*\.", request.text)
        one = {"explanation": "Any drinking can be harmful with it.", "harm": "medium", "confidence": 0.8}
        return json.dumps({"findings": [{"sentence": found.group(), **one}] if found else []})
    if "Statement:" in request.text:
        return "False" if WRONG in request.text.split("Statement:")[1] else "True"
    marked = re.findall(r"<SOS>(.+?)<EOS>", request.text)
    sentence = max(marked, key=len) if marked else request.text.split("Sentence of the context:")[-1].strip()
    return f"- {sentence.splitlines()[0]}"


@pytest.fixture
def page(root):
    return (root / "docs" / "papers" / "detectors.md").read_text(encoding="utf-8")


def test_the_commands_of_the_worked_example_run(page, shared_data, fresh_cache, tmp_path, monkeypatch, capsys):
    for name in ("OPENAI_BASE_URL", "FAS_PRICES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    shutil.copy(shared_data / "eval" / "medexpert_questions" / SAMPLE, SAMPLE)
    write_lines(Path("references.jsonl").absolute(), [{"id": "r1", "text": "Alcohol interacts with antidepressants."}])
    commands = [line for block in blocks(page, "sh") for line in block.splitlines() if line.startswith("fas ")]
    assert len(commands) == 9
    shown = {}
    with ChatServer(script) as server:
        for command in commands:
            arguments = shlex.split(command.replace(URL, server.url))[1:]
            if arguments[0] == "score":
                arguments += ["--quiet", "--n-resamples", "50"]
            if arguments[:2] == ["detect", "run"] and "--dry-run" not in arguments:
                arguments += ["--quiet"]
            if arguments[:2] == ["detect", "eval"]:
                arguments += ["--n-resamples", "200"]
            assert main(arguments) == 0, command
            shown[command] = capsys.readouterr().out
    assert len(Path("medexpert/answers.jsonl").read_text().splitlines()) == 10
    (dry,) = [text for command, text in shown.items() if "--dry-run" in command]
    assert "nothing was sent" in dry
    record = next(
        record
        for record in map(json.loads, Path("out/all/findings.jsonl").read_text().splitlines())
        if record["id"] == "MH-olmo2-q10"
    )
    assert record["flagged"]
    assert {part["member"] for part in record["findings"][0]["by"]} >= {"judge/run-0", "judge/run-2", "rag", "agents"}
    table = shown[commands[-1]]
    assert "flag everything" in table
    assert "mean over runs" in table
    (code,) = blocks(page, "python")
    exec(compile(code, "docs/papers/detectors.md", "exec"), {})
    assert "MH-olmo2-q10" in capsys.readouterr().out
