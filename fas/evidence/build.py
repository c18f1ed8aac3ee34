"""Building an index: spools to tantivy in order.

After a build is killed at any moment, the same command resumes it: tantivy's commit and the entry in the catalog come
one after the other, and a file that was committed but not yet entered changes nothing when it is applied again.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import tantivy
from filelock import FileLock, Timeout

from fas.core.errors import FasError, FolderInUse, InputError
from fas.core.files.own import is_within
from fas.evidence.build_files import lengthen_names, name_files, order_files
from fas.evidence.index_catalog import BuiltFiles, CatalogSource, IndexCatalog
from fas.evidence.sources import OnError, RetrievalTally
from fas.evidence.spools import SPOOLS, write_spool
from fas.evidence.terms import analyzer

LEDGER = "ledger.sqlite"
TEXTS = "tantivy"
# What tantivy locks while it looks up which files an index consists of.
_LOCKS = (".tantivy-meta.lock", ".tantivy-writer.lock")
_COMMIT_DOCUMENTS = 100_000
_REPORT_EVERY = 1000


class Progress(NamedTuple):
    """How far a build is; sizes in bytes of the source files."""

    done: float
    total: int
    documents: int
    path: Path


def build_index(
    directory: Path,
    files: Sequence[Path],
    *,
    jobs: int | None = None,
    memory_mb: int = 256,
    on_error: OnError = "skip",
    progress: Callable[[Progress], None] | None = None,
) -> int:
    """Index *files* in *directory*, new or existing, and return how many were applied.

    Files are JSONL, CSV or parquet passages (`text`; `id`, `title`, `year` if known), PubMed XML and MEDLINE text, and
    documents (text, Markdown, HTML, PDF); a folder means every such file in it, at any depth. PubMed files are applied
    in the order of their numbers, the others before them in the given order. A document replaces an earlier one with
    the same id. A file that is already in the index is skipped. A passage file that has changed replaces what it
    brought before; a PubMed file that has changed is refused, because later ones revise it.

    *jobs* files are read at a time, by default one per processor and at most eight; documents not yet on disk take
    *memory_mb*. *on_error* `skip` leaves out a PubMed record or document that cannot be used, and warns; `stop` refuses
    the file. *progress* is called about every thousand documents.

    Raises:
        InputError: A file is missing, broken, out of order or a changed PubMed file; what was applied before it is
            kept.
        FolderInUse: Another build writes this index.
        FasError: The index cannot be written.
    """
    if not files:
        raise InputError("no files to index", kind="files")
    names = name_files(files, directory)
    for path in names:
        if any(is_within(path, directory / part) for part in (TEXTS, SPOOLS)):
            raise InputError(f"{path}: is inside the index folder; move it out first", kind="files")
    with _lock_folder(directory), closing(IndexCatalog(directory / LEDGER, create=True)) as catalog:
        try:
            with explain_damage(directory):
                applied = catalog.sources()
            todo = order_files(names, applied)
            if not todo:
                return 0
            catalog.plan(str(path.resolve()) for path in todo)
            (directory / "manifest.json").unlink(missing_ok=True)  # of versions before, which it would mislead
            with _open_writer(directory, memory_mb) as (index, writer):
                builder = _Builder(catalog, writer, progress, sum(path.stat().st_size for path in todo))
                named = lengthen_names(names, applied)
                spools = directory / SPOOLS
                shutil.rmtree(spools, ignore_errors=True)  # what a killed build left
                spools.mkdir()
                try:
                    jobs = jobs or min(8, os.cpu_count() or 1)
                    for path, spool, tally in write_spool(todo, spools, jobs, on_error, named):
                        builder.apply(path, spool, tally)
                        spool.unlink()
                finally:
                    # Also after a broken file: what came before it is whole.
                    builder.commit()
                    shutil.rmtree(spools, ignore_errors=True)
            index.reload()
            catalog.finish(BuiltFiles(int(index.searcher().num_docs), _measure_files(directory / TEXTS)))
            return len(todo)
        except sqlite3.OperationalError as error:
            raise _make_write_error(directory, error) from error
        except sqlite3.DatabaseError as error:
            raise _make_damage_error(directory, error) from error


@contextmanager
def _lock_folder(directory: Path) -> Iterator[None]:
    try:
        (directory / TEXTS).mkdir(parents=True, exist_ok=True)
        lock = FileLock(directory / ".build.lock", timeout=0)
        lock.acquire()
    except Timeout as error:
        raise FolderInUse(f"{directory}: another build is writing this index; wait for it or stop it") from error
    except OSError as error:
        raise InputError(f"{directory}: cannot be written ({error.strerror or error})", kind="folder") from error
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _open_writer(directory: Path, memory_mb: int) -> Iterator[tuple[tantivy.Index, tantivy.IndexWriter]]:
    index = open_texts(directory)
    threads = max(1, min(4, (os.cpu_count() or 1) // 2))
    try:
        writer = index.writer(heap_size=max(memory_mb, 16 * threads) << 20, num_threads=threads)
        yield index, writer
        # Consumes the writer; unfinished merges would be lost work.
        writer.wait_merging_threads()
    except FasError:
        raise
    except (ValueError, RuntimeError, OSError) as error:
        raise _make_write_error(directory, error) from error


def _make_write_error(directory: Path, error: Exception) -> FasError:
    return FasError(
        f"{directory}: the index cannot be written ({error}); free some disk space, and the same command resumes"
    )


def open_texts(directory: Path) -> tantivy.Index:
    """The tantivy index of *directory*, made if it is not there."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=False, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("body", stored=False, tokenizer_name="fas", index_option="freq")
    builder.add_text_field("status", stored=False, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("year", stored=False, indexed=False, fast=True)
    builder.add_integer_field("source", stored=False, indexed=True, fast=False)
    builder.add_bytes_field("passage", stored=True, indexed=False, fast=False)
    index = tantivy.Index(builder.build(), str(directory / TEXTS))
    index.register_tokenizer("fas", analyzer())
    return index


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
        if not _is_locked_out(directory / TEXTS):
            raise
    private = tempfile.TemporaryDirectory(prefix="fas-index-")
    links = Path(private.name) / TEXTS
    links.mkdir()
    for file in (directory / TEXTS).resolve().iterdir():
        if file.name not in _LOCKS:
            (links / file.name).symlink_to(file)
    return open_texts(Path(private.name)), private


def _is_locked_out(folder: Path) -> bool:
    """Whether a lock file cannot be opened for writing in *folder*."""
    lock = folder / _LOCKS[0]
    if lock.exists():
        return not os.access(lock, os.W_OK)
    return not os.access(folder, os.W_OK)


def _measure_files(texts: Path) -> dict[str, int]:
    """Size of the list of segments and of every file of a segment; others are left over and will go."""
    segments = json.loads((texts / "meta.json").read_bytes())["segments"]
    identifiers = {str(segment["segment_id"]).replace("-", "") for segment in segments}
    kept = [path for path in texts.iterdir() if path.name == "meta.json" or path.name.split(".")[0] in identifiers]
    return {path.name: path.stat().st_size for path in sorted(kept)}


class _Builder:
    """Applies sources to one index; *total* is the size of all of them."""

    def __init__(
        self,
        catalog: IndexCatalog,
        writer: tantivy.IndexWriter,
        progress: Callable[[Progress], None] | None,
        total: int,
    ) -> None:
        self._catalog = catalog
        self._writer = writer
        self._progress = progress
        self._done, self._total = 0, total
        applied = catalog.sources()
        self._numbers = {source.path: source.number for source in applied}
        self._next_number = len(applied) + 1
        self._versions = catalog.versions()
        self._documents = 0
        self._uncommitted = 0
        self._sources: list[CatalogSource] = []
        self._marks: dict[str, str] = {}
        self._new_versions: dict[str, int] = {}

    def apply(self, path: Path, spool: Path, tally: RetrievalTally) -> None:
        """Apply the operations of *spool*, which *path* held, in place of those that it held before."""
        place, stat = str(path.resolve()), path.stat()
        if place in self._numbers:
            self._writer.delete_documents_by_term("source", self._numbers[place])
        lines = max(1, tally.documents + tally.deletions + tally.without_text + tally.notices + tally.marks)
        with spool.open(encoding="utf-8", newline="\n") as operations:
            for position, operation in enumerate(operations):
                self._apply_operation(operation.rstrip("\n"))
                if position % _REPORT_EVERY == 0:
                    self._report(self._done + stat.st_size * position / lines, path)
        self._done += stat.st_size
        self._report(self._done, path)
        self._sources.append(CatalogSource(self._next_number, place, stat.st_size, stat.st_mtime_ns, tally))
        self._next_number += 1
        if self._uncommitted >= _COMMIT_DOCUMENTS:
            self.commit()

    def _report(self, done: float, path: Path) -> None:
        if self._progress is not None:
            self._progress(Progress(done, self._total, self._documents, path))

    def _apply_operation(self, operation: str) -> None:
        kind, identifier, *rest = operation.split("\t", 3)
        if kind == "A":
            version = int(rest[0])
            if version < self._version(identifier):
                return
            self._writer.delete_documents_by_term("id", identifier)
            if version != self._version(identifier):
                self._versions[identifier] = self._new_versions[identifier] = version
            self._writer.add_json(f'{{"source": {self._next_number}, {rest[1][1:]}')
            self._documents += 1
            self._uncommitted += 1
        elif kind == "D":
            # Withdrawing an old version leaves the newer one.
            if int(rest[0]) >= self._version(identifier):
                self._writer.delete_documents_by_term("id", identifier)
                if identifier in self._versions:
                    self._versions[identifier] = self._new_versions[identifier] = 1
        elif kind == "M" and self._marks.get(identifier) != "retracted":
            self._marks[identifier] = rest[0]

    def _version(self, identifier: str) -> int:
        return self._versions.get(identifier, 1)

    def commit(self) -> None:
        """Make permanent what was applied since the last commit."""
        if not self._sources:
            return
        self._writer.commit()
        self._catalog.record(self._sources, self._marks, self._new_versions)
        self._sources, self._marks, self._new_versions, self._uncommitted = [], {}, {}, 0


@contextmanager
def explain_damage(directory: Path) -> Iterator[None]:
    """Turn what SQLite and tantivy raise for files they cannot read into one error; a panic of tantivy's too.

    Raises:
        InputError: In place of theirs.
    """
    try:
        yield
    except FasError:
        raise
    except (sqlite3.Error, ValueError, TypeError, LookupError, AttributeError, RuntimeError, OSError) as error:
        raise _make_damage_error(directory, error) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise _make_damage_error(directory, error) from error


def _make_damage_error(directory: Path, error: BaseException) -> InputError:
    return InputError(
        f"{directory}: cannot read the index: its files are damaged ({' '.join(str(error).split())[:200]}); "
        "build it again in a new folder",
        kind="index",
    )
