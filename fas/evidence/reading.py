"""Opening an index to search it, also where nothing may be written: a read-only disk, somebody else's folder."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from fas.evidence.build import TEXTS, open_texts

if TYPE_CHECKING:
    import tantivy

# What tantivy locks while it looks up which files an index consists of.
_LOCKS = (".tantivy-meta.lock", ".tantivy-writer.lock")


def open_to_read(directory: Path) -> tuple[tantivy.Index, tempfile.TemporaryDirectory[str] | None]:
    """The tantivy index of *directory*, opened without permission to write there, and what must be kept as long as it.

    tantivy makes a lock file beside the index's files before it opens them. Where it may not, it is shown a private
    folder of links to the files, with a lock of its own; the folder goes with the object that is returned beside the
    index. A build on another machine does not see that lock, and must wait until the searching is over.

    Raises:
        ValueError, OSError: The files cannot be read; what tantivy says.
    """
    try:
        return open_texts(directory), None
    except (ValueError, OSError):
        if not _locked_out(directory / TEXTS):
            raise
    private = tempfile.TemporaryDirectory(prefix="fas-index-")
    links = Path(private.name) / TEXTS
    links.mkdir()
    for file in (directory / TEXTS).resolve().iterdir():
        if file.name not in _LOCKS:
            (links / file.name).symlink_to(file)
    return open_texts(Path(private.name)), private


def _locked_out(folder: Path) -> bool:
    """Whether a lock file cannot be opened for writing in *folder*."""
    lock = folder / _LOCKS[0]
    if lock.exists():
        return not os.access(lock, os.W_OK)
    return not os.access(folder, os.W_OK)
