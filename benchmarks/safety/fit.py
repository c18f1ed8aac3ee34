"""Fits what decides on safety flags (`fas/safety/weights.json`), and says what it does out of fold.

    python -m benchmarks.safety.fit

Two kinds of logistic regressions over named features are fitted.

- The heads: the stance of a drug mention, and whose a state is, from mentions labelled by reading: `mentions.jsonl.gz` of
  FAS_DATA_DIR, `mentions.jsonl` and `real_labels.jsonl` here.
- The probability of a finding: from every annotated, blind and realistic case here, and from the real answers of
  `real_labels.jsonl`, whose texts are in FAS_DATA_DIR. A finding is right if its case wants its flag for its drug. Where a
  case bears a flag at several places, the one that the regression finds likeliest is the right one, found in rounds
  (multiple-instance learning). What a set's annotation cannot judge is left out: kinds of flags that are newer than it,
  other findings of a case of which one flag was asked, another name of what was wanted. Of a real answer, what the
  regression finds likely and its reader did not is wrong (hard negatives).

In the table of folds neither has seen the case: the stances that a finding rests on are by heads fitted
to the mentions of the other folds, and the weights in use are fitted on such stances, too.
"""

from __future__ import annotations

import hashlib
import json
import os
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.safety.cases import (
    HERE,
    REAL,
    REALISTIC,
    Item,
    count_flags,
    find_candidates,
    print_counts,
    read_cases,
    read_labelled_cases,
    read_real_answers,
    read_rows,
    select_flags,
    sort_findings,
)
from fas.core.records import Answer
from fas.safety.case import SafetyFinding
from fas.safety.checker import SafetyChecker
from fas.safety.matcher import Mention
from fas.safety.patient import Features, describe_state
from fas.safety.stance import TABLE, Model, read_models
from fas.safety.text import normalise_text

HEADS = {"stance": "D", "state": "P"}
"""The models of mentions, and the tags of those."""
FOLDS = 5
ROUNDS = 3
STANCE_STRENGTH = 0.16  # inverse of the penalty
FINDING_STRENGTH = 0.4
REALISTIC_WEIGHT = 3.0  # of an answer as models write them; a case of the older sets, mostly one sentence, weighs 1
LEAST = 3  # features that stand in fewer rows are left out
HARD = 0.2  # of real answers, only what a regression finds at least so likely counts as wrong
SMALLEST = 0.004  # weights below are left out of the file
# One threshold for each severity, set from the table of folds.
THRESHOLDS = {"high": 0.45, "medium": 0.65, "low": 0.7, "info": 1.1}


@dataclass(frozen=True)
class Labelled:
    """A labelled mention: of a drug (`D`) or of somebody's state (`P`), and the group that its fold is drawn by."""

    kind: str
    features: Features
    label: str
    weight: float
    group: str


def read_labelled_answers() -> Iterator[tuple[str, Answer, list[dict[str, Any]]]]:
    """Each answer whose mentions are labelled, with the group that its fold is drawn by, and its mentions."""
    if "FAS_DATA_DIR" in os.environ:
        for row in read_rows(Path(os.environ["FAS_DATA_DIR"]) / "safety" / "mentions.jsonl.gz"):
            yield row["question"], Answer(row["id"], row["answer"], row["question"]), row["mentions"]
    for row, answer in read_real_answers():
        if "mentions" in row:
            yield answer.question or answer.id, answer, row["mentions"]
    cases = {item.key: item.answer for item in read_labelled_cases()}
    for row in read_rows(HERE / "mentions.jsonl"):
        key = row["case"] + row["set"]
        # Some cases were mended after their mentions had been labelled: these rows bring the text.
        answer = Answer(row["case"], row["answer"], row["question"]) if "answer" in row else cases[key]
        yield key, answer, row["mentions"]


