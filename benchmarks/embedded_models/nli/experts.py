"""Pairs from claims that experts checked against abstracts, read as the verifier reads them.

SciFact's annotators marked the sentences of an abstract that settle a claim. The verifier
reads an abstract through its sentence windows nearest to the claim, so those windows are the
premises here: one that holds all of an evidence set carries the claim's label, one that holds
none of it is neutral, one that holds a part is left out. Claims that share an abstract share a
group, so that a fold can keep both away from training.
"""

from __future__ import annotations

import random
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


def fold_of(groups: list[str], seed: int, folds: int = FOLDS) -> dict[str, int]:
    """The fold of each group, the same wherever SciFact is split."""
    names = sorted(set(groups))
    random.Random(seed).shuffle(names)
    return {name: i % folds for i, name in enumerate(names)}


def expert_pairs(root: Path) -> list[Grouped]:
    """All pairs made of SciFact's train claims.

    Args:
        root: The data folder, above `train`.
    """
    abstracts = {
        row["doc_id"]: [" ".join(str(s).split()) for s in row["abstract"]]  # type: ignore[union-attr]
        for row in read_jsonl(root / "train/scifact/corpus.jsonl.gz")
    }
    rows = list(read_jsonl(root / "train/scifact/claims_train_pairs.jsonl.gz"))
    groups = [item.group for item in scifact(root)]
    asked = [VerifierPair(Claim(str(row["hypothesis"])), Passage(str(row["premise"]))) for row in rows]
    reader = NliVerifier(windows=N_WINDOWS, cache=False)
    found: list[Grouped] = []
    for row, group, near in zip(rows, groups, reader.choose(asked), strict=True):
        claim, label = str(row["hypothesis"]), CLASSES.index(str(row["label"]))
        sets = [{abstracts[row["doc_id"]][i] for i in own} for own in row["evidence_sets"]]  # type: ignore[union-attr]
        marked = set().union(*sets)
        for window in near.windows:
            text = " ".join(window.text.split())
            held = {sentence for sentence in marked if sentence in text}
            if any(own <= held for own in sets):
                found.append(Grouped(Pair(text, claim, label), group))
            elif not held:
                found.append(Grouped(Pair(text, claim, 1, 1.0 if label == 1 else UNMARKED_WEIGHT), group))
        for own in sets:
            evidence = " ".join(s for s in abstracts[row["doc_id"]] if s in own)
            found.append(Grouped(Pair(evidence, claim, label), group))
    return list(dict.fromkeys(found))
