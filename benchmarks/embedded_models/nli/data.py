"""Premise-hypothesis pairs for training the embedded NLI model, one mixture per stage.

Only sets whose licence allows shipped weights are listed (see the data table in
`../README.md`). Every pair whose premise occurs in a set that measures is dropped, so that a test stays a test;
from those sets nothing else is read here.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

# Class order of the model; index 3 is the two-way label "neutral or contradiction",
# which the loss marginalises.
LABELS = ("entailment", "neutral", "contradiction", "not_entailment")
# Of a pair that only a teacher has judged.
UNLABELLED = -1

MAX_HYPOTHESIS = 450
"""Longest hypothesis in characters; well under the shortest training window of 160 tokens for English text."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One training example.

    Attributes:
        premise: What is taken as given.
        hypothesis: What is judged by it.
        label: Index into `LABELS`, or `UNLABELLED`.
        weight: Multiplies the pair's loss.
        taught: P of entailment, neutral and contradiction as a teacher says, if one was asked.
    """

    premise: str
    hypothesis: str
    label: int
    weight: float = 1.0
    taught: tuple[float, float, float] | None = None


def distinct_pairs(n: int, make: Callable[[], Pair | None]) -> list[Pair]:
    """*n* different pairs that *make* made, in its order; what is None, made before, or repeats its premise is made anew."""
    found: dict[tuple[str, str], Pair] = {}
    while len(found) < n:
        made = make()
        if made is not None and made.premise != made.hypothesis:
            found.setdefault((made.premise, made.hypothesis), made)
    return list(found.values())


@dataclass(frozen=True, slots=True)
class Source:
    """One data set's share of a stage.

    Attributes:
        path: File below the training-data folder.
        cap: How many pairs are drawn at most (all, if there are fewer).
        splits: Values of the field `split` that may be used; empty means all.
        weight: Loss weight, below 1 for labels known to be noisy.
        relabel: Label names that mean something else in this set.
    """

    path: str
    cap: int = 10**9
    splits: tuple[str, ...] = ()
    weight: float = 1.0
    relabel: tuple[tuple[str, str], ...] = ()


def _curriculum(name: str, cap: int) -> Source:
    return Source(f"curriculum_ling/core/{name}.jsonl.gz", cap, weight=0.7)


GENERAL = (
    Source("snli_train_18k/snli_train_18k.jsonl.gz"),
    Source("snli_devtest/snli_devtest.jsonl.gz", splits=("snli_dev",)),
    Source("cad_snli/cad_snli.jsonl.gz"),
    Source("mnli_20k/mnli_20k.jsonl.gz"),
    Source("mnli_dev/mnli_dev.jsonl.gz"),
    Source("taxinli_rest/taxinli_rest.jsonl.gz"),
    Source("conjnli/conjnli.jsonl.gz", 4000, weight=0.7),
    Source("breaking_nli/breaking_nli.jsonl.gz", 2500),
    Source("scone_nli/scone.jsonl.gz", 2500),
    Source("scitail_devtest/scitail_devtest.jsonl.gz"),
    Source("hans/hans.jsonl.gz", 2000),
    Source("begin/begin.jsonl.gz", 2000),
    _curriculum("control", 600),
    _curriculum("entailment_tree", 1500),
    _curriculum("syntactic_variation", 2000),
    _curriculum("monotonicity_infer", 2000),
    _curriculum("boolean", 600),
    _curriculum("negation", 600),
    _curriculum("comparative", 600),
    _curriculum("drop", 600),
)
FACTCHECK = (
    Source("vitaminc_real/vitaminc_real.jsonl.gz"),
    Source("vitaminc_synthetic/vitaminc_synthetic.jsonl.gz", 8000),
    Source("fever_train_pairs/fever_train_pairs.jsonl.gz", splits=("train",)),
    Source("fever_train_pairs/fever_train_pairs.jsonl.gz", splits=("train_derived_nei",), weight=0.6),
    Source("fever_pairs/fever_dev_pairs.jsonl.gz", 5000, relabel=(("not_entailment", "contradiction"),)),
    Source("fever_symmetric_adv/fever_symmetric_adv.jsonl.gz"),
    Source("fool_me_twice/fool_me_twice.jsonl.gz"),
    Source("sufficient_facts/sufficient_facts.jsonl.gz"),
)
BIOMEDICAL = (
    Source("check_covid/check_covid.jsonl.gz", splits=("train",)),
    Source("evidence_inference/ei2_derived_pairs.jsonl.gz", 6000, weight=0.7),
    Source(
        "clinifact/clinifact_pairs.jsonl.gz",
        splits=("train",),
        weight=0.5,
        relabel=(("contradiction", "not_entailment"),),
    ),
    Source("citation_integrity/citint_pairs.jsonl.gz", splits=("train",)),
    Source("summedits/summedits.jsonl.gz", 2500),
    Source("wice/wice_claim_oracle_chunks.jsonl.gz", 1000, splits=("dev",)),
)

def read_jsonl(path: Path) -> Iterator[dict[str, object]]:
    """The objects of a (possibly gzipped) JSON Lines file."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def normalised(text: str) -> str:
    """*text* as it is compared between training sets and the sets that measure: lower-case letters and digits."""
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()


def measured_premises(root: Path) -> frozenset[str]:
    """Normalised premises of the sets that measure and share texts with training sets; no training pair may use one.

    SNLI test, the part of Ling-in-the-Loop that is reported (its premises are MultiNLI's) and, where the evaluation data
    are beside the training data, HealthVer test (some of its sentences stand in Check-COVID, too).
    """
    files = [
        (root / "snli_devtest/snli_devtest.jsonl.gz", "snli_test"),
        (root / "ling_in_loop/ling_in_loop.jsonl.gz", "val"),
    ]
    healthver = root.parent / "eval/healthver_test/healthver_test_pairs.jsonl.gz"
    if healthver.exists():
        files.append((healthver, None))
    return frozenset(
        normalised(str(row["premise"]))
        for path, split in files
        for row in read_jsonl(path)
        if split in (None, row.get("split"))
    )


CITATION = re.compile(r"<\|(?:multi_)?cit\|>")


def load(root: Path, sources: tuple[Source, ...], *, seed: int) -> list[Pair]:
    """All pairs of *sources*, deduplicated and capped, in a seeded random order.

    Args:
        root: The training-data folder.
        sources: What to take.
        seed: Decides which pairs a cap keeps, and the order.
    """
    forbidden = measured_premises(root)
    rng = random.Random(seed)
    seen: set[tuple[str, str]] = set()
    pairs: list[Pair] = []
    for source in sources:
        relabel = dict(source.relabel)
        rows = []
        for row in read_jsonl(root / source.path):
            if source.splits and row.get("split") not in source.splits:
                continue
            premise, hypothesis = str(row["premise"]).strip(), str(row["hypothesis"]).strip()
            premise, hypothesis = (CITATION.sub("", text) for text in (premise, hypothesis))
            key = (normalised(premise), normalised(hypothesis))
            if not key[0] or not key[1] or key[0] in forbidden or key in seen:
                continue
            # Never a claim, and it would leave the tokenizer nothing of the premise to cut.
            if len(hypothesis) > MAX_HYPOTHESIS:
                continue
            seen.add(key)
            label = str(row["label"])
            rows.append(Pair(premise, hypothesis, LABELS.index(relabel.get(label, label)), source.weight))
        rng.shuffle(rows)
        pairs.extend(rows[: source.cap])
    rng.shuffle(pairs)
    return pairs
