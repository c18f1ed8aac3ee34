"""Answers that fail their check are given again with what it found, round by round; nothing is lost or paid twice."""

from __future__ import annotations

import json

import leaf_world
import pytest
from chat_server import ChatServer, Status, Text
from leaf_world import build_notes, first_answer, question, role, section, write_lines

import fas
from fas.cli import main
from fas.core import parts
from fas.core.errors import EvidenceUnavailable, ProfileError
from fas.core.profile import load_profile
from fas.core.records import Passage, Retrieval
from fas.leaf.settings import Revising
from fas.leaf.stopping import Check, stop_after

pytestmark = pytest.mark.usefixtures("fresh_cache")


@pytest.fixture
def world(tmp_path, monkeypatch):
    """A folder with the notes indexed and two questions."""
    monkeypatch.chdir(tmp_path)
    build_notes(tmp_path / "index")
    write_lines(tmp_path / "q.jsonl", [question(i) for i in range(2)])
    (tmp_path / "rafe.toml").write_text(
        '[claims]\nname = "sentences"\n[evidence]\nk = 3\nask = {queries = 0}\n[verify]\nname = "rafe"\n'
        '[llm]\nmodel = "checker"\nbackoff_s = 0.001\n[safety]\nenabled = false\n'
        "[run]\nn_resamples = 50\n"
    )
    return tmp_path


def command(server, *more, out="out", profile="rafe.toml", source="q.jsonl"):
    settings = ["--profile", profile, "--evidence", "index:index", "--base-url", server.url]
    return ["revise", source, "-o", out, "--generate", "writer", *settings, "--quiet", *more]


def revise(server, *more, **names):
    return main(command(server, *more, **names))


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def final(world, out="out"):
    return lines(world / out / "final.jsonl")


def report(world, out="out"):
    return json.loads((world / out / "report.json").read_text())


# Pure parts.


def test_a_question_stops_for_the_reason_the_table_gives():
    def stop(*counts, error=False, unchanged=False, left=1):
        return stop_after(Check(*counts, error), unchanged=unchanged, rounds_left=left)

    assert stop(0, 0, 0, 0) == "unchecked"
    assert stop(3, 3, 3, 0) == "correct"
    assert stop(3, 2, 2, 0) == "unverified"
    assert stop(3, 3, 3, 0, error=True) == "unverified"
    assert stop(3, 1, 2, 1) is None  # what failed counts, whatever else could not be verified
    assert stop(3, 1, 3, 2, left=0) == "limit"
    assert stop(3, 1, 3, 2, unchanged=True) == "unchanged"
    assert Check(3, 3, 3, 0, False).correct
    assert not Check(3, 2, 2, 0, False).correct
    assert not Check(0, 0, 0, 0, False).correct


@pytest.mark.parametrize(
    "settings",
    [
        {"max_iterations": -1},
        {"max_documents": 0},
        {"first": "both"},
        {"final": "first"},
        {"trigger": "all"},
        {"knowledge": "none"},
    ],
)
def test_impossible_settings_are_refused(settings):
    with pytest.raises(ProfileError):
        Revising(**settings)


# Whole runs.


def stubborn(request):
    """Answers a little differently each time, and never better."""
    if role(request) != "answer":
        return leaf_world.model(request)
    knowledge = section(request.text, "KNOWLEDGE") or ""
    return first_answer(leaf_world.case_of(request.text)) + f"\nThere are {knowledge.count('[')} notes about children."


def test_the_last_answer_is_final_or_the_best_one(world):
    def script(request):
        if role(request) != "answer" or not section(request.text, "KNOWLEDGE"):
            return stubborn(request)
        return "Aspirin is safe for all in case 0.\nAnswer: (B) aspirin"

    with ChatServer(script) as server:
        assert revise(server) == 0
        assert [row["stop"] for row in final(world)] == ["limit"] * 2
        assert [row["round"] for row in final(world)] == [1, 1]
        # Which answer is taken is no setting of the rounds: nothing is asked again.
        n = len(server.log)
        assert revise(server, "--final", "best") == 0
        assert len(server.log) == n
    assert [row["round"] for row in final(world)] == [0, 0]
    assert [row["rafe"] for row in final(world)] == [0.6, 0.6]
    # What the server counts for a reply, over two questions: first answers, and those of both rounds (LEAF, table 3).
    said = [tokens_of_round(world, number) for number in (0, 1)]
    told = json.loads((world / "out" / "report.json").read_text())["tokens"]
    assert told == {"first": said[0] / 2, "all": (said[0] + said[1]) / 2}


