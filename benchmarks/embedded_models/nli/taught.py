"""What a larger model said of general pairs, kept with the project so that nobody has to train and ask it again.

`judged.npz` holds it under a hash of the pair, two bytes each pair beside the hash, and no text. The model is
all-mpnet-base-v2, trained on the general and fact-checking sets of `data.py` and on nothing else.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.embedded_models.nli.data import Pair


def key(pair: Pair) -> int:
    """A hash of premise and hypothesis, 64 bits."""
    text = f"{pair.premise}\x1f{pair.hypothesis}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


class Judged:
    """What it said, by `key`.

    Args:
        said: P of entailment and of contradiction by the key of a pair, in steps of 1/255.
    """

    def __init__(self, said: dict[int, tuple[int, int]]) -> None:
        self.said = said

    @classmethod
    def read(cls, file: Path) -> Judged:
        """What is kept in *file*."""
        with np.load(file) as kept:
            return cls({int(k): (int(e), int(c)) for k, (e, c) in zip(kept["key"], kept["said"], strict=True)})

    def taught(self, pair: Pair) -> Pair:
        """*pair* with what was said of it, or as it is if nobody was asked."""
        said = self.said.get(key(pair))
        if said is None:
            return pair
        entailment, contradiction = said[0] / 255, said[1] / 255
        return replace(pair, taught=(entailment, max(0.0, 1.0 - entailment - contradiction), contradiction))
