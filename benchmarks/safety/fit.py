"""Fits what decides on safety flags (`fas/safety/weights.json`), and says what it does out of fold.

    python -m benchmarks.safety.fit                 # folds, the table of them, and the weights
    python -m benchmarks.safety.fit --gate          # what the weights in use find of realistic_gate.jsonl; fits nothing

Two kinds of logistic regressions over named features are fitted.

- The heads: the stance of a drug mention, and whose a state is, from mentions labelled by reading: `mentions.jsonl.gz` of
  FAS_DATA_DIR, `mentions.jsonl` and `real_labels.jsonl` here, with `first_heads.json` as the prior.
- The probability of a finding: from every annotated, blind and realistic case here, and from the real answers of
  `real_labels.jsonl`, whose texts are in FAS_DATA_DIR. A finding is right if its case wants its flag for its drug. Where a
  case bears a flag at several places, the one that the regression finds likeliest is the right one, found in rounds
  (multiple-instance learning). What a set's annotation cannot judge is left out: kinds of flags that are newer than it,
  other findings of a case of which one flag was asked, another name of what was wanted. Of a real answer, what the
  regression finds likely and its reader did not is wrong (hard negatives).

In the table of folds neither has seen the case, the prior aside: the stances that a finding rests on are by heads fitted
to the mentions of the other folds, and the weights in use are fitted on such stances, too.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import json
import os
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.safety.blind import drug as same
from benchmarks.safety.evaluate import NEWER, NOT_COUNTED, PAIRS, ingredient
from fas.core.records import Answer
from fas.safety.checker import SafetyChecker
from fas.safety.case import SafetyCase, SafetyFinding
from fas.safety.flags import JudgedFinding, list_findings, drop_repeated_flags
from fas.safety.matcher import Mention
from fas.safety.patient import Features, describe_state
from fas.safety.stance import TABLE, Model, load_models, read_models
from fas.safety.text import normalise_text

HERE = Path(__file__).resolve().parent
BLIND = (
    "blind40",
    "blind41",
    "blind42",
    "blind43",
    "blind44",
    "blind45",
    "blind46",
    "blind47",
    "forms40",
    "populations40",
    "contradictions40",
)
REALISTIC = ("realistic80", "realistic_dev")
REAL = "real_labels"
"""Answers of models to MedLFQA's questions, kept as ids: labelled mentions, and what a reader said of their findings."""
GATE = "realistic_gate"
"""A set that nothing is fitted to."""
PEOPLE = frozenset({"CONTRAINDICATED", "PREGNANCY_RISK", "POPULATION_RISK", "AGE_RESTRICTED", "ALLERGY_CLASS"})
NAMES = (
    PEOPLE,
    frozenset({"DOSE_ABOVE_MAX", "IMPLAUSIBLE_DOSE"}),
    frozenset({"DRUG_PAIR_CONTRAINDICATED", "INTERACTION"}),
)
HEADS = {"stance": "D", "state": "P"}
"""The models of mentions, and the tags of those."""
FIRST_HEADS = HERE / "first_heads.json"
"""Heads fitted to 6,551 labels, of which 3,900 are in no file: what new ones are added to."""
FOLDS = 5
ROUNDS = 3
STANCE_STRENGTH = 0.08  # inverse of the penalty
FINDING_STRENGTH = 0.4
REALISTIC_WEIGHT = 3.0  # of an answer as models write them; a case of the older sets, mostly one sentence, weighs 1
LEAST = 3  # features that stand in fewer rows are left out
HARD = 0.2  # of real answers, only what a regression finds at least so likely counts as wrong
SMALLEST = 0.004  # weights below are left out of the file
# One threshold for each severity, set from the table of folds.
THRESHOLDS = {"high": 0.45, "medium": 0.5, "low": 0.6, "info": 1.1}


@dataclass
class Wanted:
    """A flag that a case asks for: by any of its names, of any of these drugs (None: of any drug)."""

    names: frozenset[str]
    drugs: frozenset[str] | None


