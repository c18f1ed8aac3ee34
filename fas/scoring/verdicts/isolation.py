"""Errors of one item stay with that item: a stage runs on a batch, then item by item; other errors stop the run."""

from __future__ import annotations

import errno
import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from fas.core.errors import FasError, InputError, PartUnavailable, RunStopped
from fas.text.time_limit import limit_time

logger = logging.getLogger(__name__)

T = TypeVar("T")
R = TypeVar("R")


def isolate_errors(
    stage: Callable[[Sequence[T]], Sequence[R]], items: Sequence[T], *, seconds: float = 0
) -> list[R | Exception]:
    """*stage* over *items*; where the batch raises, item by item, with the exceptions in place.

    *seconds* is the time for the batch, and then for each item alone; 0 for no limit. RunStopped is raised if every
    item would fail alike: a part raises it, or `is_run_fault` holds.
    """
    if not items:
        return []
    whole = _try_stage(stage, items, seconds)
    if not isinstance(whole, Exception):
        return [*whole]
    logger.debug("a batch of %d failed (%s); trying one by one", len(items), whole)
    outcomes: list[R | Exception] = []
    for item in items:
        found = _try_stage(stage, [item], seconds)
        if isinstance(found, Exception):
            logger.warning("%s: %s", type(found).__name__, found)
            outcomes.append(found)
        else:
            outcomes += found
    return outcomes


def _try_stage(
    stage: Callable[[Sequence[T]], Sequence[R]], items: Sequence[T], seconds: float
) -> Sequence[R] | Exception:
    """The results of *stage*, or the exception that is an item's fault."""
    try:
        with limit_time(seconds):
            results = stage(items)
            if len(results) != len(items):
                raise RuntimeError(f"a part returned {len(results)} results for {len(items)} items")
        return results
    except RunStopped:
        raise
    except Exception as error:
        if is_run_fault(error):
            raise PartUnavailable(
                f"{type(error).__name__}: {error}: no answer's fault, so that the run stops here; finished answers are "
                "kept, and the same command goes on from there"
            ) from error
        return error


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
    return _read_status(error) in _REFUSED


def _read_status(error: Exception) -> int | None:
    """The HTTP status that the exceptions of the usual clients carry."""
    for holder in (error, getattr(error, "response", None)):
        for name in ("status_code", "status", "code"):
            value = getattr(holder, name, None)
            if isinstance(value, int):
                return value
    return None
