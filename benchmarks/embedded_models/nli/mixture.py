"""The pairs of an epoch: so many of each set as the recipe says, others with every seed."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from benchmarks.embedded_models.nli.aims import aim_pairs
from benchmarks.embedded_models.nli.asides import aside_pairs
from benchmarks.embedded_models.nli.comparisons import comparison_pairs
from benchmarks.embedded_models.nli.data import MAX_HYPOTHESIS, Pair, load, sources
from benchmarks.embedded_models.nli.enumerations import enumeration_pairs
from benchmarks.embedded_models.nli.experts import expert_pairs
from benchmarks.embedded_models.nli.near_misses import near_miss_pairs
from benchmarks.embedded_models.nli.negations import negation_pairs
from benchmarks.embedded_models.nli.perturb import perturbed_pairs
from benchmarks.embedded_models.nli.qualifiers import exchanged_pairs, qualified_pairs
from benchmarks.embedded_models.nli.small_words import small_word_pairs
from benchmarks.embedded_models.nli.synonyms import synonym_pairs
from benchmarks.embedded_models.nli.taught import with_judged

@cache
def _made(root: Path, seed: int) -> list[Pair]:
    return [p for p in perturbed_pairs(root, split="train", seed=seed) if len(p.hypothesis) <= MAX_HYPOTHESIS]


MAKERS: dict[str, Callable[[Path, int, int], list[Pair]]] = {
    "perturbed": lambda root, n, seed: random.Random(seed).sample(_made(root, seed), n),
    "asides": lambda root, n, seed: aside_pairs(_made(root, seed), n, seed=seed),
    "synonyms": lambda root, n, seed: synonym_pairs(root, seed=seed)[:n],
    "comparisons": lambda _, n, seed: comparison_pairs(n, seed=seed, worded=0.45),
    "small_words": lambda _, n, seed: small_word_pairs(n, seed=seed),
    "enumerations": lambda _, n, seed: enumeration_pairs(n, seed=seed),
    "aims": lambda root, n, seed: aim_pairs(root, n, seed=seed),
    "negations": lambda _, n, seed: negation_pairs(n, seed=seed),
    "qualified": lambda root, n, seed: qualified_pairs(root, n, seed=seed),
    "experts": lambda root, n, seed: expert_pairs(root, n, seed=seed),
    "near_misses": lambda root, n, seed: near_miss_pairs(root, n, seed=seed),
    "exchanged": lambda _, n, seed: exchanged_pairs(n, seed=seed),
}


def epoch_pairs(
    root: Path,
    counts: Mapping[str, int],
    *,
    seed: int,
    characters: int,
    judged: Mapping[int, tuple[int, int]] | None = None,
    pool: Sequence[Pair] = (),
) -> list[Pair]:
    """The pairs of one epoch in random order, with what a teacher said of them where it was asked.

    Args:
        root: The training-data folder.
        counts: At most how many of each set or maker.
        seed: Decides which, and the order.
        characters: Longer pairs are left out, which pays more than to cut them.
        judged: What a teacher said (`taught.read_judged`).
        pool: Unlabelled pairs that a teacher has judged, the set "unlabelled".

    Raises:
        ValueError: There is no such set.
    """
    sets = sources()
    known = [*sets, *MAKERS, "unlabelled"]
    if unknown := counts.keys() - set(known):
        raise ValueError(f"no set or maker {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    pairs: list[Pair] = []
    for name, n in counts.items():
        if name == "unlabelled":
            own = random.Random(seed).sample(pool, len(pool))
        else:
            own = MAKERS[name](root, n, seed) if name in MAKERS else load(root, sets[name], seed=seed)
        pairs += [p for p in own if len(p.premise) + len(p.hypothesis) <= characters][:n]
    pairs = [with_judged(pair, judged or {}) for pair in pairs]
    random.Random(seed).shuffle(pairs)
    return pairs


def write_pairs(file: Path, pairs: list[Pair]) -> None:
    """Keep *pairs*; an interruption leaves no file."""
    partial = file.with_suffix(".partial")
    with gzip.open(partial, "wt", encoding="utf-8", compresslevel=3) as lines:
        for pair in pairs:
            lines.write(json.dumps([pair.premise, pair.hypothesis, pair.label, pair.weight, pair.taught]) + "\n")
    partial.replace(file)


def read_pairs(file: Path) -> list[Pair]:
    """What `write_pairs` kept."""
    found = []
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            premise, hypothesis, label, weight, taught = json.loads(line)
            found.append(Pair(premise, hypothesis, label, weight, tuple(taught) if taught else None))
    return found
