"""Fit and measure the probabilities of a verifier on held-out labelled verdicts.

    python -m recipes.verifier.calibrate MODEL --write

MODEL is an embedded verifier by name, or the folder of a model that reads whole passages (`recipes.verifier.train`). A
multinomial logistic regression over `fas.verify.passage_features` is fitted on the held-out cases, weighted to the pool that
they were drawn from. What is measured is out of fold: each question's cases are judged by a regression, and called at
thresholds, that were fitted without them. `--write` puts two files beside the weights: `calibrator.json`, and
`measured.json` with thresholds, measurements and the files they are of, from which reports say how often verdicts are
right and how far off shares are (`fas.models.measured`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, fbeta_score

from benchmarks.verdicts.labels import CASES, CONTRAST, HERE, LABELS, held_out_cases, held_out_contrast
from fas.core.records import Claim, Pair, Passage
from fas.models.measured import CONTRA, FILE, SUPPORT, UNSUPPORTED
from fas.models.paths import resolve_model
from fas.stats.bootstrap import ratio_intervals
from fas.stats.intervals import MeanKind
from fas.verify.calibrator import TURNING, cap_sides
from fas.verify.features import has_negation
from fas.verify.nli import NliVerifier
from fas.verify.passage_features import FEATURES
from recipes.verifier.quotes import quotes_of

FOLDS = 5
# Precision that contradictions are to have, and the thresholds that may be chosen. The contradictions' are those of the
# regression whose classes weigh alike; what is kept bends them so that the chosen one lies at `TURNING`.
PRECISION = 0.5
# Without any, two of five contradicted contrast claims are called supported, as real answers hardly have such; with a quarter of
# the weight fewer than one of five, at the same precision and 0.02 less recall on real claims; more weight costs precision.
OF_CONTRAST = 0.25
# Without quotes, two of five sentences quoted from abstracts are not called supported, with these weights one of four. Whole
# ones win one more of ten, and let more contradicted contrast claims and changed quotes pass.
OF_QUOTES, A_QUOTE = 0.05, 0.5
GRID = {"S": np.arange(0.50, 0.901, 0.05), "C": np.arange(0.50, 0.961, 0.02)}
# Tells support apart; contradictions, too few to learn so much from, are told without.
SUPPORT_ALONE = FEATURES.index("p_entail")
# Contradictions at or above a threshold at least: fewer say nothing of a precision.
FEWEST = 5


class Rows(NamedTuple):
    """Every passage of every case.

    Attributes:
        x: Features, shape `[n_passages, n_features]`.
        case: Position of the case that each passage belongs to, shape `[n_passages]`.
        decides: Whether the passage is the one that decides its case, shape `[n_passages]`.
    """

    x: np.ndarray
    case: np.ndarray
    decides: np.ndarray


def read_cases(verifier: NliVerifier, cases: Sequence[Mapping[str, Any]]) -> Rows:
    """The features of all passages of *cases*."""
    pairs, case, decides = [], [], []
    for i, row in enumerate(cases):
        passages = row.get("passages") or [row["passage"]]
        for number, passage in enumerate(passages, start=1):
            own = Passage(passage["text"], title=passage.get("title") or None)
            pairs.append(Pair(Claim(row["claim"]), own, row["question"]))
            case.append(i)
            decides.append(row["label"] != "N" and number == (row["passage"] if "passages" in row else 1))
    found = verifier.feature_rows(pairs)
    keep = [n for n, own in enumerate(found) if own is not None]
    return Rows(
        np.array([found[n] for n in keep], dtype=float),
        np.array([case[n] for n in keep]),
        np.array([decides[n] for n in keep]),
    )


class Fitted(NamedTuple):
    """Two regressions over the same standardised features.

    Attributes:
        mean: Subtracted from the features, shape `[n_features]`.
        scale: Divides them, shape `[n_features]`.
        pool: Coefficients and intercept of the regression at the rates of the pool, `[3, n_features]` and `[3]`.
        balanced: The same where the classes weigh alike.
    """

    mean: np.ndarray
    scale: np.ndarray
    pool: tuple[np.ndarray, np.ndarray]
    balanced: tuple[np.ndarray, np.ndarray]

    def probabilities(self, x: np.ndarray) -> np.ndarray:
        """P(support) at the rates of the pool, and P(contradict) where the classes weigh alike, shape `[n, 2]`."""
        z = (x - self.mean) / self.scale
        pool, balanced = (
            softmax(z @ coefficients.T + bias, axis=1) for coefficients, bias in (self.pool, self.balanced)
        )
        return np.stack([pool[:, 0], balanced[:, 2]], axis=1)


class Labelled(NamedTuple):
    """Cases with what was read of them.

    Attributes:
        rows: The features of their passages.
        labels: Class of each case (`LABELS`), shape `[n_cases]`.
        weights: How many claims of the pool each stands for, shape `[n_cases]`.
        fold: The fold of each case, shape `[n_cases]`.
        first_drawn: Whether each case is of the first draw, shape `[n_cases]`.
        unit: Number of each case's question, shape `[n_cases]`.
    """

    rows: Rows
    labels: np.ndarray
    weights: np.ndarray
    fold: np.ndarray
    first_drawn: np.ndarray
    unit: np.ndarray


def fit(cases: Labelled, contrast: Labelled, quotes: Labelled, left_out: int | None) -> Fitted:
    """The regression, fitted without the fold *left_out* (None: on everything).

    Contradictions are one claim in fifty of the pool, too few to learn from what they are told by. So what tells the
    classes apart is fitted on cases, contrast claims and quotes (each `A_QUOTE` of a claim) together, each class weighing
    alike; a second regression, over the scores of the first, carries support to the rates of the pool, where contrast claims have `OF_CONTRAST` and
    quotes `OF_QUOTES` of the weight. Contradictions are told without quotes, which add nothing there.
    """
    sets = [_examples(own, left_out) for own in (cases, contrast, quotes)]
    x, y = (np.concatenate([own[part] for own in sets]) for part in (0, 1))
    n = len(y) - len(sets[2][1])
    mean, scale = x[:n].mean(axis=0), np.maximum(x[:n].std(axis=0), 1e-6)
    z = (x - mean) / scale
    counts = np.where(np.arange(len(y)) < n, 1.0, A_QUOTE)
    first = LogisticRegression(C=0.2, max_iter=4000, class_weight="balanced").fit(z, y, sample_weight=counts)
    scores = first.decision_function(z)
    shares = (1.0 - OF_CONTRAST - OF_QUOTES, OF_CONTRAST, OF_QUOTES)
    weight = np.concatenate([own[2] / own[2].sum() * of for own, of in zip(sets, shares, strict=True)]) * n
    second = LogisticRegression(C=10.0, max_iter=4000).fit(scores, y, sample_weight=weight)
    pool = second.coef_ @ first.coef_, second.coef_ @ first.intercept_ + second.intercept_
    z[:, SUPPORT_ALONE:] = 0.0
    told = LogisticRegression(C=0.2, max_iter=4000, class_weight="balanced").fit(z[:n], y[:n])
    balanced = told.coef_, told.intercept_
    return Fitted(mean, scale, pool, balanced)


def _examples(cases: Labelled, left_out: int | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, classes and weights of passages that stand for their cases.

    A settled case gives the passage that decides it; an unsettled one the two that come nearest to settling it, either way, as
    a claim is called by the highest probability of its passages.
    """
    rows = cases.rows
    index, target, weight = [], [], []
    for case in np.flatnonzero(
        cases.fold != left_out if left_out is not None else np.ones(len(cases.fold), dtype=bool)
    ):
        own = np.flatnonzero(rows.case == case)
        if cases.labels[case] == 1:
            picked = {own[rows.x[own, 0].argmax()], own[rows.x[own, 2].argmax()]} if len(own) else set()
        else:
            picked = set(own[rows.decides[own]])
        index += sorted(picked)
        target += [cases.labels[case]] * len(picked)
        weight += [cases.weights[case] / max(1, len(picked))] * len(picked)
    return rows.x[index], np.array(target), np.array(weight)


