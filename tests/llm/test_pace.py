"""A slow server gets fewer requests at once, nothing is lost to time-outs, and no reply grows without end."""

from __future__ import annotations

import gzip
import json
import threading
import time

import pytest
from chat_server import ChatServer, Silence, Text
from hypothesis import given
from hypothesis import strategies as st
from local_server import LocalServer, send

from fas.core.errors import ModelUnavailable
from fas.llm import Message, Prompt, RemoteModel
from fas.llm import endpoint as endpoint_module
from fas.llm.pace import Pace
from fas.llm.said import extract_answer_text, loops


def prompts(n: int) -> list[Prompt]:
    return [Prompt((Message("user", f"Question {i}?"),)) for i in range(n)]


@given(st.lists(st.booleans(), max_size=60), st.integers(1, 32))
def test_the_limit_is_halved_by_time_outs_raised_by_replies_and_stays_in_range(events: list[bool], most: int) -> None:
    now = 0.0
    pace = Pace(most, clock=lambda: now)
    for in_time in events:
        before, begun = pace.limit, now
        now += 1.0
        if in_time:
            pace.replied()
            assert before <= pace.limit <= most
        else:
            assert pace.timed_out(begun) is (before > 1)
            assert pace.limit == max(1.0, before / 2)
    assert 1 <= pace.limit <= most


def test_time_outs_of_one_crowd_halve_it_once() -> None:
    now = 0.0
    pace = Pace(16, clock=lambda: now)
    now = 5.0
    assert [pace.timed_out(0.0) for _ in range(16)] == [True] * 16
    assert pace.limit == 8


def test_a_server_that_answers_few_at_once_in_time_loses_no_prompt(fresh_cache) -> None:
    # It answers two at a time; a third that is open is never answered, and its client gives up. One try is all that a
    # prompt has: what timed out beside others counts for none.
    slots = threading.Semaphore(2)

    def script(request):
        if not slots.acquire(blocking=False):
            return Silence(30)
        try:
            return Text("ok", delay_s=0.02)
        finally:
            threading.Timer(0.02, slots.release).start()

    with ChatServer(script) as server:
        model = RemoteModel("m", base_url=server.url, concurrency=16, timeout_s=0.7, max_attempts=1, backoff_s=0.01)
        replies = model.complete(prompts(17))
    assert [reply.text for reply in replies] == ["ok"] * 17
    assert model.usage().failed == 0
    assert model.usage().retries >= model.usage().abandoned > 0


class Long(LocalServer):
    """Answers with a body of a hundred million blanks, packed, or as a stream of numbers or of one line for ever."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind

    def answer(self, handler) -> None:
        handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        if self.kind == "gzip":
            body = gzip.compress(b" " * 100_000_000, 1)
            send(handler, 200, body, "application/json", [("Content-Encoding", "gzip")])
            return
        handler.send_response(200)
        streams = self.kind in ("stream", "loop")
        handler.send_header("Content-Type", "text/event-stream" if streams else "application/json")
        handler.end_headers()
        handler.close_connection = True
        words = {"stream": " ".join(map(str, range(2000))), "loop": "Rest helps with a cold.\n- "}.get(self.kind)
        chunk = {"choices": [{"index": 0, "delta": {"content": words}}]}
        piece = f"data: {json.dumps(chunk)}\n\n".encode() if streams else b" " * 10_000
        try:
            for _ in range(10_000):
                handler.wfile.write(piece)
        except OSError:
            pass


@pytest.mark.parametrize("kind", ["plain", "gzip", "stream"])
def test_a_reply_longer_than_the_limit_is_unusable_and_is_asked_for_once(kind, fresh_cache) -> None:
    with Long(kind) as server:
        model = RemoteModel("m", base_url=f"{server.address}/v1", stream=kind == "stream", timeout_s=60.0)
        (reply,) = model.complete(prompts(1))
    assert reply.text == ""
    assert f"more than {endpoint_module.REPLY_BYTES} bytes" in (reply.failure or "")
    assert model.usage().retries == 0
    assert sum(file.stat().st_size for file in fresh_cache.rglob("*") if file.is_file()) < 1_000_000


def test_a_stream_that_says_one_line_again_and_again_is_ended_early_and_is_no_reply(fresh_cache) -> None:
    with Long("loop") as server:
        model = RemoteModel("m", base_url=f"{server.address}/v1", stream=True, timeout_s=60.0)
        (reply,) = model.complete(prompts(1))
        (again,) = model.complete(prompts(1))
    assert reply.finish == "length"
    assert len(reply.text) < 5_000
    assert "repeats itself without end" in (extract_answer_text(reply).failure or "")
    assert again.cached


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- Rest helps.\n" * 40, True),
        ('{"a": 1}' + " " * 500, True),
        ("It began well, then: " + "no, " * 200, True),
        ("- Rest helps.\n" * 3, False),
        ("".join(f"- Fact {i} about rest.\n" for i in range(60)), False),
        ("- Rest helps.\n" * 40 + "- Ice helps, too, in the first days, if it does not lie on the bare skin.", False),
        ("", False),
    ],
)
def test_a_text_loops_if_it_ends_in_one_passage_four_times_over_four_hundred_characters(text, found) -> None:
    assert loops(text) is found


class Slow(LocalServer):
    """Sends a reply of sixteen words with a pause before each, as a stream or as one body."""

    def answer(self, handler) -> None:
        asked = json.loads(handler.rfile.read(int(handler.headers.get("Content-Length") or 0)))
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream" if asked.get("stream") else "application/json")
        handler.end_headers()
        handler.close_connection = True
        whole = {"choices": [{"message": {"content": "word " * 16}, "finish_reason": "stop"}]}
        try:
            for i in range(16):
                time.sleep(0.1)
                if asked.get("stream"):
                    finish = "stop" if i == 15 else None
                    chunk = {"choices": [{"index": 0, "delta": {"content": "word "}, "finish_reason": finish}]}
                    handler.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            if asked.get("stream"):
                handler.wfile.write(b"data: [DONE]\n\n")
            else:
                handler.wfile.write(json.dumps(whole).encode())
        except OSError:
            pass


@pytest.mark.parametrize("stream", [True, False])
def test_a_time_out_counts_from_the_last_words_of_a_stream_and_from_the_request_otherwise(stream, fresh_cache) -> None:
    # 1.6 seconds in all, a tenth of a second between two words.
    with Slow() as server:
        model = RemoteModel(
            "m",
            base_url=f"{server.address}/v1",
            stream=stream,
            timeout_s=1.0,
            max_attempts=1,
            retry_budget_s=0.5,
            concurrency=1,
        )
        if not stream:
            with pytest.raises(ModelUnavailable, match="no reply within 1 s"):
                model.complete(prompts(1))
            return
        (reply,) = model.complete(prompts(1))
    assert reply.text == "word " * 16
    assert model.usage().abandoned == 0
