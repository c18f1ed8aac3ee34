"""An index whose files were damaged: one error that says so, whatever the libraries below make of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fas.errors import FasError, InputError


@contextmanager
def told(directory: Path) -> Iterator[None]:
    """Turn what SQLite and tantivy raise for files they cannot read into one error; a panic of tantivy's too.

    Raises:
        InputError: In place of theirs.
    """
    try:
        yield
    except FasError:
        raise
    except (sqlite3.Error, ValueError, TypeError, LookupError, AttributeError, RuntimeError, OSError) as error:
        raise _damaged(directory, error) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise _damaged(directory, error) from error


def _damaged(directory: Path, error: BaseException) -> InputError:
    return InputError(
        f"{directory}: the index cannot be read, its files are damaged ({' '.join(str(error).split())[:200]}); "
        "build it again in a new folder",
        kind="index",
    )
