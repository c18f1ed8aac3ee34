"""What a small call costs: eight answers in a warm scorer beside their share of a long run, and what a call costs at least.

    python -m benchmarks.speed.scorer --rounds 7

Answers are put together from the sentences of `examples/`, each sentence with a number of its own, so that nothing is met
twice and no cache answers. A round scores a long run and then several calls of eight answers in the same scorer; the ratio
is the median call of eight over eight answers' share of the long run, by the clock and by processor time (on a machine that
does other work the second is the one to read). With `--store` the rows go to the page.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import statistics
import tempfile
import time
from typing import Any

from benchmarks.speed.page import store
from benchmarks.speed.pipeline import ROOT, sentences
from benchmarks.stored import load, row

LENGTHS = {"short": (30, 1, 40), "long": (150, 5, 200)}  # words an answer, passages, words a passage
CALL = 8


class Writer:
    """Answers of which no sentence is written twice."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._number = itertools.count(1)
        self._answers = sentences(ROOT / "examples/answers.jsonl", "prediction")
        self._notes = sentences(ROOT / "examples/evidence.jsonl", "text")

    def text(self, pool: list[str], words: int) -> str:
        """At least *words* words."""
        parts: list[str] = []
        while sum(len(part.split()) for part in parts) < words:
            sentence = self._rng.choice(pool)
            parts.append(f"In group {next(self._number)}, {sentence[0].lower()}{sentence[1:]}")
        return " ".join(parts)

    def answers(self, n: int, length: str) -> list[dict]:
        """Answers of a length, each with evidence of its own."""
        words, n_passages, passage = LENGTHS[length]
        return [
            {
                "question": "What should I know?",
                "prediction": self.text(self._answers, words),
                "references": [self.text(self._answers, words)],
                "passages": [self.text(self._notes, passage) for _ in range(n_passages)],
            }
            for _ in range(n)
        ]


def timed(work) -> tuple[float, float]:
    """Seconds by the clock and of the processor."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - clock, time.process_time() - processor


def measure(length: str, rounds: int, n: int, calls: int) -> dict[str, Any]:
    """A row of the results."""
    import fas

    writer = Writer(1)
    rows = []
    with fas.Scorer("mini") as scorer:
        scorer.score(writer.answers(CALL, length))
        for _ in range(rounds):
            many = writer.answers(n, length)
            whole = timed(lambda many=many: scorer.score(many))
            small = []
            for _ in range(calls):
                few = writer.answers(CALL, length)
                small.append(timed(lambda few=few: scorer.score(few)))
            middle = [statistics.median(column) for column in zip(*small, strict=True)]
            share = [CALL * seconds / n for seconds in whole]
            rows.append(
                {
                    "long_run_s": round(whole[0], 3),
                    "long_run_cpu_s": round(whole[1], 3),
                    "call_s": round(middle[0], 3),
                    "call_cpu_s": round(middle[1], 3),
                    "ratio": round(middle[0] / share[0], 3),
                    "ratio_cpu": round(middle[1] / share[1], 3),
                }
            )
            print(length, rows[-1], flush=True)
        known = writer.answers(1, length)
        scorer.score(known)
        least = statistics.median(timed(lambda: scorer.score(known))[1] for _ in range(15))
    medians = {name: statistics.median(one[name] for one in rows) for name in ("ratio", "ratio_cpu")}
    medians["one_known_answer_cpu_ms"] = round(1000 * least, 1)
    return row("scorer", length, n, medians, rounds=rows, load=load())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--store", action="store_true", help="put the rows into results.jsonl and the page")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        os.environ["FAS_CACHE_DIR"] = cache
        found = [measure("short", options.rounds, 96, 5), measure("long", max(2, options.rounds // 2), 32, 2)]
    for one in found:
        print(one["row"], one["medians"], "(target 1.2)")
    if options.store:
        store(found, whole=True)


if __name__ == "__main__":
    main()
