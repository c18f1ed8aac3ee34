"""Questions with an honest answer, references and passages: BioASQ's by GPT-4 (MIRAGE), K-QA's judged by physicians."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from fas.bench.kqa import KQA
from fas.bench.mirage import Mirage

Rows = list[dict[str, Any]]
SEED = 61


def bioasq(data: Path) -> Rows:
    """Yes/no questions that GPT-4 with retrieved snippets decided as the experts did.

    The reference is the experts' answer, the passages are their snippets. A right decision may be explained with wrong
    facts.
    """
    items = {item.id: item for item in Mirage().items(data)}
    return [
        {
            "id": found.item,
            "question": items[found.item].question,
            "prediction": found.text,
            "references": list(items[found.item].references),
            "passages": [passage.text for passage in items[found.item].passages or ()],
        }
        for found in Mirage().candidates(data)
        if found.item.startswith("bioasq/") and found.gold == 1 and found.model == "gpt-4-32k/rag_32"
    ]


def kqa(data: Path) -> Rows:
    """Questions with a model's answer that physicians judged: the one with most of their statements.

    Answers that contradict a physician's statement are left out. The physicians' own answer is reference and passage,
    their must-have and nice-to-have statements are the statements.
    """
    items = {item.id: item for item in KQA().items(data)}
    best: dict[str, tuple[float, str]] = {}
    for found in KQA().candidates(data):
        told = found.meta
        if items[found.item].references and not told["n_must_contradicted"] and not told["n_nice_contradicted"]:
            best[found.item] = max(best.get(found.item, (0.0, "")), (told["comprehensiveness"], found.text))
    return [
        {
            "id": f"kqa/{name}",
            "question": items[name].question,
            "prediction": text,
            "references": list(items[name].references),
            "passages": [part for part in items[name].references[0].split("\n") if part.strip()],
            "statements": [
                {"text": text, "kind": kind}
                for kind, field in (("must", "must_have"), ("nice", "nice_to_have"))
                for text in items[name].meta[field]
            ],
        }
        for name, (share, text) in best.items()
        if share > 0
    ]


def drawn(rows: Rows, part: str, n: int, skip: int = 0) -> Rows:
    """*n* questions of a half after *skip*: `develop`, on which the reward was designed, or `test`."""
    order = sorted(rows, key=lambda row: row["id"])
    random.Random(SEED).shuffle(order)
    half = len(order) // 2
    return (order[:half] if part == "develop" else order[half:])[skip : skip + n]
