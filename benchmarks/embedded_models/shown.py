"""Does the sentence that is shown carry the verdict? On SciFact's train claims, whose experts marked the sentences that do.

    python -m benchmarks.embedded_models.shown --data DATA --n 250

Of the verdicts that are right, how often the window that is shown holds a marked sentence: by the rule in use (the window that speaks
loudest for the side that won), by two others, and by the best choice there is among the windows that were read.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections import defaultdict
from pathlib import Path

import numpy as np
from benchmarks.embedded_models.nli.data import read_jsonl
from benchmarks.embedded_models.nli.measure import THRESHOLD, readers

from fas.records import Claim, Pair, Passage
from fas.verify.nli import NliVerifier


def counted(verifier: NliVerifier, rows: list[dict[str, object]], marked: list[list[str]]) -> dict[str, int]:
    """How many verdicts are right, and in how many of these each way of choosing shows a marked sentence."""
    pairs = [Pair(Claim(str(row["hypothesis"])), Passage(str(row["premise"]))) for row in rows]
    readings = verifier._read(pairs, verifier.choose(pairs))
    found = dict.fromkeys(("right", "loudest", "loudest and nearest", "nearest", "any that was read"), 0)
    for row, own, judged, (_, near, log_p) in zip(rows, marked, verifier._weigh(readings), readings, strict=True):
        side = 0 if judged.p_support >= judged.p_contradict else 2
        if max(judged.p_support, judged.p_contradict) < THRESHOLD or row["label"] != ("entailment", "", "contradiction")[side]:
            continue
        texts = [" ".join(window.text.split()) for window in near.windows]
        holds = [any(sentence[:60] in text or text in sentence for sentence in own) for text in texts]
        cosines = np.array(near.cosines)
        found["right"] += 1
        found["loudest"] += holds[int(log_p[:, side].argmax())]
        found["loudest and nearest"] += holds[int((log_p[:, side] + cosines).argmax())]
        found["nearest"] += holds[int(cosines.argmax())]
        found["any that was read"] += any(holds)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("FAS_DATA_DIR", "../shared/data")))
    parser.add_argument("--models", nargs="*", default=["fas-nli-mini"])
    parser.add_argument("--n", type=int, default=250, help="claims with an abstract that settles them")
    options = parser.parse_args()
    folder = options.data / "train/scifact"
    marked = defaultdict(list)
    for row in read_jsonl(folder / "claims_train_rationale_pairs.jsonl.gz"):
        marked[row["claim_id"], row["doc_id"]].append(" ".join(str(row["premise"]).split()))
    rows = [row for row in read_jsonl(folder / "claims_train_pairs.jsonl.gz") if (row["claim_id"], row["doc_id"]) in marked and row["label"] != "neutral"]
    rows = random.Random(5).sample(rows, min(options.n, len(rows)))
    for model, verifier in readers(options.models).items():
        print(model, json.dumps(counted(verifier, rows, [marked[row["claim_id"], row["doc_id"]] for row in rows])), flush=True)


if __name__ == "__main__":
    main()
