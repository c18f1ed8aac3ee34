"""What one item can ruin stays with that item: a stage is tried for a batch, then item by item."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from fas.core.errors import RunStopped
from fas.scoring.verdicts.run_faults import explain_stop, is_run_fault
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
            (`fas.scoring.verdicts.run_faults`).
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
