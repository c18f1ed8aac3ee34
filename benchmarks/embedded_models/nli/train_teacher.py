"""Train a larger model on general pairs, to teach the verifier with (`distill.py`).

    python train_teacher.py --data ../../../../shared/data/train --trunk all-mpnet-base-v2 --out runs/teacher

A model ten times the verifier's size learns more from the same pairs, and what it says of a pair, how unsure it is
included, teaches a small one more than the label does. It is never shipped. The trunk is all-mpnet-base-v2
(Apache-2.0), 12 layers of width 768, an encoder trained for sentence similarity as the verifier's own trunk is. Its
embeddings and its first layers stay as they are: with a third of the layers frozen a step takes three quarters of the
time. All pairs made from MultiNLI, whose kind of text is the hardest, come before the others are sampled.
One process, seeded, resumable: the same command goes on from the last checkpoint, and `--steps` may be changed then.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

import torch
from train import Batch, batches, fit
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from data import FACTCHECK, MULTINLI, OTHER_GENERAL, Pair, load

MAX_TOKENS = 128


def teacher_pairs(root: Path, seed: int, n: int) -> list[Pair]:
    """One epoch: MultiNLI whole, and general and fact-checking pairs, nine to one, until there are *n*."""
    rng = random.Random(seed)
    multi = load(root, MULTINLI, seed=seed)
    others = load(root, OTHER_GENERAL, seed=seed)
    checked = load(root, FACTCHECK, seed=seed)
    pairs = multi + rng.sample(others, min(len(others), max(0, n - len(multi) - n // 10)))
    pairs += rng.sample(checked, min(len(checked), n // 10))
    rng.shuffle(pairs)
    return pairs


def teacher_model(trunk: Path, frozen: int, device: str) -> torch.nn.Module:
    """The encoder in the folder *trunk* with a fresh head of three classes; embeddings and *frozen* layers are not trained."""
    model = AutoModelForSequenceClassification.from_pretrained(
        trunk,
        num_labels=3,
        # One epoch does not overfit, and drawing the masks takes a tenth of a step on a CPU.
        attention_probs_dropout_prob=0.0,
        hidden_dropout_prob=0.0,
        id2label=dict(enumerate(("entailment", "neutral", "contradiction"))),
        label2id={"entailment": 0, "neutral": 1, "contradiction": 2},
    ).to(device)
    encoder = model.base_model
    encoder.embeddings.requires_grad_(False)
    for layer in encoder.encoder.layer[:frozen]:
        layer.requires_grad_(False)
    if hasattr(encoder.encoder, "relative_attention_bias"):  # every layer's, so the frozen ones' too
        encoder.encoder.relative_attention_bias.requires_grad_(False)
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--trunk", type=Path, required=True, help="folder of the encoder's weights and tokenizer")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--pairs", type=int, default=52_000, help="pairs in an epoch")
    parser.add_argument("--steps", type=int, default=1020)
    parser.add_argument("--frozen", type=int, default=4, help="first layers that are not trained")
    parser.add_argument("--peak-lr", type=float, default=4e-5)
    parser.add_argument("--max-tokens", type=int, default=2048, help="tokens per batch")
    parser.add_argument("--seed", type=int, default=20261123)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(options.seed)
    tokenizer = AutoTokenizer.from_pretrained(options.trunk)
    model = teacher_model(options.trunk, options.frozen, options.device).train()

    def epoch(step: int, rng: random.Random) -> Iterator[Batch]:
        pairs = teacher_pairs(options.data, options.seed + step, options.pairs)
        return batches(pairs, tokenizer, max_tokens=options.max_tokens, max_length=MAX_TOKENS, rng=rng)

    fit(model, epoch, options.out, options)
    model.save_pretrained(options.out / "model")
    tokenizer.save_pretrained(options.out / "model")


if __name__ == "__main__":
    main()
