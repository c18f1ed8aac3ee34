"""The client against a real server on 127.0.0.1. Oracle: the server's own log, and hand-written replies."""

import json
import logging
import os
import socket
import threading
import time

import pytest
from chat_server import Broken, ChatServer, Hangup, Raw, Silence, Status, Text

from fas.core.errors import ModelUnavailable
from fas.llm import ChatModel, Message, Prompt, Reply, chat_model, parse_reply

KEY = "a-key-that-must-not-leak-0123456789"
VERDICT = {
    "type": "object",
    "properties": {"label": {"enum": ["True", "False"]}},
    "required": ["label"],
    "additionalProperties": False,
}
BOTH = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


pytestmark = pytest.mark.usefixtures("fresh_cache")


def ask(*texts, **settings):
    return [Prompt((Message("user", text),), **settings) for text in texts]


def model_at(server, **options):
    return chat_model("test-model", **{"base_url": server.url, "backoff_s": 0.002, "timeout_s": 10.0, **options})


def echo(request):
    return f"about {request.text}"


# -- Replies ---------------------------------------------------------------------------------------


@BOTH
def test_every_prompt_gets_its_own_reply_in_order(stream):
    with ChatServer(lambda request: Text(echo(request), delay_s=0.01)) as server:
        model = model_at(server, stream=stream, concurrency=8)
        replies = model.complete(ask(*map(str, range(40))))
    assert isinstance(model, ChatModel)
    assert [reply.text for reply in replies] == [f"about {i}" for i in range(40)]
    assert {reply.finish for reply in replies} == {"stop"}
    assert 1 < server.most_at_once <= 8
    assert model.usage().calls == 40
    assert model.usage().prompt_tokens + model.usage().completion_tokens == sum(r.tokens for r in server.log)


@BOTH
def test_the_request_says_what_the_prompt_says(stream):
    turns = (Message("system", "Be brief."), Message("user", "Ünïcode 💊?"), Message("assistant", "Yes."))
    with ChatServer() as server:
        model = model_at(server, stream=stream, extra={"seed": 7}, cache="off")
        model.complete([Prompt(turns, max_tokens=9, temperature=0.5)])
    body = server.log[0].body
    assert body["messages"] == [{"role": turn.role, "content": turn.content} for turn in turns]
    assert (body["model"], body["max_tokens"], body["temperature"], body["seed"]) == ("test-model", 9, 0.5, 7)
    assert server.log[0].stream == stream
    assert "authorization" not in server.log[0].headers
    told = {name for name in server.log[0].headers if "stainless" in name}
    assert told <= {"x-stainless-raw-response"}


@BOTH
@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        (Text("fine"), Reply("fine", "stop")),
        (Text(""), Reply("", "stop")),
        (Text(None), Reply("", "stop")),
        (Text("half a sen", finish="length"), Reply("half a sen", "length")),
        (Text("", finish="content_filter"), Reply("", "content_filter")),
        (Text("partly", finish="content_filter"), Reply("partly", "content_filter")),
        (Text(None, refusal="I cannot help with that."), Reply("I cannot help with that.", "refusal")),
        (Text(None, finish="tool_calls"), Reply("", "tool_calls")),
        (Status(400, "flagged", "content_filter"), Reply("", "content_filter")),
    ],
    ids=repr,
)
def test_each_ending_is_a_reply_that_says_how_it_ended_and_is_kept(answer, reply, stream):
    with ChatServer(answer) as server:
        options = {"stream": stream}
        first = model_at(server, **options).complete(ask("x"))[0]
        again = model_at(server, concurrency=3, **options).complete(ask("x"))[0]
    assert (first.text, first.finish, first.failure, first.cached) == (reply.text, reply.finish, None, False)
    assert (again.text, again.finish, again.failure, again.cached) == (reply.text, reply.finish, None, True)
    assert len(server.log) == 1


# -- Faults ----------------------------------------------------------------------------------------