def case_probabilities(rows: Rows, n: int, fitted: Fitted) -> np.ndarray:
    """P(support) and P(contradict) of each case, the highest of its passages, shape `[n, 2]`."""
    found = np.zeros((n, 2))
    np.maximum.at(found, rows.case, fitted.probabilities(rows.x))
    return found


def called(p: np.ndarray, support: float, contradict: float) -> np.ndarray:
    """The class of each case, 0 supported, 1 neither, 2 contradicted (`fas.scoring.formula.decide`)."""
    s, c = p[:, 0] >= support, p[:, 1] >= contradict
    return np.where(s & (p[:, 0] >= p[:, 1]), 0, np.where(c & (p[:, 1] > p[:, 0]), 2, 1))


def support_threshold(p: np.ndarray, right: np.ndarray, weights: np.ndarray) -> float:
    """The threshold with the highest weighted F of precision and recall in which precision counts twice (F0.5)."""
    scores = [fbeta_score(right, p >= t, beta=0.5, sample_weight=weights, zero_division=0) for t in GRID["S"]]
    return round(float(GRID["S"][int(np.argmax(scores))]), 2)


def contradiction_threshold(p: np.ndarray, right: np.ndarray, weights: np.ndarray) -> float:
    """The lowest threshold from which on the weighted precision is `PRECISION`; the most precise if none is."""
    best = (-1.0, float(GRID["C"][-1]))
    for t in GRID["C"]:
        above = p >= t
        if above.sum() < FEWEST:
            break
        precision = float(np.average(right[above], weights=weights[above]))
        if precision >= PRECISION:
            return round(float(t), 2)
        best = max(best, (precision, float(t)))
    return round(best[1], 2)


