"""Training: batches of like length, a loss that knows "not entailed", one rate and then a falling one, checkpoints.

Only what is trained is kept in a checkpoint. A run goes on from its last one, in the middle of its epoch, and is the run
that it would have been.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from torch.nn.functional import log_softmax
from transformers import AutoModelForSequenceClassification

from benchmarks.embedded_models.nli.data import UNLABELLED, Pair
from benchmarks.embedded_models.nli.tasks import CLASSES
from fas.models.first_token import read_first_token_only
from fas.models.loading import quiet_loading
from fas.models.precision import is_bf16_faster
from fas.models.readout import CONFIG_KEY, VERSION, read_out

Batch = tuple[dict[str, torch.Tensor], torch.Tensor, torch.Tensor]
"""Features for the model, targets and weights."""
TAUGHT_SHARE = 0.5
"""Weight of a teacher's word beside a label."""


def target(pair: Pair, share: float = TAUGHT_SHARE) -> list[float]:
    """What the probabilities of *pair* are trained towards: three classes, and "neutral or contradiction" as a fourth.

    A pair with a label and a teacher's word has *share* of the teacher's and the rest on its label, one with
    either has that alone (knowledge distillation: Hinton et al. 2015). The four sum to 1.

    Raises:
        ValueError: The pair has neither a label nor a teacher's word.
    """
    if pair.taught is None and pair.label == UNLABELLED:
        raise ValueError("a pair with neither a label nor a teacher's word")
    said = [0.0] * 4
    if pair.label != UNLABELLED:
        said[pair.label] = 1.0 if pair.taught is None else 1.0 - share
    if pair.taught is not None:
        own = 1.0 if pair.label == UNLABELLED else share
        for i, p in enumerate(pair.taught):
            said[i] += own * p
    return said