FAULTS = [
    Status(429),
    Status(429, retry_after="0"),
    Status(500),
    Status(502, body=b"<html>Bad gateway</html>"),
    Status(503, body=b""),
    Status(408),
    Hangup(),
    Hangup(reset=True),
    Broken(),
    Raw(b""),
    Raw(b"not json"),
    Raw(b"[]"),
    Raw(b"{}"),
    Raw(b'{"choices": []}'),
    Raw(b'{"choices": [{"index": 0}]}'),
    Raw(b'{"choices": [{"message": {"content": 5}}]}'),
    Raw(b'{"answer": "the wrong keys"}'),
    Raw(b'{"error": {"message": "overloaded", "code": 529}}'),
    Raw(b"<html>proxy</html>", "text/html"),
    Raw(b"data: {broken\n\n", "text/event-stream"),
    Raw(b'data: {"error": {"message": "overloaded"}}\n\n', "text/event-stream"),
]


@BOTH
@pytest.mark.parametrize("fault", FAULTS, ids=repr)
def test_what_may_pass_is_tried_again_and_never_kept(fault, stream):
    with ChatServer([fault, fault, "fine"]) as server:
        model = model_at(server, stream=stream)
        reply = model.complete(ask("x"))[0]
        assert model.complete(ask("x"))[0].text == "fine"
    assert reply.text == "fine"
    assert len(server.log) == 3
    assert (model.usage().calls, model.usage().retries, model.usage().failed) == (1, 2, 0)


@BOTH
def test_silence_ends_with_the_time_for_one_attempt(stream):
    with ChatServer([Silence(120), "fine"]) as server:
        model = model_at(server, stream=stream, timeout_s=0.5)
        began = time.monotonic()
        assert model.complete(ask("x"))[0].text == "fine"
        assert time.monotonic() - began >= 0.5
        assert server.n_open == 1  # the silence lasts
    assert model.usage().abandoned == 1


def test_a_stream_that_ends_without_a_finish_reason_may_not_be_whole():
    with ChatServer([Text("half", final_chunk=False), Text("whole")]) as server:
        assert model_at(server, stream=True).complete(ask("x"))[0].text == "whole"
    assert len(server.log) == 2


def test_retry_after_in_seconds_is_waited_for():
    with ChatServer([Status(429, retry_after="1"), "fine"]) as server:
        assert model_at(server).complete(ask("x"))[0].text == "fine"
    assert server.log[1].begun - server.log[0].begun >= 1.0


def test_a_prompt_that_the_server_refuses_fails_alone_and_once():
    def script(request):
        return Status(400, "cannot do that") if request.text == "bad" else "fine"

    with ChatServer(script) as server:
        model = model_at(server)
        replies = model.complete(ask("a", "bad", "b", "bad"))
    assert [reply.failure for reply in replies] == [
        None,
        *["HTTP 400: cannot do that"],
        None,
        "HTTP 400: cannot do that",
    ]
    assert len(server.log) == 3
    assert model.usage().failed == 2


def test_a_dead_host_stops_the_run_with_one_message_and_the_same_object_goes_on_later(caplog):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    model = chat_model("m", base_url=f"http://127.0.0.1:{port}/v1", retry_budget_s=0.5, backoff_s=0.05)
    with pytest.raises(ModelUnavailable, match=r"no usable reply in .*no connection.*Check that the server runs"):
        model.complete(ask("a", "b", "c"))
    assert not caplog.records
    with ChatServer(echo, port=port):
        assert [reply.text for reply in model.complete(ask("a", "b"))] == ["about a", "about b"]


GATEWAY_ERROR = Raw(
    b'{"choices": [{"index": 0, "finish_reason": "error", "error": {"code": 502, "message": "gone"},'
    b' "message": {"role": "assistant", "content": "True"}}]}'
)


@pytest.mark.parametrize("fault", [Status(500), Hangup(), Raw(b"{}"), GATEWAY_ERROR], ids=repr)
def test_an_endpoint_that_never_gave_a_usable_reply_is_given_up_soon(fault, monkeypatch):
    monkeypatch.setattr("fas.llm.retrying.PATIENCE_S", 0.1)
    with ChatServer(fault) as server:
        began = time.monotonic()
        with pytest.raises(ModelUnavailable, match=r"has given no usable reply in .*\(last: "):
            model_at(server).complete(ask("a", "b"))
        assert time.monotonic() - began < 30  # a tenth of `retry_budget_s`


