"""Pairs a second of an NLI model by length and number format, beside transformers' pipeline.

    python -m benchmarks.speed.verifier --model fas-nli-mini --repeats 5 --store

All variants take turns in one process, so that a busy machine slows them alike; medians and
the ratio to the text-classification pipeline (same weights, fp32, same batch size) are
printed and stored. int8 is torch's dynamic quantisation of the linear layers, in the pipeline.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
import warnings
from collections.abc import Callable

import torch
from transformers import TextClassificationPipeline

from benchmarks.speed.gpu import WORDS, plain
from benchmarks.speed.page import store
from benchmarks.stored import load, row
from fas.models.nli import NliModel, load_classifier
from fas.models.paths import resolve_model


def pairs_of(length: int, n: int, seed: int) -> list[tuple[str, str]]:
    """Pairs of about *length* tokens in all, a quarter of it the hypothesis."""
    rng = random.Random(seed)
    sentence = lambda k: " ".join(rng.choice(WORDS) for _ in range(k))  # noqa: E731
    return [(sentence(3 * length // 4 - 2), sentence(length // 4 - 1)) for _ in range(n)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="fas-nli-mini", help="an embedded model or a folder")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--lengths", type=int, nargs="*", default=[64, 128, 256, 512])
    parser.add_argument("--store", action="store_true", help="put the rows into results.jsonl and the page")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    models = {name: NliModel(options.model, precision=name) for name in ("fp32", "bf16")}
    untouched = load_classifier(resolve_model(options.model)[0], torch.float32).eval()
    int8 = torch.ao.quantization.quantize_dynamic(untouched, {torch.nn.Linear}, dtype=torch.qint8)
    tokenizer = models["fp32"].tokenizer
    pipes = {
        name: TextClassificationPipeline(model=model, tokenizer=tokenizer, device="cpu", top_k=None)
        for name, model in (("int8", int8), ("pipeline", untouched))
    }
    for length in options.lengths:
        n = max(32, 4096 // length)
        runs: dict[str, Callable[[list[tuple[str, str]]], object]] = {
            name: (lambda pairs, model=model: model.logits(pairs)) for name, model in models.items()
        }
        runs |= {name: (lambda pairs, pipe=pipe: plain(pipe, pairs, 32)) for name, pipe in pipes.items()}
        seconds: dict[str, list[float]] = {name: [] for name in runs}
        for repeat in range(options.repeats + 1):
            pairs = pairs_of(length, n, repeat)
            for name, run in runs.items():
                began = time.perf_counter()
                run(pairs)
                if repeat:  # the first round warms up
                    seconds[name].append(time.perf_counter() - began)
        base = statistics.median(seconds["pipeline"])
        found = {
            name: {
                "pairs_per_s": round(n / statistics.median(own), 1),
                "ratio": round(base / statistics.median(own), 2),
            }
            for name, own in seconds.items()
        }
        name = f"{options.model}, {length} tokens"
        made = row("verifier", name, n, found, model=options.model, tokens=length, rounds=options.repeats, load=load())
        print(json.dumps(made), flush=True)
        if options.store:
            store([made])


if __name__ == "__main__":
    main()