def folds(questions: Sequence[str]) -> np.ndarray:
    """A fold for each case, by a hash of its question."""
    digests = [hashlib.sha256(f"fold {question}".encode()).digest() for question in questions]
    return np.array([int.from_bytes(digest[:4], "big") % FOLDS for digest in digests])


def measure(labels: np.ndarray, said: np.ndarray, weights: np.ndarray, p: np.ndarray) -> dict[str, Any]:
    """Weighted precision and recall of both sides, macro-F1, and how often each band of probability is right."""
    found: dict[str, Any] = {}
    for number, name in ((0, "S"), (2, "C")):
        hit = weights[(said == number) & (labels == number)].sum()
        found[name] = {
            "precision": float(hit / max(weights[said == number].sum(), 1e-9)),
            "recall": float(hit / max(weights[labels == number].sum(), 1e-9)),
            "called": int((said == number).sum()),
            "right": int(((said == number) & (labels == number)).sum()),
            "share_called": float(weights[said == number].sum() / weights.sum()),
            "share_true": float(weights[labels == number].sum() / weights.sum()),
        }
    found["macro_f1"] = float(f1_score(labels, said, average="macro", sample_weight=weights, zero_division=0))
    loud = p.max(axis=1)
    side = np.where(p[:, 0] >= p[:, 1], 0, 2)
    bands = {}
    for low in (0.5, 0.6, 0.7, 0.8, 0.9):
        own = (loud >= low) & (loud < low + 0.1 + (low == 0.9))
        if own.any():
            right = side[own] == labels[own]
            bands[f"{low:.1f}"] = {
                "right": int(right.sum()), "n": int(own.sum()),
                "weighted": float(np.average(right, weights=weights[own])), "mean_p": float(np.average(loud[own], weights=weights[own])),
            }  # fmt: skip
    found["bands"] = bands
    return found


