"""The HTTP service, through a real server and real clients on 127.0.0.1."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest

import fas

pytest.importorskip("uvicorn", reason="the service needs pip install 'fact-aligned-score[serve]'")

from fas.core.profile import PartSpec, Profile
from fas.core.records import Answer
from fas.integrations.service.workers import ServiceWorker, WorkerLostError, WorkLimits, WorkTooLongError

ANSWER = {
    "id": "a",
    "question": "Does metformin help?",
    "prediction": "Metformin lowers blood glucose. It causes weight gain.",
    "references": ["Metformin lowers glucose."],
    "passages": ["Metformin reduced fasting glucose in adults. Weight did not increase."],
}


# No machine is so slow or busy that a test of something else meets one of these.
PATIENT = ("--max-seconds", "1e6", "--max-text-seconds", "1e6", "--max-processor-seconds", "1e6")


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
    options = (*PATIENT, "--max-body", "20000", "--max-answers", "32", "--max-waiting", "2000")
    with served(*options) as (url, process, lines), httpx.Client(base_url=url, timeout=None) as client:
        yield client, process, lines


def test_an_answer_is_scored_as_from_python(service):
    client, _, _ = service
    got = client.post("/v1/score", json=ANSWER).json()
    report = fas.score_answers([ANSWER])
    expected = json.loads(json.dumps(report.answers[0].as_dict(5)))
    assert {key: got[key] for key in expected} == expected
    assert got["signature"] == str(report.signature)


def test_a_claim_is_verified_against_passages(service):
    client, _, _ = service
    got = client.post(
        "/v1/verify", json={"claim": "Metformin lowers glucose.", "passages": ["Metformin lowers glucose."]}
    )
    assert got.json()["label"] == "supported"


def test_what_the_service_says_of_itself(service):
    client, _, _ = service
    health = client.get("/healthz").json()
    assert (health["status"], health["workers_ended"]) == ("ok", 0)
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
    (json.dumps(ANSWER)[:-1].encode() + b', "prediction": "b"}', 422),
    (b'{"answers": [{"prediction": "a", "passages": [], "passages": ["b"]}]}', 422),
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
    with served("--max-seconds", "0.001") as (url, _, _), httpx.Client(base_url=url, timeout=None) as client:
        rows = [{**ANSWER, "id": name} for name in ("a", "b")]
        with client.stream("POST", "/v1/score", json={"answers": rows, "stream": True}) as response:
            got = [json.loads(line) for line in response.iter_lines()]
        if response.status_code == 200:  # else the request itself was late
            assert {one["id"]: one["error"]["type"] for one in got} == {"a": "timeout", "b": "timeout"}
        else:
            assert (response.status_code, got[0]["error"]["type"]) == (503, "timeout")


STUBBORN = """
import os, signal, threading
from fas.core.records import Claim

class Stubborn:
    "Claims of texts, some of which do what no limit within the process ends."
    signature = "stubborn"

    def extract(self, answers):
        for one in answers:
            while "runs on" in one.prediction:
                pass
            if "hangs" in one.prediction:
                signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
                threading.Event().wait()
            if "dies" in one.prediction:
                os.kill(os.getpid(), signal.SIGKILL)
        return [[Claim(one.prediction)] for one in answers]
"""


@pytest.fixture
def stubborn(tmp_path, monkeypatch):
    """A profile with an extractor of another package, as installed beside this one."""
    installed = tmp_path / "stubborn-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: stubborn\nVersion: 1\n")
    (installed / "entry_points.txt").write_text("[fas.claims]\nstubborn = stubborn:Stubborn\n")
    (tmp_path / "stubborn.py").write_text(STUBBORN)
    monkeypatch.syspath_prepend(tmp_path)
    return Profile(claims=PartSpec("stubborn"), verify=PartSpec("lexical"), safety=False)


def answer(text):
    return Answer(text, text, question=None, passages=())


FAULTS = [
    ("runs on", WorkLimits(text=1e6, processor=3.0, clock=500.0), WorkTooLongError, "processor"),
    ("runs on", WorkLimits(text=0.5, processor=500.0, clock=500.0), None, "text_timeout"),
    ("hangs", WorkLimits(text=1e6, processor=500.0, clock=15.0), WorkTooLongError, "--max-seconds"),
    ("dies", WorkLimits(), WorkerLostError, "SIGKILL"),
]


@pytest.mark.parametrize(("text", "limits", "raised", "reason"), FAULTS)
def test_work_that_does_not_end_costs_itself_and_what_comes_next_is_done(stubborn, text, limits, raised, reason):
    with ServiceWorker(stubborn, limits) as worker:
        if raised is None:
            (record,), _ = worker.score([answer(text)])
            assert reason in record["error"]["message"]
        else:
            with pytest.raises(raised, match=reason):
                worker.score([answer(text)])
        (record,), _ = worker.score([answer("Zinc helps.")])
        assert record["error"] is None
        assert worker.n_ended == (raised is not None)


def test_a_worker_with_a_budget_is_not_replaced_since_its_count_went_with_it(stubborn):
    with ServiceWorker(stubborn.override(llm={"max_calls": 5, "model": "a"}), WorkLimits()) as worker:
        with pytest.raises(WorkerLostError):
            worker.score([answer("dies")])
        with pytest.raises(fas.core.errors.RunStopped, match="budget"):
            worker.score([answer("Zinc helps.")])


@pytest.mark.slow
def test_eight_kilobytes_that_once_stopped_the_service_cost_one_answer_at_the_default_limits():
    with served() as (url, _, _), httpx.Client(base_url=url, timeout=None) as client:
        got = client.post("/v1/safety", json={"prediction": "aspirin 5 mg " * 630})
        # Checked in time, or told as too long: by the text's limit, the processor's, or the request's.
        kind = (got.json().get("error") or {}).get("type")
        assert (got.status_code, kind) in {
            (200, None), (200, "TextTimeoutError"), (503, "WorkTooLongError"), (503, "timeout")
        }  # fmt: skip
        while client.get("/healthz").json()["status"] != "ok":
            time.sleep(0.1)
        assert client.post("/v1/safety", json={"prediction": "Rest."}).json()["flags"] == []


def test_a_token_is_asked_for_and_never_shown():
    with served(*PATIENT, "--max-waiting", "1", FAS_SERVE_TOKEN="sesame-0123456789") as (url, process, lines):
        with httpx.Client(base_url=url, timeout=None) as client:
            assert client.post("/v1/score", json=ANSWER).status_code == 401
            headers = {"Authorization": "Bearer sesame-0123456789"}
            assert client.post("/v1/safety", json={"prediction": "A."}, headers=headers).status_code == 200
            busy = client.post("/v1/score", json={"answers": [ANSWER, {**ANSWER, "id": "b"}]}, headers=headers)
            assert (busy.status_code, busy.headers["retry-after"]) == (429, "1")
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
    assert not any("sesame" in line for line in lines)


@pytest.mark.slow
def test_what_was_begun_is_finished_when_the_service_goes_down():
    with served(*PATIENT, "--max-shutdown-seconds", "300") as (url, process, _):
        rows = [{**ANSWER, "id": str(n), "prediction": f"Metformin lowers glucose in {n} trials."} for n in range(60)]
        with ThreadPoolExecutor(1) as pool, httpx.Client(base_url=url, timeout=None) as client:
            asked = pool.submit(client.post, "/v1/score", json={"answers": rows})
            while client.get("/metrics").text.count("fas_answers_waiting 0.0") and not asked.done():
                pass
            process.send_signal(signal.SIGINT)
            assert len(asked.result().json()["answers"]) == 60
        assert process.wait() == 0
