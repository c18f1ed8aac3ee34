"""Pairs a second on an accelerator, beside transformers' pipeline with its best batch size; writes gpu.json.

    python -m benchmarks.speed.gpu

For `fas-nli-mini` and for random weights in the shapes of BERT-base and BioBERT-large (speed does not depend on weights), on
pairs as long as the windows of the profile `mini` and as long as whole abstracts. Ours: `NliModel` as the verifier has it. The
pipeline: the same weights in fp32, as it loads them, and in our number format, each with the best of the batch sizes. All take
turns; medians. The share of the peak is that of a product of large matrices on the same device, for the tokens that are no
padding. Then whole answers a minute (`benchmarks.speed.pipeline`). On a processor nothing is stored: `--device cpu --pairs 32`
shows that the script runs.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch
import transformers

from benchmarks.speed.pipeline import timed_run, write_answers
from fas.models.accelerator import device_name
from fas.models.nli import NliModel, load_classifier
from fas.models.paths import model_folder, resolve_model

Pairs = list[tuple[str, str]]

WORDS = "the patients treatment with a dose of increased reduced risk and in trial placebo group showed effect after".split()
LENGTHS = {"windows": (24, 160), "abstracts": (160, 500)}
"""Tokens of a pair, from and to."""
SHAPES = {
    "base": {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072},
    "BioBERT-large": {
        "hidden_size": 1024,
        "num_hidden_layers": 24,
        "num_attention_heads": 16,
        "intermediate_size": 4096,
    },
}


def made_pairs(kind: str, n: int, seed: int) -> Pairs:
    """*n* pairs, a fifth of each the hypothesis."""
    rng = random.Random(seed)
    pairs = []
    for _ in range(n):
        length = rng.randint(*LENGTHS[kind]) - 3
        words = rng.choices(WORDS, k=length)
        pairs.append((" ".join(words[length // 5 :]), " ".join(words[: length // 5])))
    return pairs


def made_model(shape: str, folder: Path) -> str:
    """A folder with random weights in this shape and the tokenizer of `fas-nli-mini`."""
    classes = {"id2label": dict(enumerate(("entailment", "neutral", "contradiction"))), "num_labels": 3}
    torch.manual_seed(0)
    config = transformers.BertConfig(vocab_size=30522, **SHAPES[shape], **classes)
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    transformers.AutoTokenizer.from_pretrained(model_folder("fas-nli-mini")).save_pretrained(folder)
    return str(folder)


def operations(model: NliModel, pairs: Pairs) -> float:
    """Multiplications and additions of the layers for the tokens of *pairs*, each counted once."""
    config = model.model.config
    width, inner, layers = config.hidden_size, config.intermediate_size, config.num_hidden_layers
    lengths = [len(ids) for ids in model._encode(pairs)["input_ids"]]
    per_token = 2 * (4 * width * width + 2 * width * inner)
    return float(sum(layers * n * (per_token + 4 * width * n) for n in lengths))


def peak(device: str, dtype: torch.dtype) -> float:
    """Operations a second of the product of two large matrices."""
    size = 8192 if device != "cpu" else 1024
    a, b = (torch.randn(size, size, device=device).to(dtype) for _ in range(2))
    seconds = []
    for _ in range(6):
        began = time.perf_counter()
        float((a @ b)[0, 0])  # waits for the device
        seconds.append(time.perf_counter() - began)
    return 2 * size**3 / min(seconds)


def best_batch(pipe: Callable[..., object], pairs: Pairs, sizes: list[int]) -> int:
    """The batch size with which the pipeline is fastest; sizes that do not fit are none."""
    taken = {}
    for size in sizes:
        try:
            taken[size] = elapsed(lambda size=size: plain(pipe, pairs, size))
        except torch.OutOfMemoryError:
            break
    return min(taken, key=lambda size: taken[size])


def plain(pipe: Callable[..., object], pairs: Pairs, size: int) -> object:
    """What the pipeline says of *pairs*."""
    return pipe([{"text": a, "text_pair": b} for a, b in pairs], batch_size=size, truncation=True, max_length=512)


def elapsed(run: Callable[[], object]) -> float:
    """Seconds of one turn; all that is run here ends by reading numbers back, so the device is waited for."""
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def measure(name: str, place: str, kind: str, options: argparse.Namespace) -> dict[str, object]:
    """One model on one kind of pairs."""
    ours = NliModel(place, device=options.device, stream=True)
    pipes = {}
    for label, dtype in (("fp32", torch.float32), ("same format", ours.dtype)):
        untouched = load_classifier(resolve_model(place)[0], dtype).to(options.device).eval()
        pipes[label] = transformers.TextClassificationPipeline(
            model=untouched, tokenizer=ours.tokenizer, device=options.device, top_k=None
        )
    warm = made_pairs(kind, options.pairs, 0)
    ours.logits(warm)
    best = {label: best_batch(pipe, warm, options.batch_sizes) for label, pipe in pipes.items()}
    seconds: dict[str, list[float]] = {label: [] for label in ("ours", *pipes)}
    work = []
    for repeat in range(1, options.repeats + 1):
        pairs = made_pairs(kind, options.pairs, repeat)
        work.append(operations(ours, pairs))
        seconds["ours"].append(elapsed(lambda pairs=pairs: ours.logits(pairs)))
        for label, pipe in pipes.items():
            seconds[label].append(elapsed(lambda pairs=pairs, pipe=pipe, label=label: plain(pipe, pairs, best[label])))
    middle = {label: statistics.median(own) for label, own in seconds.items()}
    return {
        "model": name,
        "pairs": kind,
        "format": str(ours.dtype),
        "batch_tokens": ours._tokens,
        "pairs_per_s": {label: options.pairs / own for label, own in middle.items()},
        "best_batch": best,
        "times_the_pipeline": {label: middle[label] / middle["ours"] for label in pipes},
        "share_of_peak": statistics.median(work) / middle["ours"] / peak(options.device, ours.dtype),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--models", nargs="+", choices=("mini", *SHAPES), default=["mini", *SHAPES])
    parser.add_argument("--pairs", type=int, default=4096)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--batch-sizes", type=int, nargs="+", default=[8, 16, 32, 64, 128, 256, 512])
    parser.add_argument("--answers", type=int, default=480, help="for answers a minute; 0 leaves that out")
    options = parser.parse_args()
    if options.device.startswith("cuda") and not torch.cuda.is_available():
        raise SystemExit("no CUDA device here; nothing was measured")
    results: dict[str, object] = {"device": device_name(options.device), "transformers": transformers.__version__}
    results["models"] = rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in options.models:
            place = "fas-nli-mini" if name == "mini" else made_model(name, Path(folder) / name)
            for kind in LENGTHS:
                rows.append(measure(name, place, kind, options))
                print(json.dumps(rows[-1]), flush=True)
        if options.answers:
            source = Path(folder) / "answers.jsonl"
            write_answers(source, options.answers, seed=0)
            wall, stages = timed_run(source, Path(folder) / "out", Path(folder) / "cache", "mini")
            results["answers_a_minute"], results["stages_s"] = 60 * options.answers / wall, stages
            print(json.dumps({"answers_a_minute": results["answers_a_minute"], "stages_s": stages}), flush=True)
    if options.device != "cpu":
        Path(__file__).with_name("gpu.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
