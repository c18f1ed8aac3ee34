"""Fit the verifier's calibrator on pairs the model has not seen.

A multinomial logistic regression over the encoder's cosine, the window probabilities, overlap, numbers and negation, fitted
on sets whose licence allows it: two fifths of SciFact's claims with whole abstracts (which train no model), Check-COVID
dev and test, Citation-Integrity dev, made pairs of held-out abstracts, and claims beside abstracts of other topics. Passages
that are one window get a regression of their own.

Where support and where contradiction is worth calling is fitted apart, out of fold, and each probability is bent so that
the place comes to lie at 0.7, which stays the threshold's definition (`fas.verify.calibrator`).
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from benchmarks.embedded_models.nli.tasks import CLASSES, Item, read_items, scifact

from benchmarks.embedded_models.nli.aims import aim_pairs
from benchmarks.embedded_models.nli.comparisons import comparison_pairs
from benchmarks.embedded_models.nli.data import Pair, read_jsonl
from benchmarks.embedded_models.nli.experts import trains
from fas.records import Claim, Passage
from fas.records import Pair as VerifierPair
from fas.verify.calibrator import TURNING, bent
from fas.verify.features import FEATURES
from fas.verify.nli import NliVerifier
from benchmarks.embedded_models.nli.measure import scores
from benchmarks.embedded_models.nli.negations import negation_pairs
from benchmarks.embedded_models.nli.perturb import perturbed_pairs
from benchmarks.embedded_models.nli.qualifiers import exchanged_pairs

Rows = tuple[np.ndarray, np.ndarray, list[str]]
"""Features, targets (support, neither, contradict) and groups that must not be split."""
TARGET = {"entailment": 0, "neutral": 1, "contradiction": 2, "not_entailment": 1}
FOLDS = 5
# Written by people, about texts written by people: what the thresholds are fitted on.
EXPERTS = ("scifact", "check_covid", "citation_integrity")
# Nothing is called that is less likely than not, whatever macro-F1 gains by it.
_GRID = np.linspace(0.5, 0.9, 17)


def fitting_sets(root: Path, seed: int, most: int) -> dict[str, list[Item]]:
    """The pairs by set, at most *most* of each."""
    rng = random.Random(seed)
    sci = [item for item in scifact(root) if not trains(item.group)]
    covid = read_items(root, "train/check_covid/check_covid.jsonl.gz", splits=("dev", "test"))
    cited = read_items(root, "train/citation_integrity/citint_pairs.jsonl.gz", splits=("dev",))
    corpus = [" ".join(row["abstract"]) for row in read_jsonl(root / "train/scifact/corpus.jsonl.gz")]  # type: ignore[arg-type]
    claims = [item.hypothesis for item in sci + covid]
    made = perturbed_pairs(root / "train", split="dev", seed=seed)
    sets = {
        "scifact": sci,
        "check_covid": covid,
        "citation_integrity": cited,
        "perturbed": _items(made),
        "unrelated": [Item(rng.choice(corpus), rng.choice(claims), "neutral") for _ in range(most // 2)],
        "comparisons": _items(comparison_pairs(most // 3, seed=-seed, worded=0.5)),
        "aims": _items(aim_pairs(root / "train", most // 3, seed=seed, split="dev")),
        "negations": _items(negation_pairs(most // 4, seed=-seed)),
        "exchanged": _items(exchanged_pairs(most // 4, seed=-seed)),
    }
    return {name: items if len(items) <= most else rng.sample(items, most) for name, items in sets.items()}


def _items(pairs: list[Pair]) -> list[Item]:
    return [Item(p.premise, p.hypothesis, CLASSES[p.label]) for p in pairs if 0 <= p.label < len(CLASSES)]


def rows_of(verifier: NliVerifier, items: list[Item]) -> Rows:
    """The items that can be judged."""
    found = verifier.feature_rows([VerifierPair(Claim(i.hypothesis), Passage(i.premise)) for i in items])
    keep = [n for n, row in enumerate(found) if row is not None]
    x = np.array([found[n] for n in keep], dtype=float)
    return x, np.array([TARGET[items[n].label] for n in keep]), [items[n].group or f"own{n}" for n in keep]


def fit(x: np.ndarray, y: np.ndarray, c: float = 0.3) -> tuple[np.ndarray, np.ndarray, LogisticRegression]:
    """Mean, scale and the regression on standardised features."""
    mean, scale = x.mean(axis=0), np.maximum(x.std(axis=0), 1e-6)
    return mean, scale, LogisticRegression(C=c, max_iter=2000).fit((x - mean) / scale, y)


def out_of_fold(sets: dict[str, Rows], name: str, seed: int) -> np.ndarray:
    """P for every pair of set *name*, shape `[n, 3]`, from a regression that saw none of its group."""
    x, y, groups = sets[name]
    names = sorted(set(groups))
    random.Random(seed).shuffle(names)
    fold = {group: i % FOLDS for i, group in enumerate(names)}
    assigned = np.array([fold[group] for group in groups])
    others = [(a, b) for other, (a, b, _) in sets.items() if other != name]
    result = np.zeros((len(y), 3))
    for i in range(FOLDS):
        train = assigned != i
        mean, scale, model = fit(
            np.concatenate([x[train], *(a for a, _ in others)]), np.concatenate([y[train], *(b for _, b in others)])
        )
        result[~train] = model.predict_proba((x[~train] - mean) / scale)
    return result


def labelled(p: np.ndarray, support: float, contradict: float) -> np.ndarray:
    """The class of each row where each side has a threshold of its own; of two that are reached, the likelier."""
    s, c = p[:, 0] >= support, p[:, 2] >= contradict
    return np.where(s & (~c | (p[:, 0] >= p[:, 2])), 0, np.where(c, 2, 1))


def fitted_thresholds(p: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Where support and contradiction turn for the best macro-F1 of *y*, among steps of 0.025 from 0.5 to 0.9."""
    scores = {
        (float(s), float(c)): f1_score(y, labelled(p, s, c), average="macro", zero_division=0)
        for s in _GRID
        for c in _GRID
    }
    return max(scores, key=lambda place: (scores[place], place))


