"""The cases of safety flags: what is checked, which flags each asks for, and what counts as found.

- `annotated.jsonl`, the `blind*.jsonl` and their like: short answers with their flags by the specification.
- `realistic80.jsonl`, `realistic_dev.jsonl`: answers as models write them; `realistic_gate.jsonl` is fitted to nothing.
- `real_labels.jsonl`: what a reader said of findings on real answers, by ids; the texts are in FAS_DATA_DIR.

A case of `annotated` and of the real answers judges every flag, a blind case with a wanted flag that flag alone, a near
miss any flag. Annotators write names as they know them ("dabigatran", "senna"); they are read as ingredients.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from fas.core.records import Answer
from fas.safety.case import SafetyCase, SafetyFinding
from fas.safety.checker import SafetyChecker
from fas.safety.flags import JudgedFinding, drop_repeated_flags, list_findings
from fas.safety.matcher import DrugMatcher
from fas.safety.rules import read_rules, rule_folder
from fas.safety.stance import Model
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
IDS = ("model", "dataset", "q_index", "sample")
"""What names a real answer."""
GATE = "realistic_gate"
"""A set that nothing is fitted to."""
PEOPLE = frozenset({"CONTRAINDICATED", "PREGNANCY_RISK", "POPULATION_RISK", "AGE_RESTRICTED", "ALLERGY_CLASS"})
NAMES = (
    PEOPLE,
    frozenset({"DOSE_ABOVE_MAX", "IMPLAUSIBLE_DOSE"}),
    frozenset({"DRUG_PAIR_CONTRAINDICATED", "INTERACTION"}),
)
NEWER = frozenset({"INTERACTION", "POPULATION_RISK", "IMPLAUSIBLE_DOSE"})
"""Kinds of flags that came after `annotated.jsonl`, which cannot judge them."""
PAIRS = ("DRUG_PAIR", "INTERACTION")  # the flags whose target is a second drug
NOT_COUNTED = ("deferred_to_label", "continuation", "weak", "unread")
SAME = {
    "valproic acid": "valproate", "cholecalciferol": "vitamin d", "floxacillin": "flucloxacillin",
    "insulin aspart": "insulin aspart, human", "st. john's wort": "st. john's wort extract", "mycophenolic acid": "mycophenolate mofetil",
}  # fmt: skip


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


def merge_names(name: str) -> str:
    """One name for an ingredient that goes by several."""
    return SAME.get(name.lower(), name.lower())


@cache
def _names() -> tuple[frozenset[str], DrugMatcher]:
    book = read_rules(rule_folder())
    return frozenset(book.vocabulary.ingredients), DrugMatcher(book.vocabulary, stop=book.stop)


def name_ingredient(name: str) -> str:
    """The vocabulary's name of a drug; *name* itself if it is none that is known."""
    known, matcher = _names()
    if name in known:
        return name
    found = matcher.find(normalise_text(name))
    return found[0].lead if found else name


def read_cases() -> Iterator[Item]:
    """Every case that the weights are fitted to."""
    yield from read_labelled_cases()
    for row, answer in read_real_answers():
        if "flags" in row:
            wanted = [
                Wanted(frozenset({flag}), _list_drugs({"flag": flag, "drug": drug}))
                for flag, drug in row["flags"]["right"]
            ]
            unsure = frozenset((flag, drug) for flag, drug in row["flags"]["unsure"])
            yield Item(REAL, answer.id, answer, wanted, unsure=unsure)


def read_labelled_cases() -> Iterator[Item]:
    """The cases of this folder, the gate aside."""
    yield from _read_older_cases()
    for name in REALISTIC:
        yield from read_realistic(HERE / f"{name}.jsonl")


def _read_older_cases() -> Iterator[Item]:
    for row in read_rows(HERE / "annotated.jsonl"):
        wanted = [
            Wanted(frozenset({flag["flag"]}), _list_drugs(flag))
            for flag in row["flags"]
            if flag.get("status") not in NOT_COUNTED
        ]
        yield Item("annotated", row["id"], Answer(row["id"], row["prediction"], row["question"]), wanted)
    for name in BLIND:
        for row in read_rows(HERE / f"{name}.jsonl"):
            if row.get("kind", "well") == "hinting":
                continue
            wanted = []
            for flag in row["flags"]:
                names = {flag["flag"], *row.get("also", [])}
                names |= {"POPULATION_RISK"} if "CONTRAINDICATED" in names else set()
                wanted.append(Wanted(frozenset(names), _list_drugs(flag)))
            answer = Answer(row["id"], row["prediction"], row["question"])
            yield Item(name, row["id"], answer, wanted[:1], judges_all=not wanted)


def read_real_answers() -> Iterator[tuple[dict[str, Any], Answer]]:
    """The labelled real answers with their texts, which are in FAS_DATA_DIR alone; none without it."""
    if "FAS_DATA_DIR" not in os.environ:
        return
    texts = _read_real_texts(Path(os.environ["FAS_DATA_DIR"]) / "eval")
    for row in read_rows(HERE / f"{REAL}.jsonl"):
        key = tuple(row[name] for name in IDS)
        question, text = texts[key]
        yield row, Answer("|".join(map(str, key)), text, question)


