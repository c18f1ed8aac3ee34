"""Pairs from claims that experts checked against abstracts, read as the verifier reads them.

SciFact's annotators marked the sentences of an abstract that settle a claim. The verifier
reads an abstract through the sentence windows most likely to, so those windows are the
premises here: one that holds all of an evidence set carries the claim's label, one that holds
none of it is neutral, one that holds a part is left out. Claims that share an abstract share a
group, so that a fold can keep both away from training.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tasks import CLASSES, scifact

from data import Pair, read_jsonl
from fas.records import Claim, Passage
from fas.records import Pair as VerifierPair
from fas.verify.nli import NliVerifier

FOLDS = 5
# Windows per abstract; the verifier reads the first two, and the others teach what is no evidence.
N_WINDOWS = 4
# Annotators marked enough to settle a claim, not everything that speaks to it.
UNMARKED_WEIGHT = 0.5


class Grouped(NamedTuple):
    """A pair and the group of claims and abstracts it belongs to."""

    pair: Pair
    group: str


class Checked(NamedTuple):
    """A claim that experts checked against an abstract.

    Attributes:
        claim: The claim.
        abstract: The whole abstract.
        label: Index into `CLASSES`.
        evidence: Sets of sentences of the abstract, each of which settles the claim; empty for a neutral one.
        group: As in `Grouped`; empty where no fold is measured.
    """

    claim: str
    abstract: str
    label: int
    evidence: tuple[tuple[str, ...], ...]
    group: str = ""


def fold_of(groups: list[str], seed: int, folds: int = FOLDS) -> dict[str, int]:
    """The fold of each group, the same wherever SciFact is split."""
    names = sorted(set(groups))
    random.Random(seed).shuffle(names)
    return {name: i % folds for i, name in enumerate(names)}


def scifact_claims(root: Path) -> Iterator[Checked]:
    """SciFact's train claims beside the abstracts they cite, in the order of `tasks.scifact`."""
    abstracts = {
        row["doc_id"]: [_plain(str(s)) for s in row["abstract"]]  # type: ignore[union-attr]
        for row in read_jsonl(root / "train/scifact/corpus.jsonl.gz")
    }
    rows = read_jsonl(root / "train/scifact/claims_train_pairs.jsonl.gz")
    for row, item in zip(rows, scifact(root), strict=True):
        sentences = abstracts[row["doc_id"]]
        # In the order of the text, however the annotators listed them.
        evidence = tuple(
            tuple(s for n, s in enumerate(sentences) if n in set(own))
            for own in row["evidence_sets"]  # type: ignore[union-attr]
        )
        yield Checked(item.hypothesis, item.premise, CLASSES.index(item.label), evidence, item.group)


def check_covid_claims(root: Path, split: str) -> Iterator[Checked]:
    """Check-COVID's claims beside whole abstracts that hold the sentence marked as evidence."""
    rows = [row for row in read_jsonl(root / "train/check_covid/check_covid.jsonl.gz") if row["split"] == split]
    marked: dict[str, list[str]] = {}
    for row in rows:
        if row["level"] == "evidence":
            marked.setdefault(str(row["hypothesis"]), []).append(_plain(str(row["premise"])))
    for row in rows:
        if row["level"] == "abstract":
            claim, abstract = str(row["hypothesis"]), str(row["premise"])
            evidence = tuple((text,) for text in marked.get(claim, ()) if text in _plain(abstract))
            if evidence:
                yield Checked(claim, abstract, CLASSES.index(str(row["label"])), evidence)


def expert_pairs(root: Path) -> list[Grouped]:
    """All pairs made of SciFact's train claims.

    Args:
        root: The data folder, above `train`.
    """
    checked = list(scifact_claims(root))
    reader = NliVerifier(windows=N_WINDOWS, precision="fp32", cache=False)
    found: list[Grouped] = []
    asked = [VerifierPair(Claim(item.claim), Passage(item.abstract)) for item in checked]
    for item, near in zip(checked, reader.choose(asked), strict=True):
        sets = [set(own) for own in item.evidence]
        marked = set().union(*sets)
        for window in near.windows:
            text = _plain(window.text)
            held = {sentence for sentence in marked if sentence in text}
            if any(own <= held for own in sets):
                found.append(Grouped(Pair(text, item.claim, item.label), item.group))
            elif not held:
                weight = 1.0 if item.label == 1 else UNMARKED_WEIGHT
                found.append(Grouped(Pair(text, item.claim, 1, weight), item.group))
        for own in item.evidence:
            found.append(Grouped(Pair(" ".join(own), item.claim, item.label), item.group))
    return list(dict.fromkeys(found))


def _plain(text: str) -> str:
    return " ".join(text.split())
