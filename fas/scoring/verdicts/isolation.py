"""What one item can ruin stays with that item: a stage is tried for a batch, then item by item; others stop it."""

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

    The batch may take so many *seconds*, and so may each item alone; 0 for no end.

    Raises:
        RunStopped: Going on is pointless for every item alike: a part says so, or the error is no item's fault
            (`fas.scoring.verdicts.isolation`).
    """
    if not items:
        return []
    try:
        with limit_time(seconds):
            return list(_check_length(stage, items))
    except RunStopped:
        raise
    except Exception as error:
        if is_run_fault(error):
            raise explain_stop(error) from error
        logger.debug("a batch of %d failed (%s); trying one by one", len(items), error)
    outcomes: list[R | Exception] = []
    for item in items:
        try:
            with limit_time(seconds):
                found = _check_length(stage, [item])
            outcomes.extend(found)
        except RunStopped:
            raise
        except Exception as error:
            if is_run_fault(error):
                raise explain_stop(error) from error
            logger.warning("%s: %s", type(error).__name__, error)
            outcomes.append(error)
    return outcomes


def _check_length(stage: Callable[[Sequence[T]], Sequence[R]], items: Sequence[T]) -> Sequence[R]:
    results = stage(items)
    if len(results) != len(items):
        raise RuntimeError(f"a part returned {len(results)} results for {len(items)} items")
    return results


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
