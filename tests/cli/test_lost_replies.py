"""A run whose language model gave no reply to some prompts ends with their number and exit code 1."""

from __future__ import annotations

import json

from chat_server import ChatServer, Status

from fas.cli import main

PROFILE = """
[claims]
name = "sentences"
[verify]
name = "internal"
threshold = 0.5
model = "test-model"
[llm]
base_url = "{url}"
max_attempts = 2
backoff_s = 0.01
[safety]
enabled = false
[run]
n_resamples = 20
"""


def test_prompts_without_a_reply_are_counted_in_the_last_lines_and_asked_again_by_the_same_command(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("FAS_CACHE_DIR", str(tmp_path / "cache"))
    answers = tmp_path / "answers.jsonl"
    texts = ["Aspirin thins the blood.", "Zinc shortens colds.", "Metformin lowers glucose."]
    answers.write_text("".join(json.dumps({"prediction": text}) + "\n" for text in texts))
    broken = True

    def script(request):
        return Status(500) if broken and "Zinc" in request.everything else "True"

    with ChatServer(script) as server:
        profile = tmp_path / "profile.toml"
        profile.write_text(PROFILE.format(url=server.url))
        command = ["score", str(answers), "-o", str(tmp_path / "out"), "--profile", str(profile)]
        assert main(command) == 1
        assert "1 prompts to test-model got no reply" in capsys.readouterr().err
        broken, before = False, len(server.log)
        assert main([*command]) == 0
        assert len(server.log) == before + 1
