"""Write a training run's model as its difference to the trunk, as the package keeps it."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from fas.models.difference import FILE, TRUNK_FILE, pack, under


def write_difference(model: torch.nn.Module, trunk: Path, name: str, sha256: str, out: Path) -> int:
    """Write what *model* is more than its trunk into folder *out*; the bytes of the difference.

    Args:
        model: A classifier whose frozen weights are the trunk's.
        trunk: The trunk's folder.
        name: What the package calls the trunk.
        sha256: Of its weights.
        out: The folder.

    Raises:
        ValueError: A weight that was to stay differs from the trunk's.
    """
    old = under(model, load_file(trunk / "model.safetensors"))
    trained = {key for key, p in model.named_parameters() if p.requires_grad}
    state = {key: value.detach().float() for key, value in model.state_dict().items() if "position_ids" not in key}
    moved = [key for key, value in state.items() if key not in trained and not value.equal(old[key].float())]
    if moved:
        raise ValueError(f"not trained and yet not the trunk's: {', '.join(moved[:3])}")
    out.mkdir(parents=True, exist_ok=True)
    save_file(pack({key: state[key] for key in sorted(trained)}, old), out / FILE)
    (out / FILE).chmod(0o644)
    model.config.architectures = [type(model).__name__]  # type: ignore[union-attr]
    config = {key: value for key, value in model.config.to_diff_dict().items() if not key.startswith("_")}  # type: ignore[union-attr]
    (out / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    (out / TRUNK_FILE).write_text(json.dumps({"trunk": name, "sha256": sha256}, indent=2) + "\n", encoding="utf-8")
    return (out / FILE).stat().st_size
