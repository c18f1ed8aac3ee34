"""Write a training run's model as the package keeps it: its difference to a trunk that is fetched, or its own layers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from fas.models.difference import FILE, TRUNK_FILE, Kept, pack, select_trunk_weights

WEIGHTS = "model.safetensors"


def write_difference(model: torch.nn.Module, start: Kept, out: Path) -> int:
    """Write what *model* is more than its trunk into folder *out*; the bytes of the difference.

    Args:
        model: A classifier that was trained on from *start*; of what was frozen, the difference stays as it was.
        start: The difference that training began with.
        out: The folder.
    """
    old = select_trunk_weights(model, load_file(start.place() / WEIGHTS))
    state = model.state_dict()
    trained = {key: state[key].detach().float() for key, p in model.named_parameters() if p.requires_grad}
    out.mkdir(parents=True, exist_ok=True)
    save_file(load_file(start.folder / FILE) | pack(trained, old), out / FILE)
    (out / FILE).chmod(0o644)
    _write_config(model, out)
    shutil.copyfile(start.folder / TRUNK_FILE, out / TRUNK_FILE)
    return (out / FILE).stat().st_size


def write_layers(model: torch.nn.Module, trunk: Path, name: str, out: Path) -> int:
    """Write *model* into folder *out* without its embeddings, which are those of the embedded model *name*; the bytes.

    Raises:
        ValueError: The embeddings are not the trunk's.
    """
    old, prefix = select_trunk_weights(model, load_file(trunk / "model.safetensors")), f"{model.base_model_prefix}."
    kept = {}
    for key, value in model.state_dict().items():
        if not key.startswith(f"{prefix}embeddings."):
            kept[key] = value.detach().half().contiguous()
        elif key in old and not value.half().equal(old[key].half()):
            raise ValueError(f"not trained and yet not the trunk's: {key}")
    out.mkdir(parents=True, exist_ok=True)
    save_file(kept, out / WEIGHTS, metadata={"format": "pt"})
    (out / WEIGHTS).chmod(0o644)
    _write_config(model, out)
    told = json.dumps({"from": name, "prefix": prefix}, indent=2)
    (out / "shared_embeddings.json").write_text(told + "\n", encoding="utf-8")
    for file in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(trunk / file, out / file)
    return (out / WEIGHTS).stat().st_size


def _write_config(model: torch.nn.Module, out: Path) -> None:
    model.config.architectures = [type(model).__name__]  # type: ignore[union-attr]
    config = {key: value for key, value in model.config.to_diff_dict().items() if not key.startswith("_")}  # type: ignore[union-attr]
    (out / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", encoding="utf-8")