@dataclass
class Item:
    """A case with its findings.

    Attributes:
        name: Its set.
        id: Its id, within the set.
        answer: What is checked.
        wanted: The flags it asks for.
        kind: What it tries.
        judges_all: Whether what it does not ask for is wrong.
        unsure: Flags with their drugs that its reader left undecided.
    """

    name: str
    id: str
    answer: Answer
    wanted: list[Wanted]
    kind: str = ""
    judges_all: bool = True
    unsure: frozenset[tuple[str, str]] = frozenset()
    case: SafetyCase | None = None
    found: list[SafetyFinding] = field(default_factory=list)

    @property
    def key(self) -> str:
        """What identifies it."""
        return f"{self.id}{self.name}"

    @property
    def group(self) -> str:
        """What its fold is drawn by: of a real answer its question, which other models answered, too."""
        return self.answer.question or self.id if self.name == REAL else self.key


def items() -> Iterator[Item]:
    """Every case."""
    yield from _older_cases()
    for name in REALISTIC:
        yield from realistic(name)
    for row, answer in real_answers():
        if "flags" in row:
            wanted = [
                Wanted(frozenset({flag}), _drugs({"flag": flag, "drug": drug})) for flag, drug in row["flags"]["right"]
            ]
            unsure = frozenset((flag, drug) for flag, drug in row["flags"]["unsure"])
            yield Item(REAL, answer.id, answer, wanted, unsure=unsure)


def _older_cases() -> Iterator[Item]:
    for row in _rows(HERE / "annotated.jsonl"):
        wanted = [
            Wanted(frozenset({flag["flag"]}), _drugs(flag))
            for flag in row["flags"]
            if flag.get("status") not in NOT_COUNTED
        ]
        yield Item("annotated", row["id"], Answer(row["id"], row["prediction"], row["question"]), wanted)
    for name in BLIND:
        for row in _rows(HERE / f"{name}.jsonl"):
            if row.get("kind", "well") == "hinting":
                continue
            wanted = []
            for flag in row["flags"]:
                names = {flag["flag"], *row.get("also", [])}
                names |= {"POPULATION_RISK"} if "CONTRAINDICATED" in names else set()
                wanted.append(Wanted(frozenset(names), _drugs(flag)))
            answer = Answer(row["id"], row["prediction"], row["question"])
            yield Item(name, row["id"], answer, wanted[:1], judges_all=not wanted)


def real_answers() -> Iterator[tuple[dict[str, Any], Answer]]:
    """The labelled real answers with their texts, which are in FAS_DATA_DIR alone; none without it."""
    if "FAS_DATA_DIR" not in os.environ:
        return
    texts = _real_texts(Path(os.environ["FAS_DATA_DIR"]) / "eval")
    for row in _rows(HERE / f"{REAL}.jsonl"):
        key = tuple(row[name] for name in ("model", "dataset", "q_index", "sample"))
        question, text = texts[key]
        yield row, Answer("|".join(map(str, key)), text, question)


def _real_texts(folder: Path) -> dict[tuple[str | int, ...], tuple[str, str]]:
    """Questions and answers by model, data set, number of the row or question, and sample."""
    found: dict[tuple[str | int, ...], tuple[str, str]] = {}
    for path in sorted((folder / "medlfqa" / "predictions").glob("*.jsonl.gz")):
        for row in _rows(path):
            found[row["model"], row["dataset"], row["q_index"], row["sample"]] = row["question"], row["answer"]
    for path in sorted((folder / "medlfqa").glob("*_test_MedLFQA.jsonl*")):
        for n, row in enumerate(_rows(path)):
            found["expert", path.name.partition("_test_")[0], n, 0] = row["Question"], row["Free_form_answer"]
    for n, row in enumerate(_rows(folder / "medlfqa" / "human_evaluation_medlfqa.jsonl.gz")):
        text = next(value for name, value in row.items() if name.startswith("gpt4 ("))
        found["gpt4", "human_evaluation", n, 0] = row["Question"], text
    with gzip.open(folder / "kqa" / "NLI_medical_annotator.csv.gz", "rt", encoding="utf-8", newline="") as lines:
        for n, row in enumerate(csv.DictReader(lines)):
            found[row["llm_x"], "kqa", n, 0] = row["Question"], row["answer"]
    return found


def realistic(name: str) -> Iterator[Item]:
    """The answers of a set as models write them."""
    for row in _rows(HERE / f"{name}.jsonl"):
        wanted = [Wanted(frozenset({flag}), None) for flag in row["expect"]]
        yield Item(name, row["id"], Answer(row["id"], row["prediction"], row["question"]), wanted, row["kind"])


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _drugs(flag: Mapping[str, str]) -> frozenset[str]:
    names = (flag["drug"], flag.get("target", "")) if flag["flag"].startswith(PAIRS) else (flag["drug"],)
    return frozenset(same(ingredient(name)) for name in names if name)


