"""Tests between all pairs of systems as one square of numbers: a value above the diagonal, another one below it."""

from __future__ import annotations

import math
from collections.abc import Mapping

from fas.report.tables import text_table

Pairs = Mapping[tuple[int, int], float]


def triangle(n: int, upper: Pairs, lower: Pairs, *, level: float = 0.05) -> str:
    """The square, with a `*` behind every value of at most *level*.

    Args:
        n: How many systems; rows and columns are numbered from 1.
        upper: Value of every pair (i, j), i < j, counted from 0, for the cell of row i and column j.
        lower: The same, for the cell of row j and column i.
        level: What counts as significant.
    """
    header = ["", *(str(j + 1) for j in range(n))]
    rows = []
    for i in range(n):
        cells = ["-" if i == j else _cell(upper[i, j] if i < j else lower[j, i], level) for j in range(n)]
        rows.append([str(i + 1), *cells])
    return text_table(header, rows)


def significant(pairs: Pairs, *, level: float = 0.05) -> int:
    """How many values are at most *level*."""
    return sum(value <= level for value in pairs.values())


def _cell(value: float, level: float) -> str:
    if math.isnan(value):
        return "?"
    return f"{value:.4f}" + ("*" if value <= level else " ")
