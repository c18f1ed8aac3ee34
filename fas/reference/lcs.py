"""Longest common subsequences of strings, in memory linear in their length."""

from __future__ import annotations

from math import isqrt


def lcs_length(first: str, second: str) -> int:
    """Length of the longest common subsequence, by RapidFuzz's bit-parallel routine."""
    from rapidfuzz.distance import LCSseq

    return LCSseq.similarity(first, second)


def lcs_positions(reference: str, prediction: str) -> list[int]:
    """Positions in *reference*, ascending, of one longest common subsequence.

    Where there are several, the one rouge-score reads out of its table: from the end, equal
    tokens are taken, else the prediction is shortened if that alone keeps the length, else
    the reference. ROUGE-Lsum depends on the choice. The rows of the table are kept as bits
    (Hyyrö, 2004), every square-root-of-n-th one, and the others computed again on the way back.
    """
    n_rows = len(reference)
    if not n_rows or not prediction:
        return []
    matches: dict[str, int] = dict.fromkeys(reference, 0)
    for column, token in enumerate(prediction):
        if token in matches:
            matches[token] |= 1 << column
    full = (1 << len(prediction)) - 1
    step = isqrt(n_rows - 1) + 1
    # Bit j of a row is set where the table's entry does not grow from column j to j + 1.
    marks = [full]
    row = full
    for i, token in enumerate(reference, 1):
        row = _next_row(row, matches[token], full)
        if i % step == 0:
            marks.append(row)
    positions: list[int] = []
    i, j = n_rows, len(prediction)
    block: list[int] = []
    first = n_rows + 1
    while i > 0 and j > 0:
        if reference[i - 1] == prediction[j - 1]:
            positions.append(i - 1)
            i -= 1
            j -= 1
            continue
        if i - 1 < first:
            first = (i - 1) // step * step
            block = [marks[first // step]]
            for token in reference[first : min(first + step, n_rows)]:
                block.append(_next_row(block[-1], matches[token], full))
        above, here = block[i - 1 - first], block[i - first]
        # Entry (i, j) is the number of cleared bits below j. It exceeds the entry above
        # exactly where the prediction has to be shortened.
        below = (1 << j) - 1
        if (above & below).bit_count() > (here & below).bit_count():
            j -= 1
        else:
            i -= 1
    positions.reverse()
    return positions


def _next_row(row: int, match: int, full: int) -> int:
    kept = row & match
    return ((row + kept) | (row - kept)) & full
