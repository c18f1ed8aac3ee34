"""What bfloat16 does to the scores: the same answers in fp32 and in bf16, without a cache.

    python -m benchmarks.speed.precision [examples/answers.jsonl] [--shortest N]

Prints how many claims keep their label, the largest and the mean shift of FAS, and the seconds of each; with `--store` they go
to the page, if all answers of the examples were scored.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

from benchmarks.speed.page import store
from benchmarks.stored import load, row

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "answers.jsonl"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("answers", type=Path, nargs="?", default=EXAMPLES)
    parser.add_argument("--shortest", type=int, metavar="N", help="only the N shortest answers with passages")
    parser.add_argument("--store", action="store_true", help="put the row into results.jsonl and the page")
    options = parser.parse_args()
    from fas.api import score_answers
    from fas.core.answers.schema import to_answer

    lines = options.answers.read_text(encoding="utf-8").splitlines()
    answers = [to_answer(json.loads(line), line=i, where=f"line {i}") for i, line in enumerate(lines, 1)]
    if options.shortest:
        judged = [answer for answer in answers if answer.passages and answer.prediction.strip()]
        answers = sorted(judged, key=lambda answer: len(answer.prediction))[: options.shortest]
    found, seconds = {}, {}
    for precision in ("fp32", "bf16"):
        with tempfile.TemporaryDirectory() as cache:
            os.environ["FAS_CACHE_DIR"] = cache
            began = time.process_time()
            report = score_answers(answers, precision=precision, safety=False, n_resamples=10)
            seconds[precision] = round(time.process_time() - began, 1)
            print(f"{precision}: {seconds[precision]} s of processor time", flush=True)
            found[precision] = report.answers
    labels = [
        (a.label, b.label)
        for exact, rough in zip(found["fp32"], found["bf16"], strict=True)
        for a, b in zip(exact.verdicts, rough.verdicts, strict=True)
    ]
    shifts = {}
    for name in ("fas", "fas_evidence"):
        pairs = zip(found["fp32"], found["bf16"], strict=True)
        own = [getattr(rough, name) - getattr(exact, name) for exact, rough in pairs]
        shifts[name] = [shift for shift in own if shift == shift]
        largest, mean = max(map(abs, shifts[name]), default=0.0), sum(shifts[name]) / max(1, len(shifts[name]))
        print(f"{name}: {len(shifts[name])} answers, largest shift {largest:.5f}, shift of the mean {mean:+.6f}")
    medians = {
        "labels": len(labels),
        "same_labels": sum(a == b for a, b in labels),
        "largest_shift": round(max(map(abs, shifts["fas"]), default=0.0), 6),
        "shift_of_the_mean": round(sum(shifts["fas"]) / max(1, len(shifts["fas"])), 7),
    }
    made = row("precision", "examples", len(answers), medians, scored=len(shifts["fas"]), cpu_s=seconds, load=load())
    print(json.dumps(made))
    if options.store and options.answers == EXAMPLES and not options.shortest:
        store([made], whole=True)


if __name__ == "__main__":
    main()
