"""TRL's trainers with tokens of our own, set as LEAF's table 11 says, and stopped where the loss is not a number."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

# "APIs here are unstable": the version is pinned, and the loss is tested against the equation.
os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")

import torch
from datasets import Dataset
from transformers import PrinterCallback, TrainerCallback
from trl import SFTConfig, SFTTrainer
from trl.experimental.cpo import CPOConfig, CPOTrainer

from fas.leaf.selecting import For
from fas.leaf.training_data import Example

if TYPE_CHECKING:
    from fas.leaf.training import Training


def make_trainer(
    network: Any,
    tokenizer: Any,
    data: Sequence[Example],
    purpose: For,
    settings: Training,
    work: Path,
    *,
    tell: Callable[[str], None] = lambda line: None,
) -> Any:
    """The trainer of *network* on *data*.

    *network*: the model, in float32. *tell*: called with a line for each step.
    """
    common = _make_arguments(settings, work)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if purpose == "sft":
            rows: list[dict[str, Any]] = [
                {"input_ids": one.prompt + one.chosen, "completion_mask": [0] * len(one.prompt) + [1] * len(one.chosen)}
                for one in data
            ]
            config = SFTConfig(**common, max_length=settings.max_length, completion_only_loss=True, packing=False)
            make: Any = _Supervised
        else:
            texts = {"prompt": "-", "chosen": "-", "rejected": "-"}  # TRL wants texts; `tokenize_row` has the tokens
            rows = [{**texts, "place": i} for i in range(len(data))]
            config = CPOConfig(
                **common, max_length=settings.max_length, loss_type="simpo", cpo_alpha=0.0, beta=settings.beta,
                simpo_gamma=settings.gamma, remove_unused_columns=False,
            )  # fmt: skip
            make = _Simpo
        return make(
            model=network, args=config, train_dataset=Dataset.from_list(rows), processing_class=tokenizer,
            callbacks=[_Progress(tell)], data=data,
        )  # fmt: skip


def _make_arguments(settings: Training, work: Path) -> dict[str, Any]:
    return {
        "output_dir": str(work),
        "learning_rate": settings.learning_rate,
        "per_device_train_batch_size": settings.batch_size,
        "gradient_accumulation_steps": settings.accumulation,
        "num_train_epochs": settings.epochs,
        "optim": "adamw_torch",
        "lr_scheduler_type": "cosine",
        "warmup_steps": 0.1,  # below 1 it is a share of the steps
        "seed": settings.seed,
        "data_seed": settings.seed,
        "bf16": settings.precision == "bf16",
        "gradient_checkpointing": False,
        "use_cpu": not torch.cuda.is_available(),
        "save_strategy": "epoch",
        "save_total_limit": 1,
        "logging_steps": 1,
        "logging_nan_inf_filter": False,
        "report_to": "none",
        "disable_tqdm": True,
        "dataloader_pin_memory": torch.cuda.is_available(),
    }


class _OnTokens:
    """A trainer on examples that are tokens already; `PrinterCallback` would write to the standard output."""

    def __init__(self, *, data: Sequence[Example], **options: Any) -> None:
        self._data = data
        super().__init__(**options)
        self.remove_callback(PrinterCallback)  # type: ignore[attr-defined]


class _Simpo(_OnTokens, CPOTrainer):  # type: ignore[misc]  # TRL has no types
    def tokenize_row(self, feature: Mapping[str, Any], model: Any = None) -> dict[str, Any]:
        """The tokens of a pair, with labels for the completions only."""
        del model
        one = self._data[feature["place"]]
        row: dict[str, Any] = {"prompt_input_ids": one.prompt, "prompt_attention_mask": [1] * len(one.prompt)}
        for name, completion in (("chosen", one.chosen), ("rejected", one.rejected)):
            ids = one.prompt + completion
            row[f"{name}_input_ids"] = ids
            row[f"{name}_attention_mask"] = [1] * len(ids)
            row[f"{name}_labels"] = [-100] * len(one.prompt) + completion
        return row


class _Supervised(_OnTokens, SFTTrainer):  # type: ignore[misc]  # TRL has no types
    pass


class _Progress(TrainerCallback):  # type: ignore[misc]
    """Reports every step, and stops the training where the loss is not a number, before a checkpoint is written."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell

    def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, Any] | None = None, **others: Any) -> None:
        """After every optimiser step."""
        from fas.leaf.training import LossError

        del args, control, others
        shown = {name: float(logs[name]) for name in ("loss", "rewards/margins") if logs and name in logs}
        if not math.isfinite(shown.get("loss", 0.0)):
            raise LossError(
                f"the loss is {shown['loss']:g} after {state.global_step} optimiser steps; lower the learning rate, or "
                "look at the examples of this step. The last checkpoint is kept"
            )
        if shown:
            values = ", ".join(f"{name} {value:.4g}" for name, value in shown.items())
            self._tell(f"step {state.global_step} of {state.max_steps}: {values}")
