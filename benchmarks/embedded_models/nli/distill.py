"""Teach the verifier's weights what several models say together.

    python distill.py --data ../../../../shared/data/train --from runs/mean --teachers runs/general/model runs/teacher/model --weights 1 1 2 --out runs/distilled

Models trained apart from one another err on different pairs, and the mean of their probabilities is right more often than
any of them; their weights, which lie in different basins of the loss, cannot be averaged. One model that is trained
towards that mean keeps a part of the gain. The target of a pair is

    (1 - share) * its label + share * weighted mean over the models of P(class)

What only the model to be trained has learned, biomedical pairs, has itself for a teacher. Pairs without any label are
made of the hypotheses that MultiNLI's and SNLI's authors wrote for the same premise, and of pairs turned round: the
models say what they are.
One process, seeded, resumable: the same command goes on from the last checkpoint.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from train import TAUGHT_SHARE, Batch, batches, fit, has_numbers_read_out, start_model, trunk_folder
from transformers import AutoTokenizer

from data import BIOMEDICAL, FACTCHECK, MAX_HYPOTHESIS, MULTINLI, OTHER_GENERAL, Pair, load
from fas.models.nli import NliModel
from judged import unlabelled_pairs
from perturb import perturbed_pairs
from synonyms import synonym_pairs

MAX_TOKENS = 192
# Pairs judged before what was said of them is written down.
PART = 4096


def transfer_pairs(root: Path, seed: int, n_general: int, n_unlabelled: int) -> tuple[list[Pair], list[Pair]]:
    """Pairs that all teachers judge, and pairs that only the model to be trained does.

    Of the general pairs, with and without a label, half are made from MultiNLI's.
    """
    rng = random.Random(seed)
    multi, others = load(root, MULTINLI, seed=seed), load(root, OTHER_GENERAL, seed=seed)
    chosen = rng.sample(multi, min(n_general // 2, len(multi)))
    chosen += rng.sample(others, min(n_general - len(chosen), len(others)))
    for source in (multi, others):
        chosen += unlabelled_pairs(source, n_unlabelled // 2, rng)
    chosen += rng.sample(load(root, FACTCHECK, seed=seed), n_general // 4)
    made = [p for p in perturbed_pairs(root, split="train", seed=seed) if len(p.hypothesis) <= MAX_HYPOTHESIS]
    own = rng.sample(load(root, BIOMEDICAL, seed=seed), n_general // 8)
    own += rng.sample(made, n_general // 8) + rng.sample(synonym_pairs(root, split="train", seed=seed), n_general // 16)
    return chosen, own


def said(folder: Path, model: str, pairs: Sequence[Pair]) -> np.ndarray:
    """P of the three classes of each pair, as *model* says, shape `[n, 3]`.

    Kept in *folder* under the hash of the weights and the pairs: a run that was interrupted goes on where it was, one that
    weighs its teachers otherwise does not ask again, and one with other weights or other pairs does.
    """
    judge = NliModel(model, max_length=MAX_TOKENS)
    texts = [(pair.premise, pair.hypothesis) for pair in pairs]
    key = hashlib.sha256(json.dumps([judge.identity, texts]).encode()).hexdigest()[:16]
    file, partial, written = (folder / f"said-{key}{ending}.npy" for ending in ("", ".partial", ".written"))
    if not file.exists():
        found = np.load(partial) if partial.exists() else np.zeros((0, 3), dtype=np.float32)
        while len(found) < len(texts):
            logits = torch.from_numpy(judge.logits(texts[len(found) : len(found) + PART]))
            found = np.concatenate([found, torch.softmax(logits, dim=-1).numpy()])
            np.save(written, found)
            written.replace(partial)
            print(f"{model}: {len(found)} of {len(texts)}", flush=True)
        partial.rename(file)
    kept: np.ndarray = np.load(file)
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--from", dest="start", required=True, help="folder of the weights to be trained; a teacher, too"
    )
    parser.add_argument("--teachers", nargs="+", required=True, help="folders of the other teachers")
    parser.add_argument(
        "--weights", type=float, nargs="+", help="weight of what --from says and of each teacher in the mean (equal)"
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--pairs", type=int, default=48_000, help="general pairs with a label; the others go by them")
    parser.add_argument("--unlabelled", type=int, help="pairs without a label (half of --pairs)")
    parser.add_argument(
        "--share", type=float, default=TAUGHT_SHARE, help="weight of the teachers beside a label, 0 to 1"
    )
    parser.add_argument("--peak-lr", type=float, default=1e-4)
    parser.add_argument("--max-tokens", type=int, default=2048, help="tokens per batch")
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    models = (options.start, *options.teachers)
    unlabelled = options.pairs // 2 if options.unlabelled is None else options.unlabelled
    weights = options.weights or [1.0] * len(models)
    if len(weights) != len(models):
        parser.error(f"--weights: one for --from and one for each of the teachers, {len(models)} in all")
    options.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(options.seed)
    shared, own = transfer_pairs(options.data, options.seed, options.pairs, unlabelled)
    together = np.average([said(options.out, model, shared) for model in models], axis=0, weights=weights)
    alone = said(options.out, options.start, own)
    taught = np.concatenate([together, alone]).tolist()
    pairs = [replace(pair, taught=tuple(p)) for pair, p in zip([*shared, *own], taught, strict=True)]
    tokenizer = AutoTokenizer.from_pretrained(trunk_folder())
    model = start_model(options.start, options.device).train()

    def epoch(_: int, rng: random.Random) -> Iterator[Batch]:
        return batches(
            pairs,
            tokenizer,
            max_tokens=options.max_tokens,
            max_length=MAX_TOKENS,
            rng=rng,
            share=options.share,
            reads_out=has_numbers_read_out(model),
        )

    fit(model, epoch, options.out, options)
    model.save_pretrained(options.out / "model")
    tokenizer.save_pretrained(options.out / "model")


if __name__ == "__main__":
    main()
