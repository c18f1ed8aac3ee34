"""What it costs that a pair's logits and a text's vector depend on nothing beside them: rows against padded batches.

    python -m benchmarks.speed.rows --repeats 7

Windows of the passages of `examples/` with claims of its answers, and their sentences. Both ways take turns in one process on
fresh texts, in fp32 and bfloat16; processor time and the clock, medians, with the lowest and highest ratio of a round; and by
how much the results of each way differ between all at once and four at a time. With `--store` the rows go to the page; a row is
named by model, format and threads.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from unittest.mock import patch

import numpy as np
import torch

from benchmarks.speed.page import store
from benchmarks.speed.pipeline import ROOT, sentences
from benchmarks.stored import load, row
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
    parser.add_argument("--store", action="store_true", help="put the rows into results.jsonl and the page")
    options = parser.parse_args()
    notes = sentences(ROOT / "examples/evidence.jsonl", "text")
    claims = sentences(ROOT / "examples/answers.jsonl", "prediction")
    rows, threads = [], torch.get_num_threads()
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
            found = {
                f"{name}_{kind}_s": round(statistics.median(seconds[name]), 3)
                for kind, seconds in (("cpu", cpu), ("clock", clock))
                for name in models
            }
            rows.append(
                row(
                    "rows",
                    f"{what}, {'bfloat16' if precision == 'bf16' else precision}, {threads} thread{'s' * (threads > 1)}",
                    options.texts,
                    found,
                    rounds=options.repeats,
                    ratio=round(statistics.median(ratios), 3),
                    lowest=round(min(ratios), 3),
                    highest=round(max(ratios), 3),
                    moved_by_what_is_beside=moved,
                    load=load(),
                )
            )
            print(json.dumps(rows[-1]), flush=True)
    if options.store:
        store(rows)


if __name__ == "__main__":
    main()
