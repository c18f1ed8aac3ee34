"""The cache on disk: shared by processes, safe from kills, and clearable."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys

from fas.cache import Cache, cache_info, clear_cache


def test_a_cache_that_cannot_be_opened_warns_once_and_forgets(tmp_path, caplog):
    (tmp_path / "file").write_text("x")
    cache = Cache("x", root=tmp_path / "file")
    with caplog.at_level(logging.WARNING):
        cache.put("a", b"1")
        assert cache.get("a") is None
        assert len(cache) == 0
    assert [record.message[:10] for record in caplog.records] == ["the cache "]


WRITE = """
import sys
from pathlib import Path
from fas.cache import Cache
cache = Cache("x", root=Path(sys.argv[1]))
start = int(sys.argv[2])
for i in range(start, start + int(sys.argv[3])):
    cache.put_many([(f"{i}-{j}", b"v" * 100) for j in range(10)])
    print(i, flush=True)
"""


def test_several_processes_write_one_cache(tmp_path):
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITE, str(tmp_path), str(1000 * n), "40"], stdout=subprocess.DEVNULL)
        for n in range(3)
    ]
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0, 0]
    assert len(Cache("x", root=tmp_path)) == 3 * 40 * 10


def test_a_killed_writer_leaves_whole_batches(tmp_path):
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITE, str(tmp_path), "0", "100000"], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    done = -1
    for line in writer.stdout:
        done = int(line)
        if done >= 30:
            os.kill(writer.pid, signal.SIGKILL)
            break
    writer.wait()
    writer.stdout.close()
    cache = Cache("x", root=tmp_path)
    assert len(cache) % 10 == 0
    assert len(cache) >= 10 * (done + 1)
    cache.put("after", b"1")
    assert cache.get("after") == b"1"


def test_a_forked_child_opens_its_own_connection(tmp_path):
    cache = Cache("x", root=tmp_path)
    cache.put("parent", b"1")
    child = os.fork()
    if child == 0:
        cache.put("child", b"2")
        os._exit(0 if cache.get("parent") == b"1" else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert cache.get("child") == b"2"


def test_info_counts_and_clear_empties_also_while_the_cache_is_open(tmp_path):
    cache = Cache("nli", root=tmp_path)
    cache.put_many([(str(i), b"x" * 1000) for i in range(100)])
    (info,) = cache_info(tmp_path)
    assert (info.name, info.entries) == ("nli", 100)
    assert info.size > 100_000
    assert clear_cache("nli", root=tmp_path) == 100
    assert cache.get("5") is None
    cache.put("new", b"1")
    assert cache_info(tmp_path)[0].entries == 1
