"""Is a claim of several conditions better judged whole, or part by part?

    python -m benchmarks.embedded_models.parts --data DATA

Part by part: what the claim extractor makes of the claim is judged each by itself; support is the lowest of theirs, contradiction the
highest. Right are labels at 0.7. Claims that give one part are judged the same both ways; they are counted and left out of the difference.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
from pathlib import Path

import numpy as np
from benchmarks.embedded_models.nli import measure as nli
from benchmarks.embedded_models.nli.blind import BLIND
from benchmarks.embedded_models.nli.tasks import CLASSES, TASKS, Item

from fas.claims.extractor import SpacyClauses
from fas.records import Answer
from fas.verify.nli import NliVerifier

SETS = ("qualifiers_by_hand", "lists_by_hand", "healthver_test", "kqa_physicians", "scifact")


def parted(items: list[Item]) -> list[list[str]]:
    """What the extractor makes of each claim; the claim itself where that is nothing."""
    extractor = SpacyClauses()
    found = extractor.extract([Answer(str(i), item.hypothesis) for i, item in enumerate(items)])
    return [[claim.text for claim in own] or [item.hypothesis] for own, item in zip(found, items, strict=True)]


def together(verifier: NliVerifier, items: list[Item], parts: list[list[str]]) -> np.ndarray:
    """P(support, neither, contradict) by parts, shape `[n, 3]`."""
    p = nli.verified(verifier, [Item(item.premise, part, item.label) for item, own in zip(items, parts, strict=True) for part in own])
    places = np.cumsum([0, *(len(own) for own in parts)])
    rows = [p[a:b] for a, b in itertools.pairwise(places)]
    return np.array([[own[:, 0].min(), 0.0, own[:, 2].max()] for own in rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("FAS_DATA_DIR", "../shared/data")))
    parser.add_argument("--models", nargs="*", default=["fas-nli-mini"])
    parser.add_argument("--n", type=int, default=300)
    options = parser.parse_args()
    for model, verifier in nli.readers(options.models).items():
        for name in SETS:
            items = nli.sampled((BLIND | TASKS)[name](options.data), options.n, 20261126)
            every = parted(items)
            several = [i for i, own in enumerate(every) if len(own) > 1]
            chosen, parts = [items[i] for i in several], [every[i] for i in several]
            if not chosen:
                print(model, name, json.dumps({"n": len(items), "of several parts": 0}), flush=True)
                continue
            truth = np.array([CLASSES.index(item.label) for item in chosen])
            right = [nli.at_threshold(p, nli.THRESHOLD) == truth for p in (nli.verified(verifier, chosen), together(verifier, chosen, parts))]
            found = {"n": len(items), "of several parts": len(chosen), "right, whole": int(right[0].sum()), "right, by parts": int(right[1].sum())}
            print(model, name, json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
