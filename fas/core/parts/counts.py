"""Parts that count what they do, for `notes`, and that work for one call after the other."""

from __future__ import annotations


def count_again(part: object) -> bool:
    """Let *part* count from nothing again; False if it cannot.

    A part with `notes` can if it has a method `recount`, which returns False if it cannot after all, because a part
    within it cannot. A part without `notes` has nothing to forget.

    >>> count_again("a part that tells nothing")
    True
    """
    recount = getattr(part, "recount", None)
    if recount is None:
        return not hasattr(part, "notes")
    return recount() is not False
