"""RAFE, LEAF's check: sentences, queries that a model writes, and a verdict in the context of the question."""

from __future__ import annotations

import json

import leaf_world
import pytest
from chat_server import Broken, ChatServer, Hangup, Status
from leaf_world import build_notes, first_answer, question, role, section, write_lines

from fas.claims.whole import WholeSentences
from fas.cli import main
from fas.core.records import Answer, Claim, Passage, Retrieval
from fas.evidence.query_rewriting import AskedRetriever, read_query
from fas.llm import Reply
from fas.llm.passages import merge_passages, number_passages
from fas.text.choices.options import append_options
from fas.verify.rafe import read_bracketed

pytestmark = pytest.mark.usefixtures("fresh_cache")


@pytest.fixture
def world(tmp_path, monkeypatch):
    """A folder with the notes indexed and two answers to check."""
    monkeypatch.chdir(tmp_path)
    build_notes(tmp_path / "index")
    write_answers(tmp_path / "in.jsonl", 2)
    return tmp_path


def write_answers(path, n):
    rows = [
        {
            "id": f"q{i}",
            "question": append_options(question(i)["question"], question(i)["options"]),
            "prediction": first_answer(i),
        }
        for i in range(n)
    ]
    return write_lines(path, rows)


def score(*arguments):
    return main(["score", *map(str, arguments), "--quiet", "--n-resamples", "50", "--no-safety"])


def leaf(server, *more):
    return ["--profile", "leaf", "--model", "test-model", "--base-url", server.url, "--evidence", "index:index", *more]


def records(folder):
    return [json.loads(line) for line in (folder / "scores.jsonl").read_text().splitlines()]


# The extractor.


@pytest.mark.parametrize(
    ("prediction", "texts"),
    [
        ("", []),
        ("B", []),
        ("(B)", []),
        ("16", []),
        ("Yes.", ["Yes."]),
        ("(C) 8", ["(C) 8"]),
        ("**Answer**: (B) 16", ["Answer: (B) 16"]),
        (
            "**(D) Surgical drainage of the hip**\n\n**Reasoning:**\n\nThe joint is infected. Drain it.",
            ["(D) Surgical drainage of the hip", "The joint is infected.", "Drain it."],
        ),
        ("# Fever\nIt helps. *It* may hurt.\n- nausea", ["It helps.", "It may hurt.", "nausea"]),
        ("The answer is (E).", ["The answer is (E)."]),
    ],
)
def test_every_sentence_is_a_claim_and_so_is_the_line_of_the_option(prediction, texts):
    (claims,) = WholeSentences().extract([Answer("1", prediction)])
    assert [claim.text for claim in claims] == texts
    for claim in claims:
        assert claim.text.split()[-1].strip("*") in prediction[claim.start : claim.end]


# Replies.


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Thinking.\n```\nslipped epiphysis treatment\n```", "slipped epiphysis treatment"),
        ("```text\nQuery: slipped epiphysis\n```\nHope this helps.", "slipped epiphysis"),
        ("slipped epiphysis treatment", "slipped epiphysis treatment"),
        ('Query: "slipped epiphysis"', "slipped epiphysis"),
        ("```slipped epiphysis```", "slipped epiphysis"),
        ("<think>```\nno\n```</think>\n```\nyes\n```", "yes"),
        ("```\nsame\n```\nagain\n```\nsame\n```", "same"),
    ],
)
def test_a_query_is_the_line_of_its_block_or_the_only_line(text, query):
    assert read_query(Reply(text, "stop")) == (query, None)


@pytest.mark.parametrize(
    ("reply", "failure"),
    [
        (Reply("```\none\n```\n```\ntwo\n```", "stop"), "several queries"),
        (Reply("```\none\ntwo\n```", "stop"), "several queries"),
        (Reply("```\n\n```", "stop"), "empty"),
        (Reply("", "stop"), "empty"),
        (Reply("I looked at it.\nIt seems right.", "stop"), "prose"),
        (Reply("I'm sorry, I cannot help.", "stop"), "refused"),
        (Reply("no", "refusal"), "refused"),
        (Reply("```\nhalf", "length"), "cut off"),
        (Reply("```\nhalf a que", "stop"), "not close"),
        (Reply("<think>and so", "stop"), "thinking"),
        (Reply("", "content_filter"), "content filter"),
        (Reply(failure="HTTP 500"), "HTTP 500"),
        (Reply("x" * 500, "stop"), "500 characters"),
        (Reply("```\n???\n```", "stop"), "no word"),
    ],
)
def test_what_is_no_query_is_a_failure_and_never_searched_for(reply, failure):
    reading = read_query(reply)
    assert reading.query is None
    assert failure in reading.failure


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("It is so.\n\nFinal answer: [Supported]", "true"),
        ("**Final answer:** **[Not Supported]**", "false"),
        ("[not supported]", "false"),
        ("[Unsupported]", "false"),
        ("At first it looks [Supported].\nFinal answer: [Not Supported]", "false"),
        ("Hence the STATEMENT is [Supported].", "true"),
        ("It rests on [1] and [2].\nFinal answer: [Supported]", "true"),
        ('STATEMENT: "it was [Not Supported] by anyone"\nFinal answer: [Supported]', "true"),
        ("<think>[Supported]</think>[Not Supported]", "false"),
    ],
)
def test_a_label_counts_in_brackets_and_the_last_line_decides(text, truth):
    assert read_bracketed(Reply(text, "stop"), statement="it was [Not Supported] by anyone").truth == truth


