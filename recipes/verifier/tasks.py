"""The sets on which a verifier's model is measured, each as pairs with gold labels; nothing here trains anything."""

from __future__ import annotations

import csv
import gzip
import random
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from recipes.verifier.public import LABELS, read_jsonl

CLASSES = LABELS[:3]
# A reference, as Citation-Integrity's sentences have it.
CITATION = re.compile(r"<\|(?:multi_)?cit\|>")


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


def read_items(root: Path, path: str, *, splits: Sequence[str] = (), cap: int | None = None) -> list[Item]:
    """The pairs of a file below *root*: those of *splits* (all where none is named), a fixed *cap* of them."""
    rows = [row for row in read_jsonl(root / path) if not splits or row.get("split") in splits]
    items = [Item(str(r["premise"]), str(r["hypothesis"]), str(r["label"]), str(r.get("claim_id", ""))) for r in rows]
    return items if cap is None or len(items) <= cap else random.Random(0).sample(items, cap)


def scifact(root: Path) -> list[Item]:
    """SciFact train claims with their cited abstract; grouped by abstract and claim."""
    rows = list(read_jsonl(root / "train/scifact/claims_train_pairs.jsonl.gz"))
    group = _components([(f"c{row['claim_id']}", f"d{row['doc_id']}") for row in rows])
    return [Item(str(r["premise"]), str(r["hypothesis"]), str(r["label"]), group[f"c{r['claim_id']}"]) for r in rows]


def citation_integrity_test(root: Path) -> list[Item]:
    """Citing sentences against the cited article; entailment or not."""
    items = read_items(root, "train/citation_integrity/citint_pairs.jsonl.gz", splits=("test",))
    clean = [Item(i.premise, CITATION.sub("", i.hypothesis), i.label) for i in items]
    return [item for item in clean if item.hypothesis.strip()]


def kqa_physicians(root: Path) -> list[Item]:
    """Physicians' statements judged by three physicians against real model answers."""
    with gzip.open(root / "eval/kqa/NLI_medical_annotator.csv.gz", "rt", encoding="utf-8", newline="") as lines:
        return [
            Item(row["answer"], row["claim"], row["majority_label"].lower(), row["Question"])
            for row in csv.DictReader(lines)
        ]


def by_hand(kind: str, file: str = "pairs_by_hand.tsv") -> list[Item]:
    """Sentences, most of which compare two groups, and what a reader would say of them; ours, most facts invented.

    Args:
        kind: Of `blind_by_hand.tsv` "aims", "negations", "qualifiers" and "topics", written before any model that is measured on
            them was trained; of `pairs_by_hand.tsv` "words" for comparisons that are told, "numbers" for those that have to be read off numbers, "numbers_new"
            for more of these, written by somebody who had seen neither the others nor the rules that read numbers out,
            "numbers_newer" for others written so, after the rules and the made pairs were repaired by what had been
            read wrongly of "numbers_new"; "one_group" for claims that name one of two groups, "small_words" for
            claims that hang on "only", "unless", "most" or a name that says high or low, and "lists" for claims about
            one of several things that are listed, all written so as well.
        file: Where they stand, in this folder.
    """
    with (Path(__file__).parent / file).open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines, delimiter="\t") if row["kind"] == kind]
    return [Item(row["premise"], row["hypothesis"], row["label"]) for row in rows]


def _all_of(path: str, splits: Sequence[str] = (), cap: int | None = None) -> Callable[[Path], list[Item]]:
    return lambda root: read_items(root, path, splits=splits, cap=cap)


TASKS: dict[str, Callable[[Path], list[Item]]] = {
    "snli_test": _all_of("train/snli_devtest/snli_devtest.jsonl.gz", ("snli_test",)),
    # The five-annotator part, MNLI-style.
    "ling_in_loop_val": _all_of("train/ling_in_loop/ling_in_loop.jsonl.gz", ("val",)),
    # Rounds 1 to 3; written against large models.
    "anli_dev": _all_of("train/anli_dev_annotated/anli_dev.jsonl.gz"),
    # Health claims against sentences of papers.
    "healthver_test": _all_of("eval/healthver_test/healthver_test_pairs.jsonl.gz"),
    # Statements about trial sections; entailment or contradiction.
    "nli4ct_test": _all_of("eval/nli4ct_test/nli4ct_test_pairs.jsonl.gz", cap=800),
    "scifact": scifact,
    "citation_integrity_test": citation_integrity_test,
    "kqa_physicians": kqa_physicians,
    **{
        f"{kind}_by_hand": lambda _, kind=kind: by_hand(kind, "blind_by_hand.tsv")  # type: ignore[misc]
        for kind in ("aims", "negations", "qualifiers", "topics")
    },
    **{
        f"{kind}_by_hand": lambda _, kind=kind: by_hand(kind)  # type: ignore[misc]
        for kind in ("words", "numbers", "numbers_new", "numbers_newer", "one_group", "small_words", "lists")
    },
}


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
