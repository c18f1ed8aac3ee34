"""What a larger model says of general pairs, kept with the project so that nobody has to train and ask it again.

    python judged.py --data ../../../../shared/data/train --teacher runs/teacher/model --out judged.npz

The teacher's name in the file holds a hash of its weights; other weights begin a file of their own.

The teacher (`train_teacher.py`) takes the better part of an hour to train and an hour to ask, and is too large to ship.
What it says of a pair is three numbers. The file holds them under a hash of the pair, two bytes each pair beside the
hash, and no text: with the permitted sets at hand `train.py --judged` finds the pairs again. Asked first is what
teaches most: pairs of MultiNLI, then those without a label that can be made of its hypotheses, then the same of the
other general sets. One process, seeded, resumable: the same command goes on where it was, and an interruption leaves
a file that can be used.
"""

from __future__ import annotations

import argparse
import hashlib
import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import torch

from data import MAX_HYPOTHESIS, MULTINLI, OTHER_GENERAL, UNLABELLED, Pair, load, measured_premises, normalised
from fas.models.nli import NliModel, load_classifier
from int8 import in_int8
from rewording import reworded_pairs

MAX_TOKENS = 160
# Pairs judged before the file is written.
PART = 4096
# Of every pair of MultiNLI.
N_REWORDED = 3
SEED = 20261122


def unlabelled_pairs(general: Sequence[Pair], n: int, rng: random.Random) -> list[Pair]:
    """*n* pairs whose label nobody gave: two hypotheses of one premise, or a pair turned round."""
    hypotheses: dict[str, list[str]] = {}
    for pair in general:
        hypotheses.setdefault(pair.premise, []).append(pair.hypothesis)
    siblings = [both for own in hypotheses.values() for both in permutations(dict.fromkeys(own), 2)]
    turned = [(p.hypothesis, p.premise) for p in general if len(p.premise) <= MAX_HYPOTHESIS // 2]
    chosen = rng.sample(siblings, min(len(siblings), 2 * n // 3))
    chosen += rng.sample(turned, min(len(turned), n - len(chosen)))
    return [Pair(premise, hypothesis, UNLABELLED) for premise, hypothesis in chosen]


def general_pool(root: Path, seed: int = SEED) -> list[Pair]:
    """All general pairs, with and without a label, each once, those that teach most first."""
    rng = random.Random(seed)
    forbidden = measured_premises(root)
    multi, others = (load(root, source, seed=seed) for source in (MULTINLI, OTHER_GENERAL))
    made = []
    for labelled in (multi, others):
        own = unlabelled_pairs(labelled, 10**9, rng)
        rng.shuffle(own)
        made.append([pair for pair in own if normalised(pair.premise) not in forbidden])
    found = multi + made[0] + others + reworded_pairs(multi, N_REWORDED, random.Random(seed)) + made[1]
    # By its text alone; one that is made here and has a label elsewhere keeps the label.
    labels = {key(pair): pair for pair in found if pair.label != UNLABELLED}
    return [labels.get(k, pair) for k, pair in {key(pair): pair for pair in found}.items()]


def key(pair: Pair) -> int:
    """A hash of premise and hypothesis, 64 bits."""
    text = f"{pair.premise}\x1f{pair.hypothesis}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


class Judged:
    """What a teacher said, by `key`.

    Args:
        teacher: Identity of the teacher's weights.
        said: P of entailment and of contradiction by the key of a pair, in steps of 1/255.
    """

    def __init__(self, teacher: str, said: dict[int, tuple[int, int]] | None = None) -> None:
        self.teacher = teacher
        self.said = said or {}

    @classmethod
    def read(cls, file: Path) -> Judged:
        """What `write` wrote."""
        with np.load(file) as kept:
            said = {int(k): (int(e), int(c)) for k, (e, c) in zip(kept["key"], kept["said"], strict=True)}
            return cls(str(kept["teacher"]), said)

    def write(self, file: Path) -> None:
        """Write all of it; an interruption leaves the file before."""
        partial = file.with_name(f"{file.name}.partial.npz")
        np.savez_compressed(
            partial,
            teacher=np.array(self.teacher),
            key=np.array(list(self.said), dtype=np.uint64),
            said=np.array(list(self.said.values()), dtype=np.uint8).reshape(-1, 2),
        )
        partial.replace(file)

    def add(self, pairs: Sequence[Pair], p: np.ndarray) -> None:
        """Keep *p* of *pairs*: P of entailment, neutral and contradiction, shape `[n, 3]`."""
        steps = np.rint(255 * p).astype(int)
        for pair, (entailment, _, contradiction) in zip(pairs, steps.tolist(), strict=True):
            self.said[key(pair)] = (entailment, min(contradiction, 255 - entailment))

    def __contains__(self, pair: Pair) -> bool:
        return key(pair) in self.said

    def taught(self, pair: Pair) -> Pair:
        """*pair* with what the teacher said of it, or as it is if the teacher was not asked."""
        said = self.said.get(key(pair))
        if said is None:
            return pair
        entailment, contradiction = said[0] / 255, said[1] / 255
        return replace(pair, taught=(entailment, max(0.0, 1.0 - entailment - contradiction), contradiction))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--teacher", required=True, help="folder of the teacher's weights")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--int8", action="store_true", help="ask it in 8-bit integers (int8.py)")
    parser.add_argument("--n", type=int, default=10**9, help="how many pairs are judged at most")
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    judge = NliModel(options.teacher, max_length=MAX_TOKENS)
    judged = Judged.read(options.out) if options.out.exists() else Judged(judge.signature)
    if judged.teacher != judge.signature:
        parser.error(f"{options.out} holds what other weights said ({judged.teacher}); these are {judge.signature}")
    if options.int8:
        judge.model = in_int8(load_classifier(options.teacher, torch.float32).eval())
    pairs = general_pool(options.data, options.seed)[: options.n]
    left = [pair for pair in pairs if pair not in judged]
    while left:
        part, left = left[:PART], left[PART:]
        logits = judge.logits([(pair.premise, pair.hypothesis) for pair in part]).astype(float)
        e = np.exp(logits - logits.max(axis=1, keepdims=True))
        judged.add(part, e / e.sum(axis=1, keepdims=True))
        judged.write(options.out)
        print(f"{len(pairs) - len(left)} of {len(pairs)}", flush=True)


if __name__ == "__main__":
    main()