def share_bias(labels: np.ndarray, said: np.ndarray, weights: np.ndarray, unit: np.ndarray) -> dict[str, Any]:
    """How much higher each share of claims reads by verdicts than by labels, with its 95% interval; questions are resampled."""
    numbers = {SUPPORT: 0, CONTRA: 2, UNSUPPORTED: 1}
    too_many = [(said == number).astype(float) - (labels == number) for number in numbers.values()]
    above = np.stack(too_many, axis=1) * weights[:, None]
    kinds = [MeanKind() for _ in numbers]
    found = ratio_intervals(list(numbers), above, weights.astype(float), kinds, clusters=unit)
    return {
        name: {"mean": one.mean, "low": one.low, "high": one.high, "n": one.n, "interval": one.how}
        for name, one in found.items()
    }


def average_precision(labels: np.ndarray, p: np.ndarray, weights: np.ndarray, number: int) -> float:
    """Weighted average precision of one side."""
    from sklearn.metrics import average_precision_score

    return float(average_precision_score(labels == number, p, sample_weight=weights))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="embedded model or folder")
    parser.add_argument("--precision", default="fp32")
    parser.add_argument(
        "--support", type=float, help="measure at this threshold of support, a profile's, instead of the best one"
    )
    parser.add_argument(
        "--write", action="store_true", help="write calibrator.json and measured.json beside the weights"
    )
    options = parser.parse_args()
    verifier = NliVerifier(model=options.model, precision=options.precision, cache=False)
    sets = (held_out_cases(), held_out_contrast(), quotes_of(held_out_cases()))
    cases, contrast, quotes = (read_labelled(verifier, rows) for rows in sets)
    negative = [has_negation(row["claim"]) for row in sets[1]]
    fitted, thresholds, measured = calibrate(cases, contrast, quotes, negative, options.support)
    print(json.dumps(measured, indent=1))
    if options.write:
        folder, name = resolve_model(options.model)
        write(Path(folder), name, options.precision, fitted, thresholds, measured)


def read_labelled(verifier: NliVerifier, rows: Sequence[Mapping[str, Any]]) -> Labelled:
    """Cases or contrast claims with the features of their passages."""
    return Labelled(
        read_cases(verifier, rows),
        np.array([LABELS.index(row["label"]) for row in rows]),
        np.array([float(row.get("weight", 1.0)) for row in rows]),
        folds([row["question"] for row in rows]),
        np.array(["p_support" not in row for row in rows]),
        np.unique([row["question"] for row in rows], return_inverse=True)[1],
    )


def calibrate(
    cases: Labelled, contrast: Labelled, quotes: Labelled, negative: Sequence[bool], support: float | None = None
) -> tuple[Fitted, tuple[float, float], dict[str, Any]]:
    """The regression on all, the thresholds, and what is measured out of fold.

    *negative* contrast claims hold a negation. *support* is the threshold of support; None chooses it.
    """
    n, labels, weights = len(cases.labels), cases.labels, cases.weights
    sets = (cases, contrast, quotes)
    ps = [np.zeros((len(own.labels), 2)) for own in sets]
    for i in range(FOLDS):
        fitted = fit(*sets, i)
        for own, its in zip(sets, ps, strict=True):
            its[own.fold == i] = case_probabilities(own.rows, len(its), fitted)[own.fold == i]
    p = ps[0]
    by_fold = [choose_thresholds(p, cases, cases.fold != i, support) for i in range(FOLDS)]
    said, contrast_said, quotes_said = (_called_by_fold(own, its, by_fold) for own, its in zip(sets, ps, strict=True))
    thresholds = choose_thresholds(p, cases, np.ones(n, dtype=bool), support)
    p = bent(p, thresholds[1])
    measured = measure(labels, said, weights, p) | {"bias": share_bias(labels, said, weights, cases.unit)}
    first = cases.first_drawn
    drawn = labels[first], said[first], weights[first]
    measured["first_drawn"] = measure(*drawn, p[first]) | {"bias": share_bias(*drawn, cases.unit[first])}
    measured |= {"n": n, "thresholds": thresholds, "thresholds_by_fold": by_fold}
    measured["average_precision"] = {
        name: average_precision(labels, p[:, side], weights, number)
        for name, side, number in (("S", 0, 0), ("C", 1, 2))
    }
    spared = np.array(negative) & (contrast.labels != 2)
    measured["contrast"] = {
        "n": len(contrast_said),
        "macro_f1": float(f1_score(contrast.labels, contrast_said, average="macro")),
        "contradicted_called_supported": _count(contrast_said, contrast.labels == 2, 0),
        "negated_called_contradicted": _count(contrast_said, spared, 2),
    }
    measured["quotes"] = {
        "supported": _count(quotes_said, quotes.labels == 0, 0),
        "changed_called_supported": _count(quotes_said, quotes.labels == 2, 0),
        "changed_called_contradicted": _count(quotes_said, quotes.labels == 2, 2),
    }
    return fit(*sets, None), thresholds, measured


