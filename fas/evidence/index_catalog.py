"""What an index was built from, beside the index itself."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from fas.core.checks import is_whole
from fas.core.errors import InputError
from fas.evidence.sources import RetrievalTally
from fas.evidence.terms import ANALYZER

FORMAT = "fas-index-1"
_BUILT = "built"


class CatalogSource(NamedTuple):
    """A file that was indexed; *number* counts from 1 in the order of application and is stored with each document."""

    number: int
    path: str
    size: int
    mtime_ns: int
    tally: RetrievalTally


class BuiltFiles(NamedTuple):
    """The number of documents and the sizes in bytes of tantivy's files when the last build ended."""

    documents: int
    sizes: dict[str, int]


class IndexCatalog:
    """The record of an index's sources, of marks made by notices, of versions above 1 and of the files of the index.

    Raises:
        InputError: The SQLite file *path* is not there (and not to *create*), not ours, or written by other rules.
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        if not create and not path.is_file():
            raise InputError(
                f"{path.parent}: no index here; build one with `fas index build {path.parent} FILE...`", kind="index"
            )
        # Readers on other threads only read.
        self._connection = sqlite3.connect(path, timeout=60, check_same_thread=False)
        try:
            self._connection.execute("PRAGMA synchronous=NORMAL")
            with self._connection:
                if create:
                    self._check_own(path)
                    self._create()
                rules = dict(self._connection.execute("SELECT name, value FROM settings"))
            for name, value in (("format", FORMAT), ("analyzer", ANALYZER)):
                if rules.get(name) != value:
                    raise InputError(
                        f"{path.parent}: built with {name} {rules.get(name)!r}, this version needs {value!r}; "
                        "build the index again in a new folder",
                        kind="index",
                    )
        except InputError:
            self._connection.close()
            raise
        except sqlite3.Error as error:
            self._connection.close()
            raise InputError(f"{path}: cannot be read ({error})", kind="index") from error

    def _check_own(self, path: Path) -> None:
        """Refuse a database that somebody else made: nothing is written into it."""
        tables = {name for (name,) in self._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and "settings" not in tables:
            raise InputError(f"{path}: is not a database of fas; build in another folder", kind="index")

    def _create(self) -> None:
        self._connection.executescript(
            """
            CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS sources (
                number INTEGER PRIMARY KEY, path TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
                tally TEXT NOT NULL);
            CREATE TABLE IF NOT EXISTS pending (path TEXT PRIMARY KEY) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS marks (id TEXT PRIMARY KEY, status TEXT NOT NULL) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS versions (id TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID;
            """
        )
        self._connection.executemany(
            "INSERT OR IGNORE INTO settings VALUES (?, ?)", [("format", FORMAT), ("analyzer", ANALYZER)]
        )

    def sources(self) -> list[CatalogSource]:
        """Everything applied, in order; a file applied twice appears twice."""
        rows = self._connection.execute("SELECT number, path, size, mtime_ns, tally FROM sources ORDER BY number")
        return [CatalogSource(n, path, size, at, _parse_tally(tally)) for n, path, size, at, tally in rows]

    def content_hash(self) -> str:
        """SHA-256 of the rules and of every source's operations in order: equal hashes, equal content."""
        digest = hashlib.sha256(f"{FORMAT}\n{ANALYZER}\n".encode())
        for source in self.sources():
            digest.update(source.tally.digest.encode() + b"\n")
        return digest.hexdigest()

    def pending(self) -> list[str]:
        """Files of the last build that have not been applied; empty after a finished build."""
        return [path for (path,) in self._connection.execute("SELECT path FROM pending ORDER BY path")]

    def plan(self, paths: Iterable[str]) -> None:
        """Note the files that a build is about to apply; the files of the index change from now on."""
        with self._connection:
            self._connection.execute(f"DELETE FROM settings WHERE name = '{_BUILT}'")
            self._connection.execute("DELETE FROM pending")
            self._connection.executemany("INSERT OR IGNORE INTO pending VALUES (?)", [(path,) for path in paths])

    def finish(self, built: BuiltFiles) -> None:
        """Note what a build has left, so that an index copied in part or mixed of two is recognised."""
        with self._connection:
            self._connection.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (_BUILT, json.dumps(built)))

    def built(self) -> BuiltFiles | None:
        """What the last build left; None while a build is running, or after one that was stopped.

        Raises:
            ValueError, TypeError: It has another form.
        """
        row = self._connection.execute("SELECT value FROM settings WHERE name = ?", (_BUILT,)).fetchone()
        if row is None:
            return None
        documents, sizes = json.loads(row[0])
        return BuiltFiles(int(documents), {str(name): int(size) for name, size in dict(sizes).items()})

    def record(self, sources: Iterable[CatalogSource], marks: Mapping[str, str], versions: Mapping[str, int]) -> None:
        """Note what a commit of the index has made permanent."""
        with self._connection:
            for source in sources:
                self._connection.execute(
                    "INSERT INTO sources VALUES (?, ?, ?, ?, ?)",
                    (source.number, source.path, source.size, source.mtime_ns, json.dumps(source.tally._asdict())),
                )
                self._connection.execute("DELETE FROM pending WHERE path = ?", (source.path,))
            # A concern raised later does not undo a retraction.
            self._connection.executemany(
                "INSERT INTO marks VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET status = excluded.status "
                "WHERE status != 'retracted'",
                list(marks.items()),
            )
            self._connection.executemany("INSERT OR REPLACE INTO versions VALUES (?, ?)", list(versions.items()))

    def marks(self) -> dict[str, str]:
        """Document to the mark that a notice gave it."""
        return dict(self._connection.execute("SELECT id, status FROM marks"))

    def versions(self) -> dict[str, int]:
        """Documents whose current version is not 1."""
        return dict(self._connection.execute("SELECT id, version FROM versions"))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def _parse_tally(text: str) -> RetrievalTally:
    tally = RetrievalTally(**json.loads(text))
    *counts, digest = tally
    if not isinstance(digest, str) or not all(map(is_whole, counts)):
        raise ValueError("a tally of unknown format")
    return tally