def marginal_loss(logits: torch.Tensor, targets: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Weighted cross-entropy with *targets* of shape `[n, 4]`; the fourth is "neutral or contradiction", marginalised."""
    log_p = log_softmax(logits.float(), dim=-1)
    either = torch.logsumexp(log_p[:, 1:], dim=-1, keepdim=True)
    own = -(torch.cat([log_p, either], dim=-1) * targets).sum(dim=-1)
    return (own * weights).sum() / weights.sum()


def batches(
    pairs: list[Pair], tokenizer: Any, *, max_tokens: int, longest: int, rng: random.Random, reads_out: bool
) -> Iterator[Batch]:
    """One epoch of length-bucketed batches of about *max_tokens* tokens, in random order.

    With *reads_out* the numbers of every premise are read out, as `NliModel` does for weights trained so. A premise is cut to
    *longest* tokens with its hypothesis; a pair whose hypothesis alone is as long is left out.
    """
    padding = {"input_ids": tokenizer.pad_token_id, "token_type_ids": 0, "attention_mask": 0}
    fillings = {name: padding[name] for name in tokenizer.model_input_names}
    order = list(range(len(pairs)))
    rng.shuffle(order)
    pool_size = 8000
    for start in range(0, len(order), pool_size):
        pool = [pairs[i] for i in order[start : start + pool_size]]
        alone = tokenizer([p.hypothesis for p in pool], add_special_tokens=False, verbose=False)["input_ids"]
        room = longest - tokenizer.num_special_tokens_to_add(pair=True)
        pool = [pair for pair, ids in zip(pool, alone, strict=True) if len(ids) < room]
        premises = [read_out(p.premise) if reads_out else p.premise for p in pool]
        encoded = tokenizer(premises, [p.hypothesis for p in pool], truncation="only_first", max_length=longest)
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
            yield (
                features,
                torch.tensor([target(pool[i]) for i in group]),
                torch.tensor([pool[i].weight for i in group]),
            )


def classifier(trunk: Path, *, frozen: int, seed: int, reads_out: bool) -> torch.nn.Module:
    """The trunk in folder *trunk* with a fresh head of three classes; embeddings and *frozen* layers are not trained.

    No dropout: few pairs are seen twice, and drawing the masks takes a tenth of a step on a CPU.
    """
    torch.manual_seed(seed)
    with quiet_loading(str(trunk)):
        model = AutoModelForSequenceClassification.from_pretrained(
            trunk,
            num_labels=3,
            attention_probs_dropout_prob=0.0,
            hidden_dropout_prob=0.0,
            # The fused kernel's backward pass takes more than half of a step on a CPU.
            attn_implementation="eager",
            id2label=dict(enumerate(CLASSES)),
            label2id={name: i for i, name in enumerate(CLASSES)},
        )
    if reads_out:
        setattr(model.config, CONFIG_KEY, VERSION)
    encoder = model.base_model
    encoder.embeddings.requires_grad_(False)
    for layer in encoder.encoder.layer[:frozen]:
        layer.requires_grad_(False)
    if hasattr(encoder.encoder, "relative_attention_bias"):  # every layer's, so the frozen ones' too
        encoder.encoder.relative_attention_bias.requires_grad_(False)
    return model


def trained_state(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """The weights of *model* that are trained."""
    return {name: p.detach() for name, p in model.named_parameters() if p.requires_grad}


def adam(model: torch.nn.Module, rate: float) -> torch.optim.Optimizer:
    """AdamW over what is trained; no weight decay on biases and normalisation."""
    trained = [p for p in model.parameters() if p.requires_grad]
    groups = [
        {"params": [p for p in trained if p.ndim > 1], "weight_decay": 0.01},
        {"params": [p for p in trained if p.ndim == 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), fused=True)


def update(model: torch.nn.Module, optimizer: torch.optim.Optimizer, batch: Batch, rate: float) -> float:
    """One step on *batch* at learning rate *rate*; its loss."""
    features, targets, weights = batch
    for group in optimizer.param_groups:
        group["lr"] = rate
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=is_bf16_faster("cpu")):
        logits = model(**features).logits
    own = marginal_loss(logits, targets, weights)
    own.backward()
    torch.nn.utils.clip_grad_norm_([p for group in optimizer.param_groups for p in group["params"]], 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return float(own.item())


class Run:
    """A model in training, with its optimizer and the folder its checkpoints go to.

    Args:
        model: In training mode; its last layer is replaced by one that computes the first token alone.
        folder: Where checkpoints lie; the last one is gone on from.
        rate: The highest learning rate.
    """

    def __init__(self, model: torch.nn.Module, folder: Path, *, rate: float) -> None:
        read_first_token_only(model)
        self.model = model.train()
        self.folder, self.rate = folder, rate
        self.optimizer = adam(model, rate)
        self.step = self.epoch_began = 0
        self.last = folder / "last.pt"
        if self.last.exists():
            self.load(self.last)

    def load(self, file: Path) -> None:
        """Take weights, optimizer and step from *file*."""
        state = torch.load(file, weights_only=True)
        self.model.load_state_dict(state["weights"], strict=False)
        self.optimizer.load_state_dict(state["optimizer"])
        self.step, self.epoch_began = int(state["step"]), int(state.get("epoch_began", state["step"]))

    def save(self, file: Path) -> None:
        """Write them; an interruption leaves the file before."""
        partial = file.with_suffix(".partial")
        state = {"weights": trained_state(self.model), "optimizer": self.optimizer.state_dict(), "step": self.step}
        state["epoch_began"] = self.epoch_began
        torch.save(state, partial)
        partial.replace(file)

    def go(
        self,
        until: int,
        epoch: Callable[[int], Iterator[Batch]],
        rate_at: Callable[[int], float],
        every: int,
        watch: Callable[[torch.nn.Module], dict[str, float]] | None = None,
    ) -> None:
        """Train until step *until*.

        Args:
            until: The step to stop at.
            epoch: The batches from a step on; asked again when they are used up.
            rate_at: Share of the highest rate at a step.
            every: Steps between checkpoints.
            watch: What is printed about the model beside each checkpoint.
        """
        # What an interrupted run has seen of its epoch is passed over.
        seen_of_epoch = self.step - self.epoch_began
        stream = islice(epoch(self.epoch_began), seen_of_epoch, None) if seen_of_epoch else iter(())
        seen, smooth, began = 0, 0.0, time.monotonic()
        with (self.folder / "log.jsonl").open("a", encoding="utf-8") as log:
            while self.step < until:
                batch = next(stream, None)
                if batch is None:
                    self.epoch_began = self.step
                    stream = iter(epoch(self.step))
                    batch = next(stream)
                loss = update(self.model, self.optimizer, batch, self.rate * rate_at(self.step))
                self.step += 1
                seen += len(batch[1])
                smooth = 0.98 * smooth + 0.02 * loss if smooth else loss
                stop = self.step % every == 0 or self.step == until
                if self.step % 20 == 0 or stop:
                    told: dict[str, object] = {"step": self.step, "loss": round(smooth, 4)}
                    told["pairs_a_second"] = round(seen / (time.monotonic() - began), 1)
                    if stop:
                        self.save(self.last)
                        if watch is not None:
                            told |= watch(self.model)
                    print(json.dumps(told), file=log, flush=True)


def held(step: int, warm_up: int) -> float:
    """The rate of the first stage as a share of the highest: a warm-up over *warm_up* steps, then 1."""
    return min(1.0, (step + 1) / warm_up)


def falling(step: int, first: int, last: int) -> float:
    """The rate of the second stage: from 1 at *first* in a straight line to 0 at *last*."""
    return max(0.0, (last - step) / (last - first))
