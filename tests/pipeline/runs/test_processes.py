"""Several processes score one run: as one would, whatever happens to them. Every process here is a real one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest
from scale_world import write_world


@pytest.fixture
def run(tmp_path, root):
    """Starts `fas score` with the parts of the world; waits for it unless told not to."""

    def start(out, *options, wait=True, where=tmp_path, **environment):
        (tmp_path / "noted").mkdir(exist_ok=True)
        script = root / "tests" / "support" / "scale_world.py"
        command = [sys.executable, str(script), "score", str(where / "answers.jsonl")]
        command += ["-o", str(tmp_path / out), "--profile", str(where / "profile.toml"), "--quiet"]
        # Controls are scored by one process alone.
        command += ["--no-controls", *options]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "SCALE_WORLD": str(tmp_path / "noted"), **environment},
        )
        if not wait:
            return process
        process.told = process.communicate(timeout=200)
        return process

    return start


def rows(out):
    return [json.loads(line) for line in (out / "scores.jsonl").read_text(encoding="utf-8").splitlines()]


def stored_report(out):
    report = json.loads((out / "report.json").read_text())
    del report["timing"]
    return report


def wait_for(condition, process, seconds=120):
    until = time.monotonic() + seconds
    while not (found := condition()):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until, "did not happen"
        time.sleep(0.02)
    return found


def workers(process):
    """The processes that score, without multiprocessing's own helper."""
    return [one for one in psutil.Process(process.pid).children() if "spawn_main" in " ".join(one.cmdline())]


def size(path):
    return path.stat().st_size if path.exists() else 0


def test_two_processes_write_the_bytes_of_one_with_bad_lines_and_answers_that_fail(tmp_path, run):
    write_world(tmp_path, 120, {5: "BAD", 17: "RAISE", 40: "RAISE", 90: "BAD"})
    options = ("--on-error", "record", "--by", "kind")
    assert run("one", *options).returncode == 0
    done = run("two", *options, "--engine", "processes", "-j", "2")
    assert done.returncode == 0, done.told
    assert (tmp_path / "two" / "scores.jsonl").read_bytes() == (tmp_path / "one" / "scores.jsonl").read_bytes()
    assert stored_report(tmp_path / "two") == stored_report(tmp_path / "one")
    assert [row["id"] for row in rows(tmp_path / "two") if row["error"]] == ["line:5", "a17", "a40", "line:90"]
    again = run("two", *options)
    assert "120 of 120 answers are already scored" in again.told[1]


@pytest.mark.slow
def test_an_answer_that_ends_every_worker_becomes_an_error_record_and_costs_no_other(tmp_path, run):
    write_world(tmp_path, 64, {20: "ONCE", 40: "DIE"})
    done = run("two", "--engine", "processes", "-j", "2", "--on-error", "record")
    assert done.returncode == 0, done.told
    write_world(tmp_path, 64, {20: "ONCE", 40: "RAISE"})
    assert run("one", "--on-error", "record").returncode == 0
    found, expected = rows(tmp_path / "two"), rows(tmp_path / "one")
    assert found[39]["error"]["type"] == "WorkerDied"
    assert "was ended by SIGKILL" in found[39]["error"]["message"]
    del found[39], expected[39]
    assert found == expected


def test_an_interrupted_run_ends_at_once_with_its_workers(tmp_path, run):
    write_world(tmp_path, 160, dict.fromkeys(range(30, 161), "HOLD"))
    process = run("out", "--engine", "processes", "-j", "2", wait=False)
    wait_for(lambda: size(tmp_path / "out" / "scores.jsonl"), process)
    children = workers(process)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in said
    assert "scored again" not in said
    assert not psutil.wait_procs(children, timeout=10)[1]


@pytest.mark.slow
def test_a_run_whose_parent_is_killed_leaves_no_process_and_goes_on_to_the_bytes_of_one(tmp_path, run):
    write_world(tmp_path, 160, dict.fromkeys(range(100, 161), "HOLD"))
    scores = tmp_path / "out" / "scores.jsonl"
    process = run("out", "--engine", "processes", "-j", "2", wait=False)
    wait_for(lambda: size(scores), process)
    children = workers(process)
    assert children
    process.kill()
    process.communicate()
    _, alive = psutil.wait_procs(children, timeout=30)
    assert not alive
    n = len(scores.read_bytes().splitlines())
    assert 16 <= n < 160
    (tmp_path / "noted" / "go").touch()
    done = run("out", "--engine", "processes", "-j", "2")
    assert done.returncode == 0, done.told
    assert f"{n} of 160 answers are already scored" in done.told[1]
    assert run("one").returncode == 0
    assert scores.read_bytes() == (tmp_path / "one" / "scores.jsonl").read_bytes()


def test_workers_whose_evidence_is_not_the_same_stop_the_run(tmp_path, run):
    write_world(tmp_path, 64, dict.fromkeys(range(1, 65), "HOLD"))
    done = run("out", "--engine", "processes", "-j", "2", "--evidence", "different")
    assert done.returncode == 2
    assert "a worker process has 'evidence' 'index[1,k=5]', the run has 'index[0,k=5]'" in done.told[1]
