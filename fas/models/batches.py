"""Texts of similar length together, and rows of one width."""

from __future__ import annotations

from collections.abc import Sequence


def length_buckets(lengths: Sequence[int], batch_tokens: int, most: int | None = None) -> list[list[int]]:
    """Indices in groups of at most *most*, so that a group's longest item times its size is at most *batch_tokens*.

    Sorted by length, longest first, so that memory peaks in the first batch; every index
    occurs once, also one that alone exceeds the budget.
    """
    groups: list[list[int]] = []
    width = 0
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if groups and width * (len(groups[-1]) + 1) <= batch_tokens:
            groups[-1].append(index)
        else:
            groups.append([index])
            width = max(1, lengths[index])
    if most is None:
        return groups
    return [group[start : start + most] for group in groups for start in range(0, len(group), most)]


def pad_rows(rows: Sequence[Sequence[int]], width: int, pad: int) -> list[list[int]]:
    """*rows*, each filled up to *width* with *pad*.

    >>> pad_rows([[5], [6, 7]], 3, 0)
    [[5, 0, 0], [6, 7, 0]]
    """
    return [[*row, *[pad] * (width - len(row))] for row in rows]
