"""Building an index: spools to tantivy in order.

Killed at any moment, the same command goes on: tantivy's commit and the ledger's entry come
one after the other, and applying a file again that was committed but not yet entered changes
nothing.
"""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from filelock import FileLock, Timeout

from fas.core.checks import count_of
from fas.core.errors import FasError, FolderInUse, InputError
from fas.core.files.own import is_within
from fas.core.guards.characters import collapse_to_line
from fas.evidence.documents import DOCUMENTS
from fas.evidence.index_catalog import CatalogSource, IndexCatalog
from fas.evidence.manifest import forget_manifest, write_manifest
from fas.evidence.sources import (
    FORMATS,
    OnError,
    RetrievalTally,
    begins_as_medline,
    is_known,
    pubmed_number,
    source_kind,
)
from fas.evidence.spools import SPOOLS, write_spool
from fas.evidence.terms import analyzer

if TYPE_CHECKING:
    import tantivy

logger = logging.getLogger(__name__)

LEDGER = "ledger.sqlite"
TEXTS = "tantivy"
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

    PubMed files are applied in the order of their numbers, the others before them in the
    given order. A document replaces an earlier one with the same id. A file that is already
    in the index is skipped. A passage file that has changed replaces what it brought before; a
    PubMed file that has changed is refused, because what came after it revises it.

    Args:
        directory: Folder of the index.
        files: JSONL, CSV or parquet passages (`text`; `id`, `title`, `year` if known), PubMed XML and MEDLINE text, and
            documents (text, Markdown, HTML, PDF). A folder means every such file in it, at any depth.
        jobs: Files read at a time; by default one per processor, at most eight.
        memory_mb: Memory for documents not yet on disk.
        on_error: `skip` leaves out a PubMed record or document that cannot be used, and warns; `stop` refuses the file.
        progress: Called about every thousand documents.

    Raises:
        InputError: A file is missing, broken, out of order or a changed PubMed file; what was
            applied before it is kept.
        FolderInUse: Another build writes this index.
        FasError: The index cannot be written.
    """
    if not files:
        raise InputError("no files to index", kind="files")
    names: dict[Path, str] = {}
    for path in files:
        inside = (
            {one: one.relative_to(path).as_posix() for one in _list_files(path, directory)} if path.is_dir() else {}
        )
        names |= inside or {path: path.name}
    files = list(names)
    for path in files:
        source_kind(path)
        if not path.is_file():
            raise InputError(f"{path}: no such file", kind="missing")
        if any(is_within(path, directory / part) for part in (TEXTS, SPOOLS)):
            raise InputError(f"{path}: is inside the index folder; move it out first", kind="files")
    with _lock_folder(directory):
        ledger = IndexCatalog(directory / LEDGER, create=True)
        try:
            jobs = jobs or min(8, os.cpu_count() or 1)
            with explain_damage(directory):
                applied = ledger.sources()
            todo = _order_files(files, applied)
            if not todo:
                return 0
            forget_manifest(directory)
            ledger.plan([str(path.resolve()) for path in todo])
            with _open_writer(directory, memory_mb) as (index, writer):
                builder = _Builder(directory, ledger, index, writer, progress)
                builder.apply(todo, jobs, on_error, _disambiguate(names, applied))
            index.reload()
            documents = int(index.searcher().num_docs)
            write_manifest(directory, TEXTS, content_hash=ledger.content_hash(), documents=documents)
            return len(todo)
        except sqlite3.OperationalError as error:
            raise _make_write_error(directory, error) from error
        except sqlite3.DatabaseError:
            with explain_damage(directory):
                raise
        finally:
            ledger.close()


def _disambiguate(names: Mapping[Path, str], applied: Sequence[CatalogSource]) -> dict[Path, str]:
    """*names*, longer by folders where the passages of two documents would have the same ids.

    Of a document that an earlier build brought only the path is known; its name may be any end of that.
    """
    documents = {path.resolve(): name for path, name in names.items() if _is_document(path)}
    before = [path for source in applied if (path := Path(source.path)) not in documents and _is_document(path)]
    given, earlier = Counter(documents.values()), Counter(end for path in before for end in _list_suffixes(path))
    every = earlier + Counter(end for path in documents for end in _list_suffixes(path))
    named = dict(names)
    for path, name in names.items():
        if path.resolve() in documents and (given[name] > 1 or earlier[name]):
            longer = [end for end in _list_suffixes(path.resolve()) if len(end) > len(name)]
            named[path] = next((end for end in longer if every[end] == 1), str(path.resolve()))
    return named


def _is_document(path: Path) -> bool:
    """Whether the ids of the passages of *path* are made of its name; lines and records have ids of their own."""
    if path.suffix.lower() == ".txt":
        return not (path.is_file() and begins_as_medline(path))
    return source_kind(path) in DOCUMENTS.values()


def _list_suffixes(path: Path) -> list[str]:
    """What *path* may be called: its name, then with one folder more each, the shortest first."""
    return ["/".join(path.parts[-n:]) for n in range(1, len(path.parts))]


def _list_files(folder: Path, directory: Path) -> list[Path]:
    """The files of *folder* that can be indexed, in the order of their names; warns of how many cannot."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_relative_to(directory))
    known = [path for path in files if is_known(path)]
    if not known:
        raise InputError(f"{folder}: no file of a supported type; supported: {FORMATS}", kind="files")
    if len(known) < len(files):
        names = ", ".join(sorted({path.suffix.lower() or path.name for path in {*files} - {*known}}))
        logger.warning(
            "%s: skipped %s of other types (%s)",
            folder,
            count_of(len(files) - len(known), "file"),
            collapse_to_line(names),
        )
    return known


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
    except (ValueError, RuntimeError, OSError) as error:
        if isinstance(error, FasError):
            raise
        raise _make_write_error(directory, error) from error


