"""Errors that are no answer's fault: trying the next answer would only meet them again."""

from __future__ import annotations

import errno

from fas.core.errors import FasError, InputError, PartUnavailable

# Exactly these, no subclass: libraries derive what one request can meet (a broken connection) from OSError, too.
_OF_FILES = (OSError, PermissionError, FileNotFoundError, NotADirectoryError, IsADirectoryError)
_OF_NETWORK = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN, errno.ETIMEDOUT})
_REFUSED = frozenset({401, 403})


def is_run_fault(error: Exception) -> bool:
    """Whether *error* is one of the machine or of the set-up: import, model or other file, disk, authentication.

    >>> is_run_fault(ModuleNotFoundError("No module named 'bm25s'")), is_run_fault(ValueError("a bad claim"))
    (True, False)
    >>> is_run_fault(OSError(errno.ENOSPC, "No space left on device")), is_run_fault(ConnectionResetError())
    (True, False)
    """
    if isinstance(error, ImportError):
        return True
    if type(error) in _OF_FILES:
        # Without a number it is how model libraries say that a checkpoint cannot be loaded.
        return getattr(error, "errno", None) not in _OF_NETWORK
    if isinstance(error, FasError) and not isinstance(error, InputError) and isinstance(error.__cause__, OSError):
        return is_run_fault(error.__cause__)
    return _status(error) in _REFUSED


def explain_stop(error: Exception) -> PartUnavailable:
    """What a run is stopped with."""
    return PartUnavailable(
        f"{type(error).__name__}: {error}: no answer's fault, so that the run stops here; finished answers are kept, "
        "and the same command goes on from there"
    )


def _status(error: Exception) -> int | None:
    """The HTTP status that the exceptions of the usual clients carry."""
    for holder in (error, getattr(error, "response", None)):
        for name in ("status_code", "status", "code"):
            value = getattr(holder, name, None)
            if isinstance(value, int):
                return value
    return None
