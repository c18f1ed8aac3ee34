"""Several batches at once: the same results, and nothing of the caller's threads is changed."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest
import torch

from fas.models import parallel
from fas.models.parallel import map_batches


@pytest.fixture
def four_threads():
    """Torch with four threads, whatever the machine has."""
    before = torch.get_num_threads()
    torch.set_num_threads(4)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 50])
def test_results_are_those_of_map_in_order(four_threads, n):
    assert list(map_batches(lambda i: i * i, range(n))) == [i * i for i in range(n)]


def test_batches_run_at_once_and_share_the_threads(four_threads):
    together = threading.Barrier(2)

    def run(_):
        together.wait(timeout=60)  # passes only while the other batch runs too
        return threading.get_ident(), torch.get_num_threads()

    seen = list(map_batches(run, range(4)))
    assert len({thread for thread, _ in seen}) == 2
    assert threading.get_ident() not in {thread for thread, _ in seen}
    assert [threads for _, threads in seen] == [2, 2, 2, 2]


def test_after_a_failure_nothing_more_begins_and_the_failure_is_told(four_threads, monkeypatch):
    begun, release = [], threading.Event()

    def run(i):
        begun.append(i)
        if i == 0:
            raise ValueError("batch 0 is bad")
        release.wait(timeout=60)

    wait = parallel.wait

    def release_and_wait(futures):
        release.set()  # by now what had not begun has been called off
        return wait(futures)

    monkeypatch.setattr(parallel, "wait", release_and_wait)
    with pytest.raises(ValueError, match="batch 0 is bad"):
        list(map_batches(run, range(100)))
    assert len(begun) <= 5  # four threads, one of which went on to another batch


FORKED = """
import os, sys, torch
from fas.models.parallel import map_batches
torch.set_num_threads(2)
assert list(map_batches(abs, [-1, -2, -3, -4])) == [1, 2, 3, 4]
child = os.fork()
if child == 0:
    os._exit(0 if list(map_batches(abs, [-4, -5, -6, -7])) == [4, 5, 6, 7] else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_makes_threads_of_its_own():
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
