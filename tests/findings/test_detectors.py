"""`judge`, `grounded` and `agents` through the real client and a scripted server: faults, shapes, kill, resume."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest
from chat_server import Broken, ChatServer, Hangup, HoldBack, Status, Text

from fas.cli import main

N = 4
FALSE = "It cures every cold."


@pytest.fixture(autouse=True)
def own_cache(fresh_cache, monkeypatch):
    for name in ("OPENAI_BASE_URL", "FAS_PRICES"):
        monkeypatch.delenv(name, raising=False)


def write_answers(tmp_path, n=N, **more):
    rows = [
        {
            "id": f"a{i}",
            "question": f"Does aspirin help in case {i}?",
            "prediction": f"Aspirin thins the blood in case {i}. {FALSE} Rest may help.",
            **more,
        }
        for i in range(n)
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def finding(sentence=FALSE, explanation="No cold is cured by it.", harm="medium", confidence=0.9):
    return {"sentence": sentence, "explanation": explanation, "harm": harm, "confidence": confidence}


def reply(*findings):
    return json.dumps({"findings": list(findings)})


def case(request):
    """Which answer a request is about."""
    text = next(message["content"] for message in request.messages if message["role"] == "user")
    return int(text.split("in case ")[1].split("?")[0].split(".")[0])


def detect(path, out, server, *more, profile="judge", model="test-model"):
    arguments = ["detect", path, "-o", out, "--profile", profile, "--model", model, "--base-url", server.url, "--quiet"]
    return main([*map(str, arguments), *map(str, more)])


def lines(folder):
    return [json.loads(line) for line in (folder / "findings.jsonl").read_text().splitlines()]


# One request an answer.


def test_the_judge_asks_once_an_answer_and_writes_findings_with_spans(tmp_path):
    with ChatServer(lambda request: reply(finding())) as server:
        assert detect(write_answers(tmp_path), tmp_path / "out", server) == 0
        assert len(server.log) == N
        asked = server.log[0]
        assert asked.schema["properties"]["findings"]["items"]["required"][0] == "sentence"
        assert "temperature" in asked.body
        assert asked.body["temperature"] == 0
    records = lines(tmp_path / "out")
    assert [record["id"] for record in records] == [f"a{i}" for i in range(N)]
    (one,) = records[0]["findings"]
    assert records[0]["prediction"][one["start"] : one["end"]] == FALSE
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["signature"].startswith("n:4|detect:judge[test-model,prompt=1-")
    assert any("language model test-model: 4 calls" in note for note in report["notes"])
    assert (tmp_path / "out" / "report.html").exists()


def test_an_unreadable_reply_is_repaired_once_with_the_reason_and_then_a_failure(tmp_path):
    def script(request):
        repaired = any("I could not read your reply" in m["content"] for m in request.messages)
        return {
            0: reply(finding()),
            1: reply(finding()) if repaired else "All of it is fine.",
            2: "Still prose.",
            3: reply({**finding(), "confidence": 85}),
        }[case(request)]

    with ChatServer(script) as server:
        assert detect(write_answers(tmp_path), tmp_path / "out", server, "--strict") == 1
        assert len(server.log) == 4 + 3
        again = [request for request in server.log if len(request.messages) > 2]
        assert all(request.messages[-2]["role"] == "assistant" for request in again)
        assert any("there is no JSON object" in request.text for request in again)
        assert any("outside [0, 1]" in request.text for request in again)
    records = lines(tmp_path / "out")
    assert [record["failure"] is None for record in records] == [True, True, False, False]
    assert records[1]["n_messages"] == 2
    assert "asked again" in records[2]["failure"]
    assert records[2]["findings"] == []


def test_refused_withheld_and_cut_off_replies_are_failures_without_a_repair(tmp_path):
    def script(request):
        return [
            Text(None, refusal="I cannot."),
            Text("", finish="content_filter"),
            Text('{"findings": [{"sent', finish="length"),
            reply(),
        ][case(request)]

    with ChatServer(script) as server:
        assert detect(write_answers(tmp_path), tmp_path / "out", server) == 0
        assert len(server.log) == N
    failures = [record["failure"] for record in lines(tmp_path / "out")]
    assert failures[:3] == [
        "the model refused: 'I cannot.'",
        "the server's content filter withheld the reply",
        "the reply was cut off before its JSON ended",
    ]
    assert failures[3] is None


@pytest.mark.parametrize(
    "fault", [Status(429, retry_after="0.01"), Status(500), Hangup(), Hangup(reset=True), Broken()], ids=str
)
def test_faults_of_the_server_lose_no_answer(tmp_path, fault):
    def script(request):
        return fault if request.attempt == 0 else reply(finding())

    with ChatServer(script) as server:
        profile = tmp_path / "quick.toml"
        profile.write_text('[detect]\nname = "judge"\n[llm]\nbackoff_s = 0.01\n')
        assert detect(write_answers(tmp_path), tmp_path / "out", server, profile=profile) == 0
        assert len(server.answered) == N
    assert [len(record["findings"]) for record in lines(tmp_path / "out")] == [1] * N


def test_a_prompt_that_the_server_refuses_is_a_failure_which_the_same_command_tries_again(tmp_path):
    broken = True

    def script(request):
        return Status(400, "no") if broken and case(request) == 1 else reply(finding())

    path = write_answers(tmp_path)
    with ChatServer(script) as server:
        detect(path, tmp_path / "out", server)
        assert "HTTP 400" in lines(tmp_path / "out")[1]["failure"]
        broken = False
        n = len(server.log)
        assert detect(path, tmp_path / "out", server, "--strict") == 0
        assert [case(request) for request in server.log[n:]] == [1]
    assert [record["id"] for record in lines(tmp_path / "out")] == [f"a{i}" for i in range(N)]


def test_runs_are_draws_with_their_number_in_folders_of_their_own(tmp_path):
    path = write_answers(tmp_path, 2)
    with ChatServer(lambda request: reply(finding(confidence=0.1 * (1 + request.body["seed"])))) as server:
        assert detect(path, tmp_path / "out", server, "--runs", 2) == 0
        assert {(r.body["temperature"], r.body["seed"]) for r in server.log} == {(1.0, 0), (1.0, 1)}
        assert len(server.log) == 4
        # A higher number adds runs, a lower one uses the first; neither asks again.
        assert detect(path, tmp_path / "out", server, "--runs", 3) == 0
        assert len(server.log) == 6
        assert detect(path, tmp_path / "out", server, "--runs", 1) == 0
        assert len(server.log) == 6
    assert lines(tmp_path / "out" / "run-1")[0]["findings"][0]["confidence"] == pytest.approx(0.2)
    signature = json.loads((tmp_path / "out" / "run-2" / "run.json").read_text())["detect"]
    assert signature.endswith("T=1,run=2]")
    assert main(["combine", str(tmp_path / "out"), "-o", str(tmp_path / "all")]) == 0
    members = json.loads((tmp_path / "all" / "report.json").read_text())["members"]
    assert [one["name"] for one in members] == ["out/run-0"]


def test_offline_answers_from_the_cache_only(tmp_path):
    path = write_answers(tmp_path)
    with ChatServer(lambda request: reply(finding())) as server:
        assert detect(path, tmp_path / "out", server, "--offline") == 2
        assert server.log == []
        detect(path, tmp_path / "first", server)
        assert detect(path, tmp_path / "out", server, "--offline") == 0
        assert len(server.log) == N


# With passages.


def test_grounded_reads_passages_found_by_the_question(tmp_path):
    passages = [{"id": "p1", "text": "Aspirin does not help colds."}, {"id": "p2", "text": "Rain falls."}]
    path = write_answers(tmp_path, 2, passages=passages)
    with ChatServer(lambda request: reply(finding())) as server:
        assert detect(path, tmp_path / "out", server, "-k", 1, profile="grounded") == 0
        text = server.log[0].text
        assert "[1] Aspirin does not help colds." in text
        assert "Rain" not in text
    signature = json.loads((tmp_path / "out" / "run.json").read_text())["detect"]
    assert "by=question;passages[k=1" in signature


def test_grounded_by_sentence_searches_for_every_sentence(tmp_path):
    profile = tmp_path / "mine.toml"
    profile.write_text('[detect]\nname = "grounded"\nby = "sentence"\n[evidence]\nk = 1\n')
    texts = ["Aspirin thins the blood.", "It cures every cold, some say.", "Rest may help in bed."]
    path = write_answers(tmp_path, 1, passages=texts)
    with ChatServer(reply(finding())) as server:
        assert detect(path, tmp_path / "out", server, profile=profile) == 0
        assert all(text in server.log[0].text for text in texts)


# In conversation.


OK = json.dumps({"ok": True, "feedback": ""})
APPROVE = json.dumps({"approve": True, "instruction": ""})


def role(request):
    """Who is asked."""
    system = request.messages[0]["content"]
    marks = {
        "harm": "answers for the safety",
        "explanation": "knows the literature",
        "reviewer": "lead a review",
        "detector": "you keep the list",
    }
    return next(name for name, words in marks.items() if words in system)


def talk(detector=None, harm=None, explanation=None, reviewer=None):
    """A script from a function of the request for each role; by default everybody agrees at once."""
    say = {
        "detector": detector or (lambda request: reply(finding())),
        "harm": harm or (lambda request: OK),
        "explanation": explanation or (lambda request: OK),
        "reviewer": reviewer or (lambda request: APPROVE),
    }
    return lambda request: say[role(request)](request)


def agents(path, out, server, *more, **options):
    return detect(path, out, server, *more, **{"profile": "agents", **options})


def most(tmp_path, number, **more):
    """A profile with so many messages at most."""
    profile = tmp_path / "agents.toml"
    extra = "".join(f"{key} = {value}\n" for key, value in more.items())
    profile.write_text(f'[detect]\nname = "agents"\nmax_messages = {number}\n{extra}')
    return profile


def test_agents_speak_in_turns_and_the_reviewer_ends_the_talk(tmp_path):
    with ChatServer(talk()) as server:
        assert agents(write_answers(tmp_path, 1), tmp_path / "out", server) == 0
        assert [role(request) for request in server.log] == ["detector", "harm", "explanation", "reviewer"]
        assert "Critics" not in server.log[0].text
        assert FALSE in server.log[1].text
        assert "The critics have no objection" in server.log[3].text
    (record,) = lines(tmp_path / "out")
    assert (record["converged"], record["n_messages"], len(record["findings"])) == (True, 4, 1)


def test_agents_that_object_once_and_approve_revise_what_was_named(tmp_path):
    def detector(request):
        return reply(finding(harm="low" if "Too high" in request.text else "high"))

    def harm(request):
        high = '"harm": "high"' in request.text.split("The list:")[1].split("What was said")[0]
        return json.dumps({"ok": False, "feedback": "Too high."}) if high else OK

    def reviewer(request):
        if "Too high" in request.text and '"harm": "high"' in request.text.split("The list:")[1].split("What was")[0]:
            return json.dumps({"approve": False, "instruction": "Lower the harm."})
        return APPROVE

    with ChatServer(talk(detector, harm, None, reviewer)) as server:
        agents(write_answers(tmp_path, 1), tmp_path / "out", server)
        roles = [role(request) for request in server.log]
        assert roles == ["detector", "harm", "explanation", "reviewer"] * 2
        assert "Reviewer: Lower the harm." in server.log[4].text
        assert "Critic of harm: Too high." in server.log[4].text
    (record,) = lines(tmp_path / "out")
    assert (record["findings"][0]["harm"], record["converged"]) == ("low", True)


def test_agents_that_object_for_ever_end_at_the_most_messages_with_the_last_list(tmp_path):
    def detector(request):
        return reply(finding(explanation=f"Version {len(request.text)}."))

    def reviewer(request):
        return json.dumps({"approve": False, "instruction": f"Again {len(request.text)}."})

    with ChatServer(talk(detector, None, None, reviewer)) as server:
        agents(write_answers(tmp_path, 1), tmp_path / "out", server, profile=most(tmp_path, 10))
        assert len(server.log) == 10
        last = [request for request in server.log if role(request) == "detector"][-1]
    (record,) = lines(tmp_path / "out")
    assert (record["converged"], record["n_messages"], record["failure"]) == (False, 10, None)
    assert record["findings"][0]["explanation"] == f"Version {len(last.text)}."


def test_a_server_that_fails_one_message_fails_the_answer_and_the_talk_goes_on_from_there(tmp_path):
    broken = True

    def harm(request):
        return Status(400, "no") if broken and case(request) == 1 else OK

    path = write_answers(tmp_path)
    with ChatServer(talk(harm=harm)) as server:
        agents(path, tmp_path / "out", server)
        assert "the message of the critic of harm: HTTP 400" in lines(tmp_path / "out")[1]["failure"]
        broken = False
        n = len(server.log)
        agents(path, tmp_path / "out", server)
        # The detector's message is in the cache.
        assert [role(request) for request in server.log[n:]] == ["harm", "explanation", "reviewer"]
    assert all(record["failure"] is None for record in lines(tmp_path / "out"))


def test_beyond_the_window_the_oldest_rounds_go_and_question_answer_and_last_list_stay(tmp_path):
    def detector(request):
        return reply(finding(explanation=f"Version {len(server.log)} " + "of many words " * 40))

    def reviewer(request):
        return json.dumps({"approve": False, "instruction": f"Again {len(server.log)} " + "and again " * 40})

    with ChatServer(talk(detector, None, None, reviewer)) as server:
        profile = most(tmp_path, 24, window=2100, max_tokens=1024)
        agents(write_answers(tmp_path, 1), tmp_path / "out", server, profile=profile)
        last = [request for request in server.log if role(request) == "detector"][-1].text
        longest = max(len(request.everything) for request in server.log) / 4
    (record,) = lines(tmp_path / "out")
    assert record["dropped"] >= 3
    assert longest + 1024 <= 2100 + 10
    assert "Does aspirin help in case 0?" in last
    assert FALSE in last
    assert "Version 17 " in last.split("Your last list:")[1].split("What was said")[0]
    assert "Version 1 " not in last


def test_a_dry_run_of_agents_counts_the_most_messages_and_sends_nothing(tmp_path, capsys):
    path = write_answers(tmp_path, 3)
    with ChatServer(talk()) as server:
        assert agents(path, tmp_path / "out", server, "--dry-run", "--json") == 0
        found = json.loads(capsys.readouterr().out)
        assert found["test-model"]["calls"] == 3 * 30
        assert server.log == []
        detect(path, tmp_path / "out", server, "--dry-run", "--json", "--runs", "2")
        assert json.loads(capsys.readouterr().out)["test-model"]["calls"] == 6
        assert server.log == []
    assert not (tmp_path / "out").exists()


def killed_after(n, path, out, script):
    """Start a run, let the server answer *n* requests, and kill the run with the next one unanswered."""
    held = HoldBack(script, n)
    with ChatServer(held) as server:
        arguments = [
            "detect",
            path,
            "-o",
            out,
            "--profile",
            "agents",
            "--model",
            "test-model",
            "--base-url",
            server.url,
        ]
        process = subprocess.Popen(
            [sys.executable, "-m", "fas", *map(str, arguments), "--quiet"],
            env={**os.environ, "FAS_NO_REEXEC": "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        server.wait_until(lambda: len(server.log) > n)
        process.send_signal(signal.SIGKILL)
        process.wait()
        held.release()
        answered, port = len(server.answered), server.address.rpartition(":")[2]
    return answered, int(port)


def revising():
    """A conversation of eight messages: one revision."""

    def detector(request):
        return reply(finding(harm="low" if "Lower it" in request.text else "high"))

    def reviewer(request):
        current = request.text.split("The list:")[1].split("What was said")[0]
        return json.dumps({"approve": False, "instruction": "Lower it."}) if '"high"' in current else APPROVE

    return talk(detector, None, None, reviewer)


@pytest.mark.parametrize(
    "n", [pytest.param(n, marks=() if n == 5 else pytest.mark.slow) for n in range(8)], ids="after {}".format
)
def test_agents_survive_a_kill_after_each_message_without_paying_twice(tmp_path, n):
    path, out = write_answers(tmp_path, 1), tmp_path / "out"
    # The request under way when the run was killed may have been billed; what was answered before never is again.
    answered, port = killed_after(n, path, out, revising())
    assert answered >= n
    with ChatServer(revising(), port=port) as server:
        assert agents(path, out, server) == 0
        assert len(server.log) == 8 - n
        assert agents(path, tmp_path / "whole", server) == 0
    assert lines(out) == lines(tmp_path / "whole")
    assert lines(out)[0]["n_messages"] == 8
