"""The HTTP service, through a real server and real clients on 127.0.0.1."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest

import fas

pytest.importorskip("uvicorn", reason="the service needs pip install 'fact-aligned-score[serve]'")

from fas.service.batching import Batcher, QueueFullError

ANSWER = {
    "id": "a",
    "question": "Does metformin help?",
    "prediction": "Metformin lowers blood glucose. It causes weight gain.",
    "references": ["Metformin lowers glucose."],
    "passages": ["Metformin reduced fasting glucose in adults. Weight did not increase."],
}


@contextmanager
def served(*options, **environment):
    process = subprocess.Popen(
        [sys.executable, "-m", "fas", "serve", "--port", "0", *options],
        env={**os.environ, **environment},
        stderr=subprocess.PIPE,
        text=True,
    )
    lines = []
    try:
        for line in process.stderr:
            lines.append(line)
            found = re.search(r"serving on (http://\S+)", line)
            if found:
                break
        else:
            raise AssertionError("".join(lines))
        threading.Thread(target=lambda: lines.extend(process.stderr), daemon=True).start()
        yield found[1], process, lines
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()


@pytest.fixture(scope="module")
def service():
    options = ("--max-body", "20000", "--max-answers", "32", "--max-waiting", "2000")
    with served(*options) as (url, process, lines), httpx.Client(base_url=url, timeout=120) as client:
        yield client, process, lines


def test_an_answer_is_scored_as_from_python(service):
    client, _, _ = service
    got = client.post("/v1/score", json=ANSWER).json()
    report = fas.score_answers([ANSWER])
    expected = json.loads(json.dumps(report.answers[0].as_dict(5)))
    assert {key: got[key] for key in expected} == expected
    assert got["signature"] == str(report.signature)


def test_several_come_in_their_order_with_their_own_ids(service):
    client, _, _ = service
    rows = [{**ANSWER, "id": name, "prediction": f"{name} lowers glucose."} for name in ("zinc", "iron", "garlic")]
    got = client.post("/v1/score", json={"answers": rows}).json()["answers"]
    assert [(one["id"], one["prediction"]) for one in got] == [(row["id"], row["prediction"]) for row in rows]


def test_answers_are_streamed_a_line_each(service):
    client, _, _ = service
    rows = [{**ANSWER, "id": str(n)} for n in range(20)]
    with client.stream("POST", "/v1/score", json={"answers": rows, "stream": True}) as response:
        assert response.headers["content-type"] == "application/x-ndjson"
        got = [json.loads(line) for line in response.iter_lines()]
    assert sorted(one["id"] for one in got) == sorted(row["id"] for row in rows)


def test_a_claim_is_verified_against_passages(service):
    client, _, _ = service
    got = client.post(
        "/v1/verify", json={"claim": "Metformin lowers glucose.", "passages": ["Metformin lowers glucose."]}
    )
    assert got.json()["label"] == "supported"


def test_safety_flags_without_evidence(service):
    client, _, _ = service
    row = {
        "question": "I am 20 weeks pregnant. Can I take isotretinoin?",
        "prediction": "Yes, take isotretinoin 20 mg.",
    }
    assert client.post("/v1/safety", json=row).json()["flags"]
    assert client.post("/v1/safety", json={"answers": [row]}).json()["answers"][0]["flags"]


def test_what_the_service_says_of_itself(service):
    client, _, _ = service
    assert client.get("/healthz").json() == {"status": "ok"}
    paths = set(client.get("/openapi.json").json()["paths"])
    assert paths == {"/v1/score", "/v1/verify", "/v1/safety", "/healthz", "/metrics"}
    assert "fas_requests_total" in client.get("/metrics").text
    assert "/v1/score" in client.get("/docs").text


HOSTILE = [
    (b"", 422),
    (b"{", 422),
    (b"[]", 422),
    (b"\xff\xfe", 422),
    (b'{"prediction": 1}', 422),
    (b'{"prediction": "a", "prediction": "b"}', 422),
    (b'{"prediction": "A.", "passages": 3}', 422),
    (b'{"prediction": "A."}', 422),  # no evidence to be had
    (b'{"answers": []}', 422),
    (b'{"answers": [1]}', 422),
    (b'{"answers": [{"prediction": "A."}], "more": 1}', 422),
    (b'{"prediction": NaN}', 422),
    (b"[" * 9000, 422),
    (b'{"prediction": "' + b"x" * 30000 + b'"}', 413),
    (json.dumps({"answers": [{"prediction": "A."}] * 33}).encode(), 413),
]


@pytest.mark.parametrize(("body", "status"), HOSTILE)
def test_a_hostile_body_is_refused_with_a_reason_and_no_traceback(service, body, status):
    client, _, lines = service
    response = client.post("/v1/score", content=body)
    assert (response.status_code, bool(response.json()["error"]["message"])) == (status, True)
    assert not any("Traceback" in line for line in lines)


def test_a_surrogate_is_scored_as_a_replacement(service):
    client, _, _ = service
    body = json.dumps({**ANSWER, "prediction": "Metformin \ud800 lowers glucose."}).encode()
    assert client.post("/v1/score", content=body).status_code == 200


def test_sixty_four_clients_at_once_lose_nothing(service):
    client, _, _ = service

    def ask(number):
        row = {**ANSWER, "id": str(number), "prediction": f"Metformin lowers glucose in {number} trials."}
        return client.post("/v1/score", json=row).json()

    with ThreadPoolExecutor(64) as pool:
        got = list(pool.map(ask, range(128)))
    assert [one["id"] for one in got] == [str(number) for number in range(128)]
    assert all(f"in {one['id']} trials" in one["prediction"] and one["error"] is None for one in got)


def test_what_is_late_in_a_stream_is_a_line_with_its_id():
    with served("--max-seconds", "0.001") as (url, _, _), httpx.Client(base_url=url, timeout=60) as client:
        rows = [{**ANSWER, "id": name} for name in ("a", "b")]
        with client.stream("POST", "/v1/score", json={"answers": rows, "stream": True}) as response:
            got = [json.loads(line) for line in response.iter_lines()]
        if response.status_code == 200:  # else the request itself was late
            assert {one["id"]: one["error"]["type"] for one in got} == {"a": "timeout", "b": "timeout"}
        else:
            assert (response.status_code, got[0]["error"]["type"]) == (503, "timeout")


def test_safety_counts_among_what_waits_and_takes_no_stray_field(service):
    client, _, _ = service
    assert client.post("/v1/safety", json={"answers": [ANSWER], "x": 1}).status_code == 422

    async def overfull():
        batcher = Batcher(fas.Scorer("mini"), most_waiting=2)
        batcher.start()
        free = threading.Event()
        first = asyncio.ensure_future(batcher.run(lambda answers: free.wait(60), [None, None]))
        await asyncio.sleep(0)
        with pytest.raises(QueueFullError):
            await batcher.run(len, [None])
        free.set()
        assert await first
        await asyncio.sleep(0)
        assert await batcher.run(len, [None]) == 1
        await batcher.close()

    asyncio.run(overfull())


def test_a_token_is_asked_for_and_never_shown():
    with served("--max-waiting", "1", FAS_SERVE_TOKEN="sesame-0123456789") as (url, process, lines):
        with httpx.Client(base_url=url, timeout=60) as client:
            assert client.post("/v1/score", json=ANSWER).status_code == 401
            headers = {"Authorization": "Bearer sesame-0123456789"}
            assert client.post("/v1/safety", json={"prediction": "A."}, headers=headers).status_code == 200
            busy = client.post("/v1/score", json={"answers": [ANSWER, {**ANSWER, "id": "b"}]}, headers=headers)
            assert (busy.status_code, busy.headers["retry-after"]) == (429, "1")
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    assert not any("sesame" in line for line in lines)


def test_what_was_begun_is_finished_when_the_service_goes_down():
    with served() as (url, process, _):
        rows = [{**ANSWER, "id": str(n), "prediction": f"Metformin lowers glucose in {n} trials."} for n in range(60)]
        with ThreadPoolExecutor(1) as pool, httpx.Client(base_url=url, timeout=120) as client:
            asked = pool.submit(client.post, "/v1/score", json={"answers": rows})
            while client.get("/metrics").text.count("fas_answers_waiting 0.0") and not asked.done():
                pass
            process.send_signal(signal.SIGINT)
            assert len(asked.result(120).json()["answers"]) == 60
        assert process.wait(60) == 0


@pytest.mark.parametrize(("options", "message"), [(("--max-body", "0"), "--max-body"), (("--port", "x"), "--port")])
def test_an_impossible_option_is_told(options, message):
    done = subprocess.run([sys.executable, "-m", "fas", "serve", *options], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert message in done.stderr
