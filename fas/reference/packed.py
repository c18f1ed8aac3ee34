"""Shared n-grams of two texts, up to n = 4, by sorting: an n-gram is a 64-bit number of four tokens."""

from __future__ import annotations

from typing import cast

import numpy as np
import numpy.typing as npt

Packed = npt.NDArray[np.uint64]

MAX_N = 4
_BITS = np.uint64(16)
# An n-gram keeps its first n tokens and has zeros after them. Tokens are counted from 1, so
# n-grams of different n never are the same number.
_MASKS = np.array([2**64 - 2 ** (64 - 16 * n) for n in (1, 2, 3, 4)], dtype=np.uint64)
_LONGER = [np.uint64(0xFFFF << (48 - 16 * n)) for n in (1, 2, 3)]


def pack(tokens: str) -> Packed | None:
    """Every n-gram of the text, n from 1 to 4, sorted; None if a token's number does not fit 16 bits."""
    n = len(tokens)
    numbers = np.frombuffer(tokens.encode("utf-32-le"), dtype=np.uint32)
    if n and numbers.max() > 0xFFFE:
        return None
    padded = np.zeros(n + 3, dtype=np.uint64)
    padded[:n] = numbers
    padded[:n] += np.uint64(1)
    four = padded[:n].copy()
    for following in (1, 2, 3):
        four <<= _BITS
        four |= padded[following : following + n]
    grams = np.concatenate([four[: max(0, n - i)] & mask for i, mask in enumerate(_MASKS)])
    grams.sort()
    return grams


def shared(first: Packed, second: Packed) -> list[int]:
    """How many 1-, 2-, 3- and 4-grams the texts share, each clipped to the smaller of its two counts."""
    if not len(first) or not len(second):
        return [0] * MAX_N
    places = np.arange(len(first))
    starts = np.zeros(len(first), dtype=np.int64)
    starts[1:] = np.where(first[1:] != first[:-1], places[1:], 0)
    repetition = places - np.maximum.accumulate(starts)
    # The r-th copy of an n-gram is matched if the other text has an r-th copy too.
    partner = np.searchsorted(second, first) + repetition
    matched = (np.take(second, partner, mode="clip") == first) & (partner < len(second))
    grams = first[matched]
    longer = [len(grams), *(int(np.count_nonzero(grams & bits)) for bits in _LONGER), 0]
    return cast("list[int]", [longer[i] - longer[i + 1] for i in range(MAX_N)])