@pytest.mark.parametrize(
    ("reply", "failure"),
    [
        (Reply("Final answer: Supported", "stop"), "no verdict"),
        (Reply("Final answer: [Supported/Not Supported]", "stop"), "no verdict"),
        (Reply("Final answer: [label]", "stop"), "no verdict"),
        (Reply("See [1].", "stop"), "no verdict"),
        (Reply("[Supported]\n[Not Supported]", "stop"), "two verdicts"),
        (Reply("It is [Supported] in one and [Not Supported] in the other.", "stop"), "two verdicts"),
        (Reply("STATEMENT: it was [Supported] by all", "stop"), "no verdict"),
        (Reply("He said it was [Supported] by all", "stop"), "no verdict"),
        (Reply("", "stop"), "empty"),
        (Reply("I'm sorry, no.", "stop"), "refused"),
        (Reply("Final answer: [Supported]", "length"), "cut off"),
        (Reply("[Supported]", "content_filter"), "content filter"),
        (Reply(failure="timeout"), "timeout"),
    ],
)
def test_a_reply_without_one_label_is_a_failure_and_no_verdict(reply, failure):
    reading = read_bracketed(reply, statement="it was [Supported] by all")
    assert reading.truth is None
    assert failure in reading.failure


# The retriever, on its own.


class Shelf:
    """A source that gives documents named after the query."""

    signature = "shelf[k=2,pmid]"

    def __init__(self, fails=()):
        self.searched = []
        self.fails = fails

    def retrieve(self, claims, answers):
        self.searched.append([claim.text for claim in claims])
        return [
            Retrieval(failure="HTTP 500")
            if claim.text in self.fails
            else Retrieval(tuple(Passage(f"{claim.text} {i}", id=f"{claim.text}/{i}") for i in range(2)), n_cut=1)
            for claim in claims
        ]


class Scripted:
    """A chat model that answers by statement, in order."""

    signature = "scripted"

    def __init__(self, replies):
        self.replies = {name: list(several) for name, several in replies.items()}
        self.prompts = []

    def complete(self, prompts):
        self.prompts.append([prompt.messages[-1].content for prompt in prompts])
        return [self.replies[section(text, "STATEMENT")].pop(0) for text in self.prompts[-1]]


def ok(query):
    return Reply(f"```\n{query}\n```", "stop")


def retrieve(replies, *, fails=(), queries=3, question="What helps?"):
    shelf, scripted = Shelf(fails), Scripted(replies)
    asked = AskedRetriever(inner=shelf, model=scripted, queries=queries)
    claims = [Claim(name) for name in replies]
    found = asked.retrieve(claims, [Answer("1", "x", question)] * len(claims))
    return found, shelf, scripted, asked


def test_each_prompt_shows_what_the_queries_before_found_and_all_statements_take_a_turn_together():
    found, shelf, scripted, asked = retrieve({"s": [ok("a"), ok("b"), ok("c")], "t": [ok("d"), ok("e"), ok("f")]})
    assert shelf.searched == [["a", "d"], ["b", "e"], ["c", "f"]]
    assert [passage.id for passage in found[0].passages] == ["a/0", "b/0", "c/0", "a/1", "b/1", "c/1"]
    assert found[0].query == "a\nb\nc"
    assert found[0].n_cut == 3
    first, second, third = (section(turn[0], "KNOWLEDGE") for turn in scripted.prompts)
    assert first is None
    assert "a 0" in second
    assert "b 1" not in second
    assert "b 1" in third
    assert section(scripted.prompts[0][1], "CONTEXT") == "What helps?"
    assert asked.signature.startswith("shelf[k=2,pmid,ask=scripted,prompt=2-")
    assert asked.signature.endswith("queries=3]")


