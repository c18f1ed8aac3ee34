"""Fields that a report is grouped by."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from fas.errors import InputError


def check_groups(by: Sequence[str], fields: Collection[str]) -> None:
    """Raise `InputError` for a field of *by* that is none of *fields*, those of `meta` that some answer has."""
    for name in by:
        if name not in fields:
            raise InputError(
                f"cannot group by {name!r}: no answer has this field; there are: {', '.join(sorted(fields)) or 'none'}",
                kind="group",
                field=name,
            )
