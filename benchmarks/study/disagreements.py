"""The pairs of answers that ROUGE-L puts in the order of gold and FAS does not, with the claims to read.

    python -m benchmarks.study.disagreements runs/study/mirage-snippets -n 10

Pairs are of the same question, widest difference in FAS first. Where FAS is undefined, FAS without its
reference part is taken. Every claim is shown with the sentence that counted most.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from fas.scoring.aggregate import question_key
from fas.bench.stored import find_runs


class Pair(NamedTuple):
    """Two records of one question; gold finds the first one better, FAS the second."""

    better: dict[str, Any]
    worse: dict[str, Any]
    gap: float


def score_of(record: dict[str, Any]) -> float | None:
    """FAS, or its evidence part where there is no reference; None where nothing was verified."""
    return record["fas"] if record["fas"] is not None else record["fas_evidence"]


def disagreements(records: Sequence[dict[str, Any]], gold: str) -> list[Pair]:
    """The pairs, widest difference first; those with an equal or missing value are left out."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        known = record["error"] is None and record["meta"].get(gold) is not None and score_of(record) is not None
        key = question_key(record)
        if known and key is not None and record["rougeL"] is not None:
            groups.setdefault(key, []).append(record)
    found = []
    for members in groups.values():
        for pair in combinations(members, 2):
            worse, better = sorted(pair, key=lambda record: float(record["meta"][gold]))
            if worse["meta"][gold] == better["meta"][gold] or better["rougeL"] <= worse["rougeL"]:
                continue
            gap = (score_of(worse) or 0.0) - (score_of(better) or 0.0)
            if gap > 0:
                found.append(Pair(better, worse, gap))
    return sorted(found, key=lambda pair: -pair.gap)


def lines(pair: Pair, gold: str) -> Iterator[str]:
    """A pair as text."""
    yield f"== {pair.better['question']}"
    for title, record in (("better", pair.better), ("worse", pair.worse)):
        meta = record["meta"]
        yield (
            f"-- {title}: {meta.get('model')} {record['id']}  {gold} {meta[gold]:.2f}  FAS {score_of(record):.3f}  "
            f"ROUGE-L {record['rougeL']:.3f}"
        )
        yield f"   {' '.join(record['prediction'].split())}"
        for claim in record["claims"]:
            side = "p_contradict" if claim["label"] == "contradicted" else "p_support"
            best = max(claim["evidence"], key=lambda e: e[side] if e[side] is not None else -1.0, default=None)
            yield f"   {claim['label']:12} {claim['text']}"
            if best is not None and best[side] is not None:
                yield f"   {side} {best[side]:.2f}: {best['sentence']}"
    yield ""


def main(argv: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="Pairs that ROUGE-L orders as gold does and FAS does not.")
    parser.add_argument("folder", type=Path, help="folder of an experiment")
    parser.add_argument("-n", type=int, default=10, help="pairs to show (10)")
    parser.add_argument("--gold", default="gold", help="field of the gold (gold)")
    options = parser.parse_args(argv)
    records = [
        json.loads(line)
        for run in find_runs(options.folder)
        for line in (run / "scores.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    pairs = disagreements(records, options.gold)
    for pair in pairs[: options.n]:
        print("\n".join(lines(pair, options.gold)))
    print(f"{min(options.n, len(pairs))} of {len(pairs)} pairs")


if __name__ == "__main__":
    main()