def read_mentions(checker: SafetyChecker) -> Iterator[Labelled]:
    """Each labelled mention with its features; unsure ones weigh half."""
    for group, answer, found in read_labelled_answers():
        reading, _ = checker.read(answer)
        known = {drug.start: drug for drug in reading.drugs}
        starts = [segment.start for segment in reading.segments]
        asked = normalise_text(answer.question or "")
        for mention in found:
            if not mention.get("label"):
                continue
            kind, told = mention["tag"][0], mention.get("where") == "question"
            text = asked if told else reading.text
            start, end = text.position(mention["start"]), text.position(mention["end"])
            number = bisect_right(starts, start) - 1
            weight = 1.0 if mention.get("sure", True) else 0.5
            if told and kind == "P":
                features = describe_state(asked.plain, start, end)
            elif told or number < 0:
                continue
            elif kind == "P":
                features = reading.around(number, start, end)
            elif start in known:
                features = known[start].features
            else:
                named = Mention(start, end, text.plain[start:end], (text.plain[start:end].lower(),))
                features = reading.drug_features(number, named)
            yield Labelled(kind, features, mention["label"], weight, group)


def fit_heads(labelled: Sequence[Labelled]) -> dict[str, Fit]:
    """The stance of drug mentions, and whose the states are."""
    made = {}
    for name, kind in HEADS.items():
        own = [mention for mention in labelled if mention.kind == kind]
        rows, labels, weights = zip(*((m.features, m.label, m.weight) for m in own), strict=True)
        made[name] = Fit(rows, labels, weights, strength=STANCE_STRENGTH, solver="lbfgs")
    return made


def build_matrix(rows: Sequence[Features]) -> tuple[list[str], Any]:
    """The features that stand in enough rows, and the rows by them."""
    from scipy import sparse

    counts = Counter(name for row in rows for name, value in row.items() if value)
    names = sorted(name for name, n in counts.items() if n >= LEAST)
    numbers = {name: n for n, name in enumerate(names)}
    data, columns, ends = [], [], [0]
    for row in rows:
        for name, value in row.items():
            if value and name in numbers:
                columns.append(numbers[name])
                data.append(value)
        ends.append(len(columns))
    return names, sparse.csr_matrix((data, columns, ends), shape=(len(rows), len(names)))


class Fit:
    """A regression of the mentions of a kind or of a family of findings, as scikit-learn fitted it."""

    def __init__(
        self,
        rows: Sequence[Features],
        y: Sequence[int] | Sequence[str],
        weights: Sequence[float],
        *,
        strength: float = FINDING_STRENGTH,
        solver: str = "liblinear",
    ) -> None:
        from sklearn.linear_model import LogisticRegression

        names, x = build_matrix(rows)
        made = LogisticRegression(C=strength, max_iter=400, solver=solver)
        made.fit(x, np.array(y), sample_weight=weights)
        self.classes = [str(name) for name in made.classes_]
        self.bias = [round(float(b), 4) for b in made.intercept_]
        self.weights = {
            name: [round(float(w), 3) for w in made.coef_[:, n]]
            for n, name in enumerate(names)
            if np.abs(made.coef_[:, n]).max() >= SMALLEST
        }

    def stored(self) -> dict[str, Any]:
        """As `weights.json` holds it."""
        return {"classes": self.classes, "bias": self.bias, "weights": self.weights}

    def model(self) -> Model:
        """As the engine reads it."""
        return read_models({"": self.stored()})[""]


def fit_findings(cases: Sequence[Item]) -> dict[str, Fit]:
    """The regression of each family of findings."""
    wrong: dict[str, list[tuple[Features, float]]] = defaultdict(list)
    hard: dict[str, list[Features]] = defaultdict(list)
    right: dict[str, list[tuple[list[SafetyFinding], float]]] = defaultdict(list)
    for item in cases:
        bad, good = sort_findings(item)
        weight = REALISTIC_WEIGHT if item.name in (*REALISTIC, REAL) else 1.0
        for finding in bad:
            if item.name == REAL:
                hard[finding.family].append(finding.features)
            else:
                wrong[finding.family].append((finding.features, weight))
        for found in good.values():
            for family in {finding.family for finding in found}:
                right[family].append(([finding for finding in found if finding.family == family], weight))
    fitted: dict[str, Fit] = {}
    for family, groups in sorted(right.items()):
        # A regression needs both kinds: of a family whose findings were never wrong, one without features was.
        wrong[family] = wrong[family] or [({}, 1.0)]
        model: Model | None = None
        for _ in range(ROUNDS):
            chosen = [max(found, key=partial(_rate_place, model)).features for found, _ in groups]
            # What was hard once stays wrong, or a round would forget what the one before it learned.
            if model is not None:
                likely, hard[family] = split_likely(hard[family], model)
                wrong[family] += [(features, REALISTIC_WEIGHT) for features in likely]
            against = wrong[family]
            rows = [*(own for own, _ in against), *chosen]
            weights = [own_weight for _, own_weight in (*against, *groups)]
            made = Fit(rows, [0] * len(against) + [1] * len(chosen), weights)
            model = made.model()
        fitted[family] = made
    return fitted