def _make_write_error(directory: Path, error: Exception) -> FasError:
    return FasError(
        f"{directory}: the index cannot be written ({error}); free some disk space, and the same command resumes"
    )


def open_texts(directory: Path) -> tantivy.Index:
    """The tantivy index of *directory*, made if it is not there."""
    import tantivy

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


def _order_files(files: Sequence[Path], applied: Sequence[CatalogSource]) -> list[Path]:
    """The files to apply, in order: those that are not in the index as they are.

    A PubMed file is known by its number, wherever it lies. Of another size than before it is refused.
    """
    known = {source.path: source for source in applied}
    last = max((number for source in applied if (number := pubmed_number(Path(source.path)))), default=None)
    numbers = {path: pubmed_number(path) for path in dict.fromkeys(files)}
    series = sorted((number, path) for path, number in numbers.items() if number)
    years = {number.year for number, _ in series} | ({last.year} if last else set())
    if len(years) > 1:
        raise InputError(
            f"PubMed files of {', '.join(f'20{year:02d}' for year in sorted(years))} do not go into one index: "
            "each yearly baseline replaces the last; build a new folder from it",
            kind="order",
        )
    todo, again = [], []
    sizes = {pubmed_number(Path(source.path)): source.size for source in applied}
    for path in [*(path for path, number in numbers.items() if not number), *(path for _, path in series)]:
        found = path.stat()
        before = known.get(str(path.resolve()))
        number = numbers[path]
        if before is not None and (before.size, before.mtime_ns) == (found.st_size, found.st_mtime_ns):
            continue
        if number is not None and number in sizes:
            if found.st_size != sizes[number]:
                raise InputError(
                    f"{path}: has changed since it was indexed, and a PubMed file is applied only once, because "
                    "later ones revise it; build a new folder from all files",
                    kind="order",
                )
            again.append(path.name)
            continue
        if number is not None and last is not None and number < last:
            raise InputError(
                f"{path}: comes before file {last.number}, which the index already holds, and would undo its "
                "revisions; build a new folder from all files",
                kind="order",
            )
        todo.append(path)
    if again:
        shown = collapse_to_line(", ".join(again[:3]) + (", ..." if len(again) > 3 else ""))
        known_by = "its number and size" if len(again) == 1 else "their numbers and sizes"
        logger.warning("%s not read again, known by %s: %s", count_of(len(again), "PubMed file"), known_by, shown)
    return todo