def _read_real_texts(folder: Path) -> dict[tuple[str | int, ...], tuple[str, str]]:
    """Questions and answers by model, data set, number of the row or question, and sample."""
    found: dict[tuple[str | int, ...], tuple[str, str]] = {}
    for path in sorted((folder / "medlfqa" / "predictions").glob("*.jsonl.gz")):
        for row in read_rows(path):
            found[row["model"], row["dataset"], row["q_index"], row["sample"]] = row["question"], row["answer"]
    for path in sorted((folder / "medlfqa").glob("*_test_MedLFQA.jsonl*")):
        for n, row in enumerate(read_rows(path)):
            found["expert", path.name.partition("_test_")[0], n, 0] = row["Question"], row["Free_form_answer"]
    for n, row in enumerate(read_rows(folder / "medlfqa" / "human_evaluation_medlfqa.jsonl.gz")):
        text = next(value for name, value in row.items() if name.startswith("gpt4 ("))
        found["gpt4", "human_evaluation", n, 0] = row["Question"], text
    for n, row in enumerate(read_rows(folder / "medscore" / "AskDocs.jsonl.gz")):
        found["askdocs", "askdocs", n, 0] = row["question"], row["response"]
    with gzip.open(folder / "kqa" / "NLI_medical_annotator.csv.gz", "rt", encoding="utf-8", newline="") as lines:
        for n, row in enumerate(csv.DictReader(lines)):
            found[row["llm_x"], "kqa", n, 0] = row["Question"], row["answer"]
    return found


def read_realistic(path: Path) -> Iterator[Item]:
    """The answers of a file of answers as models write them; its name is that of the set."""
    for row in read_rows(path):
        wanted = [Wanted(frozenset({flag}), None) for flag in row["expect"]]
        yield Item(path.stem, row["id"], Answer(row["id"], row["prediction"], row["question"]), wanted, row["kind"])


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _list_drugs(flag: Mapping[str, str]) -> frozenset[str]:
    names = (flag["drug"], flag.get("target", "")) if flag["flag"].startswith(PAIRS) else (flag["drug"],)
    return frozenset(merge_names(name_ingredient(name)) for name in names if name)


def list_drugs_of(finding: SafetyFinding) -> set[str]:
    """The drugs that a finding is about, as cases write them."""
    if finding.flag.startswith(PAIRS):
        return {merge_names(finding.drug), merge_names(finding.target or "")}
    return {merge_names(finding.drug), merge_names(name_ingredient(finding.drug))}


def is_wanted(finding: SafetyFinding, wanted: Wanted) -> bool:
    """Whether a finding is what a case asks for."""
    if finding.flag not in wanted.names:
        return False
    if wanted.drugs is None:
        return True
    own = list_drugs_of(finding)
    return wanted.drugs <= own if finding.flag.startswith(PAIRS) and len(wanted.drugs) > 1 else bool(wanted.drugs & own)


def is_another_name(finding: SafetyFinding, wanted: Wanted) -> bool:
    """Whether a finding tells what a case asks for by another name, which its annotation does not judge."""
    if wanted.drugs is not None and not wanted.drugs & list_drugs_of(finding):
        return False
    if wanted.drugs is None and finding.flag == "POPULATION_RISK":
        return False
    return any(finding.flag in names and names & wanted.names for names in NAMES)


def sort_findings(item: Item) -> tuple[list[SafetyFinding], dict[int, list[SafetyFinding]]]:
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


def find_candidates(checker: SafetyChecker, stances: Mapping[str, Model], cases: Sequence[Item]) -> None:
    """Read the cases and find what may be raised."""
    for item in cases:
        reading, _ = checker.read(item.answer)
        own = [stances["stance"].probabilities(drug.features) for drug in reading.drugs]
        item.case = SafetyCase(reading, checker.book, own, stances["state"])
        item.found = list_findings(item.case)


def select_flags(item: Item, fitted: Mapping[str, Model], thresholds: Mapping[str, float]) -> list[SafetyFinding]:
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


def count_flags(cases: Sequence[Item], raised: Mapping[str, Sequence[SafetyFinding]]) -> dict[str, Counter[str]]:
    """Right, missed and wrong of each set, and of each flag of the realistic ones.

    Of a set that judges one flag a case, a near miss is wrong once. A pregnancy that a label names among its
    contraindications is the same flag by either name.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for item in cases:
        found = [f for f in raised[item.key] if not (item.name == "annotated" and f.flag in NEWER)]
        if item.name not in (REAL, "annotated", *BLIND):
            want = {name for wanted in item.wanted for name in wanted.names}
            got = {_name_pregnancy(finding, want) for finding in found}
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


def _name_pregnancy(finding: SafetyFinding, want: set[str]) -> str:
    in_pregnancy = finding.flag == "CONTRAINDICATED" and (finding.target or "").startswith("pregnancy")
    return "PREGNANCY_RISK" if in_pregnancy and "CONTRAINDICATED" not in want else finding.flag


def print_counts(counts: Mapping[str, Counter[str]]) -> None:
    """Print the counts with precision and recall."""
    print("| set | right | missed | wrong | precision | recall |\n|---|--:|--:|--:|--:|--:|")
    for name, own in counts.items():
        right, missed, wrong = own["right"], own["missed"], own["wrong"]
        precision = f"{right / (right + wrong):.3f}" if right + wrong else "-"
        recall = f"{right / (right + missed):.3f}" if right + missed else "-"
        print(f"| {name} | {right} | {missed} | {wrong} | {precision} | {recall} |")