def test_a_host_whose_name_is_not_known_stops_the_run_without_a_further_question(monkeypatch):
    asked = []

    def unknown(host, *rest, **more):
        asked.append(host)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    monkeypatch.setattr("fas.llm.retrying.PATIENCE_S", 0.0)
    model = chat_model("m", base_url="http://no-such-host.invalid/v1")
    with pytest.raises(
        ModelUnavailable, match=r"the name 'no-such-host\.invalid' cannot be resolved; check its spelling"
    ):
        model.complete(ask("a"))
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("script", "options"),
    [
        (lambda request: echo(request) if request.number > 12 else Status(503), {}),
        (lambda request: echo(request) if request.number > 12 else Status(429), {}),
        (lambda request: echo(request) if request.number > 3 else Silence(60), {"timeout_s": 0.3}),
        (lambda request: echo(request) if request.number in (0, *range(7, 20)) else GATEWAY_ERROR, {}),
        (lambda request: GATEWAY_ERROR if request.text == "a" and request.number < 8 else echo(request), {}),
    ],
    ids=["loading", "many requests", "slow", "worked once", "one bad prompt"],
)
def test_a_slow_or_busy_endpoint_and_one_that_worked_once_keep_the_long_patience(script, options, monkeypatch):
    monkeypatch.setattr("fas.llm.retrying.PATIENCE_S", 0.1)
    with ChatServer(script) as server:
        replies = model_at(server, concurrency=1, max_attempts=20, **options).complete(ask("a", "b"))
    assert [reply.text for reply in replies] == ["about a", "about b"]


def test_a_server_that_dies_in_the_middle_leaves_what_was_finished():
    def script(request):
        return echo(request) if request.number < 10 else Hangup()

    with ChatServer(script) as server:
        model = model_at(server, retry_budget_s=0.4, concurrency=4)
        with pytest.raises(ModelUnavailable):
            model.complete(ask(*map(str, range(30))))
        server.script = echo
        replies = model.complete(ask(*map(str, range(30))))
    assert [reply.text for reply in replies] == [f"about {i}" for i in range(30)]
    assert sum(reply.cached for reply in replies) == 10
    assert len(server.answered) == 30