class _Seen:
    """Which ids may be in the index, so that a first build need not look for each to delete it.

    One bit each: PubMed's numbers have a bit of their own, other ids share by hash. A shared
    bit costs a search for nothing, never a duplicate.
    """

    _BITS = 1 << 27

    def __init__(self, *, everything: bool) -> None:
        self._bits = None if everything else bytearray(self._BITS // 8)

    def add(self, identifier: str) -> bool:
        """Remember the id; returns whether it may have been there before."""
        if self._bits is None:
            return True
        plain = len(identifier) < 10 and identifier.isascii() and identifier.isdigit()
        number = int(identifier) if plain else hash(identifier)
        byte, bit = divmod(number % self._BITS, 8)
        seen = bool(self._bits[byte] >> bit & 1)
        self._bits[byte] |= 1 << bit
        return seen


class _Builder:
    """Applies sources to one index."""

    def __init__(
        self,
        directory: Path,
        ledger: IndexCatalog,
        index: tantivy.Index,
        writer: tantivy.IndexWriter,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self._ledger = ledger
        self._writer = writer
        self._progress = progress
        self._spools = directory / SPOOLS
        shutil.rmtree(self._spools, ignore_errors=True)  # what a killed build left
        self._spools.mkdir()
        applied = ledger.sources()
        self._numbers = {source.path: source.number for source in applied}
        self._next_number = len(applied) + 1
        self._versions = ledger.versions()
        index.reload()
        self._seen = _Seen(everything=bool(applied) or index.searcher().num_docs > 0)
        self._documents = 0
        self._uncommitted = 0
        self._sources: list[CatalogSource] = []
        self._marks: dict[str, str] = {}
        self._new_versions: dict[str, int] = {}

    def apply(self, files: Sequence[Path], jobs: int, on_error: OnError, names: Mapping[Path, str]) -> None:
        """Spool *files*, *jobs* at a time, and apply them in order; *names* is as for `write_spool`."""
        total = sum(path.stat().st_size for path in files)
        done = 0
        try:
            for path, target, tally in write_spool(files, self._spools, jobs, on_error, names):
                stat = path.stat()
                self._apply_one(path, target, tally, done, total)
                done += stat.st_size
                target.unlink()
                self._sources.append(
                    CatalogSource(self._next_number, str(path.resolve()), stat.st_size, stat.st_mtime_ns, tally)
                )
                self._next_number += 1
                if self._uncommitted >= _COMMIT_DOCUMENTS:
                    self._commit()
        finally:
            # Also after a broken file: what came before it is whole.
            self._commit()
            shutil.rmtree(self._spools, ignore_errors=True)

    def _apply_one(self, path: Path, target: Path, tally: RetrievalTally, done: int, total: int) -> None:
        before = self._numbers.get(str(path.resolve()))
        if before is not None:
            self._writer.delete_documents_by_term("source", before)
        number = self._next_number
        size = path.stat().st_size
        lines = max(1, tally.documents + tally.deletions + tally.without_text + tally.notices + tally.marks)
        with target.open(encoding="utf-8", newline="\n") as operations:
            for position, operation in enumerate(operations):
                self._apply_operation(operation.rstrip("\n"), number)
                if self._progress is not None and position % _REPORT_EVERY == 0:
                    self._progress(Progress(done + size * position / lines, total, self._documents, path))
        if self._progress is not None:
            self._progress(Progress(done + size, total, self._documents, path))

    def _apply_operation(self, operation: str, source: int) -> None:
        kind, identifier, *rest = operation.split("\t", 3)
        if kind == "A":
            version = int(rest[0])
            if version < self._version(identifier):
                return
            if self._seen.add(identifier):
                self._writer.delete_documents_by_term("id", identifier)
            if version != self._version(identifier):
                self._versions[identifier] = self._new_versions[identifier] = version
            self._writer.add_json(f'{{"source": {source}, {rest[1][1:]}')
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

    def _commit(self) -> None:
        if not self._sources:
            return
        self._writer.commit()
        self._ledger.record(self._sources, self._marks, self._new_versions)
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
