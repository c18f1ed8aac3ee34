"""The cache on disk: shared by processes, safe from kills, and clearable."""

from __future__ import annotations

import logging
import os

from fas.core.cache import Cache


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
