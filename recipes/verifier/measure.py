"""Measure models on public sets and on pairs written by hand, side by side.

    python -m recipes.verifier.measure fas-nli-mini FOLDER --data DATA

Each model is given premise and hypothesis as they are, cut at 512 tokens, and the likeliest class counts; calibrators are
measured on labelled verdicts (`recipes.verifier.calibrate`). Printed is a table of accuracy, or of the AUROC of entailment
where labels only say whether a claim is entailed.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score

from recipes.verifier.tasks import CLASSES, TASKS, Item, chosen
from fas.models.nli import NliModel


def probabilities(model: NliModel, items: list[Item]) -> np.ndarray:
    """P of entailment, neutral and contradiction, shape `[n, 3]`; level for a hypothesis that fills the model."""
    logits = np.nan_to_num(model.logits([(item.premise, item.hypothesis) for item in items]).astype(float))
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    found: np.ndarray = p / p.sum(axis=1, keepdims=True)
    return found


def score(p: np.ndarray, items: list[Item]) -> tuple[str, float]:
    """The name of the measure, and its value."""
    gold = [item.label for item in items]
    if "not_entailment" in gold:
        return "AUROC", float(roc_auc_score([label == "entailment" for label in gold], p[:, 0]))
    return "accuracy", float(
        np.mean([CLASSES[i] == label for i, label in zip(chosen(p, set(gold)), gold, strict=True)])
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", help="embedded models or folders")
    parser.add_argument("--data", type=Path, required=True, help="folder of the development data")
    parser.add_argument("--tasks", nargs="*", choices=list(TASKS), default=list(TASKS))
    parser.add_argument("--n", type=int, default=400, help="pairs a task, at most")
    options = parser.parse_args()
    models = {name: NliModel(name) for name in options.models}
    print(f"| set | n | measure | {' | '.join(models)} |\n|---|--:|---|{'--:|' * len(models)}")
    for task in options.tasks:
        items = TASKS[task](options.data)
        items = items if len(items) <= options.n else random.Random(20261126).sample(items, options.n)
        found = [score(probabilities(model, items), items) for model in models.values()]
        print(
            f"| {task} | {len(items)} | {found[0][0]} | {' | '.join(f'{value:.3f}' for _, value in found)} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
