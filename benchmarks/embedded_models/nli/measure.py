"""Measure NLI models on every task, with baselines and intervals.

    python measure.py --data ../../../../shared/data --model ../../../fas/models/fas_nli_mini --out results.json

Per task, beside word overlap and the untrained trunk: accuracy and macro-F1, AUROC of P(support) where gold says
support or not, ECE. Short
premises go to the cross-encoder as they are; long ones through the verifier. `--bare` reads
long premises whole as well (no windows, no calibrator). SciFact is scored out of fold: see
`calibrate.py`.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from pathlib import Path

import numpy as np
from sklearn.metrics import f1_score, roc_auc_score
from tasks import CLASSES, LONG, TASKS, Item, chosen

from calibrate import fitting_rows, out_of_fold, scifact_folds
from fas.models.nli import NliModel
from fas.records import Claim, Pair, Passage
from fas.verify.features import content_words
from fas.verify.nli import NliVerifier
from perturb import perturbed_with_kinds


def softmax(logits: np.ndarray) -> np.ndarray:
    """Row-wise softmax."""
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def bare(model: NliModel, items: list[Item]) -> np.ndarray:
    """P(entailment, neutral, contradiction) of the cross-encoder alone, shape `[n, 3]`."""
    p = softmax(model.logits([(i.premise, i.hypothesis) for i in items]).astype(float))
    return np.nan_to_num(p, nan=1 / 3)


def bare_out_of_fold(options: argparse.Namespace, items: list[Item]) -> np.ndarray:
    """As `bare` on SciFact's pairs, each by the fold model that was trained without it."""
    assigned = scifact_folds(options.data, options.seed)
    p = np.zeros((len(items), 3))
    for i in sorted(set(assigned)):
        own = np.flatnonzero(assigned == i)
        p[own] = bare(NliModel(str(options.folds / f"fold-{i}"), precision="fp32"), [items[n] for n in own])
    return p


def verified(verifier: NliVerifier, items: list[Item]) -> np.ndarray:
    """P(support, neither, contradict) of the verifier, shape `[n, 3]`."""
    judged = verifier.verify([Pair(Claim(i.hypothesis), Passage(i.premise)) for i in items])
    p = np.array([[j.p_support, max(0.0, 1 - j.p_support - j.p_contradict), j.p_contradict] for j in judged])
    return np.nan_to_num(p, nan=1 / 3)


def overlap(items: list[Item]) -> np.ndarray:
    """The lexical baseline: P(support) is the share of the hypothesis's words in the premise."""
    share = []
    for item in items:
        words = content_words(item.hypothesis)
        share.append(len(words & content_words(item.premise)) / len(words) if words else 0.0)
    s = np.array(share)
    return np.stack([s, 0.5 * np.ones_like(s), np.zeros_like(s)], axis=1)


def trunk(verifier: NliVerifier, items: list[Item], *, windows: bool) -> np.ndarray:
    """The untrained trunk: P(support) is its cosine between hypothesis and premise, or the premise's nearest window."""
    if windows:
        read = verifier.choose([Pair(Claim(i.hypothesis), Passage(i.premise)) for i in items])
        cosine = np.array([near.closest if near.windows else 0.0 for near in read])
    else:
        assert verifier.choice is not None
        encoder = verifier.choice.encoder
        first = encoder.embed([i.premise for i in items])
        cosine = (first * encoder.embed([i.hypothesis for i in items])).sum(axis=1)
    share = np.clip(cosine, 0.0, 1.0)
    return np.stack([share, 0.5 * np.ones_like(share), np.zeros_like(share)], axis=1)


