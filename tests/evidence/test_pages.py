"""The bound on memory of mapped files, against what the kernel counts."""

import mmap
import os
import sys

import pytest

from fas.evidence.pages import give_back, mapped_bytes

MEGABYTES = 48

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks the Linux kernel")


@pytest.fixture
def mapped(tmp_path):
    path = tmp_path / "below" / "data"
    path.parent.mkdir()
    with path.open("wb") as out:
        for number in range(MEGABYTES):
            out.write(bytes([number]) * (1 << 20))
        out.flush()
        os.fsync(out.fileno())  # a page that is not on disk yet cannot be given back
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
        yield content


def _touch(content):
    return [content[number << 20] for number in range(MEGABYTES)], sum(content[:: mmap.PAGESIZE])


def test_pages_are_given_back_and_read_again(mapped, tmp_path):
    before = mapped_bytes()
    first = _touch(mapped)
    held = mapped_bytes()
    assert held - before > 40 << 20
    give_back(tmp_path / "elsewhere")
    assert mapped_bytes() - before > 40 << 20
    give_back(tmp_path / "below")
    assert mapped_bytes() - before < 8 << 20
    assert _touch(mapped) == first == (list(range(MEGABYTES)), first[1])
