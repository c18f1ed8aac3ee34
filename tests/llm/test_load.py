"""Many calls over a bad line, and a process that is killed. Oracle: the server's log."""

import os
import random
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from chat_server import Broken, ChatServer, Hangup, HoldBack, Raw, Silence, Status, Text

from fas.llm import Message, Prompt, chat_model

pytestmark = pytest.mark.usefixtures("fresh_cache")


def one_in_five_fails(seed, slow_s):
    generator = random.Random(seed)
    kinds = [
        Status(429), Status(429, retry_after="0.2"), Status(500), Status(503), Silence(slow_s), Hangup(),
        Hangup(reset=True), Broken(), Raw(b""), Raw(b'{"choices": []}'), Raw(b"<html>", "text/html"),
    ]  # fmt: skip
    # Drawn beforehand, so that the order in which threads ask does not matter.
    drawn = [generator.choice(kinds) if generator.random() < 0.2 else None for _ in range(20_000)]
    return lambda request: drawn[request.number] or Text(f"about {request.text}")


def check_load(*, n, concurrency, limit, window_s, timeout_s, stream=False):
    prompts = [Prompt((Message("user", f"question {i}"),), max_tokens=50) for i in range(n)]
    # About ten are used by each; while a reply is awaited 58 are set aside, so that both limits are felt.
    tokens = limit * 14
    with ChatServer(one_in_five_fails(20, slow_s=2 * timeout_s)) as server:
        begun = time.monotonic()
        model = chat_model(
            "test-model",
            base_url=server.url,
            concurrency=concurrency,
            requests_per_minute=limit,
            tokens_per_minute=tokens,
            window_s=window_s,
            timeout_s=timeout_s,
            max_attempts=20,
            backoff_s=0.004,
            stream=stream,
        )
        replies = model.complete(prompts)
        log = list(server.log)
        # None lost.
        assert [reply.text for reply in replies] == [f"about question {i}" for i in range(n)]
        # None paid twice.
        assert sorted(request.text for request in server.answered) == sorted(f"question {i}" for i in range(n))
        usage = model.usage()
        assert (usage.calls, usage.failed) == (n, 0)
        # A request that goes out on a connection which the server is just closing is never logged.
        assert usage.retries >= len(log) - n
        assert usage.prompt_tokens + usage.completion_tokens == sum(request.tokens for request in log)
        # Limits kept: so many requests and tokens cannot have left sooner, and none is noticed before it leaves.
        # (That no window holds more is tested by a clock of its own, in test_limits.)
        windows = max((len(log) - 1) // limit, (sum(request.tokens for request in log) - 1) // tokens)
        assert max(request.begun for request in log) - begun >= windows * window_s
        assert server.most_at_once <= concurrency + sum(isinstance(request.answer, Silence) for request in log)
        # Faults there were.
        assert 0.1 * n < usage.retries < 0.5 * n
        # And nothing is sent a second time.
        again = model.complete(prompts)
        assert all(reply.cached for reply in again)
        assert [reply.text for reply in again] == [reply.text for reply in replies]
        assert len(server.log) == len(log)


def test_with_every_fifth_request_failing_no_call_is_lost_or_paid_twice_and_no_limit_passed():
    check_load(n=120, concurrency=16, limit=60, window_s=1.2, timeout_s=5.0)


@pytest.mark.slow
@pytest.mark.parametrize("stream", [False, True])
def test_a_thousand_calls_at_concurrency_32_with_every_fifth_failing(stream):
    check_load(n=1000, concurrency=32, limit=120, window_s=4.0, timeout_s=10.0, stream=stream)


CHILD = """
    import sys
    from fas.llm import Message, Prompt, chat_model

    url, n = sys.argv[1], int(sys.argv[2])
    model = chat_model("test-model", base_url=url, concurrency=4)
    replies = model.complete([Prompt((Message("user", f"question {i}"),)) for i in range(n)])
    usage = model.usage()
    print(*(reply.text for reply in replies), sep="|")
    print(usage.calls, usage.cached)
"""


def test_killed_without_warning_a_process_loses_only_the_requests_under_way():
    n = 40
    command = [sys.executable, "-c", textwrap.dedent(CHILD)]
    script = HoldBack(lambda request: f"about {request.text}", 15)
    with ChatServer(script) as server:
        child = subprocess.Popen([*command, server.url, str(n)], stdout=subprocess.PIPE, env=os.environ)
        server.wait_until(lambda: server.n_open == 4 and len(server.answered) == 15)
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        child.stdout.close()
        assert child.returncode == -signal.SIGKILL
        script.release()
        server.wait_until(lambda: server.n_open == 0)
        before = [request.text for request in server.answered]
        assert len(before) == 15 + 4
        second = subprocess.run([*command, server.url, str(n)], capture_output=True, text=True, check=True, timeout=90)
        after = [request.text for request in server.answered][len(before) :]
    texts, counts = second.stdout.splitlines()
    assert texts.split("|") == [f"about question {i}" for i in range(n)]
    twice = set(before) & set(after)
    assert len(twice) <= 4
    assert sorted(before + after) == sorted([f"question {i}" for i in range(n)] + list(twice))
    assert [int(count) for count in counts.split()] == [len(after), n - len(after)]
    assert second.stderr == ""


def listen_to_interrupts():
    """A suite that runs in the background may have been started with the signal ignored, and children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.slow
def test_interrupted_a_process_ends_soon_and_keeps_what_it_has():
    n = 200
    command = [sys.executable, "-c", textwrap.dedent(CHILD)]
    script = HoldBack(lambda request: f"about {request.text}", 10)
    with ChatServer(script) as server:
        child = subprocess.Popen(
            [*command, server.url, str(n)],
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ,
            preexec_fn=listen_to_interrupts,
        )
        server.wait_until(lambda: server.n_open == 4 and len(server.answered) == 10)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=100)
        script.release()
        assert child.returncode != 0
        assert errors.count("Traceback") == 1
        assert errors.rstrip().endswith("KeyboardInterrupt")
        asked = len(server.log)
        assert asked < n
        model = chat_model("test-model", base_url=server.url)
        known = model.estimate([Prompt((Message("user", f"question {i}"),)) for i in range(n)])
        assert asked - 4 <= known.cached <= asked
