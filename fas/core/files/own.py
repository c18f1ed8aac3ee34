"""Files of ours beside files of the user: written whole, and nothing removed that we did not make."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from fas.core.arguments import option_or_argument
from fas.core.errors import InputError

SCORES, REPORT, RUN, CONTROLS = "scores.jsonl", "report.json", "run.json", "controls.json"
FINDINGS = "findings.jsonl"
"""What a folder of results holds; `fas.results` reads them."""
_PART = ".fas-part"


@contextmanager
def replace_file(path: Path, *, binary: bool = False, errors: str = "strict") -> Iterator[IO[Any]]:
    """A new file, of text in UTF-8 or *binary*, that replaces *path* when the block ends well; until then *path* stays.

    The new file is on disk before it takes the place. It is beside *path* under a name that nothing else uses; the
    remains of a killed process there are removed, and a link is never followed. *errors* is as for `open`.
    """
    part = path.with_name(f".{path.name}{_PART}")
    part.unlink(missing_ok=True)
    try:
        with part.open("xb") if binary else part.open("x", encoding="utf-8", errors=errors, newline="\n") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_json(path: Path, value: Any, *, indent: int = 2) -> None:
    """Put *value* as JSON in the place of *path*; ValueError for NaN, OSError if it cannot be written."""
    with replace_file(path) as out:
        out.write(json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False) + "\n")


def exists_any(paths: Iterable[Path]) -> Path | None:
    """The first of *paths* at which something lies, be it a link that leads nowhere."""
    return next((path for path in paths if os.path.lexists(path)), None)


def another_folder(*, or_overwrite: bool = False) -> str:
    """The advice to write elsewhere, or to overwrite the files that exist."""
    advice = option_or_argument("give another folder with -o", "give another folder")
    return advice + (f", or {option_or_argument('--overwrite', 'overwrite=True')}" if or_overwrite else "")


def is_within(path: Path, folder: Path) -> bool:
    """Whether *path*, links resolved, lies in *folder* or below it."""
    return path.resolve().is_relative_to(folder.resolve())


def check_outside(source: Path, folder: Path) -> None:
    """Refuse (InputError) to read a file in the folder of the results."""
    if is_within(source, folder):
        raise InputError(
            f"{source}: is inside the result folder ({folder}); {another_folder()}",
            kind="input_in_output",
        )


def check_no_input(inputs: Iterable[Path], outputs: Iterable[Path]) -> None:
    """Refuse (InputError) an input that is the same file as one that a run writes or removes."""
    written = list(outputs)
    for path in inputs:
        for output in written:
            if path.resolve() == output.resolve() or (path.exists() and output.exists() and path.samefile(output)):
                raise InputError(
                    f"{path}: is a file that this run would overwrite ({output}), so it cannot be read by it; "
                    + another_folder(),
                    kind="input_is_output",
                )
