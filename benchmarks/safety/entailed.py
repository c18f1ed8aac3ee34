"""Fits the reader of loosely bound candidates (`fas.safety.entailed`) and says what it does out of fold.

    python -m benchmarks.safety.entailed                # both models; writes fas/safety/entailed.json and the numbers

The cases are every annotated and blind set that has been read, so that none of them is a test of it. A candidate is
right if its case wants a flag of the same family for the same drug. Flags that are newer than the annotation of
`annotated.jsonl` are no candidates there, as its labels cannot judge them. Thresholds are set by hand from the table of
folds (`THRESHOLDS`), which is stored beside the regressions' results.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.safety.blind import drug
from benchmarks.safety.evaluate import NEWER, PAIRS
from fas.models.nli import load_nli
from fas.records import Answer, Flag
from fas.safety.checker import SafetyChecker
from fas.safety.entailed import KINDS, TABLE, Judge
from fas.safety.loosely import Candidate, Kind

HERE = Path(__file__).parent
SETS = ("blind45", "blind44", "blind43", "blind42", "blind41", "blind40", "populations40", "forms40", "annotated")
MODELS = ("fas-nli-base", "fas-nli-mini")
THRESHOLDS: dict[str, dict[Kind, float]] = {
    "fas-nli-base": {"people": 0.5, "patient": 0.5, "dose": 0.5},
    # Of the question's patient it raises twice as much that is wrong as what is right.
    "fas-nli-mini": {"people": 0.5, "patient": 0.9, "dose": 0.5},
}
SHOWN = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
FAMILIES = (
    {"CONTRAINDICATED", "PREGNANCY_RISK", "POPULATION_RISK", "AGE_RESTRICTED"},
    {"DOSE_ABOVE_MAX", "IMPLAUSIBLE_DOSE"},
    {"INTERACTION", "DRUG_PAIR_CONTRAINDICATED"},
    {"ALLERGY_CLASS", "CONTRAINDICATED"},
)
STRENGTH = 0.1  # inverse of the penalty, over standardized features
NEW = 3.0  # weight of a candidate that the rules alone do not raise

Floats = npt.NDArray[np.float64]


class Example(NamedTuple):
    """A candidate with its case, whether the rules raise it too, and whether it is wanted."""

    case: str
    candidate: Candidate
    is_new: bool
    is_right: bool


def examples(name: str) -> Iterator[Example]:
    """The candidates of one set."""
    rows = [json.loads(line) for line in (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    checker = SafetyChecker(nli=None)
    answers = [Answer(row["id"], row["prediction"], question=row.get("question")) for row in rows]
    for row, (every, new) in zip(rows, checker.candidates(answers), strict=True):
        wanted = [(flag["flag"], drug(flag["drug"])) for flag in row["flags"]]
        for candidate in every:
            if name == "annotated" and candidate.flag.flag in NEWER:
                continue
            yield Example(f"{name}:{row['id']}", candidate, candidate in new, _is_wanted(candidate.flag, wanted))


def _is_wanted(flag: Flag, wanted: Sequence[tuple[str, str]]) -> bool:
    family = {flag.flag}.union(*(group for group in FAMILIES if flag.flag in group))
    names = {drug(flag.drug or "")} | ({drug(flag.target or "")} if flag.flag.startswith(PAIRS) else set())
    return any(code in family and name in names for code, name in wanted)


def fit(x: Floats, y: npt.NDArray[np.bool_], weight: Floats) -> tuple[Floats, float]:
    """Weights and bias of a logistic regression, for features as they are."""
    from sklearn.linear_model import LogisticRegression

    mean, spread = x.mean(axis=0), x.std(axis=0)
    spread[spread == 0] = 1.0
    model = LogisticRegression(C=STRENGTH, max_iter=3000).fit((x - mean) / spread, y, sample_weight=weight)
    weights = model.coef_[0] / spread
    return weights, float(model.intercept_[0] - weights @ mean)


def out_of_fold(x: Floats, y: npt.NDArray[np.bool_], weight: Floats, cases: Sequence[str]) -> Floats:
    """The probability of each candidate by a regression that has not seen its case."""
    from sklearn.model_selection import GroupKFold

    p = np.zeros(len(y))
    for train, test in GroupKFold(10).split(x, y, cases):
        weights, bias = fit(x[train], y[train], weight[train])
        p[test] = 1 / (1 + np.exp(-(x[test] @ weights + bias)))
    return p


def table(p: Floats, found: Sequence[Example]) -> dict[str, Any]:
    """Of the candidates that only this reader can raise: cases right and wrong from each threshold on, by kind."""
    rows: dict[str, Any] = {}
    for kind in KINDS:
        of_kind = [(e, q) for e, q in zip(found, p, strict=True) if e.is_new and e.candidate.kind == kind]
        counts = {}
        for threshold in SHOWN:
            raised = [e for e, q in of_kind if q >= threshold]
            right = {e.case for e in raised if e.is_right}
            counts[str(threshold)] = [len(right), len({e.case for e in raised} - right)]
        rows[kind] = {"wanted": len({e.case for e, _ in of_kind if e.is_right}), "right, wrong": counts}
    return rows


def main() -> None:
    """Fit, store, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="+", default=MODELS)
    chosen = parser.parse_args().models
    found = [example for name in SETS for example in examples(name)]
    y = np.array([example.is_right for example in found])
    weight = np.where([example.is_new for example in found], NEW, 1.0)
    cases = [example.case for example in found]
    stored = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.is_file() else {}
    for name in chosen:  # a judge wants its row, of which fitting needs the name alone
        stored.setdefault(name, {"model": "", "weights": [], "bias": 0.0, "thresholds": THRESHOLDS[name]})
    TABLE.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    results = {}
    for name in chosen:
        x = np.array(Judge(name).features([e.candidate for e in found], SafetyChecker(nli=None).conditions))
        weights, bias = fit(x, y, weight)
        stored[name] = {
            "model": load_nli(name).signature,
            "weights": [round(float(value), 5) for value in weights],
            "bias": round(bias, 5),
            "thresholds": THRESHOLDS[name],
        }
        results[name] = table(out_of_fold(x, y, weight, cases), found)
        print(name, json.dumps(results[name], indent=1))
    TABLE.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    result = {"sets": SETS, "candidates": len(found), "right": int(y.sum()), "thresholds": THRESHOLDS, "models": results}
    (HERE / "results" / "entailed.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
