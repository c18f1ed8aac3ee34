"""Counted flags on the answers of seven models to MedLFQA's questions, written out to be read by hand.

    FAS_DATA_DIR=... python -m benchmarks.safety.real_answers flags.jsonl                  # all 15,988 answers, 4 minutes
    FAS_DATA_DIR=... python -m benchmarks.safety.real_answers flags.jsonl --per-model 43   # 301, drawn by --seed

Each line holds the ids of an answer, a flag, its probability, the question and the words around the flag. Questions of
`real_labels.jsonl`, to whose answers the weights are fitted, and those of flags that were read before are left out. A
reader adds `right` (true, false, or null where in doubt) and `reading`; the ids and these go to
`results/real_flags_read.jsonl`, which `page.py` counts.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.safety.cases import HERE, IDS, NOT_COUNTED, REAL, read_rows
from fas.core.records import Answer
from fas.safety.checker import SafetyChecker

CHUNK = 64
AROUND = 300  # characters before and after a flag


def read_unseen(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The answers of each model to questions that no label and no reading is of."""
    rows = [row for path in sorted(folder.glob("*.jsonl.gz")) for row in read_rows(path)]
    seen_ids = {
        tuple(row[name] for name in IDS)
        for path in (HERE / f"{REAL}.jsonl", HERE / "results" / "real_flags_read.jsonl")
        for row in read_rows(path)
    }
    seen = {row["question"] for row in rows if tuple(row[name] for name in IDS) in seen_ids}
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if row["question"] not in seen:
            found[row["model"]].append(row)
    return found


def list_flags(checker: SafetyChecker, rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Each counted flag of the answers with what its reader needs."""
    for at in range(0, len(rows), CHUNK):
        chunk = rows[at : at + CHUNK]
        answers = [Answer(str(n), row["answer"], question=row["question"]) for n, row in enumerate(chunk)]
        for row, flags in zip(chunk, checker.check(answers), strict=True):
            for flag in flags:
                if flag.status not in NOT_COUNTED and flag.severity != "info":
                    text = row["answer"]
                    before, after = text[max(0, flag.start - AROUND) : flag.start], text[flag.start :][: 2 * AROUND]
                    told = {"flag": flag.flag, "drug": flag.drug, "target": flag.target, "message": flag.message}
                    yield {name: row[name] for name in (*IDS, "question")} | told | {"text": f"{before}[[{after}"}


def main() -> int:
    """Check the answers, and write the flags."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="where to write the flags")
    parser.add_argument("--per-model", type=int, metavar="N", help="answers drawn for each model; all by default")
    parser.add_argument("--seed", type=int, default=12345, metavar="N", help="seed of the draws")
    options = parser.parse_args()
    folder = Path(os.environ.get("FAS_DATA_DIR", "")) / "eval" / "medlfqa" / "predictions"
    if not folder.is_dir():
        print("no model answers; set FAS_DATA_DIR to the data folder", file=sys.stderr)
        return 2
    rng = random.Random(options.seed)
    drawn = []
    for _, rows in sorted(read_unseen(folder).items()):
        drawn += rng.sample(rows, min(options.per_model or len(rows), len(rows)))
    flags = list(list_flags(SafetyChecker(), drawn))
    options.out.write_text("".join(json.dumps(flag) + "\n" for flag in flags), encoding="utf-8")
    print(f"{len(flags)} counted flags in {len(drawn)} answers: {dict(Counter(flag['flag'] for flag in flags))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
