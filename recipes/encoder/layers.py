"""Which layer of the encoder tells agreement from disagreement best, for BERTScore.

    python -m recipes.encoder.layers --data DATA

BERTScore F1 of claim and evidence sentence on Check-COVID's training split and on SNLI's
development split (1,000 pairs each), per layer: AUROC of entailment against contradiction and
neutral together. Neither set is used to report a result of BERTScore.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from pathlib import Path

from sklearn.metrics import roc_auc_score

from fas.reference.bertscore import BertScorer

SETS = {"check_covid/check_covid.jsonl.gz": "train", "snli_devtest/snli_devtest.jsonl.gz": "snli_dev"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--pairs", type=int, default=1000)
    options = parser.parse_args()
    for path, split in SETS.items():
        with gzip.open(options.data / "train" / path, "rt", encoding="utf-8") as lines:
            rows = [row for row in map(json.loads, lines) if row["split"] == split and len(row["premise"]) < 600]
        rows = random.Random(0).sample(rows, min(options.pairs, len(rows)))
        gold = [row["label"] == "entailment" for row in rows]
        found = {}
        for layer in range(1, 7):
            scorer = BertScorer("fas-encoder-mini", layer=layer, precision="fp32")
            scores = scorer.score([row["hypothesis"] for row in rows], [[row["premise"]] for row in rows])
            found[layer] = {
                name: round(float(roc_auc_score(gold, [getattr(score, name) for score in scores])), 3)
                for name in ("f1", "precision")
            }
        print(split, len(rows), json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
