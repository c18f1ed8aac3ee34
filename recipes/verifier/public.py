"""Premise-hypothesis pairs for training the embedded NLI model, and the sets they are read from.

Only sets whose licence allows shipped weights are listed in `sets.toml` (see `../DATA.md`). Every pair whose premise
occurs in a set that measures is dropped, so that a test stays a test; from those sets nothing else is read here.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

# Class order of the model; index 3 is the two-way label "neutral or contradiction".
LABELS = ("entailment", "neutral", "contradiction", "not_entailment")
ENTAILMENT, NEUTRAL, CONTRADICTION = range(3)

MAX_HYPOTHESIS = 450
"""Longest hypothesis in characters; well under the shortest training window of 160 tokens for English text."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One training example.

    Attributes:
        premise: What is taken as given.
        hypothesis: What is judged by it.
        label: Index into `LABELS`.
        weight: Multiplies the pair's loss.
    """

    premise: str
    hypothesis: str
    label: int
    weight: float = 1.0


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
        splits: Values of the field `split` that may be used; none means all.
        weight: Loss weight, below 1 for labels known to be noisy.
        relabel: Label names that mean something else in this set.
    """

    path: str
    cap: int = 10**9
    splits: Sequence[str] = ()
    weight: float = 1.0
    relabel: Mapping[str, str] = field(default_factory=dict)


def sources() -> dict[str, tuple[Source, ...]]:
    """The sets of `sets.toml` by name."""
    sets = tomllib.loads((Path(__file__).parent / "sets.toml").read_text(encoding="utf-8"))
    return {name: tuple(Source(**own) for own in files) for name, files in sets.items()}


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


def load(root: Path, wanted: Sequence[Source], *, seed: int) -> list[Pair]:
    """All pairs of the sources that are *wanted*, deduplicated and capped, in a seeded random order.

    Args:
        root: The training-data folder.
        wanted: What to take.
        seed: Decides which pairs a cap keeps, and the order.
    """
    forbidden = measured_premises(root)
    rng = random.Random(seed)
    seen: set[tuple[str, str]] = set()
    pairs: list[Pair] = []
    for source in wanted:
        rows = []
        for row in read_jsonl(root / source.path):
            if source.splits and row.get("split") not in source.splits:
                continue
            premise, hypothesis = str(row["premise"]).strip(), str(row["hypothesis"]).strip()
            key = (normalised(premise), normalised(hypothesis))
            if not key[0] or not key[1] or key[0] in forbidden or key in seen:
                continue
            # Never a claim, and it would leave the tokenizer nothing of the premise to cut.
            if len(hypothesis) > MAX_HYPOTHESIS:
                continue
            seen.add(key)
            label = str(row["label"])
            rows.append(Pair(premise, hypothesis, LABELS.index(source.relabel.get(label, label)), source.weight))
        rng.shuffle(rows)
        pairs.extend(rows[: source.cap])
    rng.shuffle(pairs)
    return pairs