def tokens_of_round(world, number):
    lines = (world / "out" / f"round-{number}" / "answers.jsonl").read_text().splitlines()
    return sum(len(json.loads(line)["prediction"].encode()) // 4 + 1 for line in lines)


def test_more_rounds_go_on_from_those_that_are_there_and_add_their_documents_in_front(world):
    texts = ["Aspirin prevents heart attacks in case 0.", "Metformin is the first drug in case 0."]

    def script(request):
        if role(request) == "verdict":
            return "[Not Supported]"
        knowledge = section(request.text, "KNOWLEDGE")
        if knowledge is None:
            return texts[0]
        return texts[1] if "Metformin" not in knowledge else "Something else altogether in case 0."

    write_lines(world / "q.jsonl", [question(0)])
    with ChatServer(script) as server:
        assert revise(server) == 0
        n = len(server.log)
        assert revise(server, "--max-iterations", "2") == 0
        asked = [request.text for request in server.log[n:] if role(request) == "answer"]
    assert len(asked) == 1
    knowledge = section(asked[0], "KNOWLEDGE")
    assert knowledge.startswith("[1] Metformin")
    assert "[2]" in knowledge
    assert knowledge.count("Metformin is the first drug") == 1
    (row,) = final(world)
    assert (row["rounds"], row["stop"]) == (3, "limit")


def test_a_statement_that_cannot_be_verified_is_no_reason_to_answer_again_and_is_tried_again(world):
    write_lines(world / "q.jsonl", [question(0)])
    write_lines(
        world / "a.jsonl", [{"id": "q0", "prediction": "Ibuprofen lowers fever in case 0. It is cheap in case 0."}]
    )

    def unsure(request):
        if "cheap" in (section(request.text, "STATEMENT") or ""):
            return "I do not know."
        return leaf_world.model(request)

    with ChatServer(unsure) as server:
        assert revise(server, "--answers", "a.jsonl") == 0
        assert [row["stop"] for row in final(world)] == ["unverified"]
        assert report(world)["after"]["correct"]["mean"] == 0.0
        server.script = leaf_world.model
        # The reply was one, and is kept; only another prompt or model would bring another.
        assert revise(server, "--answers", "a.jsonl") == 0
    assert [row["stop"] for row in final(world)] == ["unverified"]


@pytest.mark.parametrize(
    "bad", [Status(400, "no"), "", Text("half an answer", finish="length"), Text("no", finish="content_filter")]
)
def test_a_generator_that_fails_leaves_the_earlier_answer(bad, world):
    def script(request):
        return bad if role(request) == "answer" and section(request.text, "KNOWLEDGE") else leaf_world.model(request)

    with ChatServer(script) as server:
        assert revise(server, "--strict") == 1
    assert [(row["stop"], row["round"]) for row in final(world)] == [("failed", 0)] * 2
    assert report(world)["n_failures"] == 2


def test_a_dry_run_counts_the_first_check_and_the_most_of_the_next_round(world, capsys):
    write_lines(world / "a.jsonl", [{"id": f"q{i}", "prediction": first_answer(i)} for i in range(2)])
    with ChatServer(leaf_world.model) as server:
        assert main([*command(server, "--dry-run", "--json", "--answers", "a.jsonl"), "--sentences", "5"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert server.log == []
    assert not (world / "out").exists()
    calls = {name: sum(one["calls"] for one in stage.values()) for name, stage in found["stages"].items()}
    assert calls == {"round 0, answers": 0, "round 0, verdicts": 8, "round 1, answers": 2, "round 1, verdicts": 10}
    assert found["total"]["calls"] == 20
    assert any("every answer fails" in one for one in found["assumed"])


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (["--evidence", "index:nowhere"], "no index here"),
        (["--queries", "4", "-k", "9"], "cannot be divided among 4 queries"),
        (["--verify", "nobody"], "nobody"),
    ],
)
def test_a_mistake_in_the_check_is_told_before_an_answer_is_paid_for(mistake, message, world, capsys):
    with ChatServer(leaf_world.model) as server:
        assert revise(server, *mistake) == 2
        assert message in capsys.readouterr().err
        assert not server.log
    assert not (world / "out").exists()


class Gone:
    """A source that is down, or finds the same for everything."""

    down = False

    def __init__(self, *, argument=None, k=5):
        self.signature = f"gone[k={k}]"

    def retrieve(self, claims, answers):
        if Gone.down:
            raise EvidenceUnavailable("the source is gone")
        return [Retrieval((Passage("Children need fluids.", id="p"),)) for _ in claims]


if "test-gone" not in parts.retrievers.names():
    parts.retrievers.add("test-gone", Gone)


def test_a_search_that_is_dead_for_all_stops_the_run_and_the_round_goes_on_when_it_is_back(world, capsys, monkeypatch):
    with ChatServer(leaf_world.model) as server:
        arguments = command(server)
        arguments[arguments.index("index:index")] = "test-gone"
        monkeypatch.setattr(Gone, "down", True)
        assert main(arguments) == 2
        assert "the source is gone" in capsys.readouterr().err
        assert not (world / "out" / "final.jsonl").exists()
        n = len(server.log)
        monkeypatch.setattr(Gone, "down", False)
        assert main(arguments) == 0
        assert not [
            request for request in server.log[n:] if request.everything in {r.everything for r in server.log[:n]}
        ]
    assert [row["stop"] for row in final(world)] == ["correct"] * 2


def test_from_python_questions_are_dicts_and_the_answers_come_back(world):
    with ChatServer(leaf_world.model) as server:
        revised = fas.revise(
            [question(0), question(1)],
            out=world / "py",
            generate={"model": "writer", "base_url": server.url},
            profile=load_profile("rafe.toml").override(llm={"model": "checker", "base_url": server.url}),
            evidence="index:index",
            max_iterations=1,
        )
    assert revised.stops == {"correct": 2}
    assert revised.after["right"].mean == 1.0
    assert [row["stop"] for row in final(world, "py")] == ["correct"] * 2
