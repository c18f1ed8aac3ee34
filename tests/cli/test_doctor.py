"""`fas setup doctor`: what a server can do, as a scripted server does it or does not."""

from __future__ import annotations

import json
import re
import tomllib

from chat_server import ChatServer, Status, Text

from fas.cli import main


def able(request):
    if request.schema is not None:
        return '{"verdict": "False"}'
    if request.body.get("logprobs"):
        return Text("True", logprobs={"True": -0.1, "False": -2.4})
    return Text("True", cached_tokens=640 if "Say B" in request.text else None)


def test_an_able_server_is_told_with_the_lines_of_a_profile(capsys, monkeypatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with ChatServer(able) as server:
        assert main(["setup", "doctor", "--model", "test-model", "--base-url", server.url, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert main(["setup", "doctor", "--model", "test-model", "--base-url", server.url]) == 0
        text = capsys.readouterr().out
    assert found["json_schema"] is found["log_probabilities"] is found["streaming"] is found["counts_tokens"] is True
    assert (found["prefix_tokens_reused"], found["several_draws_a_call"], found["context_length"]) == (640, False, None)
    assert set(found["seconds_a_call"]) == {"1", "4", "16"}
    profile = tomllib.loads(found["profile"])["llm"]
    assert profile["model"] == "test-model"
    assert profile["concurrency"] == found["best_concurrency"]
    assert "structured" not in profile
    assert re.search(r"log probabilities +yes", text)
    assert re.search(r"context length +the server does not say", text)


def test_what_a_server_refuses_or_lacks_is_no(capsys, monkeypatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    def poor(request):
        if {"n", "logprobs"} & set(request.body):
            return Status(400, "unknown field")
        return Text("<think>Is it?</think>True", usage=False)

    with ChatServer(poor, structured=()) as server:
        assert main(["setup", "doctor", "--model", "m", "--base-url", server.url, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["json_schema"] is found["log_probabilities"] is found["counts_tokens"] is False
    assert found["reasons_before_it_replies"] is True
    assert tomllib.loads(found["profile"])["llm"]["structured"] == "off"


def test_a_server_that_does_not_reply_is_an_error_with_its_reason_and_no_key(capsys, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-secret-secret")
    with ChatServer(Status(404, "no such model: m")) as server:
        assert main(["setup", "doctor", "--model", "m", "--base-url", server.url]) == 2
    err = capsys.readouterr().err
    assert "HTTP 404: no such model: m" in err
    assert "secret" not in err
    assert main(["setup", "doctor", "--model", "m", "--base-url", "http://127.0.0.1:9/v1"]) == 2
    assert "does not reply: ConnectError" in capsys.readouterr().err
