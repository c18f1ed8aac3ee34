"""What it costs that a pair's logits and a text's vector depend on nothing beside them: rows against padded batches.

    python -m benchmarks.speed.rows --repeats 7

Windows of the passages of `examples/` with claims of its answers, and their sentences. Both ways take turns in one process on
fresh texts, in fp32 and bfloat16; processor time and the clock, medians, with the lowest and highest ratio of a round; and by
how much the results of each way differ between all at once and four at a time.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from unittest.mock import patch

import numpy as np
import torch

from benchmarks.speed.pipeline import ROOT, sentences
from fas.models.encoder import Encoder
from fas.models.nli import NliModel


def both(make: Callable[[], object], module: str) -> dict[str, object]:
    """The model as it is, and one whose texts are padded to batches."""
    rows = make()
    with patch(f"{module}.lay_side_by_side", lambda model: False):
        return {"padded": make(), "rows": rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--texts", type=int, default=128)
    parser.add_argument("--only", choices=("verifier", "encoder"))
    options = parser.parse_args()
    notes = sentences(ROOT / "examples/evidence.jsonl", "text")
    claims = sentences(ROOT / "examples/answers.jsonl", "prediction")
    print(f"threads {torch.get_num_threads()}, load {os.getloadavg()[0]:.1f}")
    for precision in ("fp32", "bf16"):
        for what, make, module in (
            ("verifier", partial(NliModel, precision=precision), "fas.models.nli"),
            ("encoder", partial(Encoder, precision=precision), "fas.models.encoder"),
        ):
            if options.only not in (None, what):
                continue
            models = both(make, module)
            cpu: dict[str, list[float]] = {name: [] for name in models}
            clock: dict[str, list[float]] = {name: [] for name in models}
            moved = dict.fromkeys(models, 0.0)
            for repeat in range(options.repeats + 1):
                rng = random.Random(repeat)
                windows = [" ".join(rng.sample(notes, 2)) for _ in range(options.texts)]
                inputs = list(zip(windows, rng.choices(claims, k=options.texts), strict=True))
                texts = inputs if what == "verifier" else rng.choices([*notes, *claims], k=options.texts)
                for name in random.Random(repeat).sample(list(models), 2):
                    run = getattr(models[name], "logits" if what == "verifier" else "embed")
                    spent, began = time.process_time(), time.perf_counter()
                    found = run(texts)
                    if repeat:  # the first round warms up
                        cpu[name].append(time.process_time() - spent)
                        clock[name].append(time.perf_counter() - began)
                    else:
                        parts = [run(texts[start : start + 4]) for start in range(0, options.texts, 4)]
                        moved[name] = float(np.abs(np.concatenate(parts) - found).max())
            ratios = [new / old for new, old in zip(cpu["rows"], cpu["padded"], strict=True)]
            print(
                json.dumps(
                    {
                        "what": f"{what} {precision}",
                        "cpu_ms_a_text": {n: round(1000 * statistics.median(t) / options.texts, 3) for n, t in cpu.items()},
                        "clock_ms_a_text": {
                            n: round(1000 * statistics.median(t) / options.texts, 3) for n, t in clock.items()
                        },
                        "cpu_ratio": [round(one, 3) for one in (statistics.median(ratios), min(ratios), max(ratios))],
                        "moved_by_what_is_beside": moved,
                    }
                ),
                flush=True,
            )


if __name__ == "__main__":
    main()
