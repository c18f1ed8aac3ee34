"""Differences between two models on the same pairs, with paired bootstrap intervals.

    python paired.py results.npz general.npz

Both files are written by `measure.py --out`. Where the classes of a set are uneven, accuracy also moves with how often a
class is chosen; so balanced accuracy (the mean recall of the classes) and the AUROC of support against the rest, which do
not, stand beside it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from sklearn.metrics import f1_score, roc_auc_score
from tasks import CLASSES, LONG, chosen

# A task that is told whole beside its sample.
WHOLE = {"nli4ct": ("nli4ct_test", "nli4ct_rest")}
RESAMPLES = 1000


def measures(gold: np.ndarray, p: np.ndarray) -> dict[str, float]:
    """Accuracy, balanced accuracy, macro-F1 and AUROC of *p*, shape `[n, 3]`, against *gold*, labels as text.

    Where gold knows no neutral, the larger of the two others is taken, and the AUROC is that of entailment's share of
    the two. Where it says only whether a claim is supported, there is the AUROC alone. `chosen` is the share of
    pairs that are called entailed.
    """
    names = sorted(set(gold))
    of_two = set(names) == {CLASSES[0], CLASSES[2]}
    support = p[:, 0] / np.maximum(p[:, 0] + p[:, 2], 1e-12) if of_two else p[:, 0]
    auroc = {"auroc": float(roc_auc_score(gold == CLASSES[0], support))}
    if not set(names) <= set(CLASSES):
        return auroc
    guess = np.array(CLASSES)[chosen(p, names)]
    right = guess == gold
    return {
        "accuracy": float(right.mean()),
        "balanced": float(np.mean([right[gold == name].mean() for name in names])),
        "macro_f1": float(f1_score(gold, guess, labels=names, average="macro", zero_division=0)),
        **auroc,
        "chosen": float((guess == CLASSES[0]).mean()),
    }


def differences(gold: np.ndarray, own: np.ndarray, other: np.ndarray, seed: int) -> dict[str, tuple[float, ...]]:
    """Per measure: of *own*, of *other*, the difference and its 95% interval; the same pairs are drawn for both."""
    rng = np.random.default_rng(seed)
    drawn = []
    for _ in range(RESAMPLES):
        i = rng.integers(len(gold), size=len(gold))
        first, second = measures(gold[i], own[i]), measures(gold[i], other[i])
        drawn.append([first[name] - second[name] for name in first])
    a, b = measures(gold, own), measures(gold, other)
    low, high = np.quantile(drawn, (0.025, 0.975), axis=0)
    return {name: (a[name], b[name], a[name] - b[name], low[k], high[k]) for k, name in enumerate(a)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("own", type=Path)
    parser.add_argument("other", type=Path)
    parser.add_argument("--seed", type=int, default=20261121)
    options = parser.parse_args()
    own, other = (dict(np.load(path)) for path in (options.own, options.other))
    print("| set | reading | measure | own | other | difference |\n|---|---|---|--:|--:|---|")
    for task in (*LONG, *WHOLE):
        parts = WHOLE.get(task, (task,))
        if any(f"{part}.gold" not in kept for part in parts for kept in (own, other)):
            continue
        gold = np.concatenate([own[f"{part}.gold"] for part in parts])
        if not np.array_equal(gold, np.concatenate([other[f"{part}.gold"] for part in parts])):
            raise SystemExit(f"{task}: the two files hold different pairs")
        for how in ("verifier", "bare"):
            p, q = (np.concatenate([kept[f"{part}.{how}"] for part in parts]) for kept in (own, other))
            for name, (a, b, d, low, high) in differences(gold, p, q, options.seed).items():
                print(f"| {task} | {how} | {name} | {a:.3f} | {b:.3f} | {d:.3f} [{low:.3f}, {high:.3f}] |", flush=True)


if __name__ == "__main__":
    main()
