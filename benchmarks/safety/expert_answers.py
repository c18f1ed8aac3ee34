"""Counted flags on answers of experts, and what a reader said of each.

    FAS_DATA_DIR=... python -m benchmarks.safety.expert_answers --first 0 --last 500 --read flags.json
    python -m benchmarks.safety.expert_answers --verdicts     # the table of the page, from read40.jsonl

The answers are 904 of K-QA's silver part and 300 that doctors wrote on AskDocs; with `--of rewritten` the latter as a
model wrote them out, with `--of bioasq` the first ideal answers of BioASQ's experts to 2,310 questions, with `--of models` what seven models
of 7 to 8 billion parameters answered to MedLFQA's questions. Their order is
drawn with a fixed seed. They are not part of the project and are read from the data folder; `read40.jsonl` holds ids,
flags and verdicts alone.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import sys
from pathlib import Path

from benchmarks.safety.evaluate import NOT_COUNTED
from benchmarks.safety.page import verdicts
from fas.core.records import Answer
from fas.safety.checker import SafetyChecker

SEED = 20261125
CHUNK = 64


def rewritten(data: Path) -> list[Answer]:
    """AskDocs' doctors' answers as a language model wrote them out, in the drawn order."""
    rows = _rows(data / "eval" / "medscore" / "AskDocs.jsonl.gz")
    found = [Answer(f"rewritten:{row['id']}", row["response"], question=row["question"]) for row in rows]
    random.Random(SEED).shuffle(found)
    return found


def answers(data: Path) -> list[Answer]:
    """The answers with their questions, in the drawn order."""
    found = []
    for number, row in enumerate(_rows(data / "eval" / "medlfqa" / "kqa_silver_wogold_test_MedLFQA.jsonl.gz")):
        found.append(Answer(f"kqa_silver:{number}", row["Free_form_answer"], question=row["Question"]))
    for row in _rows(data / "eval" / "medscore" / "AskDocs.jsonl.gz"):
        found.append(Answer(f"askdocs:{row['id']}", row["doctor_response"], question=row["question"]))
    random.Random(SEED).shuffle(found)
    return found


def bioasq(data: Path) -> list[Answer]:
    """BioASQ's first ideal answers with their questions, in the drawn order."""
    found = []
    for path in sorted((data / "eval" / "mirage_bioasq_pubmedqa").glob("*golden.json.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for question in json.load(file)["questions"]:
                ideal = question.get("ideal_answer") or [""]
                text = ideal if isinstance(ideal, str) else ideal[0]
                found.append(Answer(question["id"], text, question=question["body"]))
    random.Random(SEED).shuffle(found)
    return found


def models(data: Path) -> list[Answer]:
    """The first of the six answers that each model gave to each question of MedLFQA, in the drawn order."""
    found = []
    for path in sorted((data / "eval" / "medlfqa" / "predictions").glob("*.jsonl.gz")):
        for row in _rows(path):
            if int(row["sample"]) == 0:
                found.append(
                    Answer(f"{row['model']}:{row['dataset']}:{row['q_index']}", row["answer"], question=row["question"])
                )
    random.Random(SEED).shuffle(found)
    return found


def _rows(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def main() -> int:
    """Check the chosen answers, or print the table of verdicts."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--of", choices=("advice", "bioasq", "rewritten", "models"), default="advice", help="which answers"
    )
    options.add_argument("--first", type=int, default=0, help="first answer of the drawn order")
    options.add_argument("--last", type=int, default=500, help="one past the last")
    options.add_argument("--read", type=Path, metavar="FILE", help="where to write the flags for a reader")
    options.add_argument("--verdicts", action="store_true", help="print the stored verdicts")
    given = options.parse_args()
    if given.verdicts:
        print(verdicts())
        return 0
    data = Path(os.environ.get("FAS_DATA_DIR", Path(__file__).resolve().parents[3] / "shared" / "data"))
    if not data.is_dir():
        print(f"no data in {data}; set FAS_DATA_DIR to the data folder", file=sys.stderr)
        return 2
    pools = {"advice": answers, "bioasq": bioasq, "rewritten": rewritten, "models": models}
    chosen = pools[given.of](data)[given.first : given.last]
    checker = SafetyChecker()
    found = []
    for at in range(0, len(chosen), CHUNK):
        chunk = chosen[at : at + CHUNK]
        for answer, flags in zip(chunk, checker.check(chunk), strict=True):
            found += [
                {
                    "id": answer.id, "code": flag.code, "drug": flag.drug, "target": flag.target, "rule": flag.rule,
                    "question": answer.question, "span": answer.prediction[flag.start : flag.end],
                    "context": answer.prediction[max(0, flag.start - 250) : flag.end + 250],
                }
                for flag in flags
                if flag.status not in NOT_COUNTED and flag.severity != "info"
            ]  # fmt: skip
    print(f"{len(found)} counted flags in {len({row['id'] for row in found})} of {len(chosen)} answers")
    if given.read:
        given.read.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
