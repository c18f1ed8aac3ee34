"""What a larger model says of pairs.

`judged.npz` is kept with the project, so that nobody has to train and ask that model again: what all-mpnet-base-v2, trained
on the general and fact-checking sets of `data.py` and on nothing else, said of general pairs, under a hash of the pair, two
bytes each beside it, and no text. Other teachers are asked by `ask`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.embedded_models.nli.data import Pair

if TYPE_CHECKING:
    from fas.models.nli import NliModel

PAIRS_A_FILE = 2000


def key(pair: Pair) -> int:
    """A hash of premise and hypothesis, 64 bits."""
    text = f"{pair.premise}\x1f{pair.hypothesis}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


def read_judged(file: Path) -> dict[int, tuple[int, int]]:
    """P of entailment and of contradiction by the `key` of a pair, in steps of 1/255, as kept in *file*."""
    with np.load(file) as kept:
        return {int(k): (int(e), int(c)) for k, (e, c) in zip(kept["key"], kept["said"], strict=True)}


def with_judged(pair: Pair, judged: Mapping[int, tuple[int, int]]) -> Pair:
    """*pair* with what was said of it, or as it is if nobody was asked."""
    if (said := judged.get(key(pair))) is None:
        return pair
    entailment, contradiction = said[0] / 255, said[1] / 255
    return replace(pair, taught=(entailment, max(0.0, 1.0 - entailment - contradiction), contradiction))


def ask(teacher: NliModel, pairs: list[Pair], folder: Path, each: int = PAIRS_A_FILE) -> list[Pair]:
    """*pairs* with what *teacher* says of them, less those it cannot read.

    What is said of *each* so many of them is kept in *folder*, so that asking goes on where it was interrupted.
    """
    found: list[Pair] = []
    for start in range(0, len(pairs), each):
        part, file = pairs[start : start + each], folder / f"said-{start}.npy"
        if not file.exists():
            rows = teacher.logits([(pair.premise, pair.hypothesis) for pair in part]).astype(float)
            said = np.exp(rows - rows.max(axis=1, keepdims=True))
            partial = file.with_suffix(".partial")
            with partial.open("wb") as data:
                np.save(data, (said / said.sum(axis=1, keepdims=True)).astype(np.float16))
            partial.replace(file)
        for pair, (e, n, c) in zip(part, np.load(file).astype(float).tolist(), strict=True):
            if e == e:  # no number where the claim leaves no room for a passage
                found.append(replace(pair, taught=(e, n, c)))
    return found
