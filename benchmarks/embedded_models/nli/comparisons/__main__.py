"""Print some pairs, to be read."""

from __future__ import annotations

import argparse

from data import LABELS

from . import comparison_pairs


def main() -> None:
    """Print pairs with their labels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for made in comparison_pairs(options.n, seed=options.seed):
        print(f"{LABELS[made.label]:14}{made.premise}\n{'':14}> {made.hypothesis}")


if __name__ == "__main__":
    main()
