"""An index is searched where nothing may be written: in somebody else's folder, and on a disk mounted read-only."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from fas.evidence.build import build_index
from fas.evidence.index import TextIndex

NOBODY = 65534
# What it needs is imported before the user is changed: the interpreter may lie where only root reads.
SEARCH = """
import json, os, sys
import tantivy
from pathlib import Path
from fas.evidence.index import TextIndex
folder, user = Path(sys.argv[1]), int(sys.argv[2])
TextIndex(Path(sys.argv[3])).search("warm")
if user:
    os.setuid(user)
if os.access(folder / "tantivy", os.W_OK):
    sys.exit(77)
index = TextIndex(folder)
print(json.dumps([hit.passage.id for hit in index.search("aspirin headache")]))
print(index.info().documents)
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A place that every user may enter, which pytest's own is not."""
    place = Path(tempfile.mkdtemp(prefix="fas-read-only-"))
    place.chmod(0o755)
    notes = place / "notes.jsonl"
    notes.write_text('{"id": "a", "text": "Aspirin against headache."}\n{"id": "b", "text": "Aspirin."}\n')
    build_index(place / "index", [notes])
    shutil.copytree(place / "index", place / "warm")
    yield place
    shutil.rmtree(place)


def search(folder: Path, *, user: int, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    command = [*before, sys.executable, "-c", SEARCH, str(folder / "index"), str(user), str(folder / "warm")]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def told(done: subprocess.CompletedProcess[str]) -> tuple[list[str], int]:
    assert done.returncode == 0, done.stderr[-2000:]
    first, second = done.stdout.splitlines()
    return json.loads(first), int(second)


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="no users to change to here")
@pytest.mark.parametrize("with_lock", [True, False])
def test_a_user_who_may_not_write_in_the_folder_searches_it(folder, with_lock):
    lock = folder / "index" / "tantivy" / ".tantivy-meta.lock"
    if not with_lock:
        lock.unlink(missing_ok=True)
    expected = [hit.passage.id for hit in TextIndex(folder / "warm").search("aspirin headache")]
    for path in [folder / "index", *(folder / "index").rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        assert told(search(folder, user=NOBODY if os.getuid() == 0 else 0)) == (expected, 2)
    finally:
        for path in [folder / "index", *(folder / "index").rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)


@pytest.mark.slow
def test_an_index_on_a_disk_mounted_read_only_is_searched(folder):
    index = folder / "index"
    script = f'mount --bind "{index}" "{index}" && mount -o remount,bind,ro "{index}" || exit 78; exec "$@"'
    if shutil.which("unshare") is None:
        pytest.skip("no unshare here")
    done = search(folder, user=0, before=("unshare", "--mount", "sh", "-c", script, "sh"))
    if (done.returncode in (1, 78) and "unshare" in done.stderr) or done.returncode == 78:
        pytest.skip(f"a mount may not be made here: {done.stderr.strip()[:200]}")
    assert told(done) == (["a", "b"], 2)
