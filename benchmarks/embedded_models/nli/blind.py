"""Blind sets of what a verdict must not be taken from: aims, denials, exchanged conditions, other topics, directions.

`blind_by_hand.tsv` was written before any model that is measured on it was trained, by whoever wrote the makers of pairs
(`aims.py`, `negations.py`, `qualifiers.py`), in other words than theirs, and trains and fits nothing. The sets of PubMedQA are made
by rule from structured abstracts that no model has seen: its sections are labelled, so that what stands under OBJECTIVE
neither supports nor contradicts.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.embedded_models.nli import claim_forms as forms
from benchmarks.embedded_models.nli import synonyms
from benchmarks.embedded_models.nli.abstracts import sentences_of
from benchmarks.embedded_models.nli.aims import asked_clauses, changed_claim
from benchmarks.embedded_models.nli.tasks import Item, by_hand

_AIMS = re.compile(r"\b(?:OBJECTIVES?|AIMS?|PURPOSE|HYPOTHESIS)\b")
_RESULTS = re.compile(r"\b(?:RESULTS?|FINDINGS)\b")


def blind_by_hand(kind: str) -> list[Item]:
    """The pairs of *kind*: "aims" (60), "negations" (100), "qualifiers" (50) or "topics" (34)."""
    return by_hand(kind, "blind_by_hand.tsv")


def _abstracts(root: Path) -> Iterator[tuple[dict[str, str], str]]:
    """Each abstract of PubMedQA's thousand as its sections by label, and its conclusion."""
    with gzip.open(root / "eval/pubmedqa/ori_pqal.json.gz", "rt", encoding="utf-8") as data:
        for row in json.load(data).values():
            yield dict(zip(row["LABELS"], row["CONTEXTS"], strict=True)), str(row["LONG_ANSWER"])


def aims_pubmedqa(root: Path, n: int = 300) -> list[Item]:
    """What an abstract says of its aims beside claims it asks after, their contraries and its own conclusion: all neutral."""
    rng = random.Random(20261125)
    found = []
    for sections, conclusion in _abstracts(root):
        aims = " ".join(text for label, text in sections.items() if _AIMS.search(label))
        if not aims or len(aims) > 900:
            continue
        claims = [claim for sentence in sentences_of(aims) for claim in asked_clauses(sentence)]
        claims += [changed for claim in list(claims) if (changed := changed_claim(claim, rng)) is not None]
        first = forms.tidy(forms.strip_lead(sentences_of(conclusion)[0])[1])
        if forms.is_claim(first):
            claims.append(first)
        found += [Item(aims, claim, "neutral") for claim in claims]
    rng.shuffle(found)
    return found[:n]


def _turns(sentence: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    """A sentence with one word of change as a claim with another word of the same and one of the other direction."""
    claim, word = synonyms.claim_and_word(sentence)
    if word is None:
        return
    kept, turned = (synonyms.changed(claim, word, keep=keep, rng=rng) for keep in (True, False))
    if kept is not None and turned is not None:
        yield kept, turned


def directions_pubmedqa(root: Path, n: int = 200) -> list[Item]:
    """Whole abstracts beside a sentence of their results whose one word of change is kept in meaning, or turned round."""
    rng = random.Random(20261126)
    found = []
    for sections, conclusion in _abstracts(root):
        results = [text for label, text in sections.items() if _RESULTS.search(label)]
        if not results:
            continue
        abstract = " ".join([*sections.values(), conclusion])
        made = [pair for sentence in sentences_of(" ".join(results)) for pair in _turns(sentence, rng)]
        if made:
            kept, turned = rng.choice(made)
            found.append(Item(abstract, kept, "entailment"))
            found.append(Item(abstract, turned, "contradiction"))
    return found[:n]


BLIND: dict[str, Callable[[Path], list[Item]]] = {
    **{
        f"{kind}_by_hand": lambda _, kind=kind: blind_by_hand(kind)  # type: ignore[misc]
        for kind in ("aims", "negations", "qualifiers", "topics")
    },
    "aims_pubmedqa": aims_pubmedqa,
    "directions_pubmedqa": directions_pubmedqa,
}
