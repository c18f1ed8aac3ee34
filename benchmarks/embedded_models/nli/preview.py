"""Prints some made pairs, to be read."""

from __future__ import annotations

import argparse
from typing import Protocol

from benchmarks.embedded_models.nli.data import LABELS, Pair


class Makes(Protocol):
    """A maker of pairs."""

    def __call__(self, n: int, *, seed: int) -> list[Pair]:
        """*n* pairs from a seed."""
        ...


def preview(make: Makes) -> None:
    """The command line of a maker of pairs: `--n` of them, from `--seed`, with their labels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for made in make(options.n, seed=options.seed):
        print(f"{LABELS[made.label]:14}{made.premise}\n{'':14}> {made.hypothesis}")
