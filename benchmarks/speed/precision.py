"""What bfloat16 does to the scores: the same answers in fp32 and in bf16, without a cache.

    python -m benchmarks.speed.precision [examples/answers.jsonl] [--shortest N]

Prints how many claims keep their label, the largest and the mean shift of FAS, and the seconds of each.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "answers.jsonl"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("answers", type=Path, nargs="?", default=EXAMPLES)
    parser.add_argument("--shortest", type=int, metavar="N", help="only the N shortest answers with passages")
    options = parser.parse_args()
    from fas.api import score_answers
    from fas.answers.schema import to_answer

    lines = options.answers.read_text(encoding="utf-8").splitlines()
    answers = [to_answer(json.loads(line), line=i, where=f"line {i}") for i, line in enumerate(lines, 1)]
    if options.shortest:
        judged = [answer for answer in answers if answer.passages and answer.prediction.strip()]
        answers = sorted(judged, key=lambda answer: len(answer.prediction))[: options.shortest]
    found = {}
    for precision in ("fp32", "bf16"):
        with tempfile.TemporaryDirectory() as cache:
            os.environ["FAS_CACHE_DIR"] = cache
            began = time.process_time()
            report = score_answers(answers, precision=precision, safety=False, n_resamples=10)
            print(f"{precision}: {time.process_time() - began:.1f} s of processor time", flush=True)
            found[precision] = report.answers
    labels = [
        (a.label, b.label)
        for exact, rough in zip(found["fp32"], found["bf16"], strict=True)
        for a, b in zip(exact.verdicts, rough.verdicts, strict=True)
    ]
    same = sum(a == b for a, b in labels)
    print(f"labels: {same} of {len(labels)} the same ({same / max(1, len(labels)):.3%})")
    for name in ("fas", "fas_evidence"):
        pairs = zip(found["fp32"], found["bf16"], strict=True)
        shifts = [getattr(rough, name) - getattr(exact, name) for exact, rough in pairs]
        shifts = [shift for shift in shifts if shift == shift]
        print(
            f"{name}: {len(shifts)} answers, largest shift {max(map(abs, shifts), default=0):.5f}, "
            f"shift of the mean {sum(shifts) / max(1, len(shifts)):+.6f}"
        )


if __name__ == "__main__":
    main()