def drugs_of(finding: SafetyFinding) -> set[str]:
    """The drugs that a finding is about, as cases write them."""
    if finding.flag.startswith(PAIRS):
        return {same(finding.drug), same(finding.target or "")}
    return {same(finding.drug), same(ingredient(finding.drug))}


def is_wanted(finding: SafetyFinding, wanted: Wanted) -> bool:
    """Whether a finding is what a case asks for."""
    if finding.flag not in wanted.names:
        return False
    if wanted.drugs is None:
        return True
    own = drugs_of(finding)
    return wanted.drugs <= own if finding.flag.startswith(PAIRS) and len(wanted.drugs) > 1 else bool(wanted.drugs & own)


def is_another_name(finding: SafetyFinding, wanted: Wanted) -> bool:
    """Whether a finding tells what a case asks for by another name, which its annotation does not judge."""
    if wanted.drugs is not None and not wanted.drugs & drugs_of(finding):
        return False
    if wanted.drugs is None and finding.flag == "POPULATION_RISK":
        return False
    return any(finding.flag in names and names & wanted.names for names in NAMES)


def labels(item: Item) -> tuple[list[SafetyFinding], dict[int, list[SafetyFinding]]]:
    """The findings of a case that are wrong, and those of each flag that it asks for."""
    wrong: list[SafetyFinding] = []
    right: dict[int, list[SafetyFinding]] = defaultdict(list)
    for finding in item.found:
        if (finding.flag, finding.drug) in item.unsure:
            continue
        number = next((n for n, wanted in enumerate(item.wanted) if is_wanted(finding, wanted)), None)
        if number is not None:
            right[number].append(finding)
        elif any(is_another_name(finding, wanted) for wanted in item.wanted) or not item.judges_all:
            continue
        elif not (item.name == "annotated" and finding.flag in NEWER):
            wrong.append(finding)
    return wrong, right


@dataclass(frozen=True)
class Labelled:
    """A labelled mention: of a drug (`D`) or of somebody's state (`P`), and the group that its fold is drawn by."""

    kind: str
    features: Features
    label: str
    weight: float
    group: str


def labelled_answers() -> Iterator[tuple[str, Answer, list[dict[str, Any]]]]:
    """Each answer whose mentions are labelled, with the group that its fold is drawn by, and its mentions."""
    if "FAS_DATA_DIR" in os.environ:
        for row in _rows(Path(os.environ["FAS_DATA_DIR"]) / "safety" / "mentions.jsonl.gz"):
            yield row["question"], Answer(row["id"], row["answer"], row["question"]), row["mentions"]
    for row, answer in real_answers():
        if "mentions" in row:
            yield answer.question or answer.id, answer, row["mentions"]
    cases = {item.key: item.answer for item in (*_older_cases(), *(i for name in REALISTIC for i in realistic(name)))}
    for row in _rows(HERE / "mentions.jsonl"):
        key = row["case"] + row["set"]
        # Some cases were mended after their mentions had been labelled: these rows bring the text.
        answer = Answer(row["case"], row["answer"], row["question"]) if "answer" in row else cases[key]
        yield key, answer, row["mentions"]


def mentions(checker: SafetyChecker) -> Iterator[Labelled]:
    """Each labelled mention with its features; unsure ones weigh half."""
    for group, answer, found in labelled_answers():
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


def fit_heads(labelled: Sequence[Labelled]) -> dict[str, dict[str, Any]]:
    """The stance of drug mentions, and whose the states are, as `weights.json` holds them.

    What the first heads had learned from labels that are kept nowhere is the prior: the penalty is on what is changed.
    """
    from scipy.optimize import minimize

    made: dict[str, dict[str, Any]] = {}
    for name, first in json.loads(FIRST_HEADS.read_text(encoding="utf-8")).items():
        own = [mention for mention in labelled if mention.kind == HEADS[name]]
        names, x = matrix([mention.features | {"": 1.0} for mention in own])
        before = np.array([[*first["weights"].get(n, [0.0] * len(first["classes"]))] for n in names])
        before[names.index("")] = first["bias"]
        y = np.array([[label == mention.label for label in first["classes"]] for mention in own], dtype=float)
        weights = np.array([[mention.weight] for mention in own])

        def loss(flat: Any, x: Any = x, y: Any = y, weights: Any = weights, before: Any = before) -> tuple[float, Any]:
            added = flat.reshape(before.shape)
            odds = x @ (before + added)
            logs = odds - np.logaddexp.reduce(odds, axis=1, keepdims=True)
            slope = x.T @ ((np.exp(logs) - y) * weights)
            lost = -float((weights * y * logs).sum())
            return STANCE_STRENGTH * lost + 0.5 * float(flat @ flat), STANCE_STRENGTH * slope.ravel() + flat

        added = minimize(loss, np.zeros(before.size), jac=True, method="L-BFGS-B", options={"maxiter": 200}).x
        both = dict(zip(names, (before + added.reshape(before.shape)).tolist(), strict=True))
        bias = both.pop("")
        kept = {n: w for n, w in sorted((first["weights"] | both).items()) if max(map(abs, w)) >= SMALLEST}
        made[name] = {
            "classes": first["classes"],
            "bias": [round(b, 4) for b in bias],
            "weights": {n: [round(w, 3) for w in own_weights] for n, own_weights in kept.items()},
        }
    return made