def split_likely(found: Sequence[Features], model: Model) -> tuple[list[Features], list[Features]]:
    """What a regression finds likely, and the rest."""
    likely = [features for features in found if model.probability(features) >= HARD]
    return likely, [features for features in found if model.probability(features) < HARD]


def _rate_place(model: Model | None, finding: SafetyFinding) -> float:
    """Which place of a flag is taken for the right one: the likeliest, and before anything is fitted a guess."""
    if model is not None:
        return model.probability(finding.features)
    own = finding.features
    use = own.get("s:use", 0.0) + own.get("N s:use", 0.0)
    return use + 0.1 * own.get("b:same", 0.0) + 0.2 * own.get("b:question", 0.0)


def draw_fold(group: str) -> int:
    """Which fold a group is in."""
    return int(hashlib.md5(group.encode()).hexdigest(), 16) % FOLDS


def print_heads(told: Sequence[tuple[str, str]]) -> None:
    """Print how often each label is told, and told rightly, out of fold; pairs are of what was read and what was told."""
    counted, read, right = Counter(told), Counter(own for own, _ in told), Counter(other for _, other in told)
    print(f"{sum(own == other for own, other in told) / len(told):.3f} of {len(told)} mentions told as labelled")
    print("| label | read | precision | recall |\n|---|--:|--:|--:|")
    for name, n in read.most_common():
        print(f"| {name} | {n} | {counted[name, name] / max(right[name], 1):.2f} | {counted[name, name] / n:.2f} |")


def main() -> None:
    """Fit, print the table of folds, and write the weights."""
    checker = SafetyChecker()
    labelled, cases = list(read_mentions(checker)), list(read_cases())
    told: dict[str, list[tuple[str, str]]] = {name: [] for name in HEADS}
    for number in range(FOLDS):
        fitted_heads = fit_heads([mention for mention in labelled if draw_fold(mention.group) != number])
        heads = {name: own.model() for name, own in fitted_heads.items()}
        find_candidates(checker, heads, [item for item in cases if draw_fold(item.group) == number])
        for name, kind in HEADS.items():
            for own in labelled:
                if own.kind == kind and draw_fold(own.group) == number:
                    odds = heads[name].probabilities(own.features)
                    told[name].append((own.label, max(odds, key=odds.__getitem__)))
    for pairs in told.values():
        print_heads(pairs)
    raised: dict[str, list[SafetyFinding]] = {}
    for number in range(FOLDS):
        fitted = fit_findings([item for item in cases if draw_fold(item.group) != number])
        by_family = {family: own.model() for family, own in fitted.items()}
        raised |= {
            item.key: select_flags(item, by_family, THRESHOLDS) for item in cases if draw_fold(item.group) == number
        }
    counts = count_flags(cases, raised)
    print_counts(counts)
    stored_counts = {name: dict(sorted(own.items())) for name, own in sorted(counts.items())}
    (HERE / "results" / "folds.json").write_text(json.dumps(stored_counts, indent=1) + "\n", encoding="utf-8")
    stored = {name: own.stored() for name, own in (fit_heads(labelled) | fit_findings(cases)).items()}
    text = json.dumps({"thresholds": THRESHOLDS, "models": stored}, separators=(",", ":"), sort_keys=True)
    TABLE.write_text(text.replace("},", "},\n").replace("],", "],\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
