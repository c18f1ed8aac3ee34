"""Pairs in which the passage speaks of another drug, disease or gene than the claim: retrieved, not invented.

A search over many abstracts brings sentences that share all of a claim's words but the one that matters. Such a sentence
is no evidence: the claim's own rarest word, which stands before its verb, is in no part of the passage. Beside them stand
passages that hold the near miss and the sentence the claim comes from, so that a near miss is no sign of a label.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

from benchmarks.embedded_models.nli.abstracts import documents
from benchmarks.embedded_models.nli.aims import changed_claim
from benchmarks.embedded_models.nli.claim_forms import main_verb
from benchmarks.embedded_models.nli.data import MAX_HYPOTHESIS, Pair
from benchmarks.embedded_models.nli.perturb import CONTRADICTION, ENTAILMENT, NEUTRAL, claims_of

from fas.evidence.bm25 import BM25

_WORD = re.compile(r"[a-z][a-z0-9-]{3,}|[A-Z][A-Za-z0-9-]{2,}")
# A word in more of the abstracts than this names no single drug, disease or gene.
_RARE = 25
# How many of a claim's other words a near miss shares, at least.
_SHARED = 3


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}


def named(claim: str, seen: Counter[str]) -> str | None:
    """The rarest word before the claim's verb, in lower case, where *seen* has it in few abstracts; or None."""
    verb = main_verb(claim)
    found = sorted(_words(claim[: verb[1]]) if verb else (), key=lambda word: (seen[word], word))
    return found[0] if found and seen[found[0]] <= _RARE else None


def near_misses(root: Path, n: int, *, seed: int) -> list[tuple[str, str, str]]:
    """At most *n* of (claim, the sentence it comes from, the near miss), from the documents that train."""
    rng = random.Random(f"near misses:{seed}")
    pool = documents(root, "train")
    seen = Counter(word for document in pool for word in _words(" ".join((document.title, *document.sentences))))
    told = [(document.id, text) for document in pool for text in document.sentences if 60 < len(text) < 400]
    search = BM25([text for _, text in told])
    rng.shuffle(pool)
    found: list[tuple[str, str, str]] = []
    for document in pool:
        claims = [source for source in claims_of(document) if not source.design and len(source.claim) <= MAX_HYPOTHESIS]
        if len(found) >= n or not claims:
            continue
        source = rng.choice(claims)
        name = named(source.claim, seen)
        others = _words(source.claim) - {name}
        if name is None or len(others) < _SHARED:
            continue
        for place in search.ranking(" ".join(sorted(others)))[:8]:
            own, text = told[place]
            if own != document.id and name not in text.lower() and len(others & _words(text)) >= _SHARED:
                found.append((source.claim, document.sentences[source.index], text))
                break
    return found


def near_miss_pairs(root: Path, n: int, *, seed: int) -> list[Pair]:
    """At most *n* pairs: six in ten a near miss alone, the others beside what the claim comes from, in either order."""
    rng = random.Random(f"near miss pairs:{seed}")
    pairs = []
    for claim, sentence, miss in near_misses(root, n, seed=seed):
        both = " ".join(rng.sample((sentence, miss), 2))
        draw = rng.random()
        turned = changed_claim(claim, rng) if draw > 0.8 else None
        if turned is not None:
            pairs.append(Pair(both, turned, CONTRADICTION))
        elif draw > 0.6:
            pairs.append(Pair(both, claim, ENTAILMENT))
        else:
            pairs.append(Pair(miss, claim, NEUTRAL))
    return pairs
