"""Pairs from claims that experts checked against abstracts, read as the verifier reads them: a window at a time.

SciFact's annotators and those of Citation-Integrity marked the sentences that settle a claim. A window that holds all of
them carries the claim's label, one that holds none is neutral. Three fifths of SciFact's claims train; the others, and the
abstracts they share, are kept for the calibrator and for measuring.
"""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

from benchmarks.embedded_models.nli.abstracts import sentences_of
from benchmarks.embedded_models.nli.data import LABELS, MAX_HYPOTHESIS, Pair, read_jsonl
from benchmarks.embedded_models.nli.tasks import CITATION, scifact

NEUTRAL = LABELS.index("neutral")
# Annotators marked enough to settle a claim, not everything that speaks to it.
UNMARKED_WEIGHT = 0.5


def trains(group: str) -> bool:
    """Whether the claims and abstracts of *group* (of `tasks.scifact`) train; three fifths of the groups do."""
    return int(hashlib.sha256(f"scifact:{group}".encode()).hexdigest(), 16) % 5 < 3


def _windows(sentences: list[str], marked: set[str], rng: random.Random) -> list[str]:
    """Two windows of one to three sentences that hold no marked one, if there are so many."""
    runs = [sentences[i : i + rng.choice((1, 2, 2, 3))] for i in range(len(sentences))]
    free = [" ".join(run) for run in runs if not marked.intersection(run)]
    return rng.sample(free, min(2, len(free)))


def _around(sentences: list[str], own: list[str], rng: random.Random) -> str:
    """The marked sentences, sometimes with a neighbour of the first, in the order of the text."""
    first = sentences.index(own[0])
    kept = set(own) | ({sentences[max(0, first - 1)]} if rng.random() < 0.4 else set())
    return " ".join(s for s in sentences if s in kept)


def scifact_pairs(root: Path, *, seed: int) -> list[Pair]:
    """The pairs of SciFact's claims that train; *root* is the training-data folder."""
    rng = random.Random(f"scifact:{seed}")
    abstracts = {
        row["doc_id"]: [" ".join(str(s).split()) for s in row["abstract"]]  # type: ignore[attr-defined]
        for row in read_jsonl(root / "scifact/corpus.jsonl.gz")
    }
    rows = read_jsonl(root / "scifact/claims_train_pairs.jsonl.gz")
    pairs = []
    for row, item in zip(rows, scifact(root.parent), strict=True):
        if not trains(item.group):
            continue
        sentences, label = abstracts[row["doc_id"]], LABELS.index(item.label)
        sets = [[sentences[n] for n in sorted(set(own)) if n < len(sentences)] for own in row["evidence_sets"]]  # type: ignore[attr-defined]
        sets = [own for own in sets if own]
        pairs += [Pair(_around(sentences, own, rng), item.hypothesis, label) for own in sets]
        weight = UNMARKED_WEIGHT if sets else 1.0
        marked = {s for own in sets for s in own}
        pairs += [Pair(text, item.hypothesis, NEUTRAL, weight) for text in _windows(sentences, marked, rng)]
    return pairs


def citation_pairs(root: Path, *, seed: int) -> list[Pair]:
    """The pairs of Citation-Integrity's train part."""
    rng = random.Random(f"citations:{seed}")
    pairs = []
    for row in read_jsonl(root / "citation_integrity/citint_pairs.jsonl.gz"):
        claim = " ".join(CITATION.sub("", str(row["hypothesis"])).split())
        if row["split"] != "train" or not 20 < len(claim) <= MAX_HYPOTHESIS:
            continue
        sentences = sentences_of(str(row["premise"]))
        marked = " ".join(str(row["rationale"]).split())
        if marked:
            more = [s for s in sentences if s not in marked][:1] if rng.random() < 0.4 else []
            pairs.append(Pair(" ".join([marked, *more]), claim, LABELS.index(str(row["label"]))))
        free = [text for text in _windows(sentences, set(), rng) if not marked or marked[:40] not in text]
        weight = UNMARKED_WEIGHT if marked else 1.0
        pairs += [Pair(text, claim, NEUTRAL, weight) for text in free[: 2 if not marked else rng.random() < 0.5]]
    return pairs


def expert_pairs(root: Path, n: int, *, seed: int) -> list[Pair]:
    """At most *n* pairs of both, in random order."""
    pairs = scifact_pairs(root, seed=seed) + citation_pairs(root, seed=seed)
    random.Random(seed).shuffle(pairs)
    return pairs[:n]
