"""`judge`, `grounded` and `agents` through the real client and a scripted server: faults, shapes, kill, resume."""

from __future__ import annotations

import json

import pytest
from chat_server import Broken, ChatServer, Hangup, Status

from fas.cli import main

N = 4
FALSE = "It cures every cold."


pytestmark = pytest.mark.usefixtures("fresh_cache")


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
    notes = json.loads((tmp_path / "out" / "report.json").read_text())["notes"]
    assert "2 answers have no result; the same command tries them again" in notes
    assert records[1]["n_messages"] == 2
    assert "asked again" in records[2]["failure"]
    assert records[2]["findings"] == []


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
