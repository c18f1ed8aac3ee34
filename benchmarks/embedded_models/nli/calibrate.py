"""Fit the verifier's calibrator on pairs the NLI model has not seen.

    python calibrate.py --data ../../../../shared/data --model ../../../fas/models/fas_nli_mini

Writes `calibrator.json` beside the weights: a multinomial logistic regression over the
encoder's cosine, the window probabilities, overlap, numbers and negation. Fitted on sets
whose licence allows it: SciFact train claims with whole abstracts, Check-COVID dev and test,
Citation-Integrity dev, generated perturbations of held-out abstracts, and claims beside
abstracts of other topics. Passages that are one window get a regression of their own, fitted on Check-COVID
and on the perturbations with one-window premises (chosen on HealthVer's dev split, which fits nothing). SciFact's rows come from the five models of `train_experts.py`
that were trained without them (`--folds`); the out-of-fold quality on SciFact is printed.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from tasks import CLASSES, Item, read_items, scifact

from comparisons import comparison_pairs
from data import read_jsonl
from experts import FOLDS, fold_of
from fas.records import Claim, Pair, Passage
from fas.verify.features import FEATURES
from fas.verify.nli import NliVerifier
from perturb import perturbed_pairs
from trials import trial_pairs

# Rows of the regression: support, neither, contradict.
TARGET = {"entailment": 0, "neutral": 1, "contradiction": 2, "not_entailment": 1}


def fitting_sets(root: Path, seed: int) -> dict[str, list[Item]]:
    """The pairs by set; see the module docstring."""
    rng = random.Random(seed)
    sci = scifact(root)
    covid = read_items(root, "train/check_covid/check_covid.jsonl.gz", splits=("dev", "test"))
    cited = read_items(root, "train/citation_integrity/citint_pairs.jsonl.gz", splits=("dev",))
    made = [
        Item(p.premise, p.hypothesis, CLASSES[p.label])
        for p in perturbed_pairs(root / "train", split="dev", seed=seed)
        if p.label < 3
    ]
    corpus = [" ".join(row["abstract"]) for row in read_jsonl(root / "train/scifact/corpus.jsonl.gz")]  # type: ignore[arg-type]
    claims = [item.hypothesis for item in sci + covid]
    records = [Item(p.premise, p.hypothesis, CLASSES[p.label]) for p in trial_pairs(400, seed=-seed)]
    compared = [
        Item(p.premise, p.hypothesis, CLASSES[p.label]) for p in comparison_pairs(300, seed=-seed, worded=0.5)
    ]
    unrelated = [Item(rng.choice(corpus), rng.choice(claims), "neutral") for _ in range(500)]
    return {
        "scifact": sci,
        "check_covid": covid,
        "citation_integrity": cited,
        "perturbed": rng.sample(made, min(900, len(made))),
        "unrelated": unrelated,
        "trials": records,
        "comparisons": compared,
    }


def rows_of(verifier: NliVerifier, items: list[Item]) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Features, targets and groups of the items that can be judged."""
    found = verifier.feature_rows([Pair(Claim(i.hypothesis), Passage(i.premise)) for i in items])
    keep = [n for n, row in enumerate(found) if row is not None]
    return (
        np.array([found[n] for n in keep], dtype=float),
        np.array([TARGET[items[n].label] for n in keep]),
        [items[n].group or f"own{n}" for n in keep],
    )


Rows = tuple[np.ndarray, np.ndarray, list[str]]


def scifact_folds(root: Path, seed: int) -> np.ndarray:
    """The fold of every SciFact pair."""
    groups = [item.group for item in scifact(root)]
    fold = fold_of(groups, seed)
    return np.array([fold[group] for group in groups])


def out_of_fold_rows(folds: Path, root: Path, seed: int, windows: int) -> Rows:
    """SciFact's rows, each from the model that was trained without its claim and abstract.

    Raises:
        ValueError: A pair cannot be judged, so that rows and pairs would no longer match.
    """
    items, assigned = scifact(root), scifact_folds(root, seed)
    x: list[list[float]] = [[] for _ in items]
    for i in range(FOLDS):
        own = np.flatnonzero(assigned == i)
        verifier = NliVerifier(model=str(folds / f"fold-{i}"), windows=windows, precision="fp32", cache=False)
        found = verifier.feature_rows([Pair(Claim(items[n].hypothesis), Passage(items[n].premise)) for n in own])
        for n, row in zip(own, found, strict=True):
            if row is None:
                raise ValueError(f"SciFact pair {n} cannot be judged")
            x[n] = row
    return np.array(x, dtype=float), np.array([TARGET[i.label] for i in items]), [i.group for i in items]