def test_a_search_that_fails_ends_the_search_of_its_statement_only():
    (one, other), shelf, _, _ = retrieve({"s": [ok("a")], "t": [ok("d"), ok("e")]}, fails=("a",), queries=2)
    assert one.failure == "HTTP 500"
    assert other.failure is None
    assert shelf.searched == [["a", "d"], ["e"]]


# Whole runs.


def test_the_rafe_score_is_the_share_of_sentences_that_are_supported(world):
    with ChatServer(leaf_world.model) as server:
        assert score("in.jsonl", "-o", "out", *leaf(server)) == 0
        asked = [role(request) for request in server.log]
    first = records(world / "out")[0]
    assert [claim["label"] for claim in first["claims"]] == ["supported", "unsupported", "supported", "unsupported"]
    assert first["support"] == 0.5
    assert first["contra"] == 0.0
    # Three queries and one verdict a statement; one statement's words repeat its query.
    assert asked.count("verdict") == 8
    assert 8 < asked.count("query") <= 24
    report = json.loads((world / "out" / "report.json").read_text())
    assert "claims:sentences[1]" in report["signature"]
    assert "ask=test-model" in report["signature"]
    assert "verify:rafe[test-model,t=0.50,prompt=2-" in report["signature"]
    assert any(note.startswith("queries by test-model") for note in report["notes"])
    with ChatServer(leaf_world.model) as server:
        # Everything is in the cache of that address only: another endpoint is another model.
        assert score("in.jsonl", "-o", "out", *leaf(server)) == 0
        assert server.log == []


def test_a_dry_run_counts_queries_and_verdicts_and_sends_nothing(world, capsys):
    with ChatServer(leaf_world.model) as server:
        assert main(["score", "in.jsonl", *leaf(server), "--dry-run", "--json"]) == 0
        assert server.log == []
    found = json.loads(capsys.readouterr().out)
    assert found["queries"]["test-model"]["calls"] == 8 * 3
    assert found["verdicts"]["test-model"]["calls"] == 8
    assert found["total"]["calls"] == 32
    # Nine documents of 1,600 characters, four to a token, in each verdict.
    assert found["verdicts"]["test-model"]["prompt_tokens"] > 8 * 9 * 400
    assert "3 different queries a claim for prompts that the cache does not have" in found["assumed"]


@pytest.mark.parametrize("stage", ["query", "verdict"])
def test_faults_that_pass_cost_no_statement(stage, world):
    faults = [Status(429, retry_after="0"), Hangup(), Broken(), Hangup(reset=True)]

    def script(request):
        if role(request) == stage and request.attempt == 0:
            return faults[request.number % len(faults)]
        return leaf_world.model(request)

    with ChatServer(script) as server:
        (world / "fast.toml").write_text(profile_text(server))
        assert score("in.jsonl", "-o", "out", "--profile", "fast.toml", "--evidence", "index:index") == 0
        texts = [request.everything for request in server.answered]
    # No prompt was answered, and paid for, twice.
    assert len(texts) == len(set(texts))
    assert [record["support"] for record in records(world / "out")] == [0.5, 0.5]


def profile_text(server):
    """The profile `leaf` with short pauses."""
    return (
        '[claims]\nname = "sentences"\n[evidence]\nk = 9\nask = {queries = 3}\n[verify]\nname = "rafe"\n'
        f'[llm]\nmodel = "test-model"\nbase_url = "{server.url}"\nbackoff_s = 0.001\n'
    )


def test_documents_stand_by_rank_over_the_queries_and_equal_ones_once():
    a, b, c, d = (Passage(f"text {name}", id=name) for name in "abcd")
    assert merge_passages([(a, b), (c, a), (d,)]) == (a, c, d, b)
    assert merge_passages([(Passage("same"),), (Passage("same"), Passage("other"))]) == (
        Passage("same"),
        Passage("other"),
    )
    assert number_passages([a, Passage(" ", title="")]) == "[1] text a"
    assert number_passages([]) is None


def test_every_verdict_is_asked_for_with_question_options_and_numbered_documents(world):
    with ChatServer(leaf_world.model) as server:
        assert score("in.jsonl", "-o", "out", *leaf(server)) == 0
        verdicts = [request.text for request in server.log if role(request) == "verdict"]
    for text in verdicts:
        assert "(A) ibuprofen" in section(text, "CONTEXT")
        assert section(text, "KNOWLEDGE").startswith("[1] ")
