"""The sets on which the embedded NLI model is measured, each as pairs with gold labels.

Nothing here is used in training, but for three fifths of SciFact's claims and their abstracts (`experts.trains`), which
measure nothing then. Sets of pairs with short premises are given to the
cross-encoder as they are; those with abstracts or trial sections go through the verifier,
which reads them in windows.
"""

from __future__ import annotations

import csv
import gzip
import random
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from benchmarks.embedded_models.nli.data import read_jsonl

CLASSES = ("entailment", "neutral", "contradiction")


def chosen(p: np.ndarray, labels: Collection[str]) -> np.ndarray:
    """The class of each row of *p*, shape `[n, 3]`: the likeliest, among the other two where *labels* know no neutral."""
    return p.argmax(axis=1) if "neutral" in labels else np.where(p[:, 0] >= p[:, 2], 0, 2)


@dataclass(frozen=True, slots=True)
class Item:
    """A pair with its gold label; `group` keeps items together that must not be split."""

    premise: str
    hypothesis: str
    label: str
    group: str = ""


def read_items(
    root: Path, path: str, *, splits: tuple[str, ...] = (), levels: tuple[str, ...] = (), cap: int | None = None
) -> list[Item]:
    """The pairs of a file below *root*: those of *splits* and *levels* (all where none is named), a fixed *cap* of them."""
    rows = [
        row
        for row in read_jsonl(root / path)
        if (not splits or row.get("split") in splits) and (not levels or row.get("level") in levels)
    ]
    items = [Item(str(r["premise"]), str(r["hypothesis"]), str(r["label"]), str(r.get("claim_id", ""))) for r in rows]
    if cap is not None and len(items) > cap:
        items = random.Random(0).sample(items, cap)
    return items


def snli_test(root: Path) -> list[Item]:
    """SNLI test."""
    return read_items(root, "train/snli_devtest/snli_devtest.jsonl.gz", splits=("snli_test",))


def ling_in_loop(root: Path) -> list[Item]:
    """The five-annotator part, MNLI-style."""
    return read_items(root, "train/ling_in_loop/ling_in_loop.jsonl.gz", splits=("val",))


def anli_dev(root: Path) -> list[Item]:
    """ANLI dev, rounds 1 to 3; written against large models."""
    return read_items(root, "train/anli_dev_annotated/anli_dev.jsonl.gz")


def healthver_test(root: Path) -> list[Item]:
    """Health claims against sentences of papers."""
    return read_items(root, "eval/healthver_test/healthver_test_pairs.jsonl.gz")


def nli4ct_test(root: Path) -> list[Item]:
    """Statements about trial sections; entailment or contradiction. A fixed sample of 800."""
    return read_items(root, "eval/nli4ct_test/nli4ct_test_pairs.jsonl.gz", cap=800)


def scifact(root: Path) -> list[Item]:
    """SciFact train claims with their cited abstract; grouped by abstract and claim."""
    rows = list(read_jsonl(root / "train/scifact/claims_train_pairs.jsonl.gz"))
    group = _components([(f"c{row['claim_id']}", f"d{row['doc_id']}") for row in rows])
    return [Item(str(r["premise"]), str(r["hypothesis"]), str(r["label"]), group[f"c{r['claim_id']}"]) for r in rows]


def citation_integrity_test(root: Path) -> list[Item]:
    """Citing sentences against the cited article; entailment or not."""
    items = read_items(root, "train/citation_integrity/citint_pairs.jsonl.gz", splits=("test",))
    clean = [Item(i.premise, i.hypothesis.replace("<|cit|>", "").replace("<|multi_cit|>", ""), i.label) for i in items]
    return [item for item in clean if item.hypothesis.strip()]


def kqa_physicians(root: Path) -> list[Item]:
    """Physicians' statements judged by three physicians against real model answers."""
    with gzip.open(root / "eval/kqa/NLI_medical_annotator.csv.gz", "rt", encoding="utf-8", newline="") as lines:
        return [
            Item(row["answer"], row["claim"], row["majority_label"].lower(), row["Question"])
            for row in csv.DictReader(lines)
        ]


def by_hand(kind: str) -> list[Item]:
    """Sentences, most of which compare two groups, and what a reader would say of them; ours, most facts invented.

    Args:
        kind: "words" for comparisons that are told, "numbers" for those that have to be read off numbers, "numbers_new"
            for more of these, written by somebody who had seen neither the others nor the rules that read numbers out,
            "numbers_newer" for others written so, after the rules and the made pairs were repaired by what had been
            read wrongly of "numbers_new"; "one_group" for claims that name one of two groups, "small_words" for
            claims that hang on "only", "unless", "most" or a name that says high or low, and "lists" for claims about
            one of several things that are listed, all written so as well.
    """
    with (Path(__file__).parent / "pairs_by_hand.tsv").open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines, delimiter="\t") if row["kind"] == kind]
    return [Item(row["premise"], row["hypothesis"], row["label"]) for row in rows]


TASKS: dict[str, Callable[[Path], list[Item]]] = {
    "snli_test": snli_test,
    "ling_in_loop_val": ling_in_loop,
    "anli_dev": anli_dev,
    "healthver_test": healthver_test,
    "nli4ct_test": nli4ct_test,
    "scifact": scifact,
    "citation_integrity_test": citation_integrity_test,
    "kqa_physicians": kqa_physicians,
    "words_by_hand": lambda _: by_hand("words"),
    "numbers_by_hand": lambda _: by_hand("numbers"),
    "numbers_new_by_hand": lambda _: by_hand("numbers_new"),
    "numbers_newer_by_hand": lambda _: by_hand("numbers_newer"),
    "one_group_by_hand": lambda _: by_hand("one_group"),
    "small_words_by_hand": lambda _: by_hand("small_words"),
    "lists_by_hand": lambda _: by_hand("lists"),
}
# Judged by the bare cross-encoder, rather than by the verifier (windows, calibrator).
SHORT = ("snli_test", "ling_in_loop_val", "anli_dev")


def _components(edges: list[tuple[str, str]]) -> dict[str, str]:
    """Connected components of a graph: node to a representative."""
    parent: dict[str, str] = {}

    def find(node: str) -> str:
        parent.setdefault(node, node)
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for left, right in edges:
        parent[find(left)] = find(right)
    return {node: find(node) for node in list(parent)}
