"""A bound on the memory that mapped files take up in a process.

Tantivy reads an index through mapped files. Their pages are the kernel's to take back, but until it
needs them it counts them as the process's: merging the segments of a large index looks as if it took
as much memory as the index has bytes.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_MADV_PAGEOUT = 21  # Linux 5.4; harmless for whatever else may lie at an address by now, unlike MADV_DONTNEED
_STATM = Path("/proc/self/statm")
_MAPS = Path("/proc/self/maps")


@contextmanager
def bounded_pages(folder: Path, *, most_mb: int = 384, every_s: float = 0.25) -> Iterator[None]:
    """While open, give the pages of mapped files below *folder* back whenever mapped files take more than *most_mb*.

    A page that is needed again is read again. On systems other than Linux nothing is done.
    """
    if not sys.platform.startswith("linux") or not _STATM.exists():
        yield
        return
    stop = threading.Event()

    def watch() -> None:
        while not stop.wait(every_s):
            if mapped_bytes() > most_mb << 20:
                give_back(folder)

    watcher = threading.Thread(target=watch, name="mapped pages", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        stop.set()
        watcher.join()


def mapped_bytes() -> int:
    """Bytes of mapped files that this process holds in memory."""
    return int(_STATM.read_text().split()[2]) * os.sysconf("SC_PAGE_SIZE")


def give_back(folder: Path) -> None:
    """Ask the kernel to take back the pages of all files below *folder* that are mapped here."""
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    below = f"{folder.resolve()}{os.sep}"
    for line in _MAPS.read_text(encoding="utf-8", errors="surrogateescape").splitlines():
        fields = line.split(maxsplit=5)
        if len(fields) == 6 and fields[5].startswith(below):
            first, last = (int(address, 16) for address in fields[0].split("-"))
            madvise(first, last - first, _MADV_PAGEOUT)  # refused for a mapping that is gone: nothing to give back