def test_a_wrong_key_stops_the_run_at_once_and_is_shown_nowhere(monkeypatch, caplog, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    with ChatServer(echo, key="another") as server:
        with pytest.raises(ModelUnavailable, match="Set OPENAI_API_KEY") as caught:
            model_at(server).complete(ask("a", "b", "c"))
        assert len(server.log) <= 3
        assert server.log[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in str(caught.value)
    assert KEY not in repr(caught.getrepr(showlocals=False))
    assert KEY not in caplog.text


def test_a_key_is_in_no_file_and_no_message(monkeypatch, caplog, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    caplog.set_level(logging.DEBUG)

    def script(request):
        return Status(400, f"bad request with {request.headers['authorization']}") if request.text == "bad" else "ok"

    with ChatServer(script, key=KEY) as server:
        replies = model_at(server).complete(ask("a", "bad"))
    assert KEY not in str(replies)
    assert "[key]" in replies[1].failure
    assert KEY not in caplog.text
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert all(KEY.encode() not in path.read_bytes() for path in files)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_prompt_follows_no_redirect_to_a_host_that_nobody_named(status):
    with ChatServer("stolen") as other:
        moved = Status(status, headers=(("Location", f"{other.url}/chat/completions"),))
        told = pytest.raises(ModelUnavailable, match=f"redirects to {other.url.removesuffix('/v1')}, and prompts")
        with ChatServer(moved) as server, told:
            model_at(server, concurrency=1).complete(ask("a", "b"))
        assert other.log == []


@pytest.mark.parametrize("key", ["sk-\u00fcnicode", "sk-two\nlines"])
def test_a_key_that_cannot_be_sent_is_told_without_showing_it(key, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with ChatServer() as server, pytest.raises(ModelUnavailable, match="OPENAI_API_KEY is not a key") as caught:
        model_at(server).complete(ask("a"))
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        (Prompt(()), "no message"),
        (Prompt((Message("user", "x"),), max_tokens=0), "max_tokens"),
        (Prompt((Message("user", "x"),), temperature=-1), "temperature"),
        (Prompt((Message("user", "\ud83d"),)), "surrogate"),
        (Prompt((Message("wizard", "x"),)), "role"),
        (Prompt((Message("user", "x"),), schema={"enum": {1, 2}}), "not JSON"),
    ],
)
def test_a_prompt_that_cannot_be_sent_fails_alone(prompt, reason):
    with ChatServer("fine") as server:
        replies = model_at(server).complete([prompt, *ask("good")])
    assert reason in replies[0].failure
    assert replies[1].text == "fine"
    assert len(server.log) == 1


# -- What the server understands --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("understood", "final"), [(("json_object",), {"type": "json_object"}), ((), None)], ids=["json_object", "nothing"]
)
def test_what_a_server_refuses_is_found_out_once_and_remembered(understood, final):
    with ChatServer('{"label": "True"}', structured=understood) as server:
        replies = model_at(server, concurrency=8).complete(ask(*map(str, range(20)), schema=VERDICT))
        # Another object, with other settings of transport, knows it too.
        more = model_at(server, concurrency=3).complete(ask("later", schema=VERDICT))
    assert all(parse_reply(reply, VERDICT).ok for reply in [*replies, *more])
    refused = [request for request in server.log if isinstance(request.answer, Status)]
    assert len(refused) == 2 - len(understood)
    assert all(request.body.get("response_format") == final for request in server.answered)


def test_newer_names_of_fields_are_learnt_from_the_refusal():
    def script(request):
        if "max_tokens" in request.body:
            return Status(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        if "stream_options" in request.body:
            return Status(400, "extra fields not permitted: stream_options")
        return "fine"

    with ChatServer(script) as server:
        model = model_at(server, stream=True, concurrency=1)
        replies = model.complete(ask("a", "b"))
    assert [reply.text for reply in replies] == ["fine", "fine"]
    assert len(server.log) == 4
    assert server.log[-1].body["max_completion_tokens"] == 1024


# -- The cache -------------------------------------------------------------------------------------


def test_equal_prompts_of_a_batch_are_sent_once_and_paid_once():
    with ChatServer(echo) as server:
        model = model_at(server)
        replies = model.complete(ask("a", "b", "a", "a"))
    assert [reply.cached for reply in replies] == [False, False, True, True]
    assert len(server.log) == 2
    assert (model.usage().calls, model.usage().cached) == (2, 2)


def test_a_reply_is_on_disk_before_the_batch_ends():
    seen = []

    def script(request):
        if request.text == "second":
            other = model_at(server, concurrency=2)
            seen.extend(other.complete(ask("first")))
        return echo(request)

    with ChatServer(script) as server:
        model_at(server, concurrency=1).complete(ask("first", "second"))
    assert [(reply.text, reply.cached) for reply in seen] == [("about first", True)]


def test_whatever_decides_a_reply_is_in_the_key_and_nothing_else():
    with ChatServer(echo) as server, ChatServer(echo) as elsewhere:
        base = {"base_url": server.url, "backoff_s": 0.002}
        prompt = ask("x")[0]
        chat_model("m", **base).complete([prompt])
        same = [{"concurrency": 3}, {"stream": True}, {"timeout_s": 5.0}, {"requests_per_minute": 1000}]
        assert all(chat_model("m", **base, **options).complete([prompt])[0].cached for options in same)
        other = [{"extra": {"seed": 1}}, {"structured": "off"}, {"send_temperature": False}]
        assert not any(chat_model("m", **base, **options).complete([prompt])[0].cached for options in other)
        assert not chat_model("m2", **base).complete([prompt])[0].cached
        assert not chat_model("m", base_url=elsewhere.url).complete([prompt])[0].cached
        variants = [
            Prompt((Message("system", "x"),)),
            Prompt((Message("user", "x"), Message("user", "x"))),
            Prompt((Message("user", "x "),)),
            Prompt(prompt.messages, max_tokens=5),
            Prompt(prompt.messages, schema=VERDICT),
            Prompt(prompt.messages, schema={**VERDICT, "title": "t"}),
        ]
        assert not any(reply.cached for reply in chat_model("m", **base).complete(variants))


def test_numbered_draws_are_kept_apart_sent_as_seed_and_asked_for_once():
    with ChatServer(lambda request: f"draw {request.number}") as server:
        model = model_at(server)
        draws = [ask("x", temperature=1.0, sample=number)[0] for number in range(3)]
        first = model.complete(draws)
        again = model.complete(draws)
        assert sorted(reply.text for reply in first) == ["draw 0", "draw 1", "draw 2"]
        assert [reply.text for reply in again] == [reply.text for reply in first]
        assert sorted(request.body["seed"] for request in server.log) == [0, 1, 2]
        # A prompt without a number has the key that it had before there were numbers.
        assert "seed" not in model_body(model, server)


def model_body(model, server):
    model.complete(ask("plain"))
    return server.log[-1].body


def test_a_damaged_entry_is_asked_for_again(tmp_path):
    import sqlite3

    with ChatServer(echo) as server:
        model_at(server).complete(ask("x"))
        with sqlite3.connect(tmp_path / "cache" / "llm.sqlite") as connection:
            connection.execute("UPDATE entries SET value = ?", (b'["text", 3]',))
        connection.close()
        assert model_at(server, concurrency=2).complete(ask("x"))[0].text == "about x"
    assert len(server.log) == 2


def test_threads_that_ask_the_same_share_one_request():
    with ChatServer(lambda request: Text(echo(request), delay_s=0.05)) as server:
        model = model_at(server, concurrency=4)
        results = []
        threads = [
            threading.Thread(target=lambda: results.append(model.complete(ask(*map(str, range(10)))))) for _ in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(results) == 6
    assert all([reply.text for reply in replies] == [f"about {i}" for i in range(10)] for replies in results)
    assert len(server.log) == 10
    assert server.most_at_once <= 4
    assert (model.usage().calls, model.usage().cached) == (10, 50)


def test_a_forked_process_has_connections_of_its_own():
    with ChatServer(echo) as server:
        model_at(server).complete(ask("parent"))
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.write(writer, model_at(server).complete(ask("child"))[0].text.encode())
            finally:
                os._exit(0)
        os.close(writer)
        os.waitpid(child, 0)
        with os.fdopen(reader) as pipe:
            assert pipe.read() == "about child"


# -- Names and settings ----------------------------------------------------------------------------


def test_the_address_comes_from_the_environment_unless_it_is_given(monkeypatch):
    with ChatServer("one") as one, ChatServer("two") as two:
        monkeypatch.setenv("OPENAI_BASE_URL", one.url)
        assert chat_model("m").complete(ask("x"))[0].text == "one"
        assert chat_model("m", base_url=two.url + "/").complete(ask("x"))[0].text == "two"


@pytest.mark.parametrize(
    ("name", "signature"),
    [("gpt-4o-mini", "gpt-4o-mini"), ("openai:gpt-4o-mini", "gpt-4o-mini"), ("llama3.1:8b", "llama3.1%3A8b"),
     ("org/Model-7B", "org/Model-7B"), ("a b|c,[d]", "a%20b%7Cc%2C%5Bd%5D"), ("50%", "50%25")],
)  # fmt: skip
def test_a_signature_has_nothing_that_structures_one(name, signature):
    assert chat_model(name, base_url="http://127.0.0.1:9/v1").signature == signature


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"concurency": 3}, "no option 'concurency'; allowed: base_url, "),
        ({"concurrency": 0}, "`concurrency` must be"),
        ({"concurrency": True}, "`concurrency` must be"),
        ({"max_attempts": 0}, "`max_attempts` must be"),
        ({"timeout_s": 0}, "`timeout_s` must be above 0"),
        ({"retry_budget_s": float("nan")}, "`retry_budget_s` must be above 0"),
        ({"structured": "yaml"}, "`structured` must be one of auto, "),
        ({"cache": "some"}, "`cache` must be one of greedy, off"),
        ({"requests_per_minute": 0}, "`requests` must be above 0"),
        ({"base_url": "ftp://x"}, "must begin with http"),
        ({"base_url": "http://user:secret@host/v1"}, "must not carry a user"),
        ({"base_url": "http://host/v1?key=secret"}, "must not carry a user"),
    ],
)
def test_impossible_settings_are_told_at_once(options, message):
    with pytest.raises(ValueError, match=message) as caught:
        chat_model("m", **{"base_url": "http://127.0.0.1:9/v1", **options})
    assert "secret" not in str(caught.value)


def test_importing_the_types_imports_no_client():
    import subprocess
    import sys

    code = "import sys, fas.llm; print([m for m in ('openai', 'httpx', 'torch', 'transformers') if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert json.loads(shown.replace("'", '"')) == []
