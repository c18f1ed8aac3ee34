"""Rates of flags in real model answers, and a sample of flags to be read by hand.

    FAS_DATA_DIR=... python benchmarks/safety/real_answers.py --per-model 250 --read flags.jsonl

Reads the model answers to MedLFQA's questions from the data folder (not part of the project),
draws the same number for each model with a fixed seed, and prints the share of answers with a
counted flag of each name, with Wilson's 95% interval. `--read` writes 100 counted flags, drawn
with the same seed, with their context.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import sys
from collections import Counter, defaultdict
from pathlib import Path

from evaluate import NOT_COUNTED, wilson  # the script beside this one

from fas.records import Answer
from fas.safety.checker import SafetyChecker

CHUNK = 64


def main() -> int:
    """Check the sample and print the rates."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--per-model", type=int, default=250, metavar="N", help="answers drawn for each model")
    parser.add_argument("--seed", type=int, default=12345, metavar="N", help="seed of the draws")
    parser.add_argument("--read", type=Path, metavar="FILE", help="where to write 100 flags for reading")
    options = parser.parse_args()
    root = Path(os.environ.get("FAS_DATA_DIR", Path(__file__).resolve().parents[3] / "shared" / "data"))
    folder = root / "eval" / "medlfqa" / "predictions"
    if not folder.is_dir():
        print(f"no model answers in {folder}; set FAS_DATA_DIR to the data folder", file=sys.stderr)
        return 2
    by_model: dict[str, list[dict[str, str]]] = defaultdict(list)
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                by_model[record["model"]].append(record)
    rng = random.Random(options.seed)
    checker = SafetyChecker()
    found: list[dict[str, object]] = []
    print("| model | answers | " + "flag: answers with it, share (95%) |\n|---|--:|---|")
    for model, records in sorted(by_model.items()):
        drawn = rng.sample(records, min(options.per_model, len(records)))
        counts: Counter[str] = Counter()
        for at in range(0, len(drawn), CHUNK):
            chunk = drawn[at : at + CHUNK]
            answers = [
                Answer(id=f"{model}:{at + n}", prediction=r["answer"], question=r["question"])
                for n, r in enumerate(chunk)
            ]
            for answer, flags in zip(answers, checker.check(answers), strict=True):
                counted = [flag for flag in flags if flag.status not in NOT_COUNTED]
                counts.update({flag.flag for flag in counted})
                for flag in counted:
                    found.append(
                        {
                            "id": answer.id,
                            "question": answer.question,
                            "code": flag.code,
                            "drug": flag.drug,
                            "target": flag.target,
                            "span": answer.prediction[flag.start : flag.end],
                            "context": answer.prediction[max(0, flag.start - 200) : flag.end + 250],
                            "message": flag.message,
                        }
                    )
        cells = []
        for name, n in counts.most_common():
            low, high = wilson(n, len(drawn))
            cells.append(f"{name} {n}, {n / len(drawn):.3f} ({low:.3f}-{high:.3f})")
        print(f"| {model} | {len(drawn)} | {'; '.join(cells)} |", flush=True)
    print(f"{len(found)} counted flags")
    if options.read:
        sample = rng.sample(found, min(100, len(found)))
        options.read.write_text("\n".join(json.dumps(item) for item in sample) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