def one_window_rows(sets: dict[str, Rows]) -> tuple[np.ndarray, np.ndarray]:
    """What the regression for one-window passages is fitted on."""
    parts = []
    for name in ("check_covid", "perturbed", "comparisons", "aims", "negations", "exchanged"):
        x, y, _ = sets[name]
        # A passage of one window has no second cosine of its own.
        single = x[:, FEATURES.index("cosine")] == x[:, FEATURES.index("cosine_second")]
        parts.append((x[single], y[single]))
    return np.concatenate([x for x, _ in parts]), np.concatenate([y for _, y in parts])


def stored(x: np.ndarray, y: np.ndarray) -> dict[str, list[float]]:
    """A fitted regression as the verifier reads it."""
    mean, scale, model = fit(x, y)
    return {
        "mean": [round(float(v), 8) for v in mean],
        "scale": [round(float(v), 8) for v in scale],
        "coefficients": [[round(float(v), 8) for v in row] for row in model.coef_],  # type: ignore[misc]
        "intercept": [round(float(v), 8) for v in model.intercept_],
    }


def read_rows(model: Path, root: Path, kept: Path, *, seed: int, most: int) -> dict[str, Rows]:
    """The rows of every fitting set, kept in file *kept*, because reading the windows takes minutes."""
    if not kept.exists():
        verifier = NliVerifier(model=str(model), windows=2, cache=False)
        sets = {name: rows_of(verifier, items) for name, items in fitting_sets(root, seed, most).items()}
        parts = {f"{n}.{k}": v for n, own in sets.items() for k, v in zip(("x", "y", "groups"), own, strict=True)}
        np.savez_compressed(kept, **parts)
    with np.load(kept) as stored_rows:
        names = dict.fromkeys(key.rsplit(".", 1)[0] for key in stored_rows.files)
        return {
            n: (stored_rows[f"{n}.x"], stored_rows[f"{n}.y"], [str(g) for g in stored_rows[f"{n}.groups"]])
            for n in names
        }


def calibrate(model: Path, root: Path, kept: Path, *, seed: int, most: int) -> dict[str, object]:
    """Fit and write `calibrator.json` beside the weights in folder *model*; what was found out of fold.

    Args:
        model: The folder.
        root: The data folder, above `train`.
        kept: File that keeps the rows.
        seed: Decides pairs and folds.
        most: Pairs of a set at most.
    """
    sets = read_rows(model, root, kept, seed=seed, most=most)
    held_out = {name: out_of_fold(sets, name, seed) for name in EXPERTS}
    p = np.concatenate(list(held_out.values()))
    y = np.concatenate([sets[name][1] for name in EXPERTS])
    support, contradict = fitted_thresholds(p, y)
    x_all = np.concatenate([x for x, _, _ in sets.values()])
    y_all = np.concatenate([y for _, y, _ in sets.values()])
    calibrator = {
        "features": list(FEATURES),
        "windows": 2,
        **stored(x_all, y_all),
        "fitted_on": {name: len(y) for name, (_, y, _) in sets.items()},
        "one_window": stored(*one_window_rows(sets)),
        "turns": {"support": round(support, 4), "contradict": round(contradict, 4)},
    }
    (model / "calibrator.json").write_text(json.dumps(calibrator, indent=1) + "\n", encoding="utf-8")
    found: dict[str, object] = {"turns": calibrator["turns"], "at": TURNING}
    for name, own in held_out.items():
        truth = sets[name][1]
        # What is known to be no support only ("not entailed") counts as neutral here, as in the fit.
        items = [Item("", "", CLASSES[label]) for label in truth]
        found[name] = scores(own, items, np.random.default_rng(seed))
        found[f"{name}, bent"] = scores(bent(own, support, contradict), items, np.random.default_rng(seed))
    return found