def _called_by_fold(own: Labelled, p: np.ndarray, thresholds: Sequence[tuple[float, float]]) -> np.ndarray:
    """The class of each case, by the thresholds that were chosen without its fold."""
    said = np.ones(len(p), dtype=int)
    for i, (support, contradict) in enumerate(thresholds):
        said[own.fold == i] = called(bent(p[own.fold == i], contradict), support, TURNING)
    return said


def _count(said: np.ndarray, among: np.ndarray, number: int) -> list[int]:
    """How many of those *among* are called *number*, and how many those are."""
    return [int((said[among] == number).sum()), int(among.sum())]


def bent(p: np.ndarray, turns: float) -> np.ndarray:
    """*p* with its second column raised to the power that carries *turns* to `TURNING`; the smaller side gives way."""
    return cap_sides(np.stack([p[:, 0], p[:, 1] ** power(turns)], axis=1))


def power(turns: float) -> float:
    """What *turns* is raised to to become `TURNING`."""
    return float(np.log(TURNING) / np.log(turns))


def choose_thresholds(p: np.ndarray, cases: Labelled, chosen: np.ndarray, support: float | None) -> tuple[float, float]:
    """The thresholds of support (*support*, if that is given) and of contradiction, on the cases that *chosen* holds."""
    labels, weights = cases.labels[chosen], cases.weights[chosen]
    return (
        support_threshold(p[chosen, 0], labels == 0, weights) if support is None else support,
        contradiction_threshold(p[chosen, 1], labels == 2, weights),
    )


def write(
    folder: Path, name: str, precision: str, fitted: Fitted, thresholds: Sequence[float], measured: Mapping[str, Any]
) -> None:
    """The regression, and what is measured with it, beside the weights in *folder* of the model *name*."""
    content = {
        "features": list(FEATURES),
        "mean": fitted.mean.round(8).tolist(),
        "scale": fitted.scale.round(8).tolist(),
        "coefficients": fitted.pool[0].round(8).tolist(),
        "intercept": fitted.pool[1].round(8).tolist(),
        "balanced": {
            "coefficients": fitted.balanced[0].round(8).tolist(),
            "intercept": fitted.balanced[1].round(8).tolist(),
            "power": round(power(thresholds[1]), 8),
        },
    }
    (folder / "calibrator.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    day = datetime.now(UTC)
    files = [*sorted(folder.glob("*.safetensors")), folder / "calibrator.json", HERE / CASES, HERE / CONTRAST]
    card = {
        "model": name,
        "source": f"{measured['n']:,} claims of real answers that trained nothing (benchmarks/verdicts; half of the answers to "
        "BioASQ and PubMedQA are wrong), read by the makers of the project against the passages given, out of fold, "
        f"{day:%B %Y}",
        "date": f"{day:%Y-%m-%d}",
        "precision": precision,
        "sha256": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files},
        "thresholds": {"support": thresholds[0], "contradiction": TURNING},
        "measured": measured,
    }
    (folder / FILE).write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
