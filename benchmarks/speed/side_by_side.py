"""Pairs of a claim and a passage a second of processor time: the two verifiers beside each other.

    python -m benchmarks.speed.side_by_side --pairs 48 --rounds 4 --store

Labelled claims with the passages that they were judged against (`benchmarks/verdicts`), other ones in each round. Both
verifiers run as they ship, take turns in one process, and keep nothing; processor time leaves out what else the machine does.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time

from benchmarks.speed.page import store
from benchmarks.stored import load, row
from benchmarks.verdicts.labels import held_out_cases
from fas.core.records import Claim, Pair, Passage
from fas.models.paths import VERSIONS
from fas.verify.nli import NliVerifier

MODELS = ("fas-nli-mini", "fas-nli-base")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=48, help="pairs of a round")
    parser.add_argument("--rounds", type=int, default=4, help="rounds, after one that warms up")
    parser.add_argument("--store", action="store_true", help="put the rows into results.jsonl")
    options = parser.parse_args()
    pairs = [
        Pair(Claim(case["claim"]), Passage(own["text"], title=own.get("title") or None), case["question"])
        for case in held_out_cases()
        for own in case["passages"]
    ]
    random.Random(12345).shuffle(pairs)
    verifiers = {name: NliVerifier(model=name, cache=False) for name in MODELS}
    seconds: dict[str, list[float]] = {name: [] for name in MODELS}
    for i in range(options.rounds + 1):
        own_pairs = pairs[i * options.pairs : (i + 1) * options.pairs]
        for name, verifier in verifiers.items():
            began = time.process_time()
            verifier.verify(own_pairs)
            if i:
                seconds[name].append(time.process_time() - began)
    medians = {name: statistics.median(own) for name, own in seconds.items()}
    rows = [
        row(
            "side_by_side",
            f"{name}@{VERSIONS[name]}",
            options.pairs,
            {"pairs_per_s": options.pairs / medians[name], "of_mini": medians[MODELS[0]] / medians[name]},
            rounds=options.rounds,
            load=load(),
        )
        for name in MODELS
    ]
    print(json.dumps(rows, indent=1))
    if options.store:
        store(rows)


if __name__ == "__main__":
    main()
