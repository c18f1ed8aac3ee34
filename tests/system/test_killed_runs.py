"""A command that is killed keeps every chunk before, and the same command ends with the bytes of one undisturbed.

Scoring and the loop itself are killed in `tests/pipeline/runs`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import leaf_world
import pytest
from chat_server import ChatServer

GENERATE = """from pathlib import Path
from fas.bench.dataset import Item
from fas.bench.generate import generate, make_generator
items = [Item(f"q{i}", f"What is case {i}?", ()) for i in range(20)]
generate(items, make_generator("writer", base_url=URL, batch_size=16), Path(OUT) / "g.jsonl", default="qa")"""
MAIN = "from fas.cli import main; assert main([{}, '-o', OUT, '--quiet']) == 0"
REVISE = "'revise', 'q.jsonl', '--generate', 'writer', '--profile', 'rafe.toml', '--evidence', 'index:index'"
CASES = {  # name: program, its file, lines that a chunk leaves in it, what the command ends with
    "detecting": (
        MAIN.format("'detect', 'run', 'q.jsonl', '--model', 'writer', '--base-url', URL"),
        "findings.jsonl", 16, "*.jsonl",
    ),
    "revising": (MAIN.format(REVISE + ", '--base-url', URL"), "round-0/answers.jsonl", 16, "**/*.jsonl"),
    "sampling": (
        MAIN.format("'train', 'sample', 'q.jsonl', '--generate', 'writer', '--generate-url', URL, '--n', '4'"),
        "answers.jsonl", 64, "*.jsonl",
    ),
    "generating": (GENERATE, "g.jsonl", 16, "*.jsonl"),
}  # fmt: skip


def script(request):
    return '{"findings": []}' if '"findings"' in request.text else leaf_world.model(request)


@pytest.mark.parametrize("name", CASES)
def test_a_killed_command_loses_the_chunk_it_is_at_and_ends_as_one_undisturbed(
    name, tmp_path, monkeypatch, fresh_cache
):
    program, file, kept, made = CASES[name]
    monkeypatch.chdir(tmp_path)
    rows = [leaf_world.question(i) | {"prediction": leaf_world.first_answer(i)} for i in range(20)]
    asked = rows if name == "detecting" else [{k: v for k, v in row.items() if k != "prediction"} for row in rows]
    leaf_world.write_lines(tmp_path / "q.jsonl", asked)
    if name == "revising":
        leaf_world.build_notes(tmp_path / "index")
        (tmp_path / "rafe.toml").write_text(
            '[claims]\nname = "sentences"\n[evidence]\nask = {queries = 0}\n[verify]\nname = "rafe"\n'
            '[llm]\nmodel = "checker"\n[safety]\nenabled = false\n[run]\nn_resamples = 50\n'
        )
    running: list[subprocess.Popen] = []

    def fatal(request):
        if len(server.log) > kept and running:
            os.kill(running[0].pid, signal.SIGKILL)
        return script(request)

    with ChatServer(fatal) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        places = f"URL, OUT = {server.url!r}, {{!r}}\n"
        running.append(subprocess.Popen([sys.executable, "-c", places.format("out") + program]))
        assert running[0].wait(300) == -signal.SIGKILL
        running.clear()
        assert (tmp_path / "out" / file).read_bytes().count(b"\n") == kept
        for out in ("out", "whole"):
            exec(places.format(out) + program, {})
    for path in (tmp_path / "whole").glob(made):
        if path.name == "evidence.jsonl":  # says when it was made
            continue
        again = tmp_path / "out" / path.relative_to(tmp_path / "whole")
        assert again.read_bytes() == path.read_bytes(), path
