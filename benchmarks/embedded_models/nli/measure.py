"""Measure verifiers on every task, side by side, with baselines and intervals.

Per task and model, beside word overlap and the untrained trunk: accuracy and macro-F1, AUROC of P(support) where gold says
support or not, ECE, macro-F1 of the labels at the threshold and at the best one in hindsight, the share of definite verdicts
where all is neutral. Short premises go to the cross-encoder as they are, long ones through the verifier. SciFact is not
among the tasks: it fits the calibrator of a recipe, and `calibrate.py` measures it out of fold.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
from sklearn.metrics import f1_score, roc_auc_score
from benchmarks.embedded_models.nli.tasks import CLASSES, SHORT, Item, chosen

from fas.models.nli import NliModel
from fas.records import Claim, Pair, Passage
from fas.verify.comparison import calibration_error
from fas.verify.features import content_words
from fas.verify.nli import NliVerifier

THRESHOLD = 0.7
Table = dict[str, object]


def softmax(logits: np.ndarray) -> np.ndarray:
    """Row-wise softmax."""
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def bare(model: NliModel, items: list[Item]) -> np.ndarray:
    """P(entailment, neutral, contradiction) of the cross-encoder alone, shape `[n, 3]`."""
    p = softmax(model.logits([(i.premise, i.hypothesis) for i in items]).astype(float))
    return np.nan_to_num(p, nan=1 / 3)


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


def cosine(verifier: NliVerifier, items: list[Item], *, windows: bool) -> np.ndarray:
    """The encoder alone: P(support) is its cosine between hypothesis and premise, or the premise's nearest window."""
    assert verifier.choice is not None
    if windows:
        read = verifier.choose([Pair(Claim(i.hypothesis), Passage(i.premise)) for i in items])
        near = np.array([own.closest if own.windows else 0.0 for own in read])
    else:
        encoder = verifier.choice.encoder
        first = encoder.embed([i.premise for i in items])
        near = (first * encoder.embed([i.hypothesis for i in items])).sum(axis=1)
    share = np.clip(near, 0.0, 1.0)
    return np.stack([share, 0.5 * np.ones_like(share), np.zeros_like(share)], axis=1)


def at_threshold(p: np.ndarray, threshold: float) -> np.ndarray:
    """The label of each row: 0 support, 2 contradiction, 1 where neither reaches *threshold*."""
    side = np.where(p[:, 0] >= p[:, 2], 0, 2)
    return np.where(np.maximum(p[:, 0], p[:, 2]) >= threshold, side, 1)


def scores(p: np.ndarray, items: list[Item], rng: np.random.Generator, n_resamples: int = 1000) -> Table:
    """Measures with 95% intervals, `[value, low, high]`: percentiles of the bootstrap; for ECE the package's own.

    An ECE of too few items for its ten bins has no interval (None).
    """
    gold = [item.label for item in items]
    names = sorted(set(gold) - {"not_entailment"})
    support = np.array([label == "entailment" for label in gold])
    result: Table = {"n": len(items), "majority_accuracy": round(Counter(gold).most_common(1)[0][1] / len(gold), 4)}
    metrics = {}
    if "not_entailment" not in gold:
        truth = np.array([CLASSES.index(label) for label in gold])
        guess = chosen(p, names)
        labels = [CLASSES.index(name) for name in names]
        metrics["accuracy"] = lambda i: float((guess[i] == truth[i]).mean())
        if len(names) > 1:
            metrics["macro_f1"] = lambda i: float(
                f1_score(truth[i], guess[i], labels=labels, average="macro", zero_division=0)
            )
            metrics["balanced_accuracy"] = lambda i: _balanced(truth[i], guess[i])
            turned = {t: at_threshold(p, t) for t in (0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)}
            f1 = {
                t: float(f1_score(truth, own, labels=labels, average="macro", zero_division=0))
                for t, own in turned.items()
            }
            best = max(f1, key=lambda t: f1[t])
            result["labels"] = {"macro_f1_at_0.7": round(f1[THRESHOLD], 4), "best": round(f1[best], 4), "best_at": best}
        else:
            definite = at_threshold(p, THRESHOLD) != 1
            metrics["definite"] = lambda i: float(definite[i].mean())
    if len(set(support.tolist())) > 1:
        metrics["auroc_support"] = lambda i: (
            float(roc_auc_score(support[i], p[i, 0])) if 0 < support[i].sum() < len(i) else np.nan
        )
    everything = np.arange(len(items))
    for name, metric in metrics.items():
        draws = [
            metric(rng.integers(len(items), size=len(items))) for _ in range(200 if len(items) > 4000 else n_resamples)
        ]
        low, high = np.nanquantile(draws, [0.025, 0.975])
        result[name] = [round(float(v), 4) for v in (metric(everything), low, high)]
    if "auroc_support" in result:
        result["ece_support"] = [round(calibration_error(p[:, 0], support.astype(bool)), 4), None, None]
    return result


def _balanced(truth: np.ndarray, guess: np.ndarray) -> float:
    """The mean over the classes of *truth* of the share that is guessed right."""
    return float(np.mean([(guess[truth == label] == label).mean() for label in np.unique(truth)]))


def sampled(items: list[Item], most: int | None, seed: int) -> list[Item]:
    """*items*, or a fixed sample of *most* of them."""
    return items if most is None or len(items) <= most else random.Random(seed).sample(items, most)


def readers(models: list[str], precision: str = "auto") -> dict[str, NliVerifier]:
    """The verifiers by the name of their model, or of its folder."""
    return {
        Path(model).name if Path(model).is_dir() else model: NliVerifier(
            model=model, windows=2, precision=precision, threshold=None, cache=False
        )
        for model in models
    }


def measure(
    verifiers: dict[str, NliVerifier], name: str, items: list[Item], seed: int
) -> tuple[Table, dict[str, np.ndarray]]:
    """Every verifier on the task *name*, and the baselines: the measures and the probabilities of each, and the gold."""
    rng = np.random.default_rng(seed)
    rows = {label: bare(own._nli, items) if name in SHORT else verified(own, items) for label, own in verifiers.items()}
    rows["word overlap"] = overlap(items)
    rows["encoder cosine"] = cosine(next(iter(verifiers.values())), items, windows=name not in SHORT)
    found: Table = {how: scores(p, items, rng) for how, p in rows.items()}
    return found, {"gold": np.array([item.label for item in items]), **rows}
