"""Where answers come from: a file, a folder of files, the URL of an object store, or objects of Python."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from fas.core.answers.formats import FORMATS, is_known, is_saved
from fas.core.errors import InputError
from fas.core.guards.streams import stdin_lines
from fas.core.loading import import_extra
from fas.core.records import Answer

# A `Path` keeps one slash of a URL's two. One letter before the colon is a drive.
_URL = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]+):/+(.+)")
_BLOCK = 1 << 22


@dataclass(frozen=True)
class AnswerSource:
    """Answers that can be read more than once.

    Attributes:
        path: The file; None for answers that were given as objects.
        name: Its name in messages.
        columns: Field to the column it is read from, where that has another name.
        answers: The answers that were given.
        others: Further files, read after the first; messages use their own names.
        keeps: An object that has to live as long as the file does.
    """

    path: Path | None
    name: str
    columns: Mapping[str, str] = field(default_factory=dict)
    answers: tuple[Answer, ...] = ()
    others: tuple[Path, ...] = ()
    keeps: object = None

    @property
    def files(self) -> list[Path]:
        """The files that are read; a data set that `datasets` saved is one, though a folder."""
        return [] if self.path is None else [self.path, *self.others]

    def name_of(self, path: Path) -> str:
        """The name in messages of one of the files."""
        return f"{self.name.rstrip('/')}/{path.name}" if self.others else self.name


def as_source(source: Path | AnswerSource) -> AnswerSource:
    """*source*, if need be a path with the names of the fields as they are."""
    return source if isinstance(source, AnswerSource) else AnswerSource(source, str(source))


def locate_source(place: Path, columns: Mapping[str, str], *, offline: bool = False) -> AnswerSource:
    """The answers at *place*: a file, a data set saved by `datasets`, all files in a folder, or the same at a URL.

    The files of a folder, and of folders below it, are read in the order of their names; ids are unique over all of
    them. A URL is fetched into a folder that lives as long as the source. An InputError is raised if there is no
    readable file.

    Args:
        place: Path or URL (`s3://`, `gs://`, `hdfs://`, `file://`; what pyarrow opens, with its ways to sign in).
        columns: As for `AnswerSource`.
        offline: Refuse every URL but `file://`.
    """
    url = _parse_url(place)
    kept = None
    if url is not None:
        if offline and not url.startswith("file:"):
            raise InputError(f"{url}: needs the network, but --offline was given", kind="offline")
        kept = TemporaryDirectory(prefix="fas-")
        found: Iterable[Path] = _fetch(url, Path(kept.name))
    elif place.is_dir() and not is_saved(place):
        found = (path for path in place.rglob("*") if path.is_file() and not _is_hidden(path.relative_to(place)))
    else:
        return AnswerSource(place, str(place), columns)
    name = url or str(place)
    readable = sorted(path for path in found if is_known(path))
    if not readable:
        raise InputError(f"{name}: contains no answers file; supported: {FORMATS}", kind="missing_file")
    first, *others = readable
    return AnswerSource(first, name if url or others else str(first), columns, others=tuple(others), keeps=kept)


def read_stdin_source(columns: Mapping[str, str]) -> AnswerSource:
    """The answers on standard input, JSON Lines; kept in a file as long as the source lives."""
    folder = TemporaryDirectory(prefix="fas-")
    path = Path(folder.name) / "stdin.jsonl"
    with path.open("wb") as out:
        out.writelines(stdin_lines())
    return AnswerSource(path, "stdin", columns, keeps=folder)


def _parse_url(place: Path) -> str | None:
    """*place* as a URL if it is one.

    >>> _parse_url(Path("s3://bucket/answers")), _parse_url(Path("file:///tmp/a.jsonl")), _parse_url(Path("a.jsonl"))
    ('s3://bucket/answers', 'file:///tmp/a.jsonl', None)
    """
    found = _URL.fullmatch(str(place))
    return None if found is None else f"{found[1]}://{'/' if found[1] == 'file' else ''}{found[2]}"


def _is_hidden(path: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.parts)


def _fetch(url: str, folder: Path) -> list[Path]:
    pyarrow, fs = import_extra("pyarrow", "tables"), import_extra("pyarrow.fs", "tables")
    fetched = []
    try:
        system, path = fs.FileSystem.from_uri(url)
        base = system.get_file_info(path)
        if base.type == fs.FileType.NotFound:
            raise InputError(f"{url}: nothing there", kind="missing_file")
        infos = [base] if base.is_file else system.get_file_info(fs.FileSelector(path, recursive=True))
        for info in infos:
            inside = Path(info.base_name if base.is_file else info.path[len(path.rstrip("/")) :].lstrip("/"))
            if info.is_file and not _is_hidden(inside):
                target = folder / inside
                target.parent.mkdir(parents=True, exist_ok=True)
                with system.open_input_stream(info.path, compression=None) as data, target.open("wb") as out:
                    while block := data.read(_BLOCK):
                        out.write(block)
                fetched.append(target)
    except InputError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise InputError(f"{url}: cannot be read: {error}", kind="unreadable") from error
    return fetched
