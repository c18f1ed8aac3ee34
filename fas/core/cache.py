"""A cache on disk, keyed by content: SQLite files that several processes may share.

Keys are hashes of everything that a value depends on, so entries never go stale. SQLite's write-ahead log keeps the
file whole when a process is killed.
"""

from __future__ import annotations

import hashlib
import logging
import os
import random
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple, TypeVar

from platformdirs import user_cache_dir

from fas.core.loading import fork_safe_lock

logger = logging.getLogger(__name__)

T = TypeVar("T")

_inherited: list[sqlite3.Connection | None] = []
_BATCH = 500  # SQLite's default limit on variables is 999 in old builds
_PATIENCE_S = 60.0  # how long other processes may keep the file locked


def cache_root() -> Path:
    """The folder of every cache: `FAS_CACHE_DIR`, else the user's cache folder."""
    configured = os.environ.get("FAS_CACHE_DIR")
    return Path(configured) if configured else Path(user_cache_dir("fas", appauthor=False))


def content_key(*parts: str) -> str:
    """A hash of *parts*; different sequences give different keys.

    >>> content_key("ab", "c") == content_key("a", "bc")
    False
    """
    digest = hashlib.sha256()
    for part in parts:
        # Lone surrogates are legal in answers but not in UTF-8.
        data = part.encode("utf-8", "surrogatepass")
        digest.update(str(len(data)).encode() + b":" + data)
    return digest.hexdigest()


class Cache:
    """One namespace of the cache, e.g. `nli`: one SQLite file in *root*, by default `cache_root()`.

    A cache that cannot be opened or written (read-only folder, full disk) warns once and then forgets everything:
    results are the same, only slower.
    """

    def __init__(self, namespace: str, *, root: Path | None = None) -> None:
        self.path = (root or cache_root()) / f"{namespace}.sqlite"
        self._lock = fork_safe_lock()
        self._connection: sqlite3.Connection | None = None
        self._owner = os.getpid()
        self._broken = False

    def get_many(self, keys: Sequence[str]) -> dict[str, bytes]:
        """The stored values of those *keys* that have one."""

        def read(connection: sqlite3.Connection) -> dict[str, bytes]:
            found: dict[str, bytes] = {}
            for start in range(0, len(keys), _BATCH):
                batch = keys[start : start + _BATCH]
                marks = ",".join("?" * len(batch))
                found.update(connection.execute(f"SELECT key, value FROM entries WHERE key IN ({marks})", batch))
            return found

        return self._use(read, {})

    def put_many(self, entries: Mapping[str, bytes] | Iterable[tuple[str, bytes]]) -> None:
        """Store *entries*; those already there stay as they are."""
        rows = list(dict(entries).items())

        def write(connection: sqlite3.Connection) -> None:
            with connection:
                connection.executemany("INSERT OR IGNORE INTO entries VALUES (?, ?)", rows)

        if rows:
            self._use(write, None)

    def get(self, key: str) -> bytes | None:
        """The stored value of *key*, or None."""
        return self.get_many([key]).get(key)

    def put(self, key: str, value: bytes) -> None:
        """Store one entry."""
        self.put_many({key: value})

    def __len__(self) -> int:
        return self._use(_count_entries, 0)

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _use(self, action: Callable[[sqlite3.Connection], T], default: T) -> T:
        """The result of *action*; *default* once the file cannot be used."""
        with self._lock:
            connection = self._open()
            if connection is not None:
                try:
                    return action(connection)
                except sqlite3.Error as error:
                    self._give_up(error)
        return default

    def _open(self) -> sqlite3.Connection | None:
        if self._owner != os.getpid():
            # SQLite forbids using a connection across a fork; closing it here would harm the parent's.
            _inherited.append(self._connection)
            self._connection, self._owner = None, os.getpid()
        if self._connection is None and not self._broken:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._connection = _connect(self.path)
            except (sqlite3.Error, OSError) as error:
                self._give_up(error)
        return self._connection

    def _give_up(self, error: Exception) -> None:
        logger.warning("the cache %s cannot be used (%s); continuing without it", self.path, error)
        self._broken = True
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _connect(path: Path) -> sqlite3.Connection:
    """Open the file and make the table; when several processes begin at once, all of them succeed."""
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        connection = sqlite3.connect(path, timeout=_PATIENCE_S, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
            )
        except sqlite3.Error as error:
            connection.close()
            # Two processes that turn the log on at the same moment would wait for each other; SQLite then refuses
            # one of them at once, in spite of the time-out, and it has to begin again.
            code = getattr(error, "sqlite_errorcode", None)
            busy = code is not None and code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if not busy or time.monotonic() > deadline:
                raise
            time.sleep(random.uniform(0.005, 0.05))
        else:
            return connection


def _count_entries(connection: sqlite3.Connection) -> int:
    (count,) = connection.execute("SELECT COUNT(*) FROM entries").fetchone()
    return int(count)


class CacheInfo(NamedTuple):
    """The content of one cache; `entries` is None for a file that cannot be read."""

    name: str
    path: Path
    entries: int | None
    size: int


def cache_info(root: Path | None = None) -> list[CacheInfo]:
    """Every cache in the folder of caches, by name; size in bytes, with SQLite's side files."""
    found = []
    for path in sorted((root or cache_root()).glob("*.sqlite")):
        files = [path.with_name(path.name + end) for end in ("", "-wal", "-shm")]
        try:
            with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=60)) as connection:
                entries: int | None = _count_entries(connection)
        except sqlite3.Error:
            entries = None
        size = sum(file.stat().st_size for file in files if file.exists())
        found.append(CacheInfo(path.stem, path, entries, size))
    return found


def clear_cache(name: str, *, root: Path | None = None) -> int:
    """Empty the cache *name*, also while other processes use it, and return the number of removed entries.

    A LookupError is raised if there is no such cache, an OSError for a file that cannot be written or is no cache.
    """
    paths = {info.name: info.path for info in cache_info(root)}
    if name not in paths:
        raise LookupError(f"no cache named {name!r}; available: {', '.join(paths) or '(none)'}")
    try:
        with closing(sqlite3.connect(paths[name], timeout=60)) as connection:
            with connection:
                if [row[1] for row in connection.execute("PRAGMA table_info(entries)")] != ["key", "value"]:
                    raise sqlite3.DatabaseError("no table of cached entries")
                removed = connection.execute("DELETE FROM entries").rowcount
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error as error:
        hint = "if the file is a cache, remove it yourself"
        raise OSError(f"the cache {paths[name]} cannot be cleared ({error}); {hint}") from error
    return int(removed)