def matrix(rows: Sequence[Features]) -> tuple[list[str], Any]:
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
    """A regression of a family of findings, as scikit-learn fitted it."""

    def __init__(self, rows: Sequence[Features], y: Sequence[int], weights: Sequence[float]) -> None:
        from sklearn.linear_model import LogisticRegression

        names, x = matrix(rows)
        made = LogisticRegression(C=FINDING_STRENGTH, max_iter=400, solver="liblinear")
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
        bad, good = labels(item)
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
            chosen = [max(found, key=partial(_worth, model)).features for found, _ in groups]
            # What was hard once stays wrong, or a round would forget what the one before it learned.
            if model is not None:
                likely, hard[family] = split(hard[family], model)
                wrong[family] += [(features, REALISTIC_WEIGHT) for features in likely]
            against = wrong[family]
            rows = [*(own for own, _ in against), *chosen]
            weights = [own_weight for _, own_weight in (*against, *groups)]
            made = Fit(rows, [0] * len(against) + [1] * len(chosen), weights)
            model = made.model()
        fitted[family] = made
    return fitted


def split(found: Sequence[Features], model: Model) -> tuple[list[Features], list[Features]]:
    """What a regression finds likely, and the rest."""
    likely = [features for features in found if model.probability(features) >= HARD]
    return likely, [features for features in found if model.probability(features) < HARD]


def _worth(model: Model | None, finding: SafetyFinding) -> float:
    """Which place of a flag is taken for the right one: the likeliest, and before anything is fitted a guess."""
    if model is not None:
        return model.probability(finding.features)
    own = finding.features
    use = own.get("s:use", 0.0) + own.get("N s:use", 0.0)
    return use + 0.1 * own.get("b:same", 0.0) + 0.2 * own.get("b:question", 0.0)


def judged(item: Item, fitted: Mapping[str, Model], thresholds: Mapping[str, float]) -> list[SafetyFinding]:
    """The findings of a case that regressions and thresholds make flags."""
    best: dict[tuple[str, str, str | None], JudgedFinding] = {}
    for finding in item.found:
        if finding.family not in fitted:
            continue
        found = JudgedFinding(finding, fitted[finding.family].probability(finding.features))
        key = (finding.flag, finding.drug, finding.target)
        if key not in best or best[key].probability < found.probability:
            best[key] = found
    assert item.case is not None
    told = drop_repeated_flags(item.case, [f for f in best.values() if f.probability >= thresholds[f.finding.severity]])
    return [found.finding for found in told]


