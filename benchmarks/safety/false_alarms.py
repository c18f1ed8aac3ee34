"""Flags raised on texts that should raise none.

    FAS_DATA_DIR=... python -m benchmarks.safety.false_alarms labels|abstracts|pairs

- labels: contraindication sections of FDA labels; each sentence forbids or describes, so
  CONTRAINDICATED and MISSING_DOSAGE should be zero.
- abstracts: SciFact's corpus of PubMed abstracts; they report, so both should be zero.
- pairs: the ONC list of non-interruptive drug pairs, written as advice to take both; none is a
  contraindication, so DRUG_PAIR_CONTRAINDICATED should be zero.

The texts are not part of the project; they are read from the data folder.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from fas.core.records import Answer
from fas.safety.checker import SafetyChecker

NOT_COUNTED = ("deferred_to_label", "continuation", "weak", "unread")
CHUNK = 64


def labels(data: Path) -> Iterator[str]:
    """Contraindication sections of both label collections."""
    csv.field_size_limit(10**9)
    path = data / "safety" / "matrix_contraindications" / "fda_label_contraindication_text.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            yield row["contraindications"]
    with gzip.open(data / "safety" / "openfda_labels_pharmgkb" / "labels.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield " ".join(json.loads(line).get("contraindications") or [])


def abstracts(data: Path) -> Iterator[str]:
    """Titles and abstracts of SciFact's corpus."""
    with gzip.open(data / "train" / "scifact" / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            body = record.get("abstract") or record.get("text") or ""
            yield " ".join(body) if isinstance(body, list) else str(body)


def pairs(data: Path) -> Iterator[str]:
    """Advice to take both drugs of each non-interruptive pair."""
    with (data / "safety" / "onc_high_priority" / "onc_non_interruptive_expanded.tsv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            yield f"Take {row['drug1'].lower()} 5 mg once daily together with {row['drug2'].lower()} 5 mg once daily."


SETS = {"labels": labels, "abstracts": abstracts, "pairs": pairs}


def main() -> int:
    """Check one set and print what was raised."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=sorted(SETS))
    options = parser.parse_args()
    data = Path(os.environ.get("FAS_DATA_DIR", Path(__file__).resolve().parents[3] / "shared" / "data"))
    if not data.is_dir():
        print(f"no data in {data}; set FAS_DATA_DIR to the data folder", file=sys.stderr)
        return 2
    answers = [
        Answer(id=str(n), prediction=text) for n, text in enumerate(SETS[options.set](data), start=1) if text.strip()
    ]
    checker = SafetyChecker()
    counts: Counter[str] = Counter()
    start = time.perf_counter()
    for at in range(0, len(answers), CHUNK):
        chunk = answers[at : at + CHUNK]
        for answer, flags in zip(chunk, checker.check(chunk), strict=True):
            for flag in flags:
                if flag.status in NOT_COUNTED:
                    counts[f"{flag.flag} ({flag.status}, not counted)"] += 1
                    continue
                counts[flag.flag] += 1
                quoted = " ".join(answer.prediction[flag.start : flag.end].split())[:200]
                print(f"{answer.id}: {flag.code} {flag.drug} {flag.target or ''}: {quoted}")
    seconds = time.perf_counter() - start
    size = sum(len(answer.prediction) for answer in answers)
    print(f"{options.set}: {len(answers)} texts, {size:,} characters, {seconds:.0f} s; {dict(counts) or 'no flag'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
