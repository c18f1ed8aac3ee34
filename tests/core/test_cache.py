"""The cache on disk: entries byte for byte, shared by processes, safe from kills, and unharmed by unusable files."""

from __future__ import annotations

import logging
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fas.core.cache import Cache, content_key


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache("test", root=tmp_path / "made" / "on-demand")


@settings(max_examples=40)
@given(st.dictionaries(st.text(max_size=8).map(content_key), st.binary(max_size=50), max_size=30))
def test_what_was_put_is_found_again_byte_for_byte(entries: dict[str, bytes]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        cache = Cache("property", root=Path(folder))
        cache.put_many(entries)
        assert cache.get_many([*entries, "absent"]) == entries
        assert len(cache) == len(entries)
        cache.close()
        assert cache.get_many(list(entries)) == entries
        cache.close()


WRITER = """
import sys
import threading
from pathlib import Path
from fas.core.cache import Cache
cache = Cache("shared", root=Path(sys.argv[1]))
sys.stdin.readline()
for i in range(int(sys.argv[2]), int(sys.argv[3])):
    cache.put_many({f"{i}-{j}": f"value {i} {j}".encode() * 20 for j in range(10)})
    print(i, flush=True)
"""


def writer(folder: Path, first: int, last: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), str(first), str(last)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def stored(folder: Path) -> dict[str, bytes]:
    with sqlite3.connect(folder / "shared.sqlite") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows = dict(connection.execute("SELECT key, value FROM entries"))
    connection.close()
    return rows


def test_a_killed_writer_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    process = writer(tmp_path, 0, 10**6)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("go\n")
    process.stdin.flush()
    seen = [int(process.stdout.readline()) for _ in range(25)]
    os.kill(process.pid, signal.SIGKILL)
    rest, _ = process.communicate(timeout=60)
    seen += [int(line) for line in rest.splitlines() if line]
    assert process.returncode == -signal.SIGKILL
    entries = stored(tmp_path)
    for i in seen:
        for j in range(10):
            assert entries[f"{i}-{j}"] == f"value {i} {j}".encode() * 20
    # A batch is there as a whole or not at all, and the next process goes on with the file.
    assert len(entries) % 10 == 0
    cache = Cache("shared", root=tmp_path)
    cache.put("after", b"kill")
    assert cache.get("after") == b"kill"
    cache.close()


@pytest.mark.parametrize("content", [b"this is no database" * 100, os.urandom(4096)])
def test_a_file_that_is_no_database_is_said_once_and_left_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, content: bytes
) -> None:
    (tmp_path / "x.sqlite").write_bytes(content)
    cache = Cache("x", root=tmp_path)
    with caplog.at_level(logging.WARNING):
        cache.put("k", b"v")
        assert cache.get("k") is None
    assert len(caplog.records) == 1
    assert (tmp_path / "x.sqlite").read_bytes() == content


def test_a_cache_that_cannot_be_opened_warns_once_and_forgets(tmp_path, caplog):
    (tmp_path / "file").write_text("x")
    cache = Cache("x", root=tmp_path / "file")
    with caplog.at_level(logging.WARNING):
        cache.put("a", b"1")
        assert cache.get("a") is None
        assert len(cache) == 0
    assert [record.message[:10] for record in caplog.records] == ["the cache "]


def test_a_forked_child_opens_its_own_connection(tmp_path):
    cache = Cache("x", root=tmp_path)
    cache.put("parent", b"1")
    child = os.fork()
    if child == 0:
        cache.put("child", b"2")
        os._exit(0 if cache.get("parent") == b"1" else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert cache.get("child") == b"2"
