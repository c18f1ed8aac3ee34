"""Training on checked answers: supervised, or SimPO on pairs (LEAF, sections 2.3 and A.5), by TRL's trainers.

SimPO has no reference model. With r(y) = beta * (sum of log p of y's tokens) / (number of them), the loss of a pair is

    -log sigmoid( r(chosen) - r(rejected) - gamma )                                          LEAF, equations 1 to 3

gamma is the margin itself. TRL's `CPOTrainer` (`loss_type="simpo"`) takes it as it is and divides by beta inside; other
programs take the ratio gamma / beta, and 1.4 given to them as a ratio would be a margin of 3.5. TRL's defaults that
differ from the paper are set here: no share of supervised loss (`cpo_alpha = 0`), no mixed precision and no gradient
checkpointing unless asked for.

    OUT.checkpoints/      while it trains: settings, and the last checkpoint with weights, optimizer, schedule and RNG
    OUT/                  when it is done: the model, its tokenizer, and fas_tune.json with what was done

The same command resumes from the last whole checkpoint, to the same weights on one device.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from fas._version import __version__
from fas.core.checks import whole_number
from fas.core.errors import FasError, InputError
from fas.core.files.own import another_folder, write_json
from fas.leaf.selecting import FILES, For
from fas.leaf.training_data import Example, find_leaked, read_lines, tokenize_examples
from fas.pipeline.runs.folder import lock_folder
from fas.pipeline.runs.settings import pin_settings

RECORD = "fas_tune.json"
_BYTES_PER_PARAMETER = 16  # float32: the weight, its gradient, and AdamW's two moments
_SHOWN = 64  # pairs whose margin is measured before and after


@dataclass(frozen=True, slots=True)
class Training:
    """How a model is trained; the defaults are those of LEAF's table 11.

    Attributes:
        learning_rate: AdamW's, at its highest.
        batch_size: Examples a step and device.
        accumulation: Steps whose gradients are added up before the weights move.
        max_length: Tokens of prompt and completion; what is longer is left out.
        epochs: Times every example is seen.
        beta: Scale of SimPO's reward.
        gamma: SimPO's margin.
        seed: Seed of the order of examples.
        precision: `fp32`, or `bf16` for mixed precision with weights in fp32.
    """

    learning_rate: float = 1e-6
    batch_size: int = 4
    accumulation: int = 8
    max_length: int = 2048
    epochs: float = 5
    beta: float = 2.5
    gamma: float = 1.4
    seed: int = 42
    precision: Literal["fp32", "bf16"] = "fp32"

    def __post_init__(self) -> None:
        for name in ("batch_size", "accumulation", "max_length"):
            whole_number(name, getattr(self, name))
        for name in ("learning_rate", "epochs", "beta"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"`{name}` must be above 0, got {getattr(self, name)!r}")
        if not 0 <= self.gamma < math.inf:
            raise ValueError(f"`gamma` must be at least 0, got {self.gamma!r}")
        if self.precision not in ("fp32", "bf16"):
            raise ValueError(f"`precision` must be 'fp32' or 'bf16', got {self.precision!r}")


class LossError(FasError):
    """The loss is no longer a number; the message names the step."""


def train(
    folder: Path,
    out: Path,
    *,
    model: str,
    purpose: For,
    settings: Training | None = None,
    held_out: Sequence[Path] = (),
    transductive: bool = False,
    offline: bool = False,
    tell: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """Train *model* on what was selected in *folder*; the content of `fas_tune.json`.

    Args:
        folder: Where `fas train select` wrote.
        out: Folder of the trained model.
        model: Folder or hub name of the model, with or without `transformers:` in front.
        purpose: `sft` or `simpo`.
        settings: How.
        held_out: Files of questions that the model will be evaluated on; none of them may be trained on.
        transductive: Allow that, and note it.
        offline: Take hub models from their cache on disk only.
        tell: Called with a line for each step.

    Raises:
        InputError: There is nothing to learn from, something was trained on before with other settings, a held-out
            question is among the training questions, or the model cannot fit into memory.
        LookupError: There is no such model, or the extra `tune` is not installed.
        LossError: The loss is no longer a number.
    """
    from fas.models.loading import quiet_loading
    from fas.models.paths import resolve_model

    settings = settings or Training()
    lines = read_lines(folder, purpose)
    both = find_leaked(lines, held_out)
    if both and not transductive:
        raise InputError(
            f"{len(both)} of the questions trained on are held out for evaluation, e.g. {both[0]!r}; train on others, "
            "or say --transductive, which is then noted wherever the model is used",
            kind="leak",
        )
    name = model.removeprefix("transformers:")
    pinned = {
        "purpose": purpose,
        "data": hashlib.sha256((folder / FILES[purpose]).read_bytes()).hexdigest()[:16],
        "model": model_identity(name, offline=offline),
        "transductive": str(bool(both)),
        **{key: str(value) for key, value in asdict(settings).items()},
        "v": __version__,
    }
    work = out.with_name(f"{out.name}.checkpoints")
    done = _read_finished(out, pinned)
    if done is not None:
        return done
    _require_trl()
    check_fits(name, offline=offline)
    with lock_folder(work):
        from fas.leaf.trainers import make_trainer  # TRL, which `_require_trl` has looked for

        pin_settings(work / "tune.json", pinned)
        location, _ = resolve_model(name)
        with quiet_loading(name, offline=offline):
            network, tokenizer = _load(location, offline)
        data, left_out = tokenize_examples(lines, tokenizer, max_length=settings.max_length)
        before = measure_margins(network, data[:_SHOWN], settings.beta) if purpose == "simpo" else None
        trainer = make_trainer(network, tokenizer, data, purpose, settings, work, tell=tell)
        result = trainer.train(resume_from_checkpoint=find_last_checkpoint(work))
        record: dict[str, Any] = {
            **pinned,
            "base": name,
            "n_examples": len(data),
            "left_out": dict(left_out),
            "optimizer_steps": trainer.state.global_step,
            "loss": result.training_loss,
            "held_out": [str(path.name) for path in held_out],
            "leaked": len(both),
        }
        if before is not None:
            after = measure_margins(network, data[:_SHOWN], settings.beta)
            record["margin_before"], record["margin_after"] = sum(before) / len(before), sum(after) / len(after)
        _save(network, tokenizer, record, out)
        shutil.rmtree(work)
        return record


def measure_margins(network: Any, data: Sequence[Example], beta: float) -> list[float]:
    """r(chosen) - r(rejected) of each pair, in nats times *beta*; the model is left in its mode."""
    import torch

    training = network.training
    network.eval()
    found = []
    with torch.inference_mode():
        for one in data:
            means = []
            for completion in (one.chosen, one.rejected):
                ids = torch.tensor([one.prompt + completion], device=network.device)
                logits = network(input_ids=ids).logits[0, len(one.prompt) - 1 : -1].float()
                taken = torch.log_softmax(logits, -1).gather(1, ids[0, len(one.prompt) :, None])
                means.append(float(taken.mean()))
            found.append(beta * (means[0] - means[1]))
    network.train(training)
    return found


def find_last_checkpoint(work: Path) -> str | None:
    """The last whole checkpoint in *work*; what a killed run wrote half of is removed."""
    found = []
    for path in work.glob("checkpoint-*"):
        try:
            # Written last of all.
            step = int(json.loads((path / "trainer_state.json").read_text(encoding="utf-8"))["global_step"])
            found.append((step, str(path)))
        except (OSError, ValueError, KeyError):
            shutil.rmtree(path)
    return max(found)[1] if found else None


def check_fits(name: str, *, offline: bool = False) -> None:
    """Refuse (InputError) a model too large to train in this machine's memory, before any weights are read.

    *name*: folder or hub name. *offline*: do not ask the hub.
    """
    import torch
    from transformers import AutoModelForCausalLM

    with torch.device("meta"):
        empty: Any = AutoModelForCausalLM.from_config(_read_config(name, offline)[2], trust_remote_code=False)
    n = sum(parameter.numel() for parameter in empty.parameters())
    where, there = "main memory", os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if torch.cuda.is_available():
        where, there = "the device", torch.cuda.get_device_properties(0).total_memory
    if (needed := n * _BYTES_PER_PARAMETER) > there:
        raise InputError(
            f"{name} has {n / 1e9:.2f} billion parameters: weights, gradients and AdamW's moments in float32 take "
            f"{needed / 1e9:.0f} GB before any activation, and {where} has {there / 1e9:.0f} GB; train a smaller model",
            kind="memory",
        )


def model_identity(name: str, *, offline: bool = False) -> str:
    """What pins the weights to begin with."""
    from fas.models.loading import weights_identity

    location, signature, config = _read_config(name, offline)
    return f"{signature}@{weights_identity(location, config)}"


def _read_config(name: str, offline: bool) -> tuple[Any, str, Any]:
    """Where a model is, its signature, and its configuration."""
    from transformers import AutoConfig

    from fas.models.loading import quiet_loading
    from fas.models.paths import resolve_model

    location, signature = resolve_model(name)
    with quiet_loading(name, offline=offline):
        config = AutoConfig.from_pretrained(location, local_files_only=offline, trust_remote_code=False)
    return location, signature, config


def _load(location: str, offline: bool) -> tuple[Any, Any]:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    network: Any = AutoModelForCausalLM.from_pretrained(
        location, dtype=torch.float32, use_safetensors=True, local_files_only=offline, trust_remote_code=False
    )
    tokenizer: Any = AutoTokenizer.from_pretrained(location, local_files_only=offline, trust_remote_code=False)
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token  # masked, so that any would do
    return network.to("cuda" if torch.cuda.is_available() else "cpu"), tokenizer


def _read_finished(out: Path, pinned: Mapping[str, str]) -> dict[str, Any] | None:
    """What an earlier run with the same settings ended with.

    Raises:
        InputError: The folder holds something else.
    """
    if not out.exists():
        return None
    try:
        earlier: dict[str, Any] = json.loads((out / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(
            f"{out}: is there already and no trained model; {another_folder()}", kind="other_run"
        ) from error
    for key, value in pinned.items():
        if earlier.get(key) != value:
            raise InputError(
                f"{out}: was trained otherwise: {key!r} was {earlier.get(key)!r}, now it is {value!r}; give another "
                "folder with -o",
                kind="other_run",
            )
    return earlier


def _save(network: Any, tokenizer: Any, record: Mapping[str, Any], out: Path) -> None:
    """Everything into a new folder, which then takes its name."""
    part = out.with_name(f".{out.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    network.save_pretrained(part)
    tokenizer.save_pretrained(part)
    write_json(part / RECORD, dict(record))
    part.rename(out)


def _require_trl() -> None:
    try:
        import trl  # noqa: F401
    except ImportError as error:
        raise LookupError('training needs TRL: pip install "fact-aligned-score[tune]"') from error
