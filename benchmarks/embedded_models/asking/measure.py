"""What leaving out the sentences that ask does to verdicts: both verifiers with and without, in one run.

    python -m benchmarks.embedded_models.asking.measure --data DATA

The sets are those of `nli/measure.py` whose premises the verifier reads in windows. Differences are paired, with percentile intervals of
the bootstrap over pairs.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

import numpy as np
from sklearn.metrics import f1_score
from benchmarks.embedded_models.nli import measure as nli
from benchmarks.embedded_models.nli.blind import BLIND
from benchmarks.embedded_models.nli.tasks import CLASSES, TASKS, Item

from fas.records import Passage
from fas.text.asking import is_asking
from fas.text.windows import split_passage
from fas.verify.nli import NliVerifier

RESULT = Path(__file__).parent / "measured.json"
SETS = (
    "aims_by_hand",
    "aims_pubmedqa",
    "directions_pubmedqa",
    "scifact",
    "kqa_physicians",
    "citation_integrity_test",
    "healthver_test",
    "nli4ct_test",
)


def measures(p: np.ndarray, items: list[Item]) -> dict[str, np.ndarray]:
    """By measure, what each pair adds to it: definite verdicts (at 0.7), and right ones."""
    truth = np.array([CLASSES.index(item.label) for item in items]) if all(i.label in CLASSES for i in items) else None
    label = nli.at_threshold(p, nli.THRESHOLD)
    found = {"definite": (label != 1).astype(float)}
    if truth is not None:
        found["right"] = (label == truth).astype(float)
    return found


def macro_f1(p: np.ndarray, items: list[Item]) -> float | None:
    """Macro-F1 of the labels at 0.7, where there are two or more and all are of the three classes."""
    gold = [item.label for item in items]
    if not set(gold) <= set(CLASSES) or len(set(gold)) < 2:
        return None
    label = [CLASSES[i] for i in nli.at_threshold(p, nli.THRESHOLD)]
    return round(float(f1_score(gold, label, labels=sorted(set(gold)), average="macro", zero_division=0)), 4)


def compared(verifier: NliVerifier, items: list[Item], seed: int) -> dict[str, object]:
    """Both ways on *items*, with paired differences."""
    assert verifier.choice is not None
    p = {}
    for way, reads in (("read", True), ("left out", False)):
        verifier.choice.reads_asking = reads
        p[way] = nli.verified(verifier, items)
    rng = np.random.default_rng(seed)
    rows = {way: measures(own, items) for way, own in p.items()}
    found: dict[str, object] = {"macro_f1": {way: macro_f1(own, items) for way, own in p.items()}}
    for name in rows["read"]:
        change = rows["left out"][name] - rows["read"][name]
        draws = [change[rng.integers(len(change), size=len(change))].mean() for _ in range(2000)]
        low, high = np.quantile(draws, [0.025, 0.975])
        found[name] = {
            **{way: round(float(own[name].mean()), 4) for way, own in rows.items()},
            "difference": [round(float(value), 4) for value in (change.mean(), low, high)],
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("FAS_DATA_DIR", "../shared/data")))
    parser.add_argument("--models", nargs="*", default=["fas-nli-mini", "fas-nli-base"])
    parser.add_argument("--n", type=int, default=300, help="pairs of a set")
    options = parser.parse_args()
    stored = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.is_file() else {}
    for model, verifier in nli.readers(options.models).items():
        for name in SETS:
            items = nli.sampled((BLIND | TASKS)[name](options.data), options.n, 20261126)
            sentences = {text for item in items for text in split_passage(Passage(item.premise)).texts}
            found = {
                "n": len(items),
                "sentences": len(sentences),
                "asking": sum(map(is_asking, sentences)),
                **compared(verifier, items, 1),
            }
            stored.setdefault(model, {})[name] = found
            print(model, name, json.dumps(found), flush=True)
    RESULT.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
