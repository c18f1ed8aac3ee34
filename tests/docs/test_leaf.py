"""docs/papers/leaf.md: the worked example runs as written, against a scripted server and a tiny model in a folder."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from chat_server import ChatServer
from leaf_world import role, section
from tiny_llm import write_tiny_llm

from fas.cli import main

pytest.importorskip("trl")
pytestmark = pytest.mark.filterwarnings("ignore")  # of the libraries underneath
URL = "http://127.0.0.1:8080/v1"


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def script(request):
    """A model that knows nothing of aspirin before it has read of it."""
    if role(request) == "query":
        return f"```\n{' '.join(re.findall(r'[A-Za-z]{5,}', section(request.text, 'STATEMENT'))[:3])}\n```"
    if role(request) == "verdict":
        false = "Aspirin is given" in section(request.text, "STATEMENT") or "(B)" in section(request.text, "STATEMENT")
        return f"Reasons.\n\nFinal answer: [{'Not Supported' if false else 'Supported'}]"
    if request.body.get("seed", 0) % 2 or section(request.text, "KNOWLEDGE"):
        return "Children with a fever should drink water, tea or diluted juice often and in small amounts."
    return "Aspirin is given to children with a virus infection. Children with a fever should drink water often."


@pytest.fixture
def page(root):
    return (root / "docs" / "papers" / "leaf.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_commands_of_the_worked_example_run(page, fresh_cache, tmp_path, monkeypatch, capsys):
    for name in ("OPENAI_BASE_URL", "FAS_PRICES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    questions, notes = blocks(page, "json")
    Path("questions.jsonl").write_text(questions, encoding="utf-8")
    Path("notes.jsonl").write_text(notes, encoding="utf-8")
    write_tiny_llm(tmp_path / "small", chat=True, positions=1024)
    lines = [line for block in blocks(page, "sh") for line in block.splitlines()]
    commands = [line for line in lines if "(needs" not in line]
    assert len(commands) == 11
    shown = {}
    with ChatServer(script) as server:
        for command in commands:
            arguments = shlex.split(command.replace(URL, server.url))[1:]
            if arguments[0] in ("score", "revise") and "--dry-run" not in arguments:
                arguments += ["--quiet", "--n-resamples", "50", "--no-safety"]
            if arguments[:2] == ["results", "align"]:
                # The questions have their right options; the sample answers choose none of them.
                arguments += ["--n-resamples", "50"]
            if arguments[:2] == ["train", "sample"]:
                arguments += ["--quiet", "--max-new-tokens", "24"]
            if arguments[:2] == ["train", "simpo"]:
                arguments += ["--max-length", "900", "--epochs", "1"]
            assert main(arguments) == 0, (command, capsys.readouterr().err)
            shown[command] = capsys.readouterr().out
        (code,) = blocks(page, "python")
        exec(compile(code.replace(URL, server.url), "docs/papers/leaf.md", "exec"), {})
    (dry,) = [text for command, text in shown.items() if "--dry-run" in command]
    (printed,) = re.findall(r"^```\n(dry run of .*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert [line for line in printed.splitlines() if line not in [*dry.splitlines(), "..."]] == []
    final = [json.loads(line) for line in Path("out/rafe/final.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in final] == ["q1", "q2", "q3"]
    assert {row["stop"] for row in final} == {"correct"}
    assert json.loads(Path("out/model/fas_tune.json").read_text())["purpose"] == "simpo"
