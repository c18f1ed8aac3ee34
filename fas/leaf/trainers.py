"""TRL's trainers with tokens of our own, set as LEAF's table 11 says, and stopped where the loss is no number."""

from __future__ import annotations

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
    stop_after: int | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> Any:
    """The trainer of *network* on *data*.

    *network*: the model, in float32. *stop_after*: stop with a checkpoint after so many optimiser steps. *tell*: called
    with a line for each step.
    """
    callbacks = [_Progress(tell), *([] if stop_after is None else [_StopAfter(stop_after)])]
    common = _arguments(settings, work)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if purpose == "sft":
            rows: list[dict[str, Any]] = [
                {"input_ids": one.prompt + one.chosen, "completion_mask": [0] * len(one.prompt) + [1] * len(one.chosen)}
                for one in data
            ]
            config = SFTConfig(**common, max_length=settings.max_length, completion_only_loss=True, packing=False)
            make: Any = Supervised
        else:
            texts = {"prompt": "-", "chosen": "-", "rejected": "-"}  # TRL wants texts; `tokenize_row` has the tokens
            rows = [{**texts, "item": one.item, "place": i} for i, one in enumerate(data)]
            config = CPOConfig(
                **common, max_length=settings.max_length, loss_type="simpo", cpo_alpha=0.0, beta=settings.beta,
                simpo_gamma=settings.gamma, remove_unused_columns=False,
            )  # fmt: skip
            make = Simpo
        return make(
            model=network, args=config, train_dataset=Dataset.from_list(rows), processing_class=tokenizer,
            callbacks=callbacks, data=data,
        )  # fmt: skip


def _arguments(settings: Training, work: Path) -> dict[str, Any]:
    return {
        "output_dir": str(work),
        "learning_rate": settings.learning_rate,
        "per_device_train_batch_size": settings.batch_size,
        "gradient_accumulation_steps": settings.accumulation,
        "num_train_epochs": settings.epochs,
        "optim": "adamw_torch",
        "lr_scheduler_type": "cosine",
        "warmup_steps": settings.warmup_ratio,  # below 1 it is a share of the steps
        "seed": settings.seed,
        "data_seed": settings.seed,
        "bf16": settings.precision == "bf16",
        "gradient_checkpointing": False,
        "use_cpu": not torch.cuda.is_available(),
        "save_strategy": "epoch" if settings.save_steps is None else "steps",
        "save_steps": settings.save_steps or 500,
        "save_total_limit": 1,
        "logging_steps": 1,
        "logging_nan_inf_filter": False,
        "report_to": "none",
        "disable_tqdm": True,
        "dataloader_pin_memory": torch.cuda.is_available(),
    }


def _check(loss: Any, step: int, items: Sequence[str]) -> None:
    from fas.leaf.training import LossError

    value = loss.detach()
    if not torch.isfinite(value).all():
        raise LossError(
            f"the loss is {float(value):g} after {step} optimiser steps, on the examples of {', '.join(items)}; lower "
            "the learning rate, or look at these examples. The last checkpoint is kept"
        )


class _OnTokens:
    """A trainer on examples that are tokens already; `PrinterCallback` would write to the standard output."""

    def __init__(self, *, data: Sequence[Example], **options: Any) -> None:
        self._data = data
        super().__init__(**options)
        self.remove_callback(PrinterCallback)  # type: ignore[attr-defined]


class Simpo(_OnTokens, CPOTrainer):  # type: ignore[misc]  # TRL has no types
    """SimPO on examples that are tokens already."""

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

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        """The loss of a batch, which must be a number."""
        result = super().compute_loss(model, inputs, return_outputs, num_items_in_batch)
        _check(result[0] if return_outputs else result, self.state.global_step, inputs["item"])
        return result


class Supervised(_OnTokens, SFTTrainer):  # type: ignore[misc]  # TRL has no types
    """Next-token loss on completions."""

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        """The loss of a batch, which must be a number."""
        ids, labels = inputs["input_ids"].tolist(), inputs["labels"].tolist()
        result = super().compute_loss(model, inputs, return_outputs, num_items_in_batch)
        loss = result[0] if return_outputs else result
        if not torch.isfinite(loss.detach()).all():
            known = {tuple(one.prompt + one.chosen): one.item for one in self._data}
            ends = [max((i for i, label in enumerate(row) if label != -100), default=-1) + 1 for row in labels]
            rows = [tuple(row[:end]) for row, end in zip(ids, ends, strict=True)]
            _check(loss, self.state.global_step, [known.get(row, "(unknown)") for row in rows])
        return result


class _StopAfter(TrainerCallback):  # type: ignore[misc]
    """Stops with a checkpoint, as when the time of a job is over."""

    def __init__(self, steps: int) -> None:
        self._steps = steps

    def on_step_end(self, args: Any, state: Any, control: Any, **others: Any) -> Any:
        """After every optimiser step."""
        del args, others
        if state.global_step >= self._steps:
            control.should_save = control.should_training_stop = True
        return control


class _Progress(TrainerCallback):  # type: ignore[misc]
    """Tells of every step."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell

    def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, Any] | None = None, **others: Any) -> None:
        """After every optimiser step."""
        del args, control, others
        shown = [f"{name} {float(logs[name]):.4g}" for name in ("loss", "rewards/margins") if logs and name in logs]
        if shown:
            self._tell(f"step {state.global_step} of {state.max_steps}: {', '.join(shown)}")
