"""A process that has loaded nothing scores right from many threads, tasks and children at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from fas.core.loading import load_once

SCRIPT = Path(__file__).parents[1] / "support" / "cold_start.py"
CHILDREN = hasattr(os, "fork")


def run(way: str, cache: Path) -> list[str]:
    """What the script prints for *way*, from a cold process without a cache."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), way],
        env={**os.environ, "FAS_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The oracle: the same answers from the main thread of a process of their own."""
    (found,) = run("alone", tmp_path_factory.mktemp("alone"))
    assert all(answer["error"] is None for answer in json.loads(found))
    return found


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_sixteen_threads_of_a_cold_process_all_score_as_one_does(alone, tmp_path):
    assert run("threads", tmp_path) == [alone] * 16


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("way", "n"), [("fork", 4), ("spawn", 3), ("tasks", 8)])
def test_children_and_tasks_score_as_one_thread_does(way, n, alone, tmp_path):
    if way == "fork" and not CHILDREN:
        pytest.skip("no fork here")
    assert run(way, tmp_path) == [alone] * n


def test_a_loader_runs_once_for_all_threads_that_ask_at_the_same_time():
    calls = []

    @load_once()
    def load(name: str) -> list[str]:
        calls.append(name)
        time.sleep(0.05)  # long enough for every other thread to ask meanwhile
        return [name]

    together = threading.Barrier(8)
    found = []

    def ask() -> None:
        together.wait()
        found.append(load("model"))

    asking = [threading.Thread(target=ask) for _ in range(8)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert calls == ["model"]
    assert len({id(value) for value in found}) == 1


LOADS_WHILE_FORKED = """
import os, threading
from fas.core.loading import loading
import logging
from concurrent.futures import ThreadPoolExecutor
begun = threading.Event()

def load():
    with loading():
        begun.set()
        threading.Event().wait(0.5)  # the fork begins meanwhile
        logging.getLogger("made while a model loads")
        from filelock import FileLock
        class Own(FileLock): pass
        with ThreadPoolExecutor(1) as pool:
            pool.submit(int).result()

loader = threading.Thread(target=load)
loader.start()
begun.wait()
child = os.fork()
if child == 0:
    with loading():
        os._exit(0)
os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not CHILDREN, reason="no fork here")
def test_a_fork_while_another_thread_loads_and_logs_ends():
    done = subprocess.run([sys.executable, "-c", LOADS_WHILE_FORKED], timeout=60, check=False)
    assert done.returncode == 0
