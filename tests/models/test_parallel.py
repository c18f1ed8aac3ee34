"""Several batches at once: the same results, and nothing of the caller's threads is changed."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from fas.models import parallel
from fas.models.batches import length_buckets
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


def test_the_callers_threads_and_those_of_new_threads_stay_as_they_were(four_threads):
    list(map_batches(lambda _: torch.ones(4) @ torch.ones(4), range(8)))
    found = []
    later = threading.Thread(target=lambda: found.append(torch.get_num_threads()))
    later.start()
    later.join()
    assert torch.get_num_threads() == 4
    assert found == [4]


@pytest.mark.parametrize("n", [1, 2, 9])
def test_steady_batches_have_the_same_share_of_the_threads_however_many_they_are(four_threads, n):
    assert set(map_batches(lambda _: torch.get_num_threads(), range(n), steady=True)) == {1}


@pytest.mark.parametrize(
    ("threads", "n", "device"), [(1, 5, "cpu"), (4, 1, "cpu"), (4, 3, "cpu"), (4, 5, "cuda:0"), (4, 5, "mps")]
)
def test_one_thread_few_batches_or_another_device_stays_in_the_callers_thread(four_threads, threads, n, device):
    torch.set_num_threads(threads)
    used = set(map_batches(lambda _: threading.get_ident(), range(n), device=device))
    assert used == {threading.get_ident()}


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


def test_a_caller_that_stops_early_leaves_no_batch_running(four_threads):
    running, ended = [], []

    def run(i):
        running.append(i)
        ended.append(i)
        return i

    results = map_batches(run, range(100))
    assert next(results) == 0
    results.close()
    n = len(ended)
    assert sorted(running) == sorted(ended)
    assert list(map_batches(lambda i: i, range(8))) == list(range(8))  # every thread is free again
    assert len(ended) == n


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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_makes_threads_of_its_own():
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


lengths_of_texts = st.lists(st.integers(0, 700), max_size=300)


@given(lengths_of_texts, st.integers(1, 3000))
def test_every_item_is_in_one_batch_within_the_budget_and_longer_ones_come_first(lengths, budget):
    groups = length_buckets(lengths, budget)
    order = [i for group in groups for i in group]
    assert sorted(order) == list(range(len(lengths)))
    assert [lengths[i] for i in order] == sorted(lengths, reverse=True)
    for group in groups:
        assert len(group) == 1 or len(group) * lengths[group[0]] <= budget
