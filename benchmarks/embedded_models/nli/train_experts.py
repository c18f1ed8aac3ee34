"""The last stage: claims checked by experts, once for each fold without it and once with all.

    python train_experts.py --data ../../../../shared/data --from runs/nli/model --out runs/experts

Starts six times from the weights of `train.py`: five times without one fold of SciFact's train
claims (and the abstracts they share), for an honest number and for a calibrator that has never
met its own training pairs, and once with all of them, for the weights that ship. Resumable run
by run: a finished `fold-N` or `all` is not trained again. `--runs restricted` trains one more
model, beside `all`, that also sees the sets whose licence keeps them out of shipped weights.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import torch
from experts import FOLDS, Grouped, expert_pairs, fold_of
from train import adam, batches, has_numbers_read_out, learning_rate, start_model, trunk_folder, update
from transformers import AutoTokenizer

from comparisons import comparison_pairs
from data import BIOMEDICAL, FACTCHECK, GENERAL, MAX_HYPOTHESIS, RESTRICTED, Pair, load
from enumerations import enumeration_pairs
from judged import Judged
from perturb import perturbed_pairs
from small_words import small_word_pairs
from synonyms import synonym_pairs

RESTRICTED_RUN = "restricted"


def mixture(
    own: list[Pair],
    root: Path,
    seed: int,
    replay: int,
    judged: Judged | None = None,
    *,
    comparisons: int = 0,
    small_words: int = 0,
    enumerations: int = 0,
) -> list[Pair]:
    """The experts' pairs and *replay* pairs of everything before, so that nothing is forgotten.

    Windows that settle nothing are many: an epoch takes a part of them, fewer than those that do. General pairs carry
    what a teacher said of them, if *judged* holds it. *comparisons* pairs of two groups, half of them in numbers, and
    *small_words* pairs of `small_words` and *enumerations* pairs of `enumerations` join.
    """
    rng = random.Random(seed)
    made = [p for p in perturbed_pairs(root, split="train", seed=seed) if len(p.hypothesis) <= MAX_HYPOTHESIS]
    general = load(root, GENERAL, seed=seed)
    if judged is not None:
        general = [judged.taught(pair) for pair in general]
    pools = (
        (0.15, synonym_pairs(root, split="train", seed=seed)),
        (0.25, made),
        (0.20, [p for p in load(root, BIOMEDICAL, seed=seed) if len(p.premise) < 1000]),
        (0.15, load(root, FACTCHECK, seed=seed)),
        (0.25, general),
    )
    pairs = [p for p in own if p.label != 1]
    settles_nothing = [p for p in own if p.label == 1]
    pairs += rng.sample(settles_nothing, min(len(settles_nothing), round(0.8 * len(pairs))))
    for share, pool in pools:
        pairs += rng.sample(pool, int(share * replay))
    pairs += comparison_pairs(comparisons, seed=seed, worded=0.5) + small_word_pairs(small_words, seed=seed)
    pairs += enumeration_pairs(enumerations, seed=seed)
    rng.shuffle(pairs)
    return pairs


def tune(own: list[Pair], out: Path, options: argparse.Namespace) -> None:
    """One run over the mixture, `--epochs` times over the experts' pairs, from the given weights into *out*."""
    torch.manual_seed(options.seed)
    tokenizer = AutoTokenizer.from_pretrained(trunk_folder())
    judged = None if options.judged is None else Judged.read(options.judged)
    model = start_model(str(options.start), options.device).train()
    optimizer = adam(model, options.peak_lr)
    rng = random.Random(options.seed)
    stream = [
        batch
        for epoch in range(options.epochs)
        for batch in batches(
            mixture(
                own,
                options.data / "train",
                options.seed + epoch,
                options.replay,
                judged,
                comparisons=options.comparisons,
                small_words=options.small_words,
                enumerations=options.enumerations,
            ),
            tokenizer,
            max_tokens=options.max_tokens,
            max_length=256,
            rng=rng,
            reads_out=has_numbers_read_out(model),
        )
    ]
    running = 0.0
    for step, batch in enumerate(stream):
        rate = learning_rate(step, len(stream), options.peak_lr)
        loss = update(model, optimizer, batch, rate=rate, device=options.device)
        running = 0.95 * running + 0.05 * loss if running else loss
        if step % 25 == 0:
            print(json.dumps({"run": out.name, "step": step, "of": len(stream), "loss": round(running, 4)}), flush=True)
    partial = out.with_name(f"{out.name}.partial")
    model.save_pretrained(partial)
    tokenizer.save_pretrained(partial)
    partial.rename(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--from", dest="start", type=Path, required=True, help="folder of the weights to start from")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--replay", type=int, default=1000, help="pairs of the earlier stages in an epoch")
    parser.add_argument("--judged", type=Path, help="what a teacher said of general pairs (judged.py)")
    parser.add_argument("--comparisons", type=int, default=0, help="pairs in which two groups are compared in an epoch")
    parser.add_argument("--small-words", type=int, default=0, help="pairs that hang on the small words in an epoch")
    parser.add_argument("--enumerations", type=int, default=0, help="pairs of a sentence that lists things in an epoch")
    parser.add_argument("--peak-lr", type=float, default=7e-5)
    parser.add_argument("--max-tokens", type=int, default=2048, help="tokens per batch")
    parser.add_argument("--runs", nargs="*", help="only these, e.g. fold-0 all")
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    pairs: list[Grouped] = expert_pairs(options.data)
    fold = fold_of([p.group for p in pairs], options.seed)
    runs = {**{f"fold-{i}": i for i in range(FOLDS)}, "all": None, RESTRICTED_RUN: None}
    wanted = options.runs or [name for name in runs if name != RESTRICTED_RUN]
    for name in wanted:
        if (options.out / name).exists():
            continue
        own = [p.pair for p in pairs if fold[p.group] != runs[name]]
        if name == RESTRICTED_RUN:
            own += load(options.data / "train", RESTRICTED, seed=options.seed)
        tune(own, options.out / name, options)


if __name__ == "__main__":
    main()
