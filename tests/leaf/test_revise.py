"""Answers that fail their check are given again with what it found, round by round; nothing is lost or paid twice."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys

import leaf_world
import pytest
from chat_server import Broken, ChatServer, Hangup, HoldBack, Status, Text
from leaf_world import build_notes, first_answer, question, role, section, write_lines

import fas
from fas import parts
from fas.cli import main
from fas.errors import EvidenceUnavailable, InputError, ProfileError
from fas.leaf.generator import ChatGenerator
from fas.leaf.questions import open_questions
from fas.leaf.settings import Revising
from fas.leaf.stopping import Check, stop_after
from fas.llm import Message, Prompt
from fas.llm.tokens import estimate_prompt_tokens
from fas.profile import load_profile
from fas.records import Passage, Retrieval


@pytest.fixture(autouse=True)
def own_cache(fresh_cache, monkeypatch):
    for name in ("OPENAI_BASE_URL", "FAS_PRICES"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def world(tmp_path, monkeypatch):
    """A folder with the notes indexed and two questions."""
    monkeypatch.chdir(tmp_path)
    build_notes(tmp_path / "index")
    write_lines(tmp_path / "q.jsonl", [question(i) for i in range(2)])
    (tmp_path / "rafe.toml").write_text(
        '[claims]\nname = "sentences"\n[evidence]\nk = 3\nask = {queries = 0}\n[verify]\nname = "rafe"\n'
        '[llm]\nmodel = "checker"\nbackoff_s = 0.01\nbackoff_cap_s = 0.05\n[safety]\nenabled = false\n'
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
        {"final": "best", "last_check": False},
        {"max_iterations": 0, "last_check": False},
    ],
)
def test_impossible_settings_are_refused(settings):
    with pytest.raises(ProfileError):
        Revising(**settings)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "1"}, "'question' is missing"),
        ({"question": "Why?", "options": {"A": "x"}}, "two to ten"),
        ({"question": "Why?", "options": ["x", "y"], "answer": "C"}, "'C' is no option"),
        ({"question": 3}, "question"),
    ],
)
def test_a_bad_question_is_told_with_its_line(row, message, tmp_path):
    path = write_lines(tmp_path / "q.jsonl", [{"question": "Fine?"}, row])
    with pytest.raises(InputError, match=message) as caught:
        open_questions(path)
    assert "line 2" in str(caught.value)


# Whole runs.


def test_each_round_is_an_ordinary_results_folder_and_the_page_shows_both_answers(world):
    with ChatServer(leaf_world.model) as server:
        assert revise(server) == 0
    for number in (0, 1):
        names = {path.name for path in (world / "out" / f"round-{number}").iterdir()}
        assert {"answers.jsonl", "scores.jsonl", "report.json", "report.html", "evidence.jsonl", "run.json"} <= names
    assert main(["compare", "out/round-0", "out/round-1", "--n-resamples", "50"]) == 0
    page = (world / "out" / "report.html").read_text(encoding="utf-8")
    assert page.count("<article") == 2
    assert 'class="unsupported" data-symbol="?" title="unsupported: Aspirin is safe for children' in page
    assert "Aspirin must not be given to children in case 1." in page
    assert "First answer: 2 of 4 statements supported" in page
    assert "Answer of round 1 (final): 4 of 4 statements supported" in page
    assert "http" not in re.sub(r"http-equiv", "", page)


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


def test_a_first_answer_that_cannot_be_had_is_told_and_tried_again_and_one_cut_off_is_checked(world):
    def script(request):
        if role(request) == "answer" and "case 0" in request.text:
            return Status(400, "no")
        if role(request) == "answer" and not section(request.text, "KNOWLEDGE"):
            return Text(first_answer(1)[:-10], finish="length")
        return leaf_world.model(request)

    with ChatServer(script) as server:
        assert revise(server, "--strict") == 1
        assert [row["id"] for row in final(world)] == ["q1"]
        assert report(world)["stops"] == {"correct": 1, "failed": 1}
        assert "HTTP 400" in report(world)["failures"]["q0"] or "no" in report(world)["failures"]["q0"]
        server.script = leaf_world.model
        assert revise(server) == 0
    assert [row["id"] for row in final(world)] == ["q0", "q1"]
    assert report(world)["stops"] == {"correct": 2}
    assert lines(world / "out" / "round-0" / "answers.jsonl")[0]["finish"] == "length"


class Silent:
    """A model that nobody asks."""

    signature = "silent"


def test_documents_that_do_not_fit_are_left_out_last_ones_first_and_counted(world):
    documents = [Passage("evidence " * 40, id=str(i)) for i in range(6)]
    (one, _) = open_questions(world / "q.jsonl")
    whole = ChatGenerator(model=Silent(), max_new_tokens=50).prompt(one, documents, most=5)
    assert ([passage.id for passage in whole.shown], whole.n_cut) == (list("01234"), 1)
    for window in range(100, 900, 25):
        fitted = ChatGenerator(model=Silent(), max_new_tokens=50, window=window).prompt(one, documents, most=5)
        kept = len(fitted.shown)
        assert fitted.shown == tuple(documents[:kept])
        assert fitted.n_cut == 6 - kept

        def tokens(n):
            text = ChatGenerator(model=Silent()).prompt(one, documents[:n]).text
            return estimate_prompt_tokens(Prompt((Message("user", text),))) + 50

        assert kept == max((n for n in range(6) if tokens(n) <= window), default=0)


def test_other_settings_or_questions_are_refused_and_more_rounds_are_not(world, capsys):
    with ChatServer(leaf_world.model) as server:
        assert revise(server) == 0
        assert revise(server, "--max-documents", "3") == 2
        assert "'max_documents' was '20', now it is '3'" in capsys.readouterr().err
        assert revise(server, "--max-iterations", "3") == 0
        write_lines(world / "q.jsonl", [question(5)])
        assert revise(server) == 2
        assert "'questions' was" in capsys.readouterr().err


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


@pytest.mark.parametrize("stage", ["answer", "verdict"])
def test_faults_that_pass_cost_nothing_and_change_nothing(stage, world):
    faults = [Status(429, retry_after="0"), Hangup(), Broken(), Hangup(reset=True)]

    def script(request):
        if role(request) == stage and request.attempt == 0:
            return faults[request.number % len(faults)]
        return leaf_world.model(request)

    with ChatServer(script) as server:
        assert revise(server) == 0
        texts = [request.everything for request in server.answered]
    assert len(texts) == len(set(texts))
    assert [row["stop"] for row in final(world)] == ["correct"] * 2


@pytest.mark.parametrize("calls", [1, 6, 11])
def test_one_budget_covers_generator_and_checker_and_a_larger_one_goes_on(calls, world, capsys):
    with ChatServer(leaf_world.model) as server:
        assert revise(server, "--max-calls", str(calls)) == 2
        assert "larger budget" in capsys.readouterr().err
        assert len(server.log) <= calls
        assert not (world / "out" / "final.jsonl").exists()
        assert revise(server, "--max-calls", "100") == 0
        texts = [request.everything for request in server.log]
    assert len(texts) == len(set(texts))
    assert [row["stop"] for row in final(world)] == ["correct"] * 2


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (["--evidence", "index:nowhere"], "no index here"),
        (["--queries", "4", "-k", "9"], "cannot be shared among 4 queries"),
        (["--verify", "nobody"], "nobody"),
    ],
)
def test_a_mistake_in_the_check_is_told_before_an_answer_is_paid_for(mistake, message, world, capsys):
    with ChatServer(leaf_world.model) as server:
        assert revise(server, *mistake) == 2
        assert message in capsys.readouterr().err
        assert not server.log
    assert not (world / "out").exists()


@pytest.mark.parametrize(
    "stage", [pytest.param("first", marks=pytest.mark.slow), pytest.param("verdict", marks=pytest.mark.slow), "again"]
)
def test_a_run_killed_at_any_stage_ends_with_the_same_bytes(stage, world):
    write_lines(world / "q.jsonl", [question(i) for i in range(4)])
    environment = {**os.environ, "FAS_NO_REEXEC": "1", "FAS_CACHE_DIR": "cache-killed"}
    with ChatServer(leaf_world.model) as server:
        assert revise(server, out="whole") == 0
        kinds = [role(request) for request in server.log]
    # Four first answers, sixteen verdicts, four more answers.
    held = HoldBack(leaf_world.model, {"first": 2, "verdict": 9, "again": 22}[stage])
    assert kinds[:4] == kinds[20:24] == ["answer"] * 4
    with ChatServer(held) as second:
        arguments = [sys.executable, "-m", "fas", *command(second)]
        process = subprocess.Popen(arguments, env=environment)
        second.wait_until(lambda: len(second.log) > held._n)
        process.send_signal(signal.SIGKILL)
        process.wait()
        held.release()
        assert subprocess.run(arguments, env=environment, check=False).returncode == 0
        texts = [request.everything for request in second.log]
    assert (world / "out" / "final.jsonl").read_bytes() == (world / "whole" / "final.jsonl").read_bytes().replace(
        server.url.encode(), second.url.encode()
    )
    # Only what was under way when the process died, sixteen requests at most, may have been asked for again.
    assert len(texts) - len(set(texts)) <= 16


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


def test_the_checker_of_the_profile_mini_needs_no_model_but_the_generator(world):
    """The case people will use this for: embedded claims and verdicts, and a language model only to answer."""
    write_lines(world / "q.jsonl", [question(0, options=False)])

    def script(request):
        assert role(request) == "answer"
        if section(request.text, "KNOWLEDGE"):
            return "Ibuprofen lowers fever in children. Drinking enough fluids helps children with fever."
        return "Ibuprofen lowers fever in children. Drinking enough fluids does not help children with fever."

    with ChatServer(script) as server:
        arguments = ["--no-safety", "--n-resamples", "50", "--precision", "fp32"]
        assert revise(server, *arguments, profile="mini") == 0
        assert len(server.log) == 2
    (row,) = final(world)
    assert row["prediction"].endswith("fluids helps children with fever.")
    assert (row["stop"], row["rounds"]) == ("correct", 2)
    labels = [claim["label"] for claim in lines(world / "out" / "round-0" / "scores.jsonl")[0]["claims"]]
    assert labels == ["supported", "contradicted"]
    assert report(world)["requests"] == {"generator": 2}


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