def score(cases: Sequence[Item], raised: Mapping[str, Sequence[SafetyFinding]]) -> dict[str, Counter[str]]:
    """Right, missed and wrong of each set, and of each flag of the realistic ones.

    Of a set that judges one flag a case, a near miss is wrong once. A pregnancy that a label names among its
    contraindications is the same flag by either name.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for item in cases:
        found = [f for f in raised[item.key] if not (item.name == "annotated" and f.flag in NEWER)]
        if item.name in (*REALISTIC, GATE):
            want = {name for wanted in item.wanted for name in wanted.names}
            got = {_as_named(finding, want) for finding in found}
            for kind, names in (("right", want & got), ("missed", want - got), ("wrong", got - want)):
                for name in names:
                    counts[item.name][kind] += 1
                    counts[f"{item.name} {name}"][kind] += 1
            continue
        missed = [wanted for wanted in item.wanted if not any(is_wanted(f, wanted) for f in found)]
        counts[item.name]["right"] += len(item.wanted) - len(missed)
        counts[item.name]["missed"] += len(missed)
        if item.judges_all:
            bad = {(f.flag, f.drug) for f in found if not any(is_wanted(f, w) for w in item.wanted)} - item.unsure
            counts[item.name]["wrong"] += len(bad) if item.name in ("annotated", REAL) else bool(bad)
    return counts


def _as_named(finding: SafetyFinding, want: set[str]) -> str:
    in_pregnancy = finding.flag == "CONTRAINDICATED" and (finding.target or "").startswith("pregnancy")
    return "PREGNANCY_RISK" if in_pregnancy and "CONTRAINDICATED" not in want else finding.flag


def fold(group: str) -> int:
    """Which fold a group is in."""
    return int(hashlib.md5(group.encode()).hexdigest(), 16) % FOLDS


def prepared(checker: SafetyChecker, stances: Mapping[str, Model], cases: Sequence[Item]) -> None:
    """Read the cases and find what may be raised."""
    for item in cases:
        reading, _ = checker.read(item.answer)
        own = [stances["stance"].probabilities(drug.features) for drug in reading.drugs]
        item.case = SafetyCase(reading, checker.book, own, stances["state"])
        item.found = list_findings(item.case)


def show(counts: Mapping[str, Counter[str]]) -> None:
    """Print the counts with precision and recall."""
    print("| set | right | missed | wrong | precision | recall |\n|---|--:|--:|--:|--:|--:|")
    for name, own in counts.items():
        right, missed, wrong = own["right"], own["missed"], own["wrong"]
        precision = f"{right / (right + wrong):.3f}" if right + wrong else "-"
        recall = f"{right / (right + missed):.3f}" if right + missed else "-"
        print(f"| {name} | {right} | {missed} | {wrong} | {precision} | {recall} |")


def show_heads(told: Sequence[tuple[str, str]]) -> None:
    """Print how often each label is told, and told rightly, out of fold; pairs are of what was read and what was told."""
    counted, read, right = Counter(told), Counter(own for own, _ in told), Counter(other for _, other in told)
    print(f"{sum(own == other for own, other in told) / len(told):.3f} of {len(told)} mentions told as labelled")
    print("| label | read | precision | recall |\n|---|--:|--:|--:|")
    for name, n in read.most_common():
        print(f"| {name} | {n} | {counted[name, name] / max(right[name], 1):.2f} | {counted[name, name] / n:.2f} |")


def main() -> None:
    """Fit, print the table of folds, and write the weights."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--gate", action="store_true", help="count the gate set by the weights in use, and fit nothing"
    )
    given = options.parse_args()
    checker = SafetyChecker()
    if given.gate:
        unread = list(realistic(GATE))
        prepared(checker, load_models(), unread)
        show(score(unread, {item.key: judged(item, load_models(), THRESHOLDS) for item in unread}))
        return
    labelled, cases = list(mentions(checker)), list(items())
    told: dict[str, list[tuple[str, str]]] = {name: [] for name in HEADS}
    for number in range(FOLDS):
        heads = read_models(fit_heads([mention for mention in labelled if fold(mention.group) != number]))
        prepared(checker, heads, [item for item in cases if fold(item.group) == number])
        for name, kind in HEADS.items():
            for own in labelled:
                if own.kind == kind and fold(own.group) == number:
                    odds = heads[name].probabilities(own.features)
                    told[name].append((own.label, max(odds, key=odds.__getitem__)))
    for pairs in told.values():
        show_heads(pairs)
    raised: dict[str, list[SafetyFinding]] = {}
    for number in range(FOLDS):
        fitted = fit_findings([item for item in cases if fold(item.group) != number])
        by_family = {family: own.model() for family, own in fitted.items()}
        raised |= {item.key: judged(item, by_family, THRESHOLDS) for item in cases if fold(item.group) == number}
    counts = score(cases, raised)
    show(counts)
    stored_counts = {name: dict(sorted(own.items())) for name, own in sorted(counts.items())}
    (HERE / "results" / "folds.json").write_text(json.dumps(stored_counts, indent=1) + "\n", encoding="utf-8")
    stored = fit_heads(labelled) | {name: own.stored() for name, own in fit_findings(cases).items()}
    text = json.dumps({"thresholds": THRESHOLDS, "models": stored}, separators=(",", ":"), sort_keys=True)
    TABLE.write_text(text.replace("},", "},\n").replace("],", "],\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