def fitting_rows(
    verifier: NliVerifier, root: Path, seed: int, *, cached: Path | None = None, folds: Path | None = None
) -> dict[str, Rows]:
    """Rows of every fitting set; kept in *cached*, because reading the windows takes minutes.

    With *folds*, the folder of the fold models, SciFact's rows come from them.
    """
    if cached is not None and cached.is_file():
        stored = np.load(cached)
        names = sorted({key.rsplit(".", 1)[0] for key in stored.files})
        return {n: (stored[f"{n}.x"], stored[f"{n}.y"], stored[f"{n}.groups"].tolist()) for n in names}
    sets = fitting_sets(root, seed)
    rows = {name: rows_of(verifier, items) for name, items in sets.items() if name != "scifact" or folds is None}
    if folds is not None:
        rows["scifact"] = out_of_fold_rows(folds, root, seed, verifier.window_count)
    if cached is not None:
        parts = {f"{n}.{k}": v for n, own in rows.items() for k, v in zip(("x", "y", "groups"), own, strict=True)}
        np.savez_compressed(cached, **parts)
    return rows


def fit(x: np.ndarray, y: np.ndarray, c: float = 0.3) -> tuple[np.ndarray, np.ndarray, LogisticRegression]:
    """Mean, scale and the regression on standardised features."""
    mean, scale = x.mean(axis=0), np.maximum(x.std(axis=0), 1e-6)
    return mean, scale, LogisticRegression(C=c, max_iter=2000).fit((x - mean) / scale, y)


def out_of_fold(sets: dict[str, tuple[np.ndarray, np.ndarray, list[str]]], seed: int, folds: int = FOLDS) -> np.ndarray:
    """P for every SciFact pair from a regression that saw neither its claim nor its abstract."""
    x, y, groups = sets["scifact"]
    fold = fold_of(groups, seed, folds)
    assigned = np.array([fold[g] for g in groups])
    result = np.zeros((len(y), 3))
    others = [(a, b) for name, (a, b, _) in sets.items() if name != "scifact"]
    for i in range(folds):
        train = assigned != i
        mean, scale, model = fit(
            np.concatenate([x[train], *(a for a, _ in others)]), np.concatenate([y[train], *(b for _, b in others)])
        )
        result[~train] = model.predict_proba((x[~train] - mean) / scale)
    return result


def one_window_rows(sets: dict[str, Rows]) -> tuple[np.ndarray, np.ndarray]:
    """What the regression for one-window passages is fitted on."""
    covid, made = sets["check_covid"], sets["perturbed"]
    # A passage of one window has no second cosine of its own.
    single = made[0][:, FEATURES.index("cosine")] == made[0][:, FEATURES.index("cosine_second")]
    return np.concatenate([covid[0], made[0][single]]), np.concatenate([covid[1], made[1][single]])


def stored(x: np.ndarray, y: np.ndarray) -> dict[str, list[float]]:
    """A fitted regression as the verifier reads it."""
    mean, scale, model = fit(x, y)
    return {
        "mean": mean.tolist(),
        "scale": scale.tolist(),
        "coefficients": model.coef_.tolist(),
        "intercept": model.intercept_.tolist(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--windows", type=int, default=2)
    parser.add_argument("--rows", type=Path, help="file that keeps the feature rows (.npz), for measure.py too")
    parser.add_argument("--folds", type=Path, help="folder of the fold models of train_experts.py")
    parser.add_argument("--seed", type=int, default=20261121)
    options = parser.parse_args()
    from sklearn.metrics import f1_score

    verifier = NliVerifier(model=str(options.model), windows=options.windows, precision="fp32", cache=False)
    sets = fitting_rows(verifier, options.data, options.seed, cached=options.rows, folds=options.folds)
    held_out = out_of_fold(sets, options.seed)
    truth = sets["scifact"][1]
    macro = f1_score(truth, held_out.argmax(axis=1), average="macro")
    print(json.dumps({"scifact_out_of_fold_macro_f1": round(float(macro), 4), "n": len(truth)}))
    x = np.concatenate([a for a, _, _ in sets.values()])
    y = np.concatenate([b for _, b, _ in sets.values()])
    (options.model / "calibrator.json").write_text(
        json.dumps(
            {
                "features": list(FEATURES),
                "windows": options.windows,
                **stored(x, y),
                "fitted_on": {name: len(b) for name, (_, b, _) in sets.items()},
                "one_window": stored(*one_window_rows(sets)),
            },
            indent=1,
        )
        + "\n"
    )


if __name__ == "__main__":
    main()
