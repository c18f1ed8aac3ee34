"""Rates of flags in real model answers, and a sample of flags to be read by hand.

    FAS_DATA_DIR=... python -m benchmarks.safety.real_answers --per-model 250 --read flags.jsonl

Reads the model answers to MedLFQA's questions from the data folder (not part of the project),
draws the same number for each model with a fixed seed, and prints the share of answers with a
counted flag of each name, with Wilson's 95% interval, by model and by the source of the question.
`--read` writes 100 counted flags, drawn with the same seed, with their context. `--without
SEED:N` leaves out the answers that a draw of N a model with that seed would have taken: those
that were read while rules were written must not be read again as a test. `--questions` keeps the
answers to the questions that the third round of rules was developed on, or those to the others:
many models answered the same question, so that leaving out answers alone leaves questions in.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import random
import sys
from collections import Counter, defaultdict
from pathlib import Path

from evaluate import NOT_COUNTED, wilson  # the script beside this one

from fas.core.records import Answer, Flag
from fas.safety.checker import SafetyChecker

CHUNK = 64
Records = dict[str, list[dict[str, str]]]


def read_records(folder: Path) -> Records:
    """Every answer of the folder, by model."""
    records: Records = defaultdict(list)
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                records[record["model"]].append(record)
    return records


def draw(records: Records, seed: int, per_model: int) -> Records:
    """As many answers of each model, chosen by *seed*."""
    rng = random.Random(seed)
    return {model: rng.sample(found, min(per_model, len(found))) for model, found in sorted(records.items())}


def in_development(question: str) -> bool:
    """Whether the third round of rules was developed on answers to *question*: 40 of 100 by a hash of its words."""
    words = " ".join(question.lower().split())
    return int(hashlib.sha256(f"fas-safety-round3|{words}".encode()).hexdigest(), 16) % 100 < 40


def as_read(answer: Answer, flag: Flag) -> dict[str, object]:
    """A flag with what a reader needs to judge it."""
    return {
        "id": answer.id,
        "question": answer.question,
        "code": flag.code,
        "drug": flag.drug,
        "target": flag.target,
        "span": answer.prediction[flag.start : flag.end],
        "context": answer.prediction[max(0, flag.start - 200) : flag.end + 250],
        "message": flag.message,
    }


def main() -> int:
    """Check the sample and print the rates."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--per-model", type=int, default=250, metavar="N", help="answers drawn for each model")
    parser.add_argument("--seed", type=int, default=12345, metavar="N", help="seed of the draws")
    parser.add_argument(
        "--without", action="append", default=[], metavar="SEED:N", help="leave out this earlier draw; may be repeated"
    )
    parser.add_argument(
        "--questions", choices=("all", "development", "other"), default="all", help="answers to which questions"
    )
    parser.add_argument("--read", type=Path, metavar="FILE", help="where to write 100 flags for reading")
    options = parser.parse_args()
    root = Path(os.environ.get("FAS_DATA_DIR", Path(__file__).resolve().parents[3] / "shared" / "data"))
    folder = root / "eval" / "medlfqa" / "predictions"
    if not folder.is_dir():
        print(f"no model answers in {folder}; set FAS_DATA_DIR to the data folder", file=sys.stderr)
        return 2
    records = read_records(folder)
    if options.questions != "all":
        wanted = options.questions == "development"
        records = {m: [r for r in found if in_development(r["question"]) == wanted] for m, found in records.items()}
    seen = {
        id(record)
        for earlier in options.without
        for seed, _, n in [earlier.partition(":")]
        for drawn in draw(records, int(seed), int(n)).values()
        for record in drawn
    }
    fresh = {model: [r for r in found if id(r) not in seen] for model, found in records.items()}
    checker = SafetyChecker()
    flags: list[dict[str, object]] = []
    by_model: dict[str, Counter[str]] = {}
    by_type: dict[str, Counter[str]] = defaultdict(Counter)
    sizes: Counter[str] = Counter()
    for model, drawn in draw(fresh, options.seed, options.per_model).items():
        by_model[model] = Counter()
        sizes[model] = len(drawn)
        for at in range(0, len(drawn), CHUNK):
            chunk = drawn[at : at + CHUNK]
            answers = [
                Answer(id=f"{model}:{at + n}", prediction=r["answer"], question=r["question"])
                for n, r in enumerate(chunk)
            ]
            for record, answer, raised in zip(chunk, answers, checker.check(answers), strict=True):
                counted = [flag for flag in raised if flag.status not in NOT_COUNTED]
                names = {flag.flag for flag in counted}
                sizes[record["dataset"]] += 1
                by_model[model].update(names)
                by_type[record["dataset"]].update(names)
                flags += [as_read(answer, flag) for flag in counted]
    for title, table in (("model", by_model), ("questions", by_type)):
        print(f"| {title} | answers | flag: answers with it, share (95%) |\n|---|--:|---|")
        for group, counts in sorted(table.items()):
            cells = []
            for name, n in counts.most_common():
                low, high = wilson(n, sizes[group])
                cells.append(f"{name} {n}, {n / sizes[group]:.3f} ({low:.3f}-{high:.3f})")
            print(f"| {group} | {sizes[group]} | {'; '.join(cells) or 'none'} |")
    print(f"{len(flags)} counted flags in {sum(sizes[model] for model in by_model)} answers")
    if options.read:
        sample = random.Random(options.seed).sample(flags, min(100, len(flags)))
        options.read.write_text("\n".join(json.dumps(item) for item in sample) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