def measure(p: np.ndarray, items: list[Item], rng: np.random.Generator, n_resamples: int = 1000) -> dict[str, object]:
    """Scores with 95% percentile intervals."""
    gold = [item.label for item in items]
    names = sorted(set(gold) - {"not_entailment"})
    support = np.array([label == "entailment" for label in gold])
    result: dict[str, object] = {"n": len(items)}
    metrics = {}
    if "not_entailment" not in gold:
        guess = chosen(p, names)
        truth = np.array([CLASSES.index(label) for label in gold])
        metrics["accuracy"] = lambda i: float((guess[i] == truth[i]).mean())
        labels = [CLASSES.index(name) for name in names]
        metrics["macro_f1"] = lambda i: float(
            f1_score(truth[i], guess[i], labels=labels, average="macro", zero_division=0)
        )
    metrics["auroc_support"] = lambda i: (
        float(roc_auc_score(support[i], p[i, 0])) if 0 < support[i].sum() < len(i) else np.nan
    )
    metrics["ece_support"] = lambda i: ece(p[i, 0], support[i])
    everything = np.arange(len(items))
    for name, metric in metrics.items():
        draws = [
            metric(rng.integers(len(items), size=len(items))) for _ in range(200 if len(items) > 4000 else n_resamples)
        ]
        low, high = np.nanquantile(draws, [0.025, 0.975])
        result[name] = [round(float(v), 4) for v in (metric(everything), low, high)]
    result["majority_accuracy"] = round(Counter(gold).most_common(1)[0][1] / len(gold), 4)
    return result


def ece(p: np.ndarray, truth: np.ndarray, bins: int = 10) -> float:
    """Expected calibration error with equal-width bins."""
    edges = np.minimum((p * bins).astype(int), bins - 1)
    return float(sum(abs(p[edges == b].mean() - truth[edges == b].mean()) * (edges == b).mean() for b in set(edges)))


def perturbation_recall(verifier: NliVerifier, root: Path, threshold: float, n: int, seed: int) -> dict[str, object]:
    """Share of generated pairs, by kind, that get the right label at *threshold*."""
    pairs = [(p, kind) for p, kind in perturbed_with_kinds(root / "train", split="test", seed=seed) if p.label < 3]
    pairs = random.Random(seed).sample(pairs, min(n, len(pairs)))
    judged = verifier.verify([Pair(Claim(p.hypothesis), Passage(p.premise)) for p, _ in pairs])
    hits: dict[str, list[bool]] = {}
    for (pair, kind), j in zip(pairs, judged, strict=True):
        label = (
            0 if j.p_support >= threshold and j.p_support >= j.p_contradict else 2 if j.p_contradict >= threshold else 1
        )
        hits.setdefault(f"{CLASSES[pair.label]}/{kind}", []).append(label == pair.label)
    return {kind: {"n": len(own), "right": round(float(np.mean(own)), 3)} for kind, own in sorted(hits.items())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tasks", nargs="*", default=list(TASKS))
    parser.add_argument("--windows", type=int, default=2)
    parser.add_argument("--rows", type=Path, help="feature rows kept by calibrate.py for the same weights")
    parser.add_argument(
        "--folds", type=Path, help="fold models of train_experts.py; without, SciFact was not trained on"
    )
    parser.add_argument("--cap", type=int, default=None, help="at most this many pairs a task (for a quick look)")
    parser.add_argument("--seed", type=int, default=20261121)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    model = NliModel(options.model, precision="fp32")
    verifier = NliVerifier(model=options.model, windows=options.windows, precision="fp32", cache=False)
    results: dict[str, object] = {}
    kept: dict[str, np.ndarray] = {}
    for name in options.tasks:
        items = TASKS[name](options.data)
        if options.cap is not None and len(items) > options.cap:
            items = random.Random(options.seed).sample(items, options.cap)
        rows = {"overlap": overlap(items), "trunk": trunk(verifier, items, windows=name in LONG)}
        if name == "scifact":
            sets = fitting_rows(verifier, options.data, options.seed, cached=options.rows, folds=options.folds)
            rows["verifier"] = out_of_fold(sets, options.seed)
            rows["bare"] = bare_out_of_fold(options, items) if options.folds else bare(model, items)
        elif name in LONG:
            rows["verifier"] = verified(verifier, items)
            rows["bare"] = bare(model, items)
        else:
            rows["bare"] = bare(model, items)
        results[name] = {how: measure(p, items, rng) for how, p in rows.items()}
        kept[f"{name}.gold"] = np.array([item.label for item in items])
        kept.update({f"{name}.{how}": p for how, p in rows.items()})
        print(name, json.dumps(results[name]), flush=True)
    results["perturbation_recall@0.7"] = perturbation_recall(verifier, options.data, 0.7, 1500, options.seed)
    print(json.dumps(results["perturbation_recall@0.7"]), flush=True)
    options.out.write_text(json.dumps(results, indent=1) + "\n")
    np.savez_compressed(options.out.with_suffix(".npz"), **kept)  # for plots.py


if __name__ == "__main__":
    main()
