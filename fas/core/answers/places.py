"""Answers in a folder of files, or at the URL of an object store."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fas.core.answers.formats import FORMATS, is_known
from fas.core.answers.saved import is_saved
from fas.core.answers.sources import AnswerSource
from fas.core.errors import InputError
from fas.core.guards.streams import stdin_lines
from fas.core.loading import import_extra

# A `Path` keeps one slash of a URL's two. One letter before the colon is a drive.
_URL = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]+):/+(.+)")
_BLOCK = 1 << 22


def parse_url(place: Path | str) -> str | None:
    """*place* as a URL if it is one, also after it was taken for a path.

    >>> parse_url(Path("s3://bucket/answers")), parse_url("file:///tmp/a.jsonl"), parse_url("answers.jsonl")
    ('s3://bucket/answers', 'file:///tmp/a.jsonl', None)
    """
    found = _URL.fullmatch(str(place))
    if found is None:
        return None
    return f"{found[1]}://{'/' if found[1] == 'file' else ''}{found[2]}"


def locate_source(place: Path, columns: Mapping[str, str], *, offline: bool = False) -> AnswerSource:
    """The answers at *place*: a file, a data set saved by `datasets`, all files in a folder, or the same at a URL.

    Files of a folder are read in the order of their names, those of folders below it included; ids are unique over all
    of them. What lies at a URL is fetched into a folder that lives as long as the source does.

    Args:
        place: Path or URL (`s3://`, `gs://`, `hdfs://`, `file://`; what pyarrow opens, with its ways to sign in).
        columns: As for `AnswerSource`.
        offline: Refuse every URL but `file://`.

    Raises:
        InputError: There is no file that can be read, or the URL cannot.
    """
    url = parse_url(place)
    if url is not None:
        if offline and not url.startswith("file:"):
            raise InputError(f"{url}: needs the network, but --offline was given", kind="offline")
        kept = TemporaryDirectory(prefix="fas-")
        return _list_folder(_fetch(url, Path(kept.name)), url, columns, keeps=kept)
    if place.is_dir() and not is_saved(place):
        found = [path for path in place.rglob("*") if path.is_file() and not _is_hidden(path.relative_to(place))]
        return _list_folder(found, str(place), columns)
    return AnswerSource(place, str(place), columns)


def read_stdin_source(columns: Mapping[str, str]) -> AnswerSource:
    """The answers on standard input, JSON Lines; kept in a file as long as the source lives."""
    folder = TemporaryDirectory(prefix="fas-")
    path = Path(folder.name) / "stdin.jsonl"
    with path.open("wb") as out:
        out.writelines(stdin_lines())
    return AnswerSource(path, "stdin", columns, keeps=folder)


def _list_folder(paths: list[Path], name: str, columns: Mapping[str, str], *, keeps: Any = None) -> AnswerSource:
    readable = sorted(path for path in paths if is_known(path))
    if not readable:
        raise InputError(f"{name}: contains no answers file; supported: {FORMATS}", kind="missing_file")
    if len(readable) == 1:
        return AnswerSource(readable[0], name if keeps else str(readable[0]), columns, keeps=keeps)
    return AnswerSource(readable[0], name, columns, others=tuple(readable[1:]), keeps=keeps)


def _is_hidden(path: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.parts)


def _fetch(url: str, folder: Path) -> list[Path]:
    pyarrow, fs = import_extra("pyarrow", "tables"), import_extra("pyarrow.fs", "tables")

    try:
        system, path = fs.FileSystem.from_uri(url)
        base = system.get_file_info(path)
        if base.type == fs.FileType.NotFound:
            raise InputError(f"{url}: nothing there", kind="missing_file")
        infos = [base] if base.is_file else system.get_file_info(fs.FileSelector(path, recursive=True))
        fetched = []
        for info in infos:
            inside = Path(info.base_name if base.is_file else info.path[len(path.rstrip("/")) :].lstrip("/"))
            if not info.is_file or _is_hidden(inside):
                continue
            target = folder / inside
            target.parent.mkdir(parents=True, exist_ok=True)
            with system.open_input_stream(info.path, compression=None) as data, target.open("wb") as out:
                while block := data.read(_BLOCK):
                    out.write(block)
            fetched.append(target)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{url}: cannot be read: {error}", kind="unreadable") from error
    return fetched
