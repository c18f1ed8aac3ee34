"""A fine-tuned model as its difference to a trunk: the matrices that changed, in four bits a number.

Fine-tuning moves a weight by a small part of its size, so the difference bears coarse steps: each group of 64 numbers
of a row has a step of its own, and a number is one of 15 multiples of it. What is new (the head) or small (biases,
normalisation) is kept as it is. The same idea in one bit is BitDelta (Liu et al. 2024).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fas.models.trunks import file_sha256, trunk_place

if TYPE_CHECKING:
    import torch

FILE = "difference.safetensors"
TRUNK_FILE = "trunk.json"
GROUP = 64
"""Numbers of a row that share a step."""
_STEPS = 7
# Shares of the largest number of a group that are tried as the end of the scale: cutting the largest off pays where it
# stands alone.
_ENDS = (1.0, 0.9, 0.8, 0.7, 0.6)
_CODES, _SCALES = ".codes", ".steps"


def pack(new: Mapping[str, torch.Tensor], old: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """What `unpack` makes *new* (only those that changed or that *old* lacks) of, given *old*, the trunk's weights.

    For a matrix that *old* has, two codes a byte (`NAME.codes`, shape `[rows, columns / 2]`) and half-precision
    steps (`NAME.steps`, shape `[rows, columns / 64]`); everything else under its own name, in half precision
    where that is a difference, as it is where it is new.
    """
    import torch

    packed: dict[str, torch.Tensor] = {}
    for name, value in new.items():
        if name not in old:
            packed[name] = value.float().contiguous()
        elif value.ndim != 2 or value.shape[1] % GROUP:
            packed[name] = (value.float() - old[name].float()).half().contiguous()
        else:
            codes, steps = _encode_steps(value.float() - old[name].float())
            packed[name + _CODES] = (codes[:, 0::2] << 4 | codes[:, 1::2]).to(torch.uint8).contiguous()
            packed[name + _SCALES] = steps.contiguous()
    return packed


def _encode_steps(difference: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Codes from 1 to 15 (8 is zero), shape of *difference*, and the steps of its groups."""
    import torch

    groups = difference.reshape(difference.shape[0], -1, GROUP)
    largest = groups.abs().amax(dim=-1, keepdim=True)
    best_steps = torch.zeros_like(largest)
    best_error = torch.full_like(largest, float("inf"))
    for end in _ENDS:
        steps = (largest * end / _STEPS).half().float()
        rounded = _round_steps(groups, steps) * steps
        error = (rounded - groups).square().sum(dim=-1, keepdim=True)
        better = error < best_error
        best_steps, best_error = torch.where(better, steps, best_steps), torch.where(better, error, best_error)
    codes = _round_steps(groups, best_steps).to(torch.int16) + 8
    return codes.reshape(difference.shape), best_steps.squeeze(-1).half()


def _round_steps(groups: torch.Tensor, steps: torch.Tensor) -> torch.Tensor:
    import torch

    safe = torch.where(steps > 0, steps, torch.ones_like(steps))
    return (groups / safe).round().clamp(-_STEPS, _STEPS) * (steps > 0)


def unpack(packed: Mapping[str, torch.Tensor], old: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The weights that `pack` was given, nearly, in single precision.

    Raises:
        ValueError: The trunk lacks a matrix that something is a difference to, or has it in another shape.
    """
    import torch

    new: dict[str, torch.Tensor] = {}
    for key, value in packed.items():
        if key.endswith(_SCALES):
            continue
        name = key.removesuffix(_CODES)
        if key == name and value.dtype == torch.float32:
            new[name] = value
            continue
        if key == name:
            difference = value.float()
        else:
            codes = torch.stack([value >> 4, value & 15], dim=-1).flatten(1).float() - 8
            steps = packed[name + _SCALES].float()
            difference = (codes.reshape(*steps.shape, GROUP) * steps[..., None]).flatten(1)
        base = old.get(name)
        if base is None or base.shape != difference.shape:
            raise ValueError(f"the trunk has no {name} of shape {tuple(difference.shape)}")
        new[name] = base.float() + difference
    return new


class Kept(NamedTuple):
    """A folder that holds a difference to a trunk, whose weights have this *sha256*."""

    folder: Path
    trunk: str
    sha256: str

    @classmethod
    def at(cls, location: str) -> Kept | None:
        """The difference in folder *location*, or None where there is none."""
        file = Path(location) / TRUNK_FILE
        if not file.is_file():
            return None
        told = json.loads(file.read_text(encoding="utf-8"))
        return cls(file.parent, str(told["trunk"]), str(told["sha256"]))

    def place(self) -> Path:
        """The trunk's folder; its tokenizer is the model's. A LookupError where it is not there."""
        return trunk_place(self.trunk, self.sha256, self.folder.name.replace("_", "-"))

    @property
    def is_whole(self) -> bool:
        """Whether the difference itself lies in the folder; its weights are a package of their own."""
        return (self.folder / FILE).is_file()

    @property
    def file(self) -> Path:
        """The difference; a LookupError where it is not there."""
        if not self.is_whole:
            name = self.folder.name.replace("_", "-")
            raise LookupError(
                f"the weights of {name} are a package of their own: pip install 'fact-aligned-score[base]', or in a "
                "checkout: pip install ./weights/base"
            )
        return self.folder / FILE

    @property
    def signature(self) -> str:
        """Eight digits of the SHA-256 of each part: the difference, then the trunk."""
        return f"{file_sha256(self.file)[:8]}+{self.sha256[:8]}"

    def classifier(self, dtype: torch.dtype) -> Any:
        """The model that trunk and difference make, in *dtype*.

        Raises:
            LookupError: The trunk or the difference is not there.
            ValueError: The two do not fit.
        """
        from safetensors.torch import load_file
        from transformers import AutoConfig, AutoModelForSequenceClassification

        trunk = load_file(self.place() / "model.safetensors")
        config = AutoConfig.from_pretrained(str(self.folder), trust_remote_code=False)
        model = AutoModelForSequenceClassification.from_config(config, trust_remote_code=False)
        state = select_trunk_weights(model, trunk)
        state |= unpack(load_file(self.file), state)
        missing, unexpected = model.load_state_dict(state, strict=False)
        problems = [key for key in (*missing, *unexpected) if "position_ids" not in key]
        if problems:
            raise ValueError(f"{self.folder}: trunk and difference do not make a model: {', '.join(problems[:3])}")
        return model.to(dtype)


def select_trunk_weights(model: Any, trunk: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The weights of *trunk* by the names that *model*, a classifier over such an encoder, has for them."""
    prefix = f"{model.base_model_prefix}."
    own = model.state_dict().keys()
    return {prefix + key: value for key, value in trunk.items() if prefix + key in own}
