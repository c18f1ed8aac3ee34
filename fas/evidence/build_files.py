"""Which files a build reads, in what order, and what the ids of their passages begin with."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from fas.core.checks import count_of
from fas.core.errors import InputError
from fas.core.guards.characters import collapse_to_line
from fas.evidence.documents import DOCUMENTS
from fas.evidence.index_catalog import CatalogSource
from fas.evidence.sources import FORMATS, begins_as_medline, is_known, pubmed_number, source_kind

logger = logging.getLogger(__name__)


def name_files(paths: Iterable[Path], directory: Path) -> dict[Path, str]:
    """Every file to read, folders searched at any depth but for the index in *directory*, with its path in its folder.

    Raises:
        InputError: A file is missing or of another type, or a folder holds no file of a supported type.
    """
    names: dict[Path, str] = {}
    for path in paths:
        if path.is_dir():
            names |= {one: one.relative_to(path).as_posix() for one in _list_folder(path, directory)}
        else:
            names[path] = path.name
    for path in names:
        source_kind(path)
        if not path.is_file():
            raise InputError(f"{path}: no such file", kind="missing")
    return names


def _list_folder(folder: Path, directory: Path) -> list[Path]:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_relative_to(directory))
    known = [path for path in files if is_known(path)]
    if not known:
        raise InputError(f"{folder}: no file of a supported type; supported: {FORMATS}", kind="files")
    if others := set(files) - set(known):
        endings = collapse_to_line(", ".join(sorted({path.suffix.lower() or path.name for path in others})))
        logger.warning("%s: skipped %s of other types (%s)", folder, count_of(len(others), "file"), endings)
    return known


def lengthen_names(names: Mapping[Path, str], applied: Sequence[CatalogSource]) -> dict[Path, str]:
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
    """The ends of *path*: its name, then with one folder more each, the shortest first."""
    return ["/".join(path.parts[-n:]) for n in range(1, len(path.parts))]


def order_files(files: Iterable[Path], applied: Sequence[CatalogSource]) -> list[Path]:
    """The files to apply, PubMed's last and by number: those that are not in the index as they are.

    A PubMed file is recognised by its number, in any folder.

    Raises:
        InputError: A PubMed file is of another size than before, out of order, or of another year.
    """
    known = {source.path: (source.size, source.mtime_ns) for source in applied}
    sizes = {number: source.size for source in applied if (number := pubmed_number(Path(source.path)))}
    last = max(sizes, default=None)
    numbers = {path: pubmed_number(path) for path in files}
    years = {number.year for number in (*numbers.values(), last) if number}
    if len(years) > 1:
        raise InputError(
            f"PubMed files of {', '.join(f'20{year:02d}' for year in sorted(years))} do not go into one index: "
            "each yearly baseline replaces the last; build a new folder from it",
            kind="order",
        )
    todo, again = [], []
    for path, number in sorted(numbers.items(), key=lambda item: item[1] or (0, 0)):
        found = path.stat()
        if known.get(str(path.resolve())) == (found.st_size, found.st_mtime_ns):
            continue
        if number in sizes:
            if found.st_size != sizes[number]:
                raise InputError(
                    f"{path}: has changed since it was indexed, and a PubMed file is applied only once, because "
                    "later ones revise it; build a new folder from all files",
                    kind="order",
                )
            again.append(path.name)
        elif number is not None and last is not None and number < last:
            raise InputError(
                f"{path}: comes before file {last.number}, which the index already holds, and would undo its "
                "revisions; build a new folder from all files",
                kind="order",
            )
        else:
            todo.append(path)
    if again:
        shown = collapse_to_line(", ".join(again[:3]) + (", ..." if len(again) > 3 else ""))
        known_by = "its number and size" if len(again) == 1 else "their numbers and sizes"
        logger.warning("%s not read again, known by %s: %s", count_of(len(again), "PubMed file"), known_by, shown)
    return todo
